"""`bank/_meta/tree-index.json`: the nodes of the bank with their keywords and files, and the IDF cache.

    {"format": 1, "memories": 1520, "average": {...}, "idf_memories": 1500, "nodes": {
    "identity": {...},
    "identity/values.md": {...}
    }, "idf": {
    "가치관": [2, 6.5]
    }}

One line a node and one a term, both sorted, so that a change is a small diff; weights are computed for a rounded number
of memories, or each new one would change them all. The format is described in `bank/_meta/schema.md`; search reads the same
facts from its index, and other tools read them here.
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bankd.core.ranking.scoring import Corpus
from bankd.core.ranking.weighing import idf

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
