"""What tree-index.json needs of the rows of an index: what changed since it was written, and the pages as nodes."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from bankd.adapters.index.rows import SEPARATOR

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
