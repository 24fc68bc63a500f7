"""What tree-index.json needs of the rows of an index: what changed since it was written, and the pages as nodes.

`bank/_meta/tree-index.json`: the nodes of the bank with their keywords and files, and the IDF cache.

    {"format": 1, "memories": 1520, "average": {...}, "idf_memories": 1500, "nodes": {
    "identity": {...},
    "identity/values.md": {...}
    }, "idf": {
    "가치관": [2, 6.5]
    }}

One line a node and one a term, both sorted, so that a change is a small diff; weights are computed for a rounded number
of memories, or each new one would change them all. The format is described in `bank/_meta/schema.md`; search reads the same
facts from its index, and other tools read them here.

tree-index.json kept current: only the lines of what changed are made again, where the file is as it was written.

A file that somebody else touched, or that is missing, is made whole.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from bankd.index.rows import SEPARATOR
from bankd.index.search_index import SearchIndex
from bankd.search.score import Corpus
from bankd.search.weigh import idf

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


SCHEMA = """
CREATE TABLE touched (kind TEXT NOT NULL, name TEXT NOT NULL, PRIMARY KEY (kind, name)) WITHOUT ROWID;
"""
Node: TypeAlias = tuple[str, str, list[tuple[str, ...]], list[str], int]
"""A page: path, title, heading paths, keywords, number of memories."""


class TreeChanges(NamedTuple):
    """The pages and terms that changed since the tree file was written; `since` tells which file that was."""

    since: str
    paths: list[str]
    terms: list[str]


class TreeRows:
    """The part of an index's rows that is about the tree."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read and write by this connection."""
        self._connection = connection

    def touch(self, paths: Iterable[str], terms: Iterable[str]) -> None:
        """Note that pages change, and the terms that more or fewer memories have now."""
        touched = [*(("page", path) for path in paths), *(("term", term) for term in terms)]
        self._connection.executemany("INSERT OR IGNORE INTO touched VALUES (?, ?)", touched)

    def changes(self, since: str) -> TreeChanges:
        """What changed since the file of this checksum."""
        touched = self._connection.execute("SELECT kind, name FROM touched").fetchall()
        return TreeChanges(
            since,
            [name for kind, name in touched if kind == "page"],
            [name for kind, name in touched if kind == "term"],
        )

    def forget_changes(self) -> None:
        """Note that the tree file has everything."""
        self._connection.execute("DELETE FROM touched")

    def term_counts(self, path: str) -> dict[str, int]:
        """How often a page says each term; what its headings say counts twice."""
        rows = self._connection.execute(
            "SELECT sentences, heading_terms FROM memories WHERE page = (SELECT page FROM pages WHERE path = ?)",
            (path,),
        ).fetchall()
        said, above = (
            " ".join([row[0] for row in rows]),
            {term for row in {row[1] for row in rows} for term in row.split()},
        )
        return Counter([*said.split(), *above, *above])

    def without_keywords(self) -> list[str]:
        """The pages with memories whose keywords are still to be chosen: they changed since the tree file was written."""
        # With the plus SQLite takes the index of these few pages, and not that of all numbers of memories.
        query = "SELECT path FROM pages WHERE keywords = '' AND memories + texts > 0"
        return [path for (path,) in self._connection.execute(query)]

    def set_keywords(self, path: str, keywords: Iterable[str]) -> None:
        """Set the keywords of a page, the best first."""
        self._connection.execute("UPDATE pages SET keywords = ? WHERE path = ?", (" ".join(keywords), path))

    def nodes(self, paths: Iterable[str] | None = None) -> Iterator[Node]:
        """Each page in the order of paths, or these."""
        query = "SELECT path, title, headings, keywords, memories FROM pages"
        if paths is None:
            yield from map(_node, self._connection.execute(f"{query} ORDER BY path"))
            return
        for path in paths:
            yield from map(_node, self._connection.execute(f"{query} WHERE path = ?", (path,)))

    def pages_below(self, folder: str) -> tuple[list[str], list[list[str]]]:
        """The paths of all pages below a folder, and the keywords of those that lie directly in it."""
        between = (f"{folder}/", f"{folder}0")  # 0 is the character after the slash
        paths = self._connection.execute("SELECT path FROM pages WHERE path > ? AND path < ? ORDER BY path", between)
        keywords = self._connection.execute(
            "SELECT keywords FROM pages WHERE path > ? AND path < ? AND instr(substr(path, ?), '/') = 0 ORDER BY path",
            (*between, len(folder) + 2),
        )
        return [path for (path,) in paths], [words.split() for (words,) in keywords]


def _node(row: tuple[str, str, str, str, int]) -> Node:
    path, title, headings, keywords, memories = row
    paths = [tuple(line.split(SEPARATOR)) for line in headings.split("\n") if line]
    return path, title, paths, keywords.split(), memories


FORMAT = 1
_KEYWORDS = 30
"""Keywords of a page or folder that go on to the folder above."""

Lines = list[bytes]
"""The lines of a part of the file, `key: value` in JSON and UTF-8, sorted. No key begins another, since it ends in a quote.

They stay bytes, since a change touches a few of 54,000 lines: to decode and encode all doubles the time.
"""


_NODES, _BETWEEN, _TERMS, _END = b'"nodes": {\n', b",\n", b'\n}, "idf": {\n', b"\n}}\n"


class PageNode(NamedTuple):
    """A page as a node: its title, its heading paths, its keywords best first, and how many memories it holds."""

    path: str
    title: str
    headings: list[tuple[str, ...]]
    keywords: list[str]
    memories: int


class TreeIndex(NamedTuple):
    """What the file holds, line by line."""

    idf_memories: int
    nodes: Lines
    terms: Lines


def tree_of(pages: Iterable[PageNode], frequencies: Mapping[str, int], corpus: Corpus) -> TreeIndex:
    """The whole tree of a bank."""
    around = _rounded(corpus.memories)
    nodes: Lines = []
    files: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[list[str]]] = defaultdict(list)
    for page in pages:
        nodes += lines_of_page(page)
        below[_above(page.path)].append(page.keywords)
        for folder in folders_of(page.path):
            files[folder].append(page.path)
    for folder in sorted(files, key=lambda name: -name.count("/")):
        keywords = folder_keywords(below[folder])
        below[_above(folder)].append(keywords)
        nodes.append(line_of_folder(folder, keywords, sorted(files[folder])))
    weights = {count: _weight(around, count) for count in set(frequencies.values())}
    terms = (_key(term) + weights[count] for term, count in frequencies.items())
    return TreeIndex(around, sorted(nodes), sorted(terms))


def render_tree(tree: TreeIndex, corpus: Corpus) -> bytes:
    """Write the file; the same facts give the same bytes."""
    average = {"words": round(corpus.words, 2), "heading": round(corpus.heading, 2)}
    head = {"format": FORMAT, "memories": corpus.memories, "average": average, "idf_memories": tree.idf_memories}
    nodes, terms = (_BETWEEN.join(lines) for lines in (tree.nodes, tree.terms))
    return b"".join((_json(head)[:-1], b", ", _NODES, nodes, _TERMS, terms, _END))


def read_tree(content: bytes) -> TreeIndex:
    """Read a file that `render_tree` wrote; ValueError for any other."""
    nodes_at = content.find(_NODES)
    terms_at = content.find(_TERMS, nodes_at)
    if nodes_at < 0 or terms_at < 0 or not content.endswith(_END):
        raise ValueError("not a file that was written whole")
    around = json.loads(content[:nodes_at].rstrip(b", ") + b"}")["idf_memories"]
    nodes, terms = content[nodes_at + len(_NODES) : terms_at], content[terms_at + len(_TERMS) : -len(_END)]
    return TreeIndex(int(around), _read_lines(nodes), _read_lines(terms))


def _read_lines(part: bytes) -> Lines:
    return part.split(_BETWEEN) if part else []


def weigh_terms(tree: TreeIndex, frequencies: Mapping[str, int], corpus: Corpus) -> TreeIndex:
    """Other frequencies for some terms, 0 for one that is gone; all are weighed anew when the bank grew a good deal."""
    around, terms = _rounded(corpus.memories), tree.terms
    if around != tree.idf_memories:
        terms = [_weighed_anew(line, around) for line in terms]
    for term, count in frequencies.items():
        key = _key(term)
        put_line(terms, key, key + _weight(around, count) if count else None)
    return tree._replace(idf_memories=around, terms=terms)


def _weighed_anew(line: bytes, memories: int) -> bytes:
    key, _, rest = line.rpartition(b"[")
    return key + _weight(memories, int(rest.partition(b",")[0]))


def put_line(lines: Lines, key: bytes, line: bytes | None) -> None:
    """Put a line in the place of the one with its key, or take that out."""
    at = bisect_left(lines, key)
    is_there = at < len(lines) and lines[at].startswith(key)
    lines[at : at + is_there] = [line] if line else []


def put_page(tree: TreeIndex, path: str, page: PageNode | None) -> None:
    """Put the lines of a page and its headings in the place of those of its path."""
    put_line(tree.nodes, _key(path), None)
    start = _json(path)[:-1] + b"#"
    at = end = bisect_left(tree.nodes, start)
    while end < len(tree.nodes) and tree.nodes[end].startswith(start):
        end += 1
    del tree.nodes[at:end]
    for line in lines_of_page(page) if page else ():
        tree.nodes.insert(bisect_left(tree.nodes, line), line)


def put_folder(tree: TreeIndex, folder: str, keywords: list[str], files: list[str]) -> None:
    """Put the line of a folder in the place of the one it had, or take that out when no page is below it."""
    put_line(tree.nodes, _key(folder), line_of_folder(folder, keywords, files) if files else None)


def keywords_in(tree: TreeIndex, folder: str) -> list[str]:
    """The keywords of a folder as the tree has them."""
    start = _key(folder)
    at = bisect_left(tree.nodes, start)
    is_there = at < len(tree.nodes) and tree.nodes[at].startswith(start)
    return list(json.loads(tree.nodes[at][len(start) :])["keywords"]) if is_there else []


def lines_of_page(page: PageNode) -> Iterator[bytes]:
    """The lines of a page and its headings; of headings with the same name, the last."""
    yield _line(page.path, page.title, page.keywords, [page.path])
    for heading in {heading[-1]: heading for heading in page.headings[1:]}.values():
        yield _line(f"{page.path}#{heading[-1]}", " > ".join(heading), [], [page.path])


def line_of_folder(folder: str, keywords: list[str], files: list[str]) -> bytes:
    """The line of a folder, with all pages below it."""
    return _line(folder, folder.rsplit("/", 1)[-1], keywords, files)


def folder_keywords(below: Iterable[list[str]]) -> list[str]:
    """The keywords of a folder: those that stand first, and often, in what lies directly in it."""
    weights: dict[str, int] = {}
    for keywords in below:
        for place, keyword in enumerate(keywords[:_KEYWORDS]):
            weights[keyword] = weights.get(keyword, 0) + _KEYWORDS - place
    return sorted(weights, key=lambda keyword: (-weights[keyword], keyword))[:_KEYWORDS]


def folders_of(path: str) -> Iterator[str]:
    """The folders that a page stands in, the outermost first."""
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])


def folders_in(folder: str, files: Iterable[str]) -> list[str]:
    """The folders that lie directly in a folder, by the pages below it."""
    rests = (path[len(folder) + 1 :].partition("/") for path in files)
    return sorted({f"{folder}/{name}" for name, slash, _ in rests if slash})


def changed_folders(paths: Collection[str]) -> list[str]:
    """The folders that some pages stand in, the innermost first."""
    return sorted({folder for path in paths for folder in folders_of(path)}, key=lambda name: (-name.count("/"), name))


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _line(key: str, title: str, keywords: list[str], files: list[str]) -> bytes:
    node: dict[str, Any] = {"title": title, "keywords": keywords, "files": files}
    return _key(key) + _json(node)


def _weight(memories: int, count: int) -> bytes:
    return f"[{count}, {idf(max(memories, count), count):.3f}]".encode()


def _rounded(count: int) -> int:
    """A number rounded down to its first two digits."""
    step = int(10 ** max(len(str(count)) - 2, 0))
    return count // step * step


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _json(value: object) -> bytes:
    return _encode(value).encode("utf-8", "replace")


def _key(name: str) -> bytes:
    return _json(name) + b": "


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
