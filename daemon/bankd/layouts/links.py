"""Questions about references: which ones a new layout touches, how far one leads, and what a memory mentions.

References and mentions are kept as they were written, by the last word of their target, which no rename of another file
changes. What they lead to is decided when somebody asks, since another page may take a name at any time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TypeAlias
from urllib.parse import unquote

from bankd.layouts.merge import Layout
from bankd.pages.anchors import AnchorPlace, Outline, find_place
from bankd.pages.memory import Memory
from bankd.pages.names import Names, folder_of, folders_above, path_key
from bankd.pages.references import LinkKind, Reference, may_name, references_of
from bankd.pages.resolve import INDEX_PAGES, WIKI_KINDS, Target, resolve_reference, split_target
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
    fragment = fragment_of(reference, target, outline)[0]
    return find_place(outline, fragment, is_wiki=reference.kind in WIKI_KINDS)


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
