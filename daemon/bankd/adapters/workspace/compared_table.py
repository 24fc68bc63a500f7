"""What memories of the bank that look alike are to each other, as runs found it: a part of the catalog.

SQLite itself notes which memories came, changed or went since they were compared.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from bankd.adapters.storage.derived import DerivedDatabase
from bankd.core.dedup.compare import Relation
from bankd.core.dedup.pairs import Likeness, Pairs

SCHEMA = """
CREATE TABLE looked_at (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE to_look_at (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE alike (
    older TEXT NOT NULL, newer TEXT NOT NULL, relation TEXT NOT NULL, reason TEXT NOT NULL, is_dated INTEGER NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (older, newer)
) WITHOUT ROWID;
CREATE INDEX alike_newer ON alike (newer);
CREATE TABLE matched (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER memory_came AFTER INSERT ON memories WHEN new.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (new.id); END;
CREATE TRIGGER memory_went AFTER DELETE ON memories WHEN old.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (old.id); END;
"""
_UNMATCHED = """
SELECT looked_at.id, looked_at.key FROM looked_at JOIN memories ON memories.id = looked_at.id
LEFT JOIN matched ON matched.id = looked_at.id AND matched.key = looked_at.key
WHERE matched.id IS NULL GROUP BY looked_at.id ORDER BY MAX(memories.rowid) DESC LIMIT ?
"""
_SURE = "SELECT older, newer FROM alike WHERE relation IN ('same', 'newer') AND (older = ? OR newer = ?)"
_FOUND = "INSERT OR REPLACE INTO alike VALUES (?, ?, ?, ?, ?, ?)"
_CHANGED = """
SELECT to_look_at.id, looked_at.key, MIN(memories.key) FROM to_look_at
LEFT JOIN looked_at ON looked_at.id = to_look_at.id
LEFT JOIN memories ON memories.id = to_look_at.id AND memories.path >= 'bank/' AND memories.path < 'bank0'
GROUP BY to_look_at.id LIMIT ?
"""


class ComparedTable:
    """One catalog's."""

    def __init__(self, database: DerivedDatabase) -> None:
        """Read and write by this database."""
        self._database = database

    def changed(self, threshold: int, most: int | None) -> dict[str, str]:
        """The memories of the bank that are new or say something else than at the last look, with their text keys."""
        found: dict[str, str] = {}

        def look() -> None:
            self._require(threshold)
            rows = self._database.execute(_CHANGED, (-1 if most is None else most,))
            self._forget_all((id_,) for id_, before, now in rows if before is not None and before != now)
            settled = [(id_,) for id_, before, now in rows if before == now or now is None]
            self._database.execute_many("DELETE FROM to_look_at WHERE id = ?", settled)
            found.update({id_: now for id_, before, now in rows if now is not None and before != now})

        self._database.change(look)
        return found

    def _require(self, threshold: int) -> None:
        """Forget what was found by another threshold."""
        mark = f"compared from {threshold}"
        if self._database.execute("SELECT 1 FROM noted WHERE what = ?", (mark,)):
            return
        for statement in (
            "DELETE FROM looked_at",
            "DELETE FROM alike",
            "DELETE FROM matched",
            "DELETE FROM noted WHERE what LIKE 'compared from %'",
            "INSERT OR IGNORE INTO to_look_at SELECT id FROM memories WHERE id IS NOT NULL",
        ):
            self._database.execute(statement)
        self._database.execute("INSERT INTO noted VALUES (?)", (mark,))

    def _forget_all(self, ids: Iterable[tuple[str]]) -> None:
        gone = list(ids)
        for statement in (
            "DELETE FROM looked_at WHERE id = ?",
            "DELETE FROM matched WHERE id = ?",
            "DELETE FROM alike WHERE older = ?",
            "DELETE FROM alike WHERE newer = ?",
        ):
            self._database.execute_many(statement, gone)

    def record(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""

        def note() -> None:
            self._database.execute_many("INSERT OR REPLACE INTO looked_at VALUES (?, ?)", keys.items())
            self._database.execute_many("DELETE FROM to_look_at WHERE id = ?", [(id_,) for id_ in keys])
            self._database.execute_many(_FOUND, _rows_of(pairs))

        if keys or pairs:
            self._database.change(note)

    def unmatched(self, most: int) -> dict[str, str]:
        """The memories that were compared by the rules alone, the last added first, with their text keys."""
        return dict(self._database.execute(_UNMATCHED, (most,)))

    def surely_alike(self, id_: str) -> list[tuple[str, str]]:
        """The pairs of a memory that were found to say the same, or a newer value."""
        return [(older, newer) for older, newer in self._database.execute(_SURE, (id_, id_))]

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found."""

        def note() -> None:
            self._database.execute_many("INSERT OR REPLACE INTO matched VALUES (?, ?)", keys.items())
            self._database.execute_many(_FOUND, _rows_of(pairs))

        if keys:
            self._database.change(note)

    def pairs(self) -> dict[tuple[str, str], Likeness]:
        """All that was found."""
        return dict(self._database.read("SELECT * FROM alike ORDER BY older, newer", (), _likeness))

    def forget(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other, in whatever order they stand."""
        both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
        self._database.change(
            lambda: self._database.execute_many("DELETE FROM alike WHERE older = ? AND newer = ?", both)
        )

    def look_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""
        rows = [(id_,) for id_ in ids]

        def forget() -> None:
            self._database.execute_many("DELETE FROM looked_at WHERE id = ?", rows)
            self._database.execute_many("INSERT OR IGNORE INTO to_look_at VALUES (?)", rows)

        self._database.change(forget)


def _rows_of(pairs: Pairs) -> list[tuple[object, ...]]:
    return [
        (*ids, str(one.relation), one.reason.encode("utf-8", "replace").decode(), one.is_dated, one.score)
        for ids, one in pairs.items()
    ]


def _likeness(
    older: str, newer: str, relation: str, reason: str, is_dated: int, score: float
) -> tuple[tuple[str, str], Likeness]:
    return (older, newer), Likeness(Relation(relation), reason, bool(is_dated), score)
