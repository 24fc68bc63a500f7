"""Which memories of an index have a sentence vector: by row the key of its text, under which the vectors are kept.

The table is made when vectors are first wanted, so that an index without them pays nothing; SQLite itself notes what
comes and goes from then on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from bankd.search.meaning import NO_VECTOR

_MAKE = (
    "CREATE TABLE meanings (row INTEGER PRIMARY KEY, key INTEGER)",
    "CREATE INDEX meanings_by_key ON meanings (key)",
    "CREATE TRIGGER memory_added AFTER INSERT ON memories BEGIN INSERT INTO meanings VALUES (new.row, NULL); END",
    "CREATE TRIGGER memory_gone AFTER DELETE ON memories BEGIN DELETE FROM meanings WHERE row = old.row; END",
    "INSERT INTO meanings SELECT row, NULL FROM memories",
)
_AT_ONCE = 500


class MeaningRows:
    """The part of an index's rows that is about vectors."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Read and write by this connection."""
        self._connection = connection

    @property
    def are_there(self) -> bool:
        """Whether vectors were ever wanted."""
        query = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'meanings'"
        return self._connection.execute(query).fetchone() is not None

    def make(self) -> None:
        """Begin to note which memories have a vector; none has one yet."""
        for statement in _MAKE:
            self._connection.execute(statement)

    def forget_all(self) -> None:
        """Believe of no memory that it has a vector."""
        self._connection.execute("UPDATE meanings SET key = NULL WHERE key IS NOT NULL")

    def count_waiting(self) -> int:
        """How many memories have none yet."""
        return int(self._connection.execute("SELECT count(*) FROM meanings WHERE key IS NULL").fetchone()[0])

    def count_refused(self) -> int:
        """How many memories the model refuses."""
        query = "SELECT count(*) FROM meanings WHERE key = ?"
        return int(self._connection.execute(query, (NO_VECTOR,)).fetchone()[0])

    def waiting(self, most: int) -> list[tuple[int, str]]:
        """Rows that have none yet with their texts, the last added first."""
        query = (
            "SELECT row, text FROM memories WHERE row IN "
            "(SELECT row FROM meanings WHERE key IS NULL ORDER BY row DESC LIMIT ?)"
        )
        return list(self._connection.execute(query, (most,)))

    def note(self, keys: Mapping[int, int]) -> None:
        """Note by row under which key its vector is."""
        self._connection.executemany(
            "UPDATE meanings SET key = ? WHERE row = ?", [(key, row) for row, key in keys.items()]
        )

    def keys_of(self, numbers: Sequence[int]) -> dict[int, int]:
        """By row the key of its vector, of those that have one."""
        found = self._each("SELECT row, key FROM meanings WHERE key IS NOT NULL AND row IN", numbers)
        return {row: key for row, key in found if key != NO_VECTOR}

    def rows_with(self, keys: Sequence[int]) -> dict[int, int]:
        """By row the key, of all rows with these keys."""
        return dict(self._each("SELECT row, key FROM meanings WHERE key IN", keys))

    def _each(self, query: str, numbers: Sequence[int]) -> Iterable[tuple[int, int]]:
        for at in range(0, len(numbers), _AT_ONCE):
            asked = numbers[at : at + _AT_ONCE]
            yield from self._connection.execute(f"{query} ({','.join('?' * len(asked))})", asked)
