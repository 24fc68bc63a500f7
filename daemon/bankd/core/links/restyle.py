"""How a reference goes on being written when lines are split off a page or merged back into it.

The rule is that a merge undoes to the letter what a split did. So `#x` and a page that names itself in full must not
come out the same: the latter spells out, or climbs, one step more.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from bankd.core.links.references import Reference
from bankd.core.links.resolve import Base, Style, Target
from bankd.core.markdown.inline import LinkKind


@dataclass(frozen=True, slots=True)
class TargetChange:
    """What a reference led to and leads to now, and the page on which it stood and stands now."""

    old: Target
    new: Target
    path: str
    new_page: str


def choose_style(reference: Reference, change: TargetChange, *, is_inside: bool) -> Style:
    """Choose the style; `is_inside` says that the reference names a place and stands on a page that is laid out anew."""
    old, new = change.old, change.new
    if is_inside and new.path == change.new_page and old.path != change.path:
        return _as_own_page(reference, old, new)
    if is_inside and old.path == change.path and old.style.base is not Base.SELF and new.path != old.path:
        return _as_other_part(old, new, change.new_page)
    return _with_depth(old, new)


def _with_depth(old: Target, new: Target) -> Style:
    """A wikilink that spells out a path spells out as much of it afterwards."""
    if old.style.base is not Base.NAME or old.style.segments == 1:
        return old.style
    deeper = new.path.count("/") - old.path.count("/")
    return replace(old.style, segments=max(1, old.style.segments + deeper))


def _as_other_part(old: Target, new: Target, new_page: str) -> Style:
    """How a page that named itself in full names another of its parts: with one step more than `#x` needs."""
    style = old.style
    if style.base is Base.NAME:
        return replace(style, segments=style.segments + new.path.count("/") - old.path.count("/"))
    if style.base is Base.RELATIVE and new.path != new_page:
        return replace(style, climb=style.climb + 1)
    return style


def _as_own_page(reference: Reference, old: Target, new: Target) -> Style:
    """The reverse: what named another part names its own page now."""
    style = old.style
    if style.base is Base.NAME and style.segments > 1:
        return _with_depth(old, new)
    if style.base is Base.RELATIVE and (style.climb or reference.kind is LinkKind.BARE):
        return replace(style, climb=max(0, style.climb - 1))
    return Style(Base.SELF) if style.base in {Base.NAME, Base.RELATIVE} else style
