"""References: which ones a new layout touches, how far one leads, new targets after lines moved, and what a memory mentions.

References and mentions are kept as they were written, by the last word of their target, which no rename of another file
changes. What they lead to is decided when somebody asks, since another page may take a name at any time.

After lines have moved, `relink_layout` makes every reference lead to the same words: only targets change, nothing around
them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from enum import IntEnum
from functools import cache
from typing import TypeAlias
from urllib.parse import unquote

from bankd.layouts.merge import Layout, line_positions
from bankd.pages.memory import Memory
from bankd.pages.names import Names, folder_of, folders_above, path_key
from bankd.pages.references import LinkKind, Reference, may_name, references_of
from bankd.pages.resolve import (
    INDEX_PAGES,
    WIKI_KINDS,
    AnchorPlace,
    Base,
    Outline,
    Style,
    Target,
    encode_fragment,
    find_place,
    fragment_for,
    outline_of,
    render_path,
    resolve_reference,
    split_target,
)
from bankd.pages.scanner import scan_text


@dataclass(frozen=True, slots=True)
class Link:
    """A reference and the file in which it stands."""

    source: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class Stray:
    """A reference to a block that is gone from its file `page`: the block, and the files that hold it now."""

    link: Link
    page: str
    block: str
    holders: tuple[str, ...]


def link_key(source: str, reference: Reference) -> str:
    """The key of a reference: the last word of its path, without ending; for `#x`, that of its own page."""
    path = split_target(reference.target)[0].partition("?")[0]
    words = [word for word in unquote(path or source).split("/") if word not in {"", ".", ".."}]
    return _stem(words[-1]) if words else _stem(folder_of(source).rpartition("/")[2])


def keys_to(path: str) -> set[str]:
    """The keys that references to a file or folder may have; `100%19.md` may also be read as percent-encoded."""
    names = [path.rpartition("/")[2]]
    if path.endswith(tuple("/" + page for page in INDEX_PAGES)):
        names += [folder_of(path).rpartition("/")[2], ""]
    return {_stem(word) for name in names for word in (name, unquote(name))}


def keys_touched(layout: Layout) -> set[str]:
    """The keys of all files that a layout removes, moves or makes; references to them may change."""
    paths = {*layout.sources, *layout.gone, *layout.new_paths, *layout.folders}
    if layout.folders:
        paths |= {folder for path in layout.gone for folder in folders_above(path)}
    return {key for path in paths for key in keys_to(path)}


def files_touched(layout: Layout, links: Iterable[Link], names: Names) -> set[str]:
    """The files outside a layout with a reference into it, or with one that leads elsewhere after it."""
    after = names.changed(layout.gone, layout.new_paths)
    sources = layout.sources
    inside = sources | {*layout.gone, *layout.new_paths}

    def is_touched(link: Link) -> bool:
        target = resolve_reference(link.reference, link.source, names)
        if target is None:
            return False
        if target.path in sources and target.fragment:
            return True
        is_moved = any(target.path == old or target.path.startswith(old + "/") for old in layout.folders)
        return is_moved or resolve_reference(link.reference, link.source, after) != target

    return {link.source for link in links if link.source not in inside and is_touched(link)}


def _stem(word: str) -> str:
    return path_key(word.removesuffix(".md").removesuffix(".html"))


_BLOCK = re.compile(r"\^([A-Za-z0-9-]+)")

OutlineOf: TypeAlias = Callable[[str], Outline | None]
"""Gives the places of a Markdown file; None for a file that is not read."""


class Reach(IntEnum):
    """How far a reference leads: to nothing, to a file, or to the point in it that it names."""

    NOWHERE = 0
    FILE = 1
    POINT = 2


@dataclass(frozen=True, slots=True)
class LinkScene:
    """The files at one moment: their names, and the places in them."""

    names: Names
    outline_of: OutlineOf

    def target(self, link: Link) -> Target | None:
        """The file or folder that a reference leads to."""
        return resolve_reference(link.reference, link.source, self.names)

    def reach(self, link: Link) -> Reach:
        """How far a reference leads; a place in a file that has no places that we know is taken to exist."""
        target = self.target(link)
        if target is None:
            return Reach.NOWHERE
        if not target.fragment:
            return Reach.FILE
        is_top = target.fragment == "top" and link.reference.kind not in WIKI_KINDS  # the page itself to browsers
        if target.is_folder or not target.path.endswith(".md") or is_top:
            return Reach.POINT
        outline = self.outline_of(target.path)
        return Reach.POINT if outline and place_in(outline, link.reference, target) else Reach.FILE


def block_named(reference: Reference) -> str:
    """The id of the block that a reference names as written; empty when it names none."""
    fragment = split_target(reference.target)[1] or ""
    found = _BLOCK.match(fragment if reference.kind in WIKI_KINDS else unquote(fragment))
    return found[1].lower() if found else ""


def wanted_reach(reference: Reference) -> Reach:
    """How far a reference is meant to lead."""
    return Reach.POINT if split_target(reference.target)[1] else Reach.FILE


def place_in(outline: Outline, reference: Reference, target: Target) -> AnchorPlace | None:
    """The place that a reference names in its file."""
    return find_place(outline, fragment_of(reference, target, outline)[0], is_wiki=reference.kind in WIKI_KINDS)


def fragment_of(reference: Reference, target: Target, outline: Outline) -> tuple[str, str]:
    """The fragment of a target and what follows it: a bare path may end in a Korean particle."""
    fragment = target.fragment or ""
    if reference.kind is not LinkKind.BARE:
        return fragment, ""
    for end in range(len(fragment), 0, -1):
        if find_place(outline, fragment[:end], is_wiki=False):
            return fragment[:end], fragment[end:]
        if fragment[end - 1].isascii():
            break
    return fragment, ""


MERGED = "also"
"""The kind of a mention of a merged memory; all other kinds are kinds of links."""


def mentions_of(memory: Memory) -> tuple[str, ...]:
    """What a memory mentions, each once: a line `kind target` for each link and each merged memory."""
    found = references_of(scan_text(memory.text)) if may_name(memory.text) else ()
    links = (f"{one.kind} {one.target}" for one in found if one.kind is not LinkKind.IMAGE)
    return tuple(dict.fromkeys((*links, *(f"{MERGED} {id_}" for id_ in memory.sources))))


def read_mention(mention: str) -> Reference | str:
    """The link of a mention, or the id of the memory that was merged."""
    kind, _, target = mention.partition(" ")
    return target if kind == MERGED else Reference(LinkKind(kind), 0, 0, 0, target)


def ids_named(mentions: Iterable[str]) -> list[str]:
    """For each mention the id of the memory that it names; empty if it names no memory."""
    return [named if isinstance(named, str) else block_named(named) for named in map(read_mention, mentions)]


def words_of(path: str, mentions: Iterable[str]) -> set[str]:
    """The keys under which the mentions of a memory are found: `^id` of a memory, or the last word of a path."""
    found = set()
    for mention in mentions:
        named = read_mention(mention)
        if isinstance(named, str):
            found.add(f"^{named}")
        else:
            found |= {link_key(path, named), *([f"^{block}"] if (block := block_named(named)) else [])}
    return found


HEADING_ROUNDS = 10  # a target inside a heading changes the anchor; a link to it inside a heading needs another round


@dataclass(frozen=True, slots=True)
class Edit:
    """One target that changes: its new page, its old place, the new target, and the file and line that it leads to."""

    new_page: str
    source: str
    reference: Reference
    target: str
    leads_to: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Relinked:
    """Every page that changes, with its whole new text, and the changes in it.

    No new target can be written for the `lost` references; they stay unchanged and are reported.
    """

    texts: Mapping[str, str]
    edits: tuple[Edit, ...]
    lost: tuple[Link, ...]


@dataclass(frozen=True, slots=True)
class Source:
    """A file that refers to pages: its lines and its references."""

    lines: tuple[str, ...]
    references: tuple[Reference, ...]


def relink_layout(
    layout: Layout, sources: Mapping[str, Source], names: Names, given: Mapping[Link, Edit] | None = None
) -> Relinked:
    """Lay the pages out anew and rewrite what refers to them.

    `sources` are the pages of the layout and every other file with a reference that the layout touches. `given` are edits
    that are decided already: then links to the headings that these change follow.
    """
    relinker = _Relinker(layout, sources, names, given or {})
    edits: tuple[Edit, ...] = ()
    texts = relinker.texts(edits)
    for _ in range(HEADING_ROUNDS):
        edits_now = relinker.edits(texts)
        if edits_now == edits:
            break
        edits = edits_now
        texts = relinker.texts(edits)
    return Relinked(texts, edits, tuple(relinker.lost))


@dataclass(frozen=True, slots=True)
class _Goal:
    """What a reference must lead to: a file, and the place in it with the form in which it is named."""

    target: Target
    place: AnchorPlace | None = None


class _Relinker:
    def __init__(self, layout: Layout, sources: Mapping[str, Source], names: Names, given: Mapping[Link, Edit]) -> None:
        self._layout, self._sources, self._given = layout, sources, given
        self._names, self._after = names, names.changed(layout.gone, layout.new_paths)
        self._positions = line_positions(layout)
        self._texts: Mapping[str, str] = {}
        self._outline = cache(lambda path: outline_of(scan_text("".join(sources[path].lines))))
        self._outline_now: Callable[[str], Outline]
        self.lost: list[Link] = []

    def texts(self, edits: Iterable[Edit]) -> dict[str, str]:
        """The whole text of every new page and of every other file with an edit."""
        targets: dict[str, list[tuple[Reference, str]]] = {}
        for edit in edits:
            targets.setdefault(edit.source, []).append((edit.reference, edit.target))
        lines = {path: with_targets(source.lines, targets.get(path, ())) for path, source in self._sources.items()}
        texts = {
            page.path: "".join("".join(lines[p.source][p.start : p.end]) if p.source else p.text for p in page.pieces)
            for page in self._layout.new_pages
        }
        others = targets.keys() - self._layout.sources
        return texts | {path: "".join(lines[path]) for path in others}

    def edits(self, texts: Mapping[str, str]) -> tuple[Edit, ...]:
        """The edits that are needed, given the new pages as they are after the last round."""
        self.lost, self._texts = [], texts
        self._outline_now = cache(lambda path: outline_of(scan_text(texts[path])))
        links = [Link(path, one) for path, source in self._sources.items() for one in source.references]
        return tuple(edit for link in links if (edit := self._given.get(link) or self._edit_of(link)))

    def _edit_of(self, link: Link) -> Edit | None:
        path, reference = link.source, link.reference
        new_page, _ = self._positions.get((path, reference.line), ("", 0))
        new_page = new_page if path in self._layout.sources else path
        target = resolve_reference(reference, path, self._names)
        goal = self._goal(reference, target) if target and new_page else None
        if target is None or goal is None:
            return None
        written = self._written(link, target, goal, new_page)
        if written is None:
            self.lost.append(link)
        if written in {None, reference.target}:
            return None
        return Edit(new_page, path, reference, written, goal.target.path, goal.place.line if goal.place else None)

    def _goal(self, reference: Reference, target: Target) -> _Goal | None:
        if target.is_folder:
            return _Goal(self._folder_now(target))
        place = None
        if target.fragment and target.path in self._sources:
            place = place_in(self._outline(target.path), reference, target)
        if target.path not in self._layout.sources:  # a link in a heading there may change what it is named by
            return _Goal(target, place if target.path in self._texts else None)
        if place is not None:
            now = self._positions.get((target.path, place.line))
            return _Goal(replace(target, path=now[0]), replace(place, line=now[1])) if now else None
        if target.style.base is Base.SELF:
            return None  # it named nothing before
        home = self._layout.homes.get(target.path)
        if home is None:
            return _Goal(target) if target.path in self._after else None
        return _Goal(replace(target, path=home.path), self._home_place(reference, target.path, home.line))

    def _home_place(self, reference: Reference, old: str, line: int | None) -> AnchorPlace | None:
        """The heading that stands for a page that has become a part of another."""
        if line is None or (old, line) not in self._positions:
            return None
        path, line = self._positions[old, line]
        outline = self._outline_now(path)
        spot = next((spot for spot in outline.spots if spot.line == line), None)
        named = spot and find_place(outline, spot.anchor, is_wiki=reference.kind in WIKI_KINDS)
        return replace(named, line=line) if named else None

    def _folder_now(self, target: Target) -> Target:
        """The new place of a folder; if all its pages were merged into the page of the same name, that page."""
        folder = target.path
        for old, new in self._layout.folders.items():
            if folder == old or folder.startswith(old + "/"):
                folder = new + folder[len(old) :]
                break
        hub = next((home.path for old, home in self._layout.homes.items() if folder_of(old) == folder), folder)
        is_gone = not self._after.has_folder(folder) and hub in self._after
        return replace(target, path=hub, is_folder=False) if is_gone else replace(target, path=folder)

    def _written(self, link: Link, target: Target, goal: _Goal, new_page: str) -> str | None:
        """The target to write on a new page: the old words wherever they still lead there."""
        reference, now = link.reference, goal.target
        if goal.place and now.path == new_page and target.path != link.source:
            now = replace(now, style=Style(Base.SELF))  # it named another part, and names its own page now
        elif not self._layout.is_move:
            now = replace(now, style=choose_style(target, now))
        return retarget(reference, target, now, new_page, self._after, self._fragment(reference, target, goal))

    def _fragment(self, reference: Reference, target: Target, goal: _Goal) -> str | None:
        """The words after the `#`; None when they stay as they are."""
        if goal.place is None:
            return None
        old, rest = fragment_of(reference, target, self._outline(target.path)) if target.fragment else ("", "")
        named = fragment_for(self._outline_now(goal.target.path), goal.place, old)
        return None if named is None or (named == old and old) else encode_fragment(reference, named) + rest


def retarget(
    reference: Reference, old: Target, new: Target, page: str, names: Names, fragment: str | None = None
) -> str | None:
    """What to write on a page for a reference that led to `old`, so that it leads to `new`; None if nothing leads there.

    Its path stays as it is where it still leads there, and its fragment where none is given.
    """
    path: str | None
    path, raw_fragment = split_target(reference.target)
    if new.style.base is Base.SELF or not path:
        still_leads = new.path == page and not path
    else:
        found = resolve_reference(replace(reference, target=path), page, names)
        still_leads = found is not None and (found.path, found.is_folder) == (new.path, new.is_folder)
    is_respelt = old.path != new.path and path_key(old.path) == path_key(new.path)  # some tools are case-sensitive
    if is_respelt or not still_leads:
        path = render_path(reference, new, page, names)
    fragment = raw_fragment if fragment is None else fragment
    return path if path is None or fragment is None else f"{path}#{fragment}"


def with_targets(lines: Iterable[str], targets: Iterable[tuple[Reference, str]]) -> list[str]:
    """The lines of a file with new targets of some of its references."""
    rows = list(lines)
    for reference, target in sorted(targets, key=lambda one: -one[0].start):
        row = rows[reference.line]
        rows[reference.line] = row[: reference.start] + target + row[reference.end :]
    return rows


def choose_style(old: Target, new: Target) -> Style:
    """The style of a reference that led to `old` and leads to `new`.

    The path of a wikilink begins at the same folder as before, so it grows if the new place is deeper.
    """
    if old.style.base is not Base.NAME or old.style.segments == 1:
        return old.style
    return replace(old.style, segments=max(1, old.style.segments + new.path.count("/") - old.path.count("/")))
