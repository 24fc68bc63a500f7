"""What runs found of memories, as search asks: read from the catalog, whoever keeps that; no catalog, nothing found."""

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

_NEWER = "SELECT old, new FROM superseded WHERE old IN (?)"
_PAIRS = "SELECT older, newer, relation, is_dated FROM alike WHERE relation <> 'different' AND "
_KEYS = "SELECT id, key FROM looked_at WHERE id IN (?)"
_SUPERSEDED = "SELECT old, new FROM superseded WHERE "
_CONTRADICTIONS = "SELECT older, newer, reason FROM alike WHERE relation = 'newer' AND "
_SAME = (
    "SELECT count(DISTINCT looked_at.id) FROM looked_at, memories "
    "WHERE looked_at.id IN (?) AND memories.id = looked_at.id AND memories.key = looked_at.key"
)


class Successors(KnownRelations):
    """For the hits of a search: what says them newer, contradicts them, or is near to them; what ties two memories."""

    def __init__(self, catalog_db: Path | str) -> None:
        """Ask this catalog; it need not be there."""
        self._path, self._inode = str(catalog_db), 0
        self._database: sqlite3.Connection | None = None

    def close(self) -> None:
        """Let go of the catalog; whoever asks again opens it again."""
        if self._database is not None:
            self._database.close()
        self._database = None

    def state(self) -> int:
        """A number that is another one when something else may have been found."""
        try:
            return os.stat(self._path).st_mtime_ns
        except OSError:
            return 0

    def of(self, ids: Collection[str]) -> StoredRelations:
        """What is known of these; nothing when it cannot be read."""
        return self._read(ids, _relations, StoredRelations())

    def ties_of(self, ids: Collection[str]) -> list[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them, as runs found it."""
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
        """The catalog, opened once as long as it is the same file: that takes longer than all that is asked of it."""
        inode = os.stat(self._path).st_ino
        if self._database is None or inode != self._inode:
            self.close()
            self._inode, name = inode, f"file:{self._path}?mode=ro"
            self._database = sqlite3.connect(name, uri=True, timeout=1, isolation_level=None, check_same_thread=False)
        return self._database


def _relations(database: sqlite3.Connection, ids: list[str]) -> StoredRelations:
    superseded: dict[str, str] = dict(_rows(database, _NEWER, ids))
    found = {row for side in ("older", "newer") for row in _rows(database, f"{_PAIRS}{side} IN (?)", ids)}
    if not found:
        return StoredRelations(superseded)
    pairs = [StoredPair(older, newer, relation, bool(is_dated)) for older, newer, relation, is_dated in found]
    superseded |= dict(_rows(database, _NEWER, [pair.newer for pair in pairs]))
    return StoredRelations(superseded, pairs, dict(_rows(database, _KEYS, ids)))


def _ties(database: sqlite3.Connection, ids: list[str]) -> list[StoredTie]:
    newer = [row for side in ("old", "new") for row in _rows(database, f"{_SUPERSEDED}{side} IN (?)", ids)]
    other = [row for side in ("older", "newer") for row in _rows(database, f"{_CONTRADICTIONS}{side} IN (?)", ids)]
    if not (newer or other):
        return []
    from bankd.search.related import StoredTie, Tie  # noqa: PLC0415 -- most answers have no tie

    still = {
        row for row in other if _rows(database, _SAME, row[:2]) == [(2,)]
    }  # what they said when they were compared
    return [
        *(StoredTie(old, new, Tie.SUPERSEDED, "") for old, new in dict.fromkeys(newer)),
        *(StoredTie(old, new, Tie.CONTRADICTS, why) for old, new, why in sorted(still)),
    ]


def _rows(database: sqlite3.Connection, query: str, values: Sequence[str]) -> list[Any]:
    return database.execute(query.replace("?", ",".join("?" * len(values))), values).fetchall()
