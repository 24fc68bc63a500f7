"""Which references a new layout touches, and what does not resolve: questions to the graph of references.

References are kept by the last word of their target, which no rename of another file changes; what they lead to is
decided when somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote

from bankd.core.edits.layout import Layout
from bankd.core.links.references import Reference
from bankd.core.links.resolve import INDEX_PAGES, resolve_reference, split_target
from bankd.core.markdown.names import Names, folder_of, folders_above, path_key


@dataclass(frozen=True, slots=True)
class Link:
    """A reference and the file in which it stands."""

    source: str
    reference: Reference


@dataclass(frozen=True, slots=True)
class Stray:
    """A reference that led to a block: the file that it led to, the block, and the files that hold this now."""

    link: Link
    page: str
    block: str
    holders: tuple[str, ...]


def link_key(source: str, reference: Reference) -> str:
    """The word by which a reference is kept: the last of its path, without ending; the page itself for `#x`."""
    path = split_target(reference.target)[0].partition("?")[0]
    words = [word for word in unquote(path or source).split("/") if word not in {"", ".", ".."}]
    return _stem(words[-1]) if words else _stem(folder_of(source).rpartition("/")[2])


def keys_to(path: str) -> set[str]:
    """The words by which references to a file or folder may be kept; those to `100%19.md` also as if it were quoted."""
    names = [path.rpartition("/")[2]]
    if path.endswith(tuple("/" + page for page in INDEX_PAGES)):
        names += [folder_of(path).rpartition("/")[2], ""]
    return {_stem(word) for name in names for word in (name, unquote(name))}


def keys_touched(layout: Layout) -> set[str]:
    """The words of everything that a layout takes away, moves, or gives a name to."""
    paths = {*layout.sources, *layout.gone, *layout.new_paths, *layout.folders}
    if layout.folders:
        paths |= {folder for path in layout.gone for folder in folders_above(path)}
    return {key for path in paths for key in keys_to(path)}


def files_touched(layout: Layout, links: Iterable[Link], names: Names) -> set[str]:
    """The files outside a layout with a reference into it, or with one that means something else after it."""
    after = names.changed(layout.gone, layout.new_paths)
    inside = layout.sources | {*layout.gone, *layout.new_paths}
    outside = (link for link in links if link.source not in inside)
    return {link.source for link in outside if _is_touched(layout, link, names, after)}


def _is_touched(layout: Layout, link: Link, names: Names, after: Names) -> bool:
    target = resolve_reference(link.reference, link.source, names)
    if target is None:
        return False
    if target.path in layout.sources and target.fragment:
        return True
    is_moved = any(target.path == old or target.path.startswith(old + "/") for old in layout.folders)
    return is_moved or resolve_reference(link.reference, link.source, after) != target


def links_to(path: str, links: Iterable[Link], names: Names) -> Iterator[Link]:
    """The references that lead to a file or folder."""
    for link in links:
        target = resolve_reference(link.reference, link.source, names)
        if target and target.path == path and link.source != path:
            yield link


def _stem(word: str) -> str:
    for ending in (".md", ".html"):
        if word.endswith(ending):
            word = word.removesuffix(ending)
    return path_key(word)
