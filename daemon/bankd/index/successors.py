"""What runs found about pairs of memories, read from the catalog for search; without a catalog nothing is known."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from bankd.search.find import KnownRelations, StoredPair, StoredRelations

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.search.related import StoredTie

_T = TypeVar("_T")

_ASKED = "SELECT substr(what, 7) FROM noted WHERE what LIKE 'asked m-%'"
_WAITING = "SELECT text FROM held_back WHERE text LIKE '%(replaces %'"
_KEYS = "SELECT id, key FROM looked_at WHERE id"
_PAIRS = "SELECT older, newer, relation, is_dated FROM alike WHERE relation <> 'different' AND"
_SAME = (
    "SELECT looked_at.id, memories.id FROM looked_at, memories "
    "WHERE memories.id = looked_at.id AND memories.key = looked_at.key AND looked_at.id"
)


class Successors(KnownRelations):
    """Answers which memories are newer than others, near to them, or contradict them."""

    def __init__(self, catalog_db: Path | str) -> None:
        """Read this catalog; it need not be there."""
        self._path, self._inode = str(catalog_db), 0
        self._database: sqlite3.Connection | None = None

    def close(self) -> None:
        """Close the catalog; the next question opens it again."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def state(self) -> int:
        """A number that changes when runs may have found something else."""
        try:
            return os.stat(self._path).st_mtime_ns
        except OSError:
            return 0

    def of(self, ids: Collection[str]) -> StoredRelations:
        """The memories that are newer than these, near to them, or contradict them; empty if the catalog cannot be read."""
        return self._read(ids, _relations, StoredRelations())

    def doubted(self) -> set[str]:
        """The memories that a line or memory replaces which waits in the review for a person."""
        return self._read(["doubted"], _doubted, set())

    def kept(self) -> Sequence[str]:
        """The pages on which no confidence fades, as recorded by the last night."""
        return self._read(["kept"], _kept, ())

    def ties_of(self, ids: Collection[str]) -> list[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them."""
        return self._read(ids, _ties, [])

    def _read(self, ids: Collection[str], read: Callable[[sqlite3.Connection, list[str]], _T], nothing: _T) -> _T:
        if not ids:
            return nothing
        try:
            database = self._open()
            database.execute("BEGIN")  # one state, and one look at the file for all queries
            found = read(database, list(ids))
            database.execute("ROLLBACK")
        except (sqlite3.Error, OSError):
            self.close()
            return nothing
        return found

    def _open(self) -> sqlite3.Connection:
        """The catalog, kept open while it is the same file: opening takes longer than all queries."""
        inode = os.stat(self._path).st_ino
        if self._database is None or inode != self._inode:
            self.close()
            self._inode, name = inode, f"file:{self._path}?mode=ro"
            self._database = sqlite3.connect(name, uri=True, timeout=1, isolation_level=None, check_same_thread=False)
        return self._database


def _kept(database: sqlite3.Connection, _: list[str]) -> Sequence[str]:
    return [page for (page,) in database.execute("SELECT substr(what, 11) FROM noted WHERE what LIKE 'kept bank/%'")]


def _doubted(database: sqlite3.Connection, _: list[str]) -> set[str]:
    found = {id_ for (id_,) in database.execute(_ASKED)}
    for (text,) in database.execute(_WAITING):
        from bankd.memory.retain import part_replaced  # noqa: PLC0415 -- in most banks no such line waits

        found.add(part_replaced(text)[1])
    return found


def _relations(database: sqlite3.Connection, ids: list[str]) -> StoredRelations:
    doubted = _doubted(database, ids)
    superseded: dict[str, str] = dict(_rows(database, "SELECT old, new FROM superseded WHERE old", ids))
    found = {row for side in ("older", "newer") for row in _rows(database, f"{_PAIRS} {side}", ids)}
    projects: dict[str, list[str]] = {}
    for id_, project in _rows(database, "SELECT id, project FROM projects WHERE id", ids):
        projects.setdefault(id_, []).append(project)
    if not found:
        return StoredRelations(superseded, projects=projects, doubted=doubted)
    pairs = [StoredPair(older, newer, relation, bool(is_dated)) for older, newer, relation, is_dated in found]
    newer = [pair.newer for pair in pairs]
    superseded |= dict(_rows(database, "SELECT old, new FROM superseded WHERE old", newer))
    return StoredRelations(superseded, pairs, dict(_rows(database, _KEYS, ids)), projects, doubted)


def _ties(database: sqlite3.Connection, ids: list[str]) -> list[StoredTie]:
    query = "SELECT old, new FROM superseded WHERE"
    newer = [row for side in ("old", "new") for row in _rows(database, f"{query} {side}", ids)]
    query = "SELECT older, newer, reason FROM alike WHERE relation = 'newer' AND"
    other = [row for side in ("older", "newer") for row in _rows(database, f"{query} {side}", ids)]
    if not (newer or other):
        return []
    from bankd.search.related import StoredTie, Tie  # noqa: PLC0415 -- most answers have no tie

    # A contradiction holds while both memories say what they said when they were compared.
    still = {row for row in other if len({*_rows(database, _SAME, row[:2])}) == 2}
    return [
        *(StoredTie(old, new, Tie.SUPERSEDED, "") for old, new in dict.fromkeys(newer)),
        *(StoredTie(old, new, Tie.CONTRADICTS, why) for old, new, why in sorted(still)),
    ]


def _rows(database: sqlite3.Connection, query: str, values: Sequence[str]) -> list[Any]:
    """The rows of a query that ends in a column, where the column is one of these values."""
    return database.execute(f"{query} IN ({','.join('?' * len(values))})", values).fetchall()
