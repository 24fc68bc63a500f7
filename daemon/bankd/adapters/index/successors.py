"""What runs found of memories, as search asks: read from the catalog, whoever keeps that; no catalog, nothing found."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from bankd.ports.searching import StoredTie

_SUPERSEDED = "SELECT old, new, 'superseded', '' FROM superseded WHERE "
_CONTRADICTIONS = """
SELECT older, newer, 'contradicts', reason FROM alike WHERE relation = 'update' AND EXISTS (
    SELECT 1 FROM looked_at, memories WHERE looked_at.id = older AND memories.id = older AND memories.key = looked_at.key
) AND EXISTS (
    SELECT 1 FROM looked_at, memories WHERE looked_at.id = newer AND memories.id = newer AND memories.key = looked_at.key
) AND """
"""Only between memories that still say what they said when they were compared."""


class Successors:
    """For each hit of a search, the memory that says it newer; and what else ties two memories."""

    def __init__(self, catalog_db: Path) -> None:
        """Ask this catalog; it need not be there."""
        self._path = catalog_db

    def of(self, ids: Iterable[str]) -> dict[str, str]:
        """By the ids of superseded memories, those of the newer ones; marks are left out when it cannot be read."""
        wanted = list(ids)
        query = f"SELECT old, new FROM superseded WHERE old IN ({_marks(wanted)})"  # noqa: S608
        return {old: new for old, new in self._read(query, wanted)}  # noqa: C416 -- rows of any length

    def ties_of(self, ids: Collection[str]) -> list[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them, as runs found it."""
        from bankd.core.use.policy import Tie  # noqa: PLC0415 -- most searches ask for no ties
        from bankd.ports.searching import StoredTie  # noqa: PLC0415 -- same

        wanted = list(ids)
        sides = ((_SUPERSEDED, "old"), (_SUPERSEDED, "new"), (_CONTRADICTIONS, "older"), (_CONTRADICTIONS, "newer"))
        query = " UNION ".join(f"{select}{side} IN ({_marks(wanted)})" for select, side in sides)
        found = self._read(query, [*wanted, *wanted, *wanted, *wanted])
        return [StoredTie(one, other, Tie(tie), why) for one, other, tie, why in found]

    def _read(self, query: str, values: list[str]) -> list[tuple[str, ...]]:
        if not values or not self._path.is_file():
            return []
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=1)) as database:
                return database.execute(query, values).fetchall()
        except sqlite3.Error:
            return []


def _marks(values: Collection[str]) -> str:
    return ",".join("?" * len(values))
