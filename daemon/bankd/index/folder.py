"""The folder of a search index, `.bankd/index/`: which build answers, and whether its files are as they were written.

index/current          the number of the build that answers
index/<number>/        terms (tantivy) and rows.sqlite3 of one build
index/lock             locked by whoever writes
"""

from __future__ import annotations

import os
import sqlite3
import stat
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from bankd.errors import IndexDamaged, StorageError
from bankd.index.rows import Rows
from bankd.index.terms import Terms

if TYPE_CHECKING:
    from pathlib import Path

FORMAT = "18"
"""Changes whenever an index of the version before could not be read."""
_LIST = "meta.json"
"""The list that tantivy keeps of the files of an index."""
_MOST_WORDS = 160
_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_CANTOPEN", "SQLITE_READONLY")


class Build(NamedTuple):
    """One build of an index, open."""

    name: str
    folder: str
    rows: Rows
    terms: Terms
    inode: int
    """The inode of its rows: a build that was made anew may have the same name."""
    generation: str
    """The generation of the rows before the terms were opened, which are of this generation or newer."""


class IndexFolder:
    """Where the builds of an index are."""

    def __init__(self, folder: Path | str) -> None:
        """Take the folder, which is made by the first writer."""
        self._at = str(folder)

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        from pathlib import Path  # noqa: PLC0415 -- a query has no time for it

        return Path(self._at)

    def current(self) -> str | None:
        """The build that answers; None when there is none."""
        try:
            with open(f"{self._at}/current") as file:
                name = file.read().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as problem:
            raise IndexDamaged(f"current cannot be read: {problem}") from problem
        if not name.isdecimal():
            raise IndexDamaged("current names no build")
        return name

    def open(self, name: str) -> Build:
        """Open a build; raises IndexDamaged."""
        folder = f"{self._at}/{name}"
        file = f"{folder}/rows.sqlite3"
        with damage_told():
            for path in (file, f"{file}-wal", f"{file}-shm"):
                if os.path.exists(path) and not (os.path.isfile(path) and os.access(path, os.R_OK)):
                    raise IndexDamaged(f"{os.path.basename(path)} cannot be read")
            if not os.path.exists(file):
                raise IndexDamaged("its rows are missing")
            try:
                rows = Rows(file)
            except sqlite3.OperationalError as problem:
                if not problem.sqlite_errorname.startswith(_NO_ROOM):
                    raise
                rows = Rows(
                    file, frozen=True
                )  # SQLite makes a file beside the rows to share them; a full disk has no room
            try:
                generation = rows.state("generation", "0")
                return Build(name, folder, rows, self._open_terms(folder, rows), self.inode(name), generation)
            except BaseException:
                rows.close()
                raise

    def inode(self, name: str) -> int:
        """The inode of the rows of a build; 0 when there are none."""
        try:
            return os.stat(f"{self._at}/{name}/rows.sqlite3").st_ino
        except OSError:
            return 0

    @staticmethod
    def _open_terms(folder: str, rows: Rows) -> Terms:
        if rows.state("format") != FORMAT:
            raise IndexDamaged("another version of bankd wrote it")
        recorded = _recorded_files(rows)
        if recorded and _size_of(f"{folder}/terms/{_LIST}") is None:  # tantivy would begin an empty index
            raise IndexDamaged(f"{_LIST} is missing")
        for name, size, _ in recorded:
            if _size_of(f"{folder}/terms/{name}") not in {size, None}:  # tantivy would map it and panic
                raise IndexDamaged(f"{name} is not as long as it was written")
        return Terms(f"{folder}/terms")

    def make(self) -> Build:
        """Make an empty build beside those that are there."""
        name = str(1 + max((int(entry.name) for entry in self.path.iterdir() if entry.name.isdigit()), default=0))
        generation = 0
        try:  # go on from the generation of the build that answers now, so that numbers never repeat
            before = Rows(self.path / (self.current() or "none") / "rows.sqlite3")
            generation = int(before.state("generation", "0"))
            before.close()
        except (sqlite3.Error, ValueError, IndexDamaged):
            pass  # it cannot be read
        (self.path / name / "terms").mkdir(parents=True)
        rows = Rows(self.path / name / "rows.sqlite3", create=True)
        rows.set_state("format", FORMAT)
        rows.set_state("generation", str(generation))
        rows.close()
        return self.open(name)

    def publish(self, name: str) -> None:
        """Let a build answer, and remove the others."""
        from bankd.storage.disk import clear_the_way, remove_derived  # noqa: PLC0415 -- `bankctl search` has no time for it

        staged, current = self.path / "current.new", self.path / "current"
        for path in (staged, current):
            clear_the_way(path)
        staged.write_text(name)
        staged.replace(current)
        for entry in self.path.iterdir():
            if entry.name.isdigit() and entry.name != name:
                remove_derived(entry)

    @contextmanager
    def writer_lock(self) -> Iterator[None]:
        """Be the only writer."""
        import fcntl  # noqa: PLC0415 -- same

        from bankd.storage.disk import clear_the_way, make_in_workspace, remove_derived  # noqa: PLC0415 -- same

        if self.path.is_symlink() or not self.path.is_dir():
            remove_derived(self.path)
        make_in_workspace(self.path)
        clear_the_way(self.path / "lock")
        with (self.path / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _size_of(file: str) -> int | None:
    """The size of a file in bytes; None if none is there."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _recorded_files(rows: Rows) -> list[tuple[str, int, str]]:
    """The files of the terms of a build as they were written: name, size, checksum."""
    parts = (line.split(" ") for line in rows.state("files").splitlines())
    return [(name, int(size), checksum) for name, size, checksum in parts]


def find_changed(build: Build) -> str:
    """Which file of the terms is not as it was written; empty when all are."""
    for name, _, checksum in _recorded_files(build.rows):
        file = f"{build.folder}/terms/{name}"
        if not os.path.isfile(file):
            return f"{name} is missing"
        if _checksum_of(file) != checksum:
            return f"{name} is not what was written"
    return ""


def record_files(folder: str, rows: Rows) -> None:
    """Note the files of the terms as they are now; each is written once, so the old ones need not be read again."""
    known = {(name, size): checksum for name, size, checksum in _recorded_files(rows)}
    lines = []
    for name in sorted(os.listdir(f"{folder}/terms")):
        if not name.endswith((".lock", ".json")):
            file = f"{folder}/terms/{name}"
            size = os.stat(file).st_size
            lines.append(f"{name} {size} {known.get((name, size)) or _checksum_of(file)}")
    rows.set_state("files", "\n".join(lines))


def _checksum_of(file: str) -> str:
    with open(file, "rb") as opened:
        return f"{zlib.crc32(opened.read()):08x}"


@contextmanager
def damage_told() -> Iterator[None]:
    """Raise IndexDamaged for the errors that SQLite, tantivy and our own reading raise over a broken file.

    What the disk refuses is a StorageError.
    """
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError) as error:
        from bankd.storage.disk import is_refusal  # noqa: PLC0415 -- `bankctl search` has no time for it

        if is_refusal(error):
            raise StorageError(f"the search index: {error}") from error
        part = "rows" if isinstance(error, sqlite3.Error) else "terms"
        raise IndexDamaged(f"its {part} cannot be read ({_shortened(error)})") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # tantivy raises it on bytes that it never wrote
            raise IndexDamaged(f"its terms cannot be read ({_shortened(error)})") from error
        raise


def _shortened(error: BaseException) -> str:
    """The message of a library about a broken file; it may quote the whole file."""
    words = str(error)
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]} …"
