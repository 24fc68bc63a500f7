"""What runs found of memories, as search asks: read from the catalog, whoever keeps that; no catalog, nothing found."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from bankd.core.ranking.relations import StoredPair, StoredRelations
from bankd.search.ranking_options import KnownRelations

if TYPE_CHECKING:
    from bankd.ports.searching import StoredTie

_T = TypeVar("_T")

_NEWER = "SELECT old, new FROM superseded WHERE old IN (?)"
_PAIRS = "SELECT older, newer, relation, is_dated FROM alike WHERE relation <> 'different' AND "
_KEYS = "SELECT id, key FROM looked_at WHERE id IN (?)"
_SUPERSEDED = "SELECT old, new, 'superseded', '' FROM superseded WHERE "
_CONTRADICTIONS = """
SELECT older, newer, 'contradicts', reason FROM alike WHERE relation = 'update' AND EXISTS (
    SELECT 1 FROM looked_at, memories WHERE looked_at.id = older AND memories.id = older AND memories.key = looked_at.key
) AND EXISTS (
    SELECT 1 FROM looked_at, memories WHERE looked_at.id = newer AND memories.id = newer AND memories.key = looked_at.key
) AND """
"""Only between memories that still say what they said when they were compared."""


class Successors(KnownRelations):
    """For the hits of a search: what says them newer, contradicts them, or is near to them; what ties two memories."""

    def __init__(self, catalog_db: Path) -> None:
        """Ask this catalog; it need not be there."""
        self._path = catalog_db

    def state(self) -> int:
        """A number that is another one when something else may have been found."""
        try:
            return self._path.stat().st_mtime_ns
        except OSError:
            return 0

    def of(self, ids: Collection[str]) -> StoredRelations:
        """What is known of these; nothing when it cannot be read."""
        return self._read(ids, _relations, StoredRelations())

    def ties_of(self, ids: Collection[str]) -> list[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them, as runs found it."""
        return self._read(ids, _ties, [])

    def _read(self, ids: Collection[str], read: Callable[[sqlite3.Connection, list[str]], _T], nothing: _T) -> _T:
        if not ids or not self._path.is_file():
            return nothing
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=1)) as database:
                database.execute("BEGIN")  # one state, and one look at the file for all queries
                return read(database, list(ids))
        except sqlite3.Error:
            return nothing


def _relations(database: sqlite3.Connection, ids: list[str]) -> StoredRelations:
    superseded: dict[str, str] = dict(_rows(database, _NEWER, ids))
    found = {row for side in ("older", "newer") for row in _rows(database, f"{_PAIRS}{side} IN (?)", ids)}
    if not found:
        return StoredRelations(superseded)
    pairs = [StoredPair(older, newer, relation, bool(is_dated)) for older, newer, relation, is_dated in found]
    superseded |= dict(_rows(database, _NEWER, [pair.newer for pair in pairs]))
    return StoredRelations(superseded, pairs, dict(_rows(database, _KEYS, ids)))


def _ties(database: sqlite3.Connection, ids: list[str]) -> list[StoredTie]:
    from bankd.core.use.policy import Tie  # noqa: PLC0415 -- most searches ask for no ties
    from bankd.ports.searching import StoredTie  # noqa: PLC0415 -- same

    sides = ((_SUPERSEDED, "old"), (_SUPERSEDED, "new"), (_CONTRADICTIONS, "older"), (_CONTRADICTIONS, "newer"))
    found = [row for select, side in sides for row in _rows(database, f"{select}{side} IN (?)", ids)]
    return [StoredTie(one, other, Tie(tie), why) for one, other, tie, why in dict.fromkeys(found)]


def _rows(database: sqlite3.Connection, query: str, values: Sequence[str]) -> list[Any]:
    return database.execute(query.replace("?", ",".join("?" * len(values))), values).fetchall()
