"""One writer a workspace: a file lock that dies with its process and that children only have when it is handed to them."""

from __future__ import annotations

import fcntl
import json
import os
import socket
from contextlib import suppress

from bankd.adapters.storage.disk import explain_failure
from bankd.adapters.storage.tree import FileTree
from bankd.errors import BusyError

NAME = "lock"


class Lock:
    """flock on `.bankd/lock`, held from `take` to `release`; the file says who holds it since when."""

    def __init__(self, tree: FileTree, started: str) -> None:
        """`started` is when the holder began, in ISO form: a second one learns it from the error."""
        self._tree = tree
        self._started = started
        self._fd: int | None = None

    @classmethod
    def handed(cls, tree: FileTree, descriptor: int) -> Lock:
        """The lock of another process that goes on holding it, as its open file; not to be released here."""
        lock = cls(tree, "")
        lock._fd = descriptor
        return lock

    @property
    def descriptor(self) -> int:
        """The open file that holds the lock, for a process that works for this one."""
        if self._fd is None:
            raise BusyError("the right to write is lent to another process")
        return self._fd

    @property
    def is_held(self) -> bool:
        """Whether this process may write."""
        return self._fd is not None

    def take(self) -> None:
        """Take the lock or raise BusyError with the holder."""
        try:
            with self._tree.folder(".bankd", make=True) as folder:
                fd = self._open(folder)
        except OSError as problem:
            raise explain_failure(problem, ".bankd/lock") from problem
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as busy:
            holder = os.pread(fd, 4096, 0)
            os.close(fd)
            raise BusyError(_who(holder)) from busy
        self._fd = fd
        holder = json.dumps({"pid": os.getpid(), "host": socket.gethostname(), "started": self._started}).encode()
        with suppress(OSError):  # who holds it is a courtesy; a full disk must not keep the lock from being taken
            os.ftruncate(fd, 0)
            os.pwrite(fd, holder + b"\n", 0)

    def _open(self, folder: int) -> int:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        try:
            return os.open(NAME, flags, 0o600, dir_fd=folder)
        except IsADirectoryError:
            self._tree.make_way(NAME, folder)
            return os.open(NAME, flags, 0o600, dir_fd=folder)

    def release(self) -> None:
        """Let the next one in."""
        if self._fd is not None:
            with suppress(OSError):  # said before closing: a process that it was handed to may have it open still
                fcntl.flock(self._fd, fcntl.LOCK_UN)
            os.close(self._fd)
            self._fd = None


def _who(data: bytes) -> str:
    try:
        holder = json.loads(data)
        return f"busy: process {holder['pid']} on {holder['host']} has held this workspace since {holder['started']}"
    except (ValueError, KeyError, TypeError):
        return "busy: another process holds this workspace"
