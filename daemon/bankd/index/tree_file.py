"""tree-index.json: the nodes of the bank with their keywords and files, and how rare each term is.

    {"format": 1, "memories": 1520, "average": {...}, "idf_memories": 1500, "nodes": {
    "identity": {...},
    "identity/values.md": {...}
    }, "idf": {
    "가치관": [2, 6.5]
    }}

One line a node and one a term, both sorted, so that a change is a small diff. Search reads the same facts from its index;
other tools read them here. `bank/_meta/schema.md` describes the format.
"""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, TypeAlias

from bankd.index.search_index import SearchIndex
from bankd.pages.names import folders_above
from bankd.search.score import Corpus, idf

TREE_FILE = "bank/_meta/tree-index.json"
FORMAT = 1
_PASSED_ON, _OF_PAGE = 30, 100
"""The most keywords that a page or folder passes to the folder above, and the most of a page."""

Write: TypeAlias = Callable[[str, bytes], None]
"""Writes a whole file of the workspace, through the one layer that may write there."""


class PageNode(NamedTuple):
    """A page as a node: its title, its heading paths, and its keywords best first."""

    path: str
    title: str
    headings: list[tuple[str, ...]]
    keywords: list[str]


def write_tree(root: Path, index: SearchIndex, write: Write) -> None:
    """Bring the file up to date with the index; it is written only when its content changed."""
    file, before = root / TREE_FILE, b""
    with suppress(OSError):  # a file that cannot be read is made again
        before = file.read_bytes() if file.is_file() else b""
    with index.writing() as build:
        generation, corpus, rows = index.generation, index.corpus, build.rows
        if rows.state("tree") == f"{generation} {zlib.crc32(before)}":
            return
        counts = {term: build.terms.count(term) for term, _ in build.terms.all_frequencies()}
        for path in rows.without_keywords():  # only this file shows them, so no search waits for them
            own = rows.term_counts(path)
            worth = {term: many * idf(corpus.memories, counts.get(term, 0)) for term, many in own.items()}
            rows.set_keywords(path, sorted(worth, key=lambda term: (-worth[term], term))[:_OF_PAGE])
    content = render_tree((PageNode(*node) for node in rows.nodes()), counts, corpus)
    if content != before:
        write(TREE_FILE, content)
    with index.writing() as build:
        build.rows.set_state("tree", f"{generation} {zlib.crc32(content)}")


def render_tree(pages: Iterable[PageNode], frequencies: Mapping[str, int], corpus: Corpus) -> bytes:
    """The content of the file; the same facts give the same bytes.

    Weights use the number of memories rounded down to two digits; else each new memory would change all of them.
    """
    step = int(10 ** max(len(str(corpus.memories)) - 2, 0))
    around = corpus.memories // step * step
    nodes: list[bytes] = []
    files: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[list[str]]] = defaultdict(list)
    for page in pages:
        nodes += _page_lines(page)
        below[page.path.rpartition("/")[0]].append(page.keywords)
        for folder in folders_above(page.path):
            files[folder].append(page.path)
    for folder in sorted(files, key=lambda name: (-name.count("/"), name)):  # the innermost first
        keywords = _folder_keywords(below[folder])
        below[folder.rpartition("/")[0]].append(keywords)
        nodes.append(_line(folder, folder.rsplit("/", 1)[-1], keywords, sorted(files[folder])))
    weights = {
        count: f"[{count}, {idf(max(around, count), count):.3f}]".encode()
        for count in set(frequencies.values())
        if count
    }
    terms = sorted(_key(term) + weights[count] for term, count in frequencies.items() if count)
    average = {"words": round(corpus.words, 2)}
    head = _json({"format": FORMAT, "memories": corpus.memories, "average": average, "idf_memories": around})
    parts = (b",\n".join(lines) for lines in (sorted(nodes), terms))
    return head[:-1] + b', "nodes": {\n%b\n}, "idf": {\n%b\n}}\n' % tuple(parts)


def _page_lines(page: PageNode) -> Iterator[bytes]:
    """The lines of a page and its headings; of headings with the same name, the last."""
    yield _line(page.path, page.title, page.keywords, [page.path])
    for heading in {heading[-1]: heading for heading in page.headings[1:]}.values():
        yield _line(f"{page.path}#{heading[-1]}", " > ".join(heading), [], [page.path])


def _folder_keywords(below: Iterable[list[str]]) -> list[str]:
    """The keywords of a folder: those that come first, and often, in the pages and folders directly in it."""
    weights: dict[str, int] = {}
    for keywords in below:
        for place, keyword in enumerate(keywords[:_PASSED_ON]):
            weights[keyword] = weights.get(keyword, 0) + _PASSED_ON - place
    return sorted(weights, key=lambda keyword: (-weights[keyword], keyword))[:_PASSED_ON]


def _line(key: str, title: str, keywords: list[str], files: list[str]) -> bytes:
    return _key(key) + _json({"title": title, "keywords": keywords, "files": files})


_encode = json.JSONEncoder(ensure_ascii=False).encode


def _json(value: object) -> bytes:
    return _encode(value).encode("utf-8", "replace")


def _key(name: str) -> bytes:
    return _json(name) + b": "
