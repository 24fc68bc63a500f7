"""A SQLite file of derived facts in `.bankd/`: made anew when it is missing, damaged or of another version.

Nothing is lost with it, so damage that shows later removes it too; the next command fills it again.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bankd.adapters.disk import storage_told
from bankd.errors import StorageError

_WAIT_SECONDS = 30  # for another process that is in the middle of a change


class DerivedDatabase:
    """One file with one schema; `version` is part of it and grows whenever the schema changes."""

    def __init__(self, path: Path, schema: str, version: int) -> None:
        """Open the file; StorageError when the disk does not let us."""
        self._path, self._schema, self._version = path, schema, version
        with storage_told(path):
            try:
                self._connection = self._open()
            except sqlite3.OperationalError:
                raise
            except sqlite3.DatabaseError:
                self._remove()
                self._connection = self._open()

    def _open(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self._path, isolation_level=None, timeout=_WAIT_SECONDS)
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, self._version}:
            connection.close()
            raise sqlite3.DatabaseError(f"version {version}")
        if version == 0:
            connection.executescript(f"BEGIN; PRAGMA user_version = {self._version}; {self._schema} COMMIT;")
        return connection

    def _remove(self) -> None:
        for name in (self._path, self._path.with_name(self._path.name + "-journal")):
            name.unlink(missing_ok=True)

    def execute(self, statement: str, values: Any = ()) -> list[Any]:
        """Run one statement and give all its rows."""
        with self._damage_told():
            return self._connection.execute(statement, values).fetchall()

    def execute_many(self, statement: str, rows: Any) -> None:
        """Run one statement for each row of values."""
        with self._damage_told():
            self._connection.executemany(statement, rows)

    @contextmanager
    def _damage_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as damage:
            self.close()
            self._remove()
            said = f"{self._path}: was damaged ({damage}) and has been removed; it holds nothing of its own, try again"
            raise StorageError(said) from damage

    @contextmanager
    def change(self) -> Iterator[None]:
        """Make several changes one; an error in between takes all of them back."""
        with storage_told(self._path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield
            except BaseException:
                if self._connection.in_transaction:  # SQLite takes it back itself when the disk is full
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
