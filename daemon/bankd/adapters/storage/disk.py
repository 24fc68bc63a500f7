"""What the disk is asked before and after: is there room, may we write, did it sync.

A sync that fails is never tried again on that file: the kernel has dropped the dirty pages and a second call would say
that all is well (Rebello et al., USENIX ATC 2020). Two failures in a row make the workspace read-only.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from bankd.adapters.storage.tree import FileTree
from bankd.adapters.system.mounts import find_mount
from bankd.errors import StorageError

RESERVE = 16 * 1024 * 1024  # bytes that must stay free besides three times what is staged
_ONCE, READ_ONLY = "sync-failed", "read-only"
_FAILING = "{root}: read-only, because syncing to this disk failed twice in a row; check the disk, then remove .bankd/read-only"


class SyncFailedError(OSError):
    """fsync did not succeed: what was written to that file may be gone."""


def check_room(tree: FileTree, staged: int) -> None:
    """StorageError when the disk could fill up while we write."""
    status = os.statvfs(tree.root)
    free = status.f_bavail * status.f_frsize
    needed = 3 * staged + RESERVE
    if free < needed:
        raise StorageError(f"{tree.root}: {free >> 20} MB free, {(needed >> 20) + 1} MB needed; nothing was written")


def trouble_of(root: Path, folders: Iterable[str]) -> str:
    """Why nothing can be written in a workspace now, looked at without writing; empty when it can."""
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
    """What bankd may not use of its own: a run as another user, such as root, leaves files of that user."""
    return tuple(path.relative_to(root).as_posix() for path in _own_files(root / ".bankd") if not _is_ours(path))


def _own_files(own: Path) -> Iterator[Path]:
    for folder in (own, own / "txn", own / "done"):
        with suppress(OSError):
            yield from sorted(folder.iterdir())


def _is_ours(path: Path) -> bool:
    """Whether a file may be read and written, or a folder used; a link to nowhere and a socket are no hindrance."""
    wanted = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
    return os.access(path, wanted) or not (path.is_file() or path.is_dir())


def check_writable(tree: FileTree) -> None:
    """StorageError while the alarm of a failing disk stands."""
    if READ_ONLY in tree.names(".bankd"):
        raise StorageError(_FAILING.format(root=tree.root))


def sync_file(tree: FileTree, fd: int) -> None:
    """Make a file or folder durable, or remember that it failed and give up."""
    try:
        tree.calls.sync(fd)
    except OSError as problem:
        with suppress(OSError):
            _raise_alarm(tree)
        raise SyncFailedError(problem.errno, f"syncing failed: {problem.strerror}") from problem


def _raise_alarm(tree: FileTree) -> None:
    name = READ_ONLY if _ONCE in tree.names(".bankd") else _ONCE
    with tree.folder(".bankd") as folder, suppress(FileExistsError):
        os.close(tree.calls.create(name, folder))


def clear_failure(tree: FileTree) -> None:
    """Forget one failure after a transaction that went well."""
    if _ONCE in tree.names(".bankd"):
        tree.remove(f".bankd/{_ONCE}")


def advise_person(problem: OSError) -> str:
    """What the disk said, and what a person can do."""
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


def explain_failure(problem: OSError, where: object) -> StorageError:
    """Say what the disk said of a run."""
    place = f" ({problem.filename})" if problem.filename else ""
    return StorageError(
        f"{where}: {advise_person(problem)}{place}. Nothing half done is in sight; the next run goes on from there"
    )


_ERRNOS = "|".join(
    str(n) for n in (errno.EIO, errno.ENOMEM, errno.ENFILE, errno.EMFILE, errno.ENOSPC, errno.EROFS, errno.EDQUOT)
)
_REFUSED = re.compile(
    r"disk is full|readonly database|disk i/o error|unable to open database file"
    rf"|(?:os error |\bos {{ code: )({_ERRNOS})\b",  # tantivy prints an error of the system for people, or for programmers
    re.IGNORECASE,
)


def is_refusal(problem: Exception) -> bool:
    """Whether what SQLite or tantivy raised is the disk's doing, and not what a file holds."""
    return _REFUSED.search(str(problem)) is not None


@contextmanager
def storage_told(where: object) -> Iterator[None]:
    """Translate what SQLite and tantivy raise when the disk does not take a write; other errors of theirs pass."""
    try:
        yield
    except OSError as problem:
        raise explain_failure(problem, where) from problem
    except (sqlite3.OperationalError, ValueError) as problem:
        if not is_refusal(problem):
            raise
        raise StorageError(f"{where}: {problem}. It is made up for by the next run") from problem
