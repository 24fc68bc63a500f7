"""The disk: is there room, may we write, did it sync, can it exchange files; and derived files, made anew when damaged.

A sync that failed is never tried again on that file: the kernel has dropped the dirty pages, and a second call would
report success (Rebello et al., USENIX ATC 2020). Two failures in a row make the workspace read-only.

A derived file in `.bankd/` that cannot be read is made anew, and said once; nothing is lost with it. `DerivedDatabase` is a
SQLite file of derived facts: its user fills it again, and the work that met the damage is done again.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import re
import shutil
import sqlite3
import stat
import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from bankd.errors import ConflictError, RefusedError, StorageError, UserError
from bankd.storage.tree import FileTree, SyscallsWithoutExchange, split_path
from bankd.system.files import find_mount

RESERVE = 16 * 1024 * 1024  # bytes that must stay free besides three times what is staged
_ONCE, READ_ONLY = "sync-failed", "read-only"
_FAILING = "{root}: read-only, because syncing to this disk failed twice in a row; check the disk, then remove .bankd/read-only"


def check_room(tree: FileTree, staged: int) -> None:
    """StorageError when the disk could fill up while we write `staged` bytes."""
    status = os.statvfs(tree.root)
    free = status.f_bavail * status.f_frsize
    needed = 3 * staged + RESERVE
    if free < needed:
        raise StorageError(f"{tree.root}: {free >> 20} MB free, {(needed >> 20) + 1} MB needed; nothing was written")


def trouble_of(root: Path, folders: Iterable[str]) -> str:
    """The reason why nothing can be written in a workspace now, found without writing; empty when there is none."""
    if find_mount(root).is_read_only:
        return f"{root} is on a disk that is read-only"
    taken = [name for name in (".bankd", *folders) if (root / name).exists() and not (root / name).is_dir()]
    if taken:
        return f"{root / taken[0]} is no folder; put one in its place"
    closed = [
        name for name in ("", ".bankd", *folders) if (root / name).is_dir() and not os.access(root / name, os.W_OK)
    ]
    if closed:
        return f"{root / closed[0]} is read-only, or belongs to somebody else"
    if (root / ".bankd" / READ_ONLY).exists():
        return _FAILING.format(root=root)
    try:
        status = os.statvfs(root)
    except OSError as problem:
        return f"{root}: {problem.strerror}"
    free = status.f_bavail * status.f_frsize
    return f"the disk is full: {free >> 20} MB free, {RESERVE >> 20} MB needed" if free < RESERVE else ""


def not_ours(root: Path) -> tuple[str, ...]:
    """The files in `.bankd/` that this user may not use: a run as another user, such as root, leaves such files."""
    found: list[Path] = []
    for folder in (root / ".bankd", root / ".bankd/txn", root / ".bankd/done"):
        with suppress(OSError):
            found += sorted(folder.iterdir())
    closed = [path for path in found if not os.access(path, os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0))]
    # A broken link or a socket does no harm.
    return tuple(path.relative_to(root).as_posix() for path in closed if path.is_file() or path.is_dir())


def check_writable(tree: FileTree) -> None:
    """StorageError when syncing to this disk has failed twice in a row."""
    if READ_ONLY in tree.names(".bankd"):
        raise StorageError(_FAILING.format(root=tree.root))


def sync_file(tree: FileTree, fd: int) -> None:
    """Make a file or folder durable. A failure is remembered in `.bankd/` and raised as OSError: what was written may be lost."""
    try:
        tree.calls.sync(fd)
    except OSError as problem:
        with suppress(OSError):
            name = READ_ONLY if _ONCE in tree.names(".bankd") else _ONCE
            with tree.folder(".bankd") as folder, suppress(FileExistsError):
                os.close(tree.calls.create(name, folder))
        raise OSError(problem.errno, f"syncing failed: {problem.strerror}") from problem


def clear_failure(tree: FileTree) -> None:
    """Forget one failure of a sync, after a transaction that succeeded."""
    if _ONCE in tree.names(".bankd"):
        tree.remove(f".bankd/{_ONCE}")


def advise_person(problem: OSError) -> str:
    """The reason of an error of the disk, and what a person can do."""
    hints = {
        errno.ENOSPC: "the disk is full; free some space",
        errno.EDQUOT: "the disk quota is used up; free some space",
        errno.EROFS: "the file system is read-only",
        errno.EACCES: "permission denied; check owner and mode",
        errno.EPERM: "not permitted; check owner and mode",
        errno.EMFILE: "too many open files; raise the limit",
        errno.ENFILE: "too many open files on this machine",
        errno.EIO: "the disk reports an error; check it",
    }
    return hints.get(problem.errno or 0, problem.strerror or str(problem))


_REFUSALS = (errno.EIO, errno.ENOMEM, errno.ENFILE, errno.EMFILE, errno.ENOSPC, errno.EROFS, errno.EDQUOT)
_REFUSED = re.compile(
    r"disk is full|readonly database|disk i/o error|unable to open database file"
    rf"|(?:os error |\bos {{ code: )({'|'.join(map(str, _REFUSALS))})\b",  # tantivy has two ways to print an error of the system
    re.IGNORECASE,
)


def is_refusal(problem: Exception) -> bool:
    """Whether an error of SQLite or tantivy comes from the disk, and not from the contents of a file."""
    return _REFUSED.search(str(problem)) is not None


@contextmanager
def storage_told(where: object) -> Iterator[None]:
    """Raise StorageError for errors of the disk, also those that SQLite and tantivy tell of; their other errors pass."""
    try:
        yield
    except OSError as problem:
        place = f" ({problem.filename})" if problem.filename else ""
        raise StorageError(
            f"{where}: {advise_person(problem)}{place}. Nothing half done is in sight; the next run goes on from there"
        ) from problem
    except (sqlite3.OperationalError, ValueError) as problem:
        if not is_refusal(problem):
            raise
        raise StorageError(f"{where}: {problem}. It is made up for by the next run") from problem


def require_safe(tree: FileTree, *, permitted: bool) -> None:
    """RefusedError on a file system that cannot exchange or lock files, unless `permitted`. It is tried before each run."""
    with tree.folder(".bankd", make=True) as folder:
        own = _mount_of(folder)
    for name in ("bank", "archive"):
        with suppress(FileNotFoundError), tree.folder(name) as folder:
            if _mount_of(folder) != own:
                reason = "is mounted apart from .bankd/, and no page can be exchanged in one instant between the two"
                raise UserError(f"{tree.root / name} {reason}; mount the whole workspace instead")
    with storage_told(tree.root):
        missing = probe_filesystem(tree)
    if missing and not permitted:
        raise RefusedError(
            f"{tree.root}: this file system cannot do {' and '.join(missing)}",
            "`unsafe_filesystem: true` in bankd.yaml",
        )
    if missing:
        tree.calls = SyscallsWithoutExchange()


def _mount_of(descriptor: int) -> str:
    """The number of the mount that an open folder is on (proc(5), fdinfo); bind mounts share a device, not a mount."""
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as info:  # noqa: PTH123 -- called at every start
        return next((line for line in info if line.startswith("mnt_id:")), "")


def probe_filesystem(tree: FileTree) -> list[str]:
    """Try the operations that transactions need on this file system; gives those that are missing."""
    missing = []
    with tree.folder(".bankd/stage", make=True) as folder:
        for name in ("w-probe-a", "w-probe-b"):
            tree.remove(f".bankd/stage/{name}")
            os.close(tree.calls.create(name, folder))
        try:
            tree.calls.exchange("w-probe-a", folder, "w-probe-b", folder)
        except OSError:
            missing.append("exchanging two files in one instant (renameat2 RENAME_EXCHANGE)")
        if not _locks(folder):
            missing.append("file locks (flock)")
        for name in ("w-probe-a", "w-probe-b"):
            tree.remove(f".bankd/stage/{name}")
    return missing


def _locks(folder: int) -> bool:
    """Whether a lock held through one descriptor keeps another out."""
    first, second = (os.open("w-probe-a", os.O_RDWR | os.O_CLOEXEC, dir_fd=folder) for _ in range(2))
    try:
        fcntl.flock(first, fcntl.LOCK_EX | fcntl.LOCK_NB)
        fcntl.flock(second, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    finally:
        os.close(first)
        os.close(second)
    return False


_LIBC = ctypes.CDLL(None, use_errno=True)
_NOFOLLOW, _EMPTY_PATH = 0x100, 0x1000
_BASIC_AND_MOUNT = 0x7FF | 0x1000
_IMMUTABLE, _APPEND_ONLY = 0x10, 0x20  # linux/stat.h


class _State(NamedTuple):
    marks: int
    links: int
    mount: int
    is_folder: bool
    user: int
    group: int


def closed_among(tree: FileTree, paths: Iterable[str]) -> dict[str, str]:
    """The files among these that cannot be written, and why; a file may still be to be made."""
    with tree.folder("") as fd:
        state = _look(fd, "")
    return {path: why for path in sorted(paths) if (why := _why_closed(tree, path, state.mount if state else 0))}


def _why_closed(tree: FileTree, path: str, home: int) -> str:
    parent, name = split_path(path)
    while True:
        with suppress(FileNotFoundError, NotADirectoryError, ConflictError), tree.folder(parent) as fd:
            state = _look(fd, name)
            if f"{parent}/{name}".lstrip("/") != path and state is not None and not state.is_folder:
                return f"{parent}/{name} is no folder; put one in its place"
            return _why_folder(fd, home) or _why_page(state, home)
        if not parent:
            return ""
        parent, _, name = parent.rpartition("/")  # a folder that is still to be made


def _why_folder(fd: int, home: int) -> str:
    state = _look(fd, "")
    if state is not None and state.mount != home:
        return "on another file system than .bankd/, so it cannot be swapped in; keep bank/ and .bankd/ on one"
    if state is not None and state.marks & _IMMUTABLE:
        return "its folder is marked immutable; take that off with chattr -i"
    if not os.access(".", os.W_OK | os.X_OK, dir_fd=fd, effective_ids=True):
        return "its folder is read-only for bankd; correct its owner or mode"
    return ""


def _why_page(state: _State | None, home: int) -> str:
    if state is None:
        return ""
    if state.mount != home:
        return "mounted here from elsewhere, so it cannot be swapped in; put the file itself here"
    if state.marks & (_IMMUTABLE | _APPEND_ONLY):
        return "marked immutable or append-only; take that off with chattr -i -a"
    is_of_ours = state.user == os.geteuid() and state.group in {os.getegid(), *os.getgroups()}
    if not is_of_ours and os.geteuid() != 0:
        return "belongs to another user or group, which a copy of ours could not keep; give it to the user of bankd"
    if state.links > 1:
        return "has a second hard link, which swapping would cut; make it a file of its own: copy it, move the copy over it"
    return ""


def _look(folder: int, name: str) -> _State | None:
    """The state of a file or, without a name, of the folder; None when there is none or `statx` fails.

    Python's own `stat` leaves out the mount and the marks that `chattr` sets.
    """
    buffer = ctypes.create_string_buffer(256)
    flags = _NOFOLLOW | (0 if name else _EMPTY_PATH)
    if _LIBC.statx(folder, os.fsencode(name), flags, _BASIC_AND_MOUNT, buffer) != 0:
        return None
    marks, links, user, group, mode = struct.unpack_from("=QIIIH", buffer, 8)
    (mount,) = struct.unpack_from("=Q", buffer, 144)
    is_folder = mode & 0o170000 == 0o040000
    return _State(marks, 0 if is_folder else links, mount, is_folder, user, group)


_T = TypeVar("_T")
_WAIT_SECONDS = 30  # for another process that is in the middle of a change
_BATCH = 500  # values in one statement; the oldest limit of SQLite is 999
_MOST_REPAIRS = 3
_OF_THE_DISK = ("FULL", "IOERR", "READONLY", "CANTOPEN", "BUSY", "LOCKED", "PERM", "NOMEM", "INTERRUPT")


def is_damage(problem: sqlite3.Error) -> bool:
    """Whether reading failed because of the file's contents, and not because of the disk or its rights."""
    name = getattr(problem, "sqlite_errorname", "")
    return not any(name.startswith(f"SQLITE_{refused}") for refused in _OF_THE_DISK)


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
        for _ in range(3):  # a thread of the closed index may still write a file into it
            shutil.rmtree(path, ignore_errors=True)
        return
    with suppress(FileNotFoundError):
        path.unlink()


def make_in_workspace(folder: Path) -> None:
    """Make a folder in `.bankd/` or `recall/`, and what is missing above it; FileNotFoundError when the workspace is gone.

    The workspace itself is never made: its disk may be mounted again at any moment, and would hide what was made.
    """
    if folder.name not in {".bankd", "recall"} and not folder.parent.is_dir():
        make_in_workspace(folder.parent)
    folder.mkdir(mode=0o700 if folder.name == ".bankd" else 0o777, exist_ok=True)


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
        why, *_ = [clear_the_way(path) for path in self._files()]
        try:
            connection = self._open(self._path)
        except sqlite3.Error as problem:
            if not is_damage(problem):
                if self._may_stay_in_memory:
                    return self._open(":memory:")
                raise
            for path in self._files():
                remove_derived(path)
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

    def _files(self) -> list[Path]:
        return [self._path.with_name(f"{self._path.name}{suffix}") for suffix in ("", "-journal", "-wal", "-shm")]

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
        for path in self._files():
            remove_derived(path)
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
