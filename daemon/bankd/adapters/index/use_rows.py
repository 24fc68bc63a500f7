"""The events of use in an index: which memories were recalled, used, ignored, and how important they were called.

Each event once, however often and in whatever order the files are read. What a ranking asks of them is folded when they
come, since every search asks; the rest when somebody does.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from bankd.core.ranking.priors import Usage

if TYPE_CHECKING:
    from bankd.core.use.signals import UseEvent, UseSignals

SCHEMA = """
CREATE TABLE uses (memory TEXT NOT NULL, kind TEXT NOT NULL, at TEXT NOT NULL, run TEXT NOT NULL, value INTEGER,
    asked TEXT NOT NULL, PRIMARY KEY (memory, kind, at, run)) WITHOUT ROWID;
CREATE INDEX used_in_run ON uses (run, memory) WHERE kind = 'used';
CREATE INDEX beaten_at ON uses (memory, asked) WHERE asked <> '';
CREATE TABLE usages (memory TEXT PRIMARY KEY, days INTEGER NOT NULL, last TEXT, importance INTEGER, shown INTEGER NOT NULL)
    WITHOUT ROWID;
"""
_USED_WITH = """
SELECT others.memory, count(DISTINCT others.run) FROM (
    SELECT DISTINCT run FROM uses WHERE memory = ?1 AND kind = 'used' AND run <> '' ORDER BY at DESC LIMIT ?2
) AS own JOIN uses AS others ON others.run = own.run AND others.kind = 'used'
WHERE others.memory <> ?1 GROUP BY others.memory ORDER BY 2 DESC, 1 LIMIT ?3
"""
_FOLD = """
INSERT OR REPLACE INTO usages
SELECT memory, count(DISTINCT CASE kind WHEN 'used' THEN day END), max(CASE kind WHEN 'used' THEN day END), (
    SELECT value FROM uses AS said WHERE said.memory = told.memory AND kind = 'importance' AND value IS NOT NULL
    ORDER BY at DESC LIMIT 1
), count(DISTINCT CASE kind WHEN 'recalled' THEN day END) FROM (
    SELECT memory, kind, substr(at, 1, 10) AS day FROM uses WHERE memory = ?
) AS told GROUP BY memory
"""
_AT_ONCE = 500


class UseRows:
    """The part of an index's rows that is about use."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read and write by this connection."""
        self._connection = connection

    def note(self, events: Sequence[UseEvent]) -> None:
        """Remember events, those that are known already too."""
        self._connection.executemany("INSERT OR REPLACE INTO uses VALUES (?, ?, ?, ?, ?, ?)", events)
        self._connection.executemany(_FOLD, [(memory,) for memory in dict.fromkeys(event.memory for event in events)])

    def usage_of(self, ids: Sequence[str]) -> dict[str, Usage]:
        """On how many days these memories were used, the last of them, how important they are, and on how many they were shown."""
        found: dict[str, Usage] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = f"SELECT * FROM usages WHERE memory IN ({','.join('?' * len(asked))})"  # noqa: S608 -- of `?` alone
            for memory, days, last, importance, shown in self._connection.execute(query, asked):
                found[memory] = Usage(days, date.fromisoformat(last) if last else None, importance, shown)
        return found

    def losses_of(self, ids: Sequence[str]) -> dict[str, list[str]]:
        """The questions at which these memories were ignored while another of the answer was used."""
        found: dict[str, list[str]] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = f"SELECT memory, asked FROM uses WHERE asked <> '' AND memory IN ({','.join('?' * len(asked))})"  # noqa: S608
            for memory, question in self._connection.execute(query, asked):
                found.setdefault(memory, []).append(question)
        return found

    def signals_of(self, ids: Sequence[str]) -> dict[str, UseSignals]:
        """What is known of the use of these memories, of those that were used at all."""
        from bankd.core.use.signals import note_use  # noqa: PLC0415 -- a query that finds nothing near has no use for it

        signals: dict[str, UseSignals] = {}
        for start in range(0, len(ids), _AT_ONCE):
            asked = ids[start : start + _AT_ONCE]
            query = (
                f"SELECT memory, kind, at, value FROM uses WHERE memory IN ({','.join('?' * len(asked))}) ORDER BY at"  # noqa: S608
            )
            for memory, kind, at, value in self._connection.execute(query, asked):
                note_use(signals, {"type": kind, "memory": memory, "value": value}, date.fromisoformat(at[:10]))
        return signals

    def used_with(self, ids: Sequence[str], responses: int, most: int) -> list[tuple[str, int]]:
        """The memories that responses used together with one of these, and in how many of so many last ones, most first."""
        query = f"SELECT DISTINCT memory FROM uses WHERE memory IN ({','.join('?' * len(ids))}) AND kind = 'used'"  # noqa: S608
        used = self._connection.execute(query, ids).fetchall()
        return [one for (id_,) in used for one in self._connection.execute(_USED_WITH, (id_, responses, most))]
