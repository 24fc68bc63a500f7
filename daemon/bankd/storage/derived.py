"""What is derived, in `.bankd/`: whoever finds that it cannot be read makes it anew, and says so once.

Nothing is lost with it. A SQLite file of derived facts is also made anew when it is of another version; what it held is
put in again by whoever filled it last, and then what was asked of it is done again.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

from bankd.errors import StorageError
from bankd.storage.disk import storage_told

_T = TypeVar("_T")
_WAIT_SECONDS = 30  # for another process that is in the middle of a change
_MOST_REPAIRS = 3
_REFUSED = ("FULL", "IOERR", "READONLY", "CANTOPEN", "BUSY", "LOCKED", "PERM", "NOMEM", "INTERRUPT")


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether reading failed because of what the file holds, and not because the disk did not let us."""
    name = getattr(problem, "sqlite_errorname", "")
    return not any(name.startswith(f"SQLITE_{refused}") for refused in _REFUSED)


def clear_the_way(path: Path) -> str:
    """Take away what is no file of ours where a derived file belongs; gives what it was, empty for nothing.

    A folder in the place of a derived file is of no use to anybody; one that cannot be read is as good as gone.
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
    """Take away a derived file, or whatever is in its place; that it is gone already is fine."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(FileNotFoundError):
        path.unlink()


def make_in_workspace(folder: Path) -> None:
    """Make a folder in `.bankd/`, and `.bankd/` itself where it was deleted; FileNotFoundError when the workspace is gone.

    A disk that went away may be mounted again at any moment: what is made in its place would be hidden below it.
    """
    folder.parent.mkdir(mode=0o700, exist_ok=True)
    folder.mkdir(exist_ok=True)


def tell_made_anew(path: Path, why: object) -> str:
    """What to say of a derived file that was made anew."""
    return f"{path}: could not be used ({why}) and was made anew; nothing was lost with it, there is nothing to do"


def _made(rows: Iterable[Any], make: Callable[..., _T]) -> list[_T]:
    try:
        return [make(*row) for row in rows]
    except (ValueError, TypeError) as problem:
        raise sqlite3.DataError(f"a row is not what was written: {problem}") from problem


class DerivedDatabase:
    """One file with one schema; `version` is part of it and grows whenever the schema changes.

    `refill` puts in what the whole is made of.
    """

    def __init__(self, path: Path, schema: str, version: int, *, may_stay_in_memory: bool = False) -> None:
        """Open the file; StorageError when the disk does not let us, where changes may not stay in memory instead."""
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
            self._require_schema(connection)
        except BaseException:
            connection.close()
            raise
        return connection

    def _require_schema(self, connection: sqlite3.Connection) -> None:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version not in {0, self._version}:
            raise sqlite3.DatabaseError(f"it is of version {version}")
        if version == 0:
            connection.executescript(f"BEGIN; PRAGMA user_version = {self._version}; {self._schema} COMMIT;")

    def _remove(self) -> None:
        for suffix in ("", "-journal", "-wal", "-shm"):
            remove_derived(self._path.with_name(f"{self._path.name}{suffix}"))

    def execute(self, statement: str, values: Any = ()) -> list[Any]:
        """Run one statement and give all its rows."""
        return self.read(statement, values, lambda *row: row)

    def read(self, statement: str, values: Any, make: Callable[..., _T]) -> list[_T]:
        """Run one statement and make something of each of its rows; what nothing can be made of is damage."""
        return self._repaired(lambda: _made(self._connection.execute(statement, values), make))

    def execute_many(self, statement: str, rows: Iterable[Any]) -> None:
        """Run one statement for each row of values."""
        listed = list(rows)
        self._repaired(lambda: self._connection.executemany(statement, listed))

    def change(self, work: Callable[[], object]) -> None:
        """Make several changes one; an error in between takes all of them back."""
        with storage_told(self._path):
            self._repaired(lambda: self._change(work))

    def _change(self, work: Callable[[], object]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            work()
        except BaseException:
            if self._connection.in_transaction:  # SQLite takes it back itself when the disk is full
                self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _repaired(self, work: Callable[[], _T]) -> _T:
        """Do some work; where damage stops it, make the file anew, fill it, and do the work again."""
        if self._connection.in_transaction:
            return work()  # the whole change is done again, not a part of it
        try:
            return work()
        except sqlite3.Error as problem:
            self._repair(problem)
        return work()

    def _repair(self, problem: sqlite3.Error) -> None:
        if is_damage(problem):
            self._make_anew(problem)
        elif self._may_stay_in_memory:
            self._go_on_in_memory()
        else:
            raise problem

    def _make_anew(self, damage: Exception) -> None:
        if len(self.made_anew) >= _MOST_REPAIRS:
            raise StorageError(f"{self._path}: is damaged again and again ({damage}); check the disk") from damage
        self.close()
        self._remove()
        self._connection = self._open(self._path)
        self.made_anew.append(tell_made_anew(self._path, damage))
        self.refill()

    def take_made_anew(self) -> list[str]:
        """What there is to say of damage, once."""
        said, self._said = self.made_anew[self._said :], len(self.made_anew)
        return said

    def _go_on_in_memory(self) -> None:
        """Keep for this command what the disk does not take."""
        memory = sqlite3.connect(":memory:", isolation_level=None)
        self._connection.backup(memory)
        self.close()
        self._connection = memory

    def close(self) -> None:
        """Close the file."""
        self._connection.close()
