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
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from json.decoder import scanstring  # type: ignore[attr-defined]
from typing import Any, NamedTuple

from bankd.core.scoring import Corpus, idf

FORMAT = 1
_KEYWORDS = 30
"""So many of a page or folder go on to the folder above."""

Lines = dict[str, str]
"""The lines of a part of the file by their keys, both as JSON; sorted by key when rendered."""


class PageNode(NamedTuple):
    """A page as a node: its title, its heading paths, its keywords best first, and how many memories it holds."""

    path: str
    title: str
    headings: list[tuple[str, ...]]
    keywords: list[str]
    memories: int


class Tree(NamedTuple):
    """What the file holds, line by line."""

    idf_memories: int
    nodes: Lines
    terms: Lines


def tree_of(pages: Iterable[PageNode], frequencies: Mapping[str, int], corpus: Corpus) -> Tree:
    """The whole tree of a bank."""
    around, nodes = _rounded(corpus.memories), Lines()
    files: dict[str, list[str]] = defaultdict(list)
    below: dict[str, list[list[str]]] = defaultdict(list)
    for page in pages:
        nodes.update(lines_of_page(page))
        below[_above(page.path)].append(page.keywords)
        for folder in folders_of(page.path):
            files[folder].append(page.path)
    for folder in sorted(files, key=lambda name: -name.count("/")):
        keywords = folder_keywords(below[folder])
        below[_above(folder)].append(keywords)
        nodes.update(line_of_folder(folder, keywords, sorted(files[folder])))
    weights = {count: _weight(around, count) for count in set(frequencies.values())}
    return Tree(around, nodes, {_json(term): weights[count] for term, count in frequencies.items()})


def render_tree(tree: Tree, corpus: Corpus) -> bytes:
    """Write the file; the same facts give the same bytes."""
    average = {"words": round(corpus.words, 2), "heading": round(corpus.heading, 2)}
    head = {"format": FORMAT, "memories": corpus.memories, "average": average, "idf_memories": tree.idf_memories}
    nodes, terms = (",\n".join(f"{key}: {lines[key]}" for key in sorted(lines)) for lines in (tree.nodes, tree.terms))
    return f'{_json(head)[:-1]}, "nodes": {{\n{nodes}\n}}, "idf": {{\n{terms}\n}}}}\n'.encode("utf-8", "replace")


def read_tree(content: bytes) -> Tree:
    """Read a file that `render_tree` wrote; ValueError for any other."""
    head, nodes, terms = content.decode().replace('\n}, "idf": {\n', '"nodes": {\n').split('"nodes": {\n')
    around = json.loads(f"{head.rstrip(', ')}}}")["idf_memories"]
    return Tree(int(around), _read_lines(nodes), _read_lines(terms.removesuffix("\n}}\n")))


def _read_lines(text: str) -> Lines:
    lines = Lines()
    for line in text.split("\n") if text else ():
        end = scanstring(line, 1)[1]
        lines[line[:end]] = line[end + 2 :].removesuffix(",")
    return lines


def weigh_terms(tree: Tree, frequencies: Mapping[str, int], corpus: Corpus) -> Tree:
    """Other frequencies for some terms, 0 for one that is gone; all are weighed anew when the bank grew a good deal."""
    around, terms = _rounded(corpus.memories), tree.terms
    if around != tree.idf_memories:
        terms = {key: _weight(around, json.loads(line)[0]) for key, line in terms.items()}
    for term, count in frequencies.items():
        if count:
            terms[_json(term)] = _weight(around, count)
        else:
            terms.pop(_json(term), None)
    return tree._replace(idf_memories=around, terms=terms)


def forget_page(tree: Tree, path: str) -> None:
    """Take the lines of a page and its headings out."""
    own, heading = _json(path), f"{_json(path)[:-1]}#"
    for key in [key for key in tree.nodes if key == own or key.startswith(heading)]:
        del tree.nodes[key]


def keywords_in(tree: Tree, folder: str) -> list[str] | None:
    """The keywords of a folder as the tree has them; None when it has no such folder."""
    line = tree.nodes.get(_json(folder))
    return json.loads(line)["keywords"] if line else None


def lines_of_page(page: PageNode) -> Iterator[tuple[str, str]]:
    """The lines of a page and its headings."""
    yield _line(page.path, page.title, page.keywords, [page.path])
    for heading in page.headings[1:]:
        yield _line(f"{page.path}#{heading[-1]}", " > ".join(heading), [], [page.path])


def line_of_folder(folder: str, keywords: list[str], files: list[str]) -> Iterator[tuple[str, str]]:
    """The line of a folder, with all pages below it."""
    yield _line(folder, folder.rsplit("/", 1)[-1], keywords, files)


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


def changed_folders(paths: Collection[str]) -> list[str]:
    """The folders that some pages stand in, the innermost first."""
    return sorted({folder for path in paths for folder in folders_of(path)}, key=lambda name: (-name.count("/"), name))


def _above(path: str) -> str:
    return path.rpartition("/")[0]


def _line(key: str, title: str, keywords: list[str], files: list[str]) -> tuple[str, str]:
    node: dict[str, Any] = {"title": title, "keywords": keywords, "files": files}
    return _json(key), _json(node)


def _weight(memories: int, count: int) -> str:
    return f"[{count}, {idf(max(memories, count), count):.3f}]"


def _rounded(count: int) -> int:
    """A number rounded down to its first two digits."""
    step = int(10 ** max(len(str(count)) - 2, 0))
    return count // step * step


_json = json.JSONEncoder(ensure_ascii=False).encode
