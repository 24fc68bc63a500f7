"""`bank/_meta/tree-index.json`: the nodes of the bank with their keywords and files, and the IDF cache.

    {"format": 1, "memories": 1520, "average": {...}, "idf_memories": 1500, "nodes": {
    "identity": {...},
    "identity/values.md": {...}
    }, "idf": {
    "가치관": [2, 6.5]
    }}

One line a node and one a term, both sorted, so that a change is a small diff; weights are computed for a rounded number
of memories, or each new one would change them all. The format is told in `bank/_meta/schema.md`; search reads the same
facts from its index, and other tools read them here.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from bankd.core.scoring import Corpus, idf

FORMAT = 1
_FOLDER_KEYWORDS = 30


class PageNode(NamedTuple):
    """A page as a node: its title, its heading paths, its keywords best first, and how many memories it holds."""

    path: str
    title: str
    headings: list[tuple[str, ...]]
    keywords: list[str]
    memories: int


def render_tree(pages: Iterable[PageNode], frequencies: Mapping[str, int], corpus: Corpus) -> bytes:
    """Write the file; the same facts give the same bytes."""
    nodes = [f"{_json(path)}: {_json(node)}" for path, node in sorted(_nodes(list(pages)).items())]
    around = _rounded(corpus.memories)
    weights = {count: f"[{count}, {idf(max(around, count), count):.3f}]" for count in set(frequencies.values())}
    terms = [f"{_json(term)}: {weights[count]}" for term, count in sorted(frequencies.items())]
    average = {"words": round(corpus.words, 2), "heading": round(corpus.heading, 2)}
    head = {"format": FORMAT, "memories": corpus.memories, "average": average, "idf_memories": around}
    parts = [_json(head)[:-1], ', "nodes": {\n', ",\n".join(nodes), '\n}, "idf": {\n', ",\n".join(terms), "\n}}\n"]
    return "".join(parts).encode("utf-8", "replace")


def _rounded(count: int) -> int:
    """A number rounded down to its first two digits."""
    step = int(10 ** max(len(str(count)) - 2, 0))
    return count // step * step


def _nodes(pages: list[PageNode]) -> dict[str, dict[str, Any]]:
    nodes: dict[str, dict[str, Any]] = {}
    for page in pages:
        nodes[page.path] = {"title": page.title, "keywords": page.keywords, "files": [page.path]}
        for heading in page.headings[1:]:
            nodes[f"{page.path}#{heading[-1]}"] = {"title": " > ".join(heading), "keywords": [], "files": [page.path]}
        for folder in _folders_of(page.path):
            node = nodes.setdefault(folder, {"title": folder.rsplit("/", 1)[-1], "keywords": {}, "files": []})
            node["files"].append(page.path)
            for place, keyword in enumerate(page.keywords[:_FOLDER_KEYWORDS]):
                node["keywords"][keyword] = node["keywords"].get(keyword, 0) + _FOLDER_KEYWORDS - place
    for node in nodes.values():
        if isinstance(node["keywords"], dict):
            best = sorted(node["keywords"].items(), key=lambda item: (-item[1], item[0]))
            node["keywords"] = [keyword for keyword, _ in best[:_FOLDER_KEYWORDS]]
    return nodes


def _folders_of(path: str) -> Iterator[str]:
    parts = path.split("/")[:-1]
    for count in range(1, len(parts) + 1):
        yield "/".join(parts[:count])


_json = json.JSONEncoder(ensure_ascii=False).encode
