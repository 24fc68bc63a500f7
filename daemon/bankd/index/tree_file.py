"""tree-index.json: the nodes of the bank with their keywords and files, and how rare each term is.

    {"format": 1, "memories": 1520, "average": {...}, "idf_memories": 1500, "nodes": {
    "identity": {...},
    "identity/values.md": {...}
    }, "idf": {
    "가치관": [2, 6.5]
    }}

One line a node and one a term, both sorted, so that a change is a small diff. Only the lines of what changed are made
again; a file that is missing or that somebody else changed is made whole. Search reads the same facts from its index;
other tools read them here. `bank/_meta/schema.md` describes the format.
"""

from __future__ import annotations

import json
import zlib
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bankd.index.folder import Build
from bankd.index.search_index import SearchIndex
from bankd.index.writer import KeywordChooser
from bankd.search.score import Corpus
from bankd.search.weigh import idf

TREE_FILE = "bank/_meta/tree-index.json"
FORMAT = 1
_KEYWORDS = 30
"""The most keywords that a page or folder passes to the folder above."""
_NODES, _BETWEEN, _TERMS, _END = b'"nodes": {\n', b",\n", b'\n}, "idf": {\n', b"\n}}\n"

Write: TypeAlias = Callable[[str, bytes], None]
"""Writes a whole file of the workspace, through the one layer that may write there."""
Lines: TypeAlias = list[bytes]
"""The lines of a part of the file, `key: value` in JSON and UTF-8, sorted. No key is the start of another: each ends in a quote.

They stay bytes: a change is a few of 54,000 lines, and decoding and encoding all of them doubles the time.
"""


class PageNode(NamedTuple):
    """A page as a node: its title, its heading paths, its keywords best first, and how many memories it holds."""

    path: str
    title: str
    headings: list[tuple[str, ...]]
    keywords: list[str]
    memories: int


class TreeIndex(NamedTuple):
    """The file, line by line. Weights use a rounded number of memories; else each new memory would change all of them."""

    idf_memories: int
    nodes: Lines
    terms: Lines


def write_tree(root: Path, index: SearchIndex, write: Write) -> None:
    """Bring the file up to date with the index; it is written only when its content changed."""
    file, before = root / TREE_FILE, b""
    with suppress(OSError):  # a file that cannot be read is made whole
        before = file.read_bytes() if file.is_file() else b""
    with index.writing() as build:
        _choose_keywords(build, index.corpus)
    generation, corpus = index.generation, index.corpus
    is_ours = build.rows.state("tree") == _checksum(before)
    tree = _patched(before, build, corpus) if is_ours else _whole(build, corpus)
    content = render_tree(tree, corpus)
    if content != before:
        write(TREE_FILE, content)
    with index.writing() as build:
        if index.generation == generation:  # else the next run has something to add
            build.rows.note_tree(_checksum(content))


def _choose_keywords(build: Build, corpus: Corpus) -> None:
    """Choose the keywords of the pages that changed; only this file shows them, so no search waits for it."""
    paths = build.rows.without_keywords()
    chooser = KeywordChooser(build.terms, corpus.memories, len(paths))
    for path in paths:
        build.rows.set_keywords(path, chooser.of(build.rows.term_counts(path)))


def _whole(build: Build, corpus: Corpus) -> TreeIndex:
    counts = {term: build.terms.count(term) for term, _ in build.terms.all_frequencies()}
    pages = (PageNode(*node) for node in build.rows.nodes())
    return tree_of(pages, {term: count for term, count in counts.items() if count}, corpus)


def _patched(before: bytes, build: Build, corpus: Corpus) -> TreeIndex:
    tree, rows = read_tree(before), build.rows
    paths = rows.touched_for_tree("page")
    nodes = {node[0]: PageNode(*node) for node in rows.nodes(paths)}
    for path in paths:
        put_page(tree, path, nodes.get(path))
    folders = {folder for path in paths for folder in _folders_of(path)}
    for folder in sorted(folders, key=lambda name: (-name.count("/"), name)):  # the innermost first
        files, below = rows.pages_below(folder)
        rests = (path[len(folder) + 1 :].partition("/") for path in files)
        for inner in sorted({f"{folder}/{name}" for name, slash, _ in rests if slash}):
            at, end = _range_of(tree.nodes, _key(inner))
            below += [json.loads(line[len(_key(inner)) :])["keywords"] for line in tree.nodes[at:end]]
        line = _folder_line(folder, _folder_keywords(below), files) if files else None
        _put_line(tree.nodes, _key(folder), line)
    return weigh_terms(tree, {term: build.terms.count(term) for term in rows.touched_for_tree("term")}, corpus)


def tree_of(pages: Iterable[PageNode], frequencies: Mapping[str, int], corpus: Corpus) -> TreeIndex:
    """The whole tree of a bank."""
    around = _rounded(corpus.memories)
    nodes: Lines = []
    files: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[list[str]]] = defaultdict(list)
    for page in pages:
        nodes += _page_lines(page)
        below[page.path.rpartition("/")[0]].append(page.keywords)
        for folder in _folders_of(page.path):
            files[folder].append(page.path)
    for folder in sorted(files, key=lambda name: -name.count("/")):
        keywords = _folder_keywords(below[folder])
        below[folder.rpartition("/")[0]].append(keywords)
        nodes.append(_folder_line(folder, keywords, sorted(files[folder])))
    weights = {count: _weight(around, count) for count in set(frequencies.values())}
    return TreeIndex(around, sorted(nodes), sorted(_key(term) + weights[count] for term, count in frequencies.items()))


def render_tree(tree: TreeIndex, corpus: Corpus) -> bytes:
    """The content of the file; the same facts give the same bytes."""
    average = {"words": round(corpus.words, 2)}
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
    parts = content[nodes_at + len(_NODES) : terms_at], content[terms_at + len(_TERMS) : -len(_END)]
    return TreeIndex(int(around), *(part.split(_BETWEEN) if part else [] for part in parts))


def weigh_terms(tree: TreeIndex, frequencies: Mapping[str, int], corpus: Corpus) -> TreeIndex:
    """Set other frequencies for some terms, 0 for one that is gone; all are weighed anew when the bank grew a good deal."""
    around, terms = _rounded(corpus.memories), tree.terms
    if around != tree.idf_memories:
        parts = (line.rpartition(b"[") for line in terms)
        terms = [key + _weight(around, int(rest.partition(b",")[0])) for key, _, rest in parts]
    for term, count in frequencies.items():
        _put_line(terms, _key(term), _key(term) + _weight(around, count) if count else None)
    return tree._replace(idf_memories=around, terms=terms)


def put_page(tree: TreeIndex, path: str, page: PageNode | None) -> None:
    """Replace the lines of a page and its headings; with None take them out."""
    for start in (_key(path), _json(path)[:-1] + b"#"):
        at, end = _range_of(tree.nodes, start)
        del tree.nodes[at:end]
    for line in _page_lines(page) if page else ():
        tree.nodes.insert(bisect_left(tree.nodes, line), line)


def _put_line(lines: Lines, key: bytes, line: bytes | None) -> None:
    """Replace the line with this key; with None take it out."""
    at, end = _range_of(lines, key)
    lines[at:end] = [line] if line else []


def _range_of(lines: Lines, start: bytes) -> tuple[int, int]:
    """The range of the lines that begin with this prefix."""
    at = end = bisect_left(lines, start)
    while end < len(lines) and lines[end].startswith(start):
        end += 1
    return at, end


def _page_lines(page: PageNode) -> Iterator[bytes]:
    """The lines of a page and its headings; of headings with the same name, the last."""
    yield _line(page.path, page.title, page.keywords, [page.path])
    for heading in {heading[-1]: heading for heading in page.headings[1:]}.values():
        yield _line(f"{page.path}#{heading[-1]}", " > ".join(heading), [], [page.path])


def _folder_line(folder: str, keywords: list[str], files: list[str]) -> bytes:
    """The line of a folder, with all pages below it."""
    return _line(folder, folder.rsplit("/", 1)[-1], keywords, files)


def _folder_keywords(below: Iterable[list[str]]) -> list[str]:
    """The keywords of a folder: those that come first, and often, in the pages and folders directly in it."""
    weights: dict[str, int] = {}
    for keywords in below:
        for place, keyword in enumerate(keywords[:_KEYWORDS]):
            weights[keyword] = weights.get(keyword, 0) + _KEYWORDS - place
    return sorted(weights, key=lambda keyword: (-weights[keyword], keyword))[:_KEYWORDS]


def _folders_of(path: str) -> list[str]:
    """The folders that a page stands in, the outermost first."""
    parts = path.split("/")[:-1]
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def _line(key: str, title: str, keywords: list[str], files: list[str]) -> bytes:
    return _key(key) + _json({"title": title, "keywords": keywords, "files": files})


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


def _checksum(content: bytes) -> str:
    return f"{len(content)}:{zlib.crc32(content)}"
