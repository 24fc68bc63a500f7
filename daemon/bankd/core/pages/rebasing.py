"""Lines that go to another page: what they refer to is written as it has to be there, and leads where it led."""

from __future__ import annotations

from dataclasses import replace

from bankd.core.links.linking import Link
from bankd.core.links.points import LinkScene, Reach
from bankd.core.links.relink import Edit, edit_line
from bankd.core.links.render import render_path
from bankd.core.links.resolve import Base, split_target
from bankd.core.links.restyle import TargetChange, choose_style
from bankd.core.markdown.names import ARCHIVE, BANK
from bankd.core.pages.rearrange import read_source


def rebase_links(text: str, page: str, to: str, before: LinkScene, after: LinkScene) -> str:
    """Lines of one page as another has to have them; nothing changes around the targets."""
    page, to = _written_for(page), _written_for(to)
    if page == to:
        return text
    source = read_source(to, text)
    lines = list(source.lines)
    edits: dict[int, list[Edit]] = {}
    for reference in source.references:
        written = _rewritten(Link(page, reference), to, before, after)
        edits.setdefault(reference.line, []).append(Edit(to, page, reference, written, to))
    for number, here in edits.items():
        lines[number] = edit_line(lines[number], here)
    return "".join(lines)


def _written_for(page: str) -> str:
    """The page for which lines were written: those in the archive stay as they were in the bank."""
    return BANK + page.removeprefix(ARCHIVE) if page.startswith(ARCHIVE) else page


def _rewritten(link: Link, to: str, before: LinkScene, after: LinkScene) -> str:
    """The target on the other page; as it was where it leads to the same from there, or led nowhere, or goes along."""
    target, same = before.target(link), link.reference.target
    if target is None or not _stays(link, target.style.base, before, after):
        return same
    moved = after.target(replace(link, source=to))
    if moved and (moved.path, moved.is_folder) == (target.path, target.is_folder):
        return same
    style = choose_style(link.reference, TargetChange(target, target, link.source, to), is_inside=False)
    path = render_path(link.reference, replace(target, style=style), to, after.names)
    fragment = split_target(same)[1]
    return same if path is None else path + (f"#{fragment}" if fragment is not None else "")


def _stays(link: Link, base: Base, before: LinkScene, after: LinkScene) -> bool:
    """Whether a reference leads, from its old page, as far as before: `#x` may name what goes along with the lines."""
    return base is not Base.SELF or before.reach(link) is after.reach(link) is Reach.POINT
