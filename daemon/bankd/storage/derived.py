"""Derived files in `.bankd/`: a file that cannot be read is made anew, and said once; nothing is lost with it.

`DerivedDatabase` is a SQLite file of derived facts. It is made anew when it is damaged or of another version; then its
user fills it again, and the work that met the damage is done again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from bankd.errors import StorageError
from bankd.storage.disk import storage_told

_T = TypeVar("_T")
_WAIT_SECONDS = 30  # for another process that is in the middle of a change
_BATCH = 500  # values in one statement; the oldest limit of SQLite is 999
_MOST_REPAIRS = 3
_REFUSED = ("FULL", "IOERR", "READONLY", "CANTOPEN", "BUSY", "LOCKED", "PERM", "NOMEM", "INTERRUPT")


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether reading failed because of the file's contents, and not because of the disk or its rights."""
    name = getattr(problem, "sqlite_errorname", "")
    return not any(name.startswith(f"SQLITE_{refused}") for refused in _REFUSED)


def clear_the_way(path: Path) -> str:
    """Remove a folder, a link or an unreadable file from the place of a derived file.

    Gives what was wrong, for people; empty when nothing was removed.
    """
    try:
        mode = path.lstat().st_mode
    except OSError:
        return ""
    is_file = stat.S_ISREG(mode)
    if (is_file and os.access(path, os.R_OK | os.W_OK)) or not os.access(path.parent, os.W_OK | os.X_OK):
        return ""
    remove_derived(path)
    return "it could not be read" if is_file else "there was a folder or link in its place"


def remove_derived(path: Path) -> None:
    """Remove a derived file, or whatever is in its place; no error when there is nothing."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(FileNotFoundError):
        path.unlink()


def make_in_workspace(folder: Path) -> None:
    """Make a folder in `.bankd/`, and `.bankd/` too if it was deleted; FileNotFoundError when the workspace is gone.

    The workspace itself is never made: its disk may be mounted again at any moment, and would hide what was made.
    """
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)


def tell_made_anew(path: Path, why: object) -> str:
    """The message about a derived file that was made anew."""
    return f"{path}: could not be used ({why}) and was made anew; nothing was lost with it, there is nothing to do"


class DerivedDatabase:
    """A SQLite file with one schema. `version` is part of it: raise it whenever the schema changes.

    `refill` fills the file again after it was made anew. With `may_stay_in_memory`, a command that only reads goes on
    in memory when the disk takes no writes.
    """

    def __init__(self, path: Path, schema: str, version: int, *, may_stay_in_memory: bool = False) -> None:
        """Open or make the file; StorageError when the disk does not let us."""
        self._path, self._schema, self._version = path, schema, version
        self._may_stay_in_memory = may_stay_in_memory
        self.made_anew: list[str] = []
        self._said = 0
        self.refill: Callable[[], object] = lambda: None
        with storage_told(path):
            self._connection = self._open_or_make()

    def _open_or_make(self) -> sqlite3.Connection:
        why = clear_the_way(self._path)
        for suffix in ("-journal", "-wal", "-shm"):
            clear_the_way(self._path.with_name(f"{self._path.name}{suffix}"))
        try:
            connection = self._open(self._path)
        except sqlite3.Error as problem:
            if not is_damage(problem):
                if self._may_stay_in_memory:
                    return self._open(":memory:")
                raise
            self._remove()
            why, connection = str(problem), self._open(self._path)
        if why:
            self.made_anew.append(tell_made_anew(self._path, why))
        return connection

    def _open(self, path: Path | str) -> sqlite3.Connection:
        connection = sqlite3.connect(path, isolation_level=None, timeout=_WAIT_SECONDS, check_same_thread=False)
        try:
            version = connection.execute("PRAGMA user_version").fetchone()[0]
            if version not in {0, self._version}:
                raise sqlite3.DatabaseError(f"it is of version {version}")  # noqa: TRY301  # closed as for any error
            if version == 0:
                connection.executescript(f"BEGIN; PRAGMA user_version = {self._version}; {self._schema} COMMIT;")
        except BaseException:
            connection.close()
            raise
        return connection

    def _remove(self) -> None:
        for suffix in ("", "-journal", "-wal", "-shm"):
            remove_derived(self._path.with_name(f"{self._path.name}{suffix}"))

    def execute(self, statement: str, values: Any = ()) -> list[Any]:
        """Run one statement and give all its rows."""
        return self.read(statement, values, lambda *row: row)

    def read(self, statement: str, values: Any, make: Callable[..., _T]) -> list[_T]:
        """Run one statement and call `make` with each of its rows; a row for which that fails counts as damage."""

        def made() -> list[_T]:
            rows = self._connection.execute(statement, values)
            try:
                return [make(*row) for row in rows]
            except (ValueError, TypeError) as problem:
                raise sqlite3.DataError(f"a row is not what was written: {problem}") from problem

        return self._repaired(made)

    def execute_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run one statement for each row of values."""
        listed = list(rows)
        self._repaired(lambda: self._connection.executemany(statement, listed))

    def read_among(self, query: str, values: Sequence[Any], make: Callable[..., _T]) -> Iterator[_T]:
        """Run a query once for each batch of values; `{}` in it stands for the question marks of `IN ({})`."""
        for start in range(0, len(values), _BATCH):
            batch = values[start : start + _BATCH]
            yield from self.read(query.format(",".join("?" * len(batch))), batch, make)

    def change_rows(self, *steps: tuple[str, Sequence[Sequence[Any]]]) -> None:
        """Run each statement for its rows of values; all together are one change."""

        def run() -> None:
            for statement, rows in steps:
                self.execute_many(statement, rows)

        self.change(run)

    def change(self, work: Callable[[], object]) -> None:
        """Make several changes in one transaction: an error undoes all of them. `work` may run twice, after a repair."""

        def transaction() -> None:
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                work()
            except BaseException:
                if self._connection.in_transaction:  # SQLite takes it back itself when the disk is full
                    self._connection.execute("ROLLBACK")
                raise
            self._connection.execute("COMMIT")

        with storage_told(self._path):
            self._repaired(transaction)

    def _repaired(self, work: Callable[[], _T]) -> _T:
        """Do some work. If the file is damaged, make it anew, fill it, and do the work again."""
        if self._connection.in_transaction:
            return work()  # the whole change is done again, not a part of it
        try:
            return work()
        except sqlite3.Error as problem:
            if is_damage(problem):
                self._make_anew(problem)
            elif self._may_stay_in_memory:
                memory = sqlite3.connect(":memory:", isolation_level=None)
                self._connection.backup(memory)
                self.close()
                self._connection = memory
            else:
                raise
        return work()

    def _make_anew(self, damage: Exception) -> None:
        if len(self.made_anew) >= _MOST_REPAIRS:
            raise StorageError(f"{self._path}: is damaged again and again ({damage}); check the disk") from damage
        self.close()
        self._remove()
        self._connection = self._open(self._path)
        self.made_anew.append(tell_made_anew(self._path, damage))
        self.refill()

    def take_made_anew(self) -> list[str]:
        """The messages about damage that were not yet given."""
        said, self._said = self.made_anew[self._said :], len(self.made_anew)
        return said

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
