"""tree-index.json kept current: only the lines of what changed are made again, where the file is as it was written.

A file that somebody else touched, or that is missing, is made whole.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from pathlib import Path

from bankd.adapters.index.search_index import SearchIndex
from bankd.adapters.index.tree_index import TreeChanges
from bankd.core.ranking.tree_index import (
    PageNode,
    TreeIndex,
    changed_folders,
    folder_keywords,
    folders_in,
    keywords_in,
    put_folder,
    put_page,
    read_tree,
    render_tree,
    tree_of,
    weigh_terms,
)

TREE_FILE = "bank/_meta/tree-index.json"

Write = Callable[[str, bytes], None]
"""Writes a file of the workspace whole, by the one layer that may."""


def write_tree(root: Path, index: SearchIndex, write: Write) -> None:
    """Bring the file up to date with the index; it is written only when its content changed."""
    file = root / TREE_FILE
    before = _read(file)
    index.choose_keywords()
    changes = index.tree_changes()
    tree = _patched(before, changes, index) if changes.since == _checksum(before) else _whole(index)
    content = render_tree(tree, index.corpus)
    if content != before:
        write(TREE_FILE, content)
    index.note_tree(_checksum(content))


def _read(file: Path) -> bytes:
    """The file as it is; nothing for one that cannot be read, which is made whole."""
    try:
        return file.read_bytes() if file.is_file() else b""
    except OSError:
        return b""


def _whole(index: SearchIndex) -> TreeIndex:
    counts = {term: index.count(term) for term in index.terms_with("")}
    present = {term: count for term, count in counts.items() if count}
    return tree_of((PageNode(*node) for node in index.nodes()), present, index.corpus)


def _patched(before: bytes, changes: TreeChanges, index: SearchIndex) -> TreeIndex:
    tree = read_tree(before)
    nodes = {node[0]: PageNode(*node) for node in index.nodes(changes.paths)}
    for path in changes.paths:
        put_page(tree, path, nodes.get(path))
    for folder in changed_folders(changes.paths):
        files, keywords = index.pages_below(folder)
        below = [*keywords, *(keywords_in(tree, name) for name in folders_in(folder, files))]
        put_folder(tree, folder, folder_keywords(below), files)
    return weigh_terms(tree, {term: index.count(term) for term in changes.terms}, index.corpus)


def _checksum(content: bytes) -> str:
    return f"{len(content)}:{zlib.crc32(content)}"
