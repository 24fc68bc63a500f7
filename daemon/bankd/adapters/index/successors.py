"""Which memories were superseded, as search asks: read from the catalog, whoever keeps that; no catalog, no marks."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path


class Successors:
    """For each hit of a search, the memory that says it newer."""

    def __init__(self, catalog_db: Path) -> None:
        """Ask this catalog; it need not be there."""
        self._path = catalog_db

    def of(self, ids: Iterable[str]) -> dict[str, str]:
        """By the ids of superseded memories, those of the newer ones; marks are left out when it cannot be read."""
        wanted = list(ids)
        if not wanted or not self._path.is_file():
            return {}
        query = f"SELECT old, new FROM superseded WHERE old IN ({','.join('?' * len(wanted))})"  # noqa: S608
        try:
            with closing(sqlite3.connect(f"file:{self._path}?mode=ro", uri=True, timeout=1)) as database:
                return dict(database.execute(query, wanted))
        except sqlite3.Error:
            return {}
