"""The workspace as a tree that no path can leave, and the system calls that change something on disk.

Every file is opened below the descriptor of the root folder. Only regular files are opened, without waiting (a FIFO named
x.md must not hang a run). No link is followed out of the tree, except `memory` and `bank` themselves, which the user may
have elsewhere: each is a root of its own. `Syscalls` has all calls that change the disk in one place, so that fault
tests can count, break and cut them short. `BankFiles` reads the Markdown files of a workspace, and knows which are at rest.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, TypeVar

from bankd.edits import settle
from bankd.errors import ConflictError, UserError
from bankd.pages.text import shown_path

FILE_CAP = 8 * 1024 * 1024  # bytes; a larger file is searchable as text and never rewritten
_SEARCHED = 1 << 30  # bytes; reading more takes many seconds, and such a file is mostly a hole
_LIBC = ctypes.CDLL(None, use_errno=True)
_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
_FILE = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_NOCTTY | os.O_CLOEXEC


_T = TypeVar("_T")
_OWN = ".bankd/"
_ELSEWHERE = ("memory", "bank")  # the folders of a workspace that may be links to other places
_NOREPLACE, _EXCHANGE = 1, 2  # linux/fs.h
_CREATE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


@contextmanager
def closing_descriptor(fd: int) -> Iterator[int]:
    """An open file or folder, closed at the end of the block."""
    try:
        yield fd
    finally:
        os.close(fd)


class FileTree:
    """One open root folder; paths are relative, with `/` between names."""

    def __init__(self, root: Path, calls: Syscalls | None = None) -> None:
        """Open the root; UserError when it is not a folder."""
        self.root, self.calls = root, calls or Syscalls()
        self._fd = _open_root(root, "cannot be opened as a folder")
        what = "a link to what cannot be opened as a folder"
        self._elsewhere = {name: _open_root(root / name, what) for name in _ELSEWHERE if (root / name).is_symlink()}

    def is_in_place(self) -> bool:
        """Whether the root is still the folder that was opened; a disk may have been mounted there since."""
        try:
            found, opened = self.root.stat(), os.fstat(self._fd)
        except OSError:
            return False
        return (found.st_dev, found.st_ino) == (opened.st_dev, opened.st_ino)

    def close(self) -> None:
        """Close the descriptors of the roots."""
        for fd in (self._fd, *self._elsewhere.values()):
            os.close(fd)

    def folder(self, path: str, *, make: bool = False) -> AbstractContextManager[int]:
        """Open a folder of the tree. With `make`, it and the folders above it are made, durably, when missing.

        A file in the place of a folder below .bankd/ is renamed to NAME.bad first.
        """
        return closing_descriptor(self._open_or_make(path) if make else self._open_folder(path))

    def _open_folder(self, path: str) -> int:
        check_path(path, allow_root=True)
        first, _, below = path.partition("/")
        root, way = (self._elsewhere[first], below) if first in self._elsewhere else (self._fd, path)
        fd = os.dup(root)
        for part in way.split("/") if way else []:  # step by step: no link on the way is followed
            above = fd
            try:
                fd = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=above)
            except OSError as problem:
                if problem.errno in {errno.ELOOP, errno.ENOTDIR} and stat.S_ISLNK(os.lstat(part, dir_fd=above).st_mode):
                    raise ConflictError(f"{path}: goes through a link; left alone") from problem
                raise
            finally:
                os.close(above)
        return fd

    def _open_or_make(self, path: str) -> int:
        try:
            return self._open_folder(path)
        except FileNotFoundError:
            pass
        except (NotADirectoryError, ConflictError):
            if not path.startswith(_OWN):
                raise
        parent, name = split_path(path)
        with self.folder(parent, make=True) as above:
            with suppress(FileNotFoundError):
                if path.startswith(_OWN) and not stat.S_ISDIR(os.lstat(name, dir_fd=above).st_mode):
                    self.calls.rename(name, above, f"{name}.bad", above)
            with suppress(FileExistsError):
                self.calls.mkdir(name, above, 0o700 if path.startswith(".bankd") else 0o777)
            self.calls.sync(above)
        return self._open_folder(path)

    def file(self, path: str) -> AbstractContextManager[int]:
        """Open a regular file for reading; FileNotFoundError, or ConflictError when it is something else."""
        parent, name = split_path(path)
        with self.folder(parent) as folder:
            return closing_descriptor(open_regular(name, folder, path))

    def read(self, path: str, cap: int = FILE_CAP) -> bytes | None:
        """The bytes of a file, None when there is none; ConflictError when it is too large or no regular file."""
        try:
            with self.file(path) as fd:
                return read_all(fd, path, cap)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def read_own(self, path: str, cap: int = FILE_CAP) -> bytes | None:
        """The bytes of a file of ours under .bankd/; None also when it cannot be read, because it is made anew."""
        try:
            return self.read(path, cap)
        except (ConflictError, PermissionError):
            return None

    def making_way(self, name: str, folder: int, use: Callable[[], _T]) -> _T:
        """Use the place of a file of ours. A folder there is removed first, or renamed to NAME.bad if it is not empty."""
        try:
            return use()
        except IsADirectoryError:
            try:
                os.rmdir(name, dir_fd=folder)
            except OSError:
                self.calls.rename(name, folder, f"{name}.bad", folder)
            return use()

    def names(self, path: str) -> list[str]:
        """The names in a folder, sorted; none when there is no such folder."""
        try:
            with self.folder(path) as fd:
                return sorted(os.listdir(fd))  # noqa: PTH208 - by descriptor, which pathlib cannot
        except FileNotFoundError:
            return []
        except (NotADirectoryError, ConflictError):
            if path.startswith(_OWN):  # it is made when something is written there
                return []
            raise

    def states(self, path: str) -> dict[str, os.stat_result]:
        """The state of each file in a folder, sorted by name; none when there is no such folder."""
        if not (names := self.names(path)):
            return {}
        with self.folder(path) as fd:
            return {name: os.stat(name, dir_fd=fd, follow_symlinks=False) for name in names}

    def remove_empty(self, path: str) -> None:
        """Remove a folder if it is empty."""
        parent, name = split_path(path)
        with suppress(OSError), self.folder(parent) as folder:
            os.rmdir(name, dir_fd=folder)

    def remove(self, path: str) -> None:
        """Remove a file of ours under .bankd/; no error when there is none."""
        parent, name = split_path(path)
        with suppress(FileNotFoundError), self.folder(parent) as folder:
            self.making_way(name, folder, lambda: self.calls.unlink(name, folder))


def _open_root(folder: Path, wrong: str) -> int:
    try:
        return os.open(folder, _FOLDER)
    except OSError as problem:
        raise UserError(f"{folder}: {wrong} ({problem.strerror})") from problem


def fingerprint_of(state: os.stat_result) -> settle.FileFingerprint:
    """A file's fingerprint, from its state."""
    return settle.FileFingerprint(state.st_size, state.st_mtime_ns, state.st_ino)


def walk_folders(
    open_folder: Callable[[str], int], top: str, closed: dict[str, str], passed_over: Collection[str] = ()
) -> Iterator[tuple[str, dict[str, os.stat_result]]]:
    """Each folder from `top` on, with the states of its files. No link is followed, and no hidden folder is looked into.

    Neither are folders of the names `passed_over`. What cannot be looked into is added to `closed`, with the reason.
    """
    folders = [top]
    while folders:
        folder, files = folders.pop(), dict[str, os.stat_result]()
        try:
            with closing_descriptor(open_folder(folder)) as fd, os.scandir(fd) as entries:
                for entry in entries:
                    path = f"{folder}/{entry.name}" if folder else entry.name
                    if not entry.is_dir(follow_symlinks=False):
                        with suppress(FileNotFoundError):  # it went away since
                            files[entry.name] = entry.stat(follow_symlinks=False)
                    elif not entry.name.startswith(".") and entry.name not in passed_over:
                        folders.append(path)
                        if path.endswith(".md"):
                            closed[shown_path(path)] = "a folder, though its name is a page's"
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError:
            closed[shown_path(folder)] = "may not be looked into; correct its owner or mode"
        except ConflictError as problem:
            closed[shown_path(folder)] = shown_path(str(problem))
        else:
            yield folder, files


def split_path(path: str) -> tuple[str, str]:
    """A path's folder and name."""
    check_path(path)
    parent, _, name = path.rpartition("/")
    return parent, name


def check_path(path: str, *, allow_root: bool = False) -> None:
    """UserError for a path that could leave the tree by its text: empty, `.` or `..` between slashes."""
    is_inside = "\0" not in path and {"", ".", ".."}.isdisjoint(path.split("/"))
    if not is_inside and not (allow_root and path == ""):
        raise UserError(f"{path!r}: not a path inside the workspace")


def open_regular(name: str, folder: int, shown: str) -> int:
    """Open a regular file in an open folder; ConflictError for links, pipes, devices and folders."""
    try:
        fd = os.open(name, _FILE, dir_fd=folder)
    except OSError as problem:
        if problem.errno in {errno.ELOOP, errno.ENXIO, errno.ENODEV}:
            raise ConflictError(f"{shown}: a link or special file; left alone") from problem
        if problem.errno in {errno.EACCES, errno.EPERM}:
            raise ConflictError(f"{shown}: may not be read; correct its owner or mode") from problem
        raise
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise ConflictError(f"{shown}: not a regular file; left alone")
    return fd


def read_all(fd: int, shown: str, cap: int = FILE_CAP) -> bytes:
    """All bytes of an open file, up to a cap."""
    parts: list[bytes] = []
    size = 0
    while part := os.read(fd, 1 << 20):
        parts.append(part)
        size += len(part)
        if size > cap:
            raise ConflictError(f"{shown}: larger than {cap >> 20} MB; left alone")
    return b"".join(parts)


def write_all(calls: Syscalls, fd: int, data: bytes) -> None:
    """Write bytes to an open file, by raw writes: a buffered one that failed would be written again by close()."""
    rest = memoryview(data)
    while rest:
        rest = rest[calls.write(fd, bytes(rest)) :]


def find_lines(fd: int, wanted: re.Pattern[bytes], longest: int) -> Iterator[int]:
    """The 1-based lines of an open file with a match of at most `longest` bytes; only a part of it is in memory."""
    if os.fstat(fd).st_size > _SEARCHED:
        raise OSError(errno.EFBIG, f"it is larger than {_SEARCHED >> 30} GB")
    line, last, rest = 1, 0, b""
    while part := os.read(fd, 1 << 20):
        data, at = rest + part, 0
        for found in wanted.finditer(data):
            line, at = line + data.count(b"\n", at, found.start()), found.start()
            if line > last:
                yield line
            last = max(line, last)
        kept = max(len(data) - longest + 1, at)
        line, rest = line + data.count(b"\n", at, kept), data[kept:]


_COMPARED = 256 * 1024
"""Bytes of a file that are compared with the one it may be a copy of."""
_IN_A_MERGE = ("index.lock", "MERGE_HEAD", "rebase-merge", "rebase-apply", "CHERRY_PICK_HEAD")


class BankFiles(FileTree):
    """The Markdown files of one workspace."""

    def fingerprint(self, path: str) -> settle.FileFingerprint | None:
        """The fingerprint of a file now; None when it is gone."""
        with suppress(FileNotFoundError), self.file(path) as fd:
            return fingerprint_of(os.fstat(fd))
        return None

    @contextmanager
    def stream(self, path: str) -> Iterator[IO[bytes]]:
        """Open a regular file to read it in parts; FileNotFoundError, or ConflictError when it is something else."""
        with self.file(path) as fd, os.fdopen(fd, "rb", closefd=False) as opened:
            yield opened

    def survey(
        self,
        folder: str,
        now: datetime,
        settle_seconds: float,
        known: Mapping[str, settle.FileFingerprint] | None = None,
        *,
        any_content: bool = False,
    ) -> settle.Survey:
        """List the Markdown files under a folder; those with a `known` fingerprint are at rest and are not read again.

        `any_content` is for files that are only read, part by part: their size and contents do not matter.
        """
        rest = settle.RestRule(now.timestamp(), settle_seconds, None if any_content else FILE_CAP)
        known = {} if any_content else known or {}
        closed: dict[str, str] = {}
        listings = {
            where: {
                name: settle.ListedFile(fingerprint_of(state), state.st_mtime, stat.S_ISREG(state.st_mode))
                for name, state in files.items()
            }
            for where, files in walk_folders(self._open_folder, folder, closed)
        }
        survey = settle.judge_listings(listings, rest, known)
        survey.quarantined |= closed
        changed = [path for path, seen in survey.files.items() if known.get(path) != seen]
        for path in changed:
            if original := settle.copied_from(path, survey.files):
                copy, other = self._start(path), self._start(original)
                if copy and other and settle.is_copy(copy, other):
                    del survey.files[path]
                    survey.quarantined[path] = (
                        f"looks like a conflict copy of {original}; merge it by hand, or rename it"
                    )
        for path in () if any_content else [path for path in changed if path in survey.files]:
            if reason := self._why_quarantined(path):
                del survey.files[path]
                survey.quarantined[path] = reason
        if survey.files and (reason := self.merging()):
            survey.unsettled.update(dict.fromkeys(survey.files, reason))
            survey.files.clear()
        return survey

    def _start(self, path: str) -> bytes:
        """The first bytes of a file; none when it cannot be read, which others name."""
        with suppress(OSError, ConflictError), self.stream(path) as opened:
            return opened.read(_COMPARED)
        return b""

    def merging(self) -> str | None:
        """The message that git is in the middle of something in the repository around the workspace, or None."""
        for folder in (self.root, *self.root.resolve().parents):
            git = folder / ".git"
            if git.is_dir():
                found = next((name for name in _IN_A_MERGE if (git / name).exists()), None)
                return f"git is at work ({found})" if found else None
        return None

    def _why_quarantined(self, path: str) -> str | None:
        """The reason why no run may touch a file, or None."""
        try:
            data = self.read(path)
        except (ConflictError, OSError) as problem:
            return str(problem).removeprefix(f"{path}: ")
        return "vanished while we looked" if data is None else settle.why_quarantined(data)


class Syscalls:
    """The real system calls. Names are single components in an open folder. Each does one thing, or raises OSError."""

    def create(self, name: str, folder: int, mode: int = 0o600) -> int:
        """Open a new file for writing; one of that name must not exist."""
        return os.open(name, _CREATE, mode, dir_fd=folder)

    def open_to_append(self, name: str, folder: int, mode: int = 0o600) -> int:
        """Open a file for appending, made when missing."""
        return os.open(name, os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=folder)

    def write(self, fd: int, data: bytes) -> int:
        """Write as much as one call takes."""
        return os.write(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        """Cut a file to this size."""
        os.ftruncate(fd, size)

    def sync(self, fd: int) -> None:
        """Make a file or folder durable. Never call it again for a file for which it failed."""
        os.fsync(fd)

    def rename(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        """Rename, over an existing file if there is one."""
        os.rename(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)

    def rename_new(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        """Rename; FileExistsError when the new name is taken."""
        _renameat2(old, old_folder, new, new_folder, _NOREPLACE)

    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        """Swap two existing files in one instant."""
        _renameat2(old, old_folder, new, new_folder, _EXCHANGE)

    def date(self, fd: int, modified: int) -> None:
        """Set the modification time of a file, in nanoseconds; waits for a write that has begun."""
        os.utime(fd, ns=(os.fstat(fd).st_atime_ns, modified))

    def unlink(self, name: str, folder: int) -> None:
        """Remove a file's name."""
        os.unlink(name, dir_fd=folder)

    def mkdir(self, name: str, folder: int, mode: int = 0o777) -> None:
        """Make a folder; the umask applies."""
        os.mkdir(name, mode, dir_fd=folder)

    def dress(self, fd: int, model: int) -> None:
        """Give a file the mode, owner and extended attributes of another; PermissionError when we may not."""
        status = os.fstat(model)
        own = os.fstat(fd)
        if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
            os.fchown(fd, status.st_uid, status.st_gid)
        os.fchmod(fd, status.st_mode & 0o7777)
        names: list[str] = []
        with suppress(OSError):  # a file system without extended attributes
            names = os.listxattr(model)
        with suppress(NotImplementedError):
            for name in names:
                os.setxattr(fd, name, os.getxattr(model, name))


class SyscallsWithoutExchange(Syscalls):
    """For file systems that cannot exchange: a link keeps the displaced file, in several steps instead of one."""

    def rename_new(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        os.link(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)
        os.unlink(old, dir_fd=old_folder)

    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        kept = f"w-kept-{old}"
        os.link(new, kept, src_dir_fd=new_folder, dst_dir_fd=old_folder)
        self.rename(old, old_folder, new, new_folder)
        self.rename(kept, old_folder, old, old_folder)


def _renameat2(old: str, old_folder: int, new: str, new_folder: int, flags: int) -> None:
    if _LIBC.renameat2(old_folder, os.fsencode(old), new_folder, os.fsencode(new), flags) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), old, None, new)
