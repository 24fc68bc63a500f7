"""The system calls that change something on disk, all in one place: what fault tests count, break and cut short.

Names are single components in an open folder; which folder that is, `tree` decides.
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

_LIBC = ctypes.CDLL(None, use_errno=True)
_NOREPLACE, _EXCHANGE = 1, 2  # linux/fs.h
_CREATE = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC


class Syscalls:
    """The real ones. Each does one thing or raises OSError."""

    def create(self, name: str, folder: int, mode: int = 0o600) -> int:
        """Open a new file for writing; one of that name must not exist."""
        return os.open(name, _CREATE, mode, dir_fd=folder)

    def open_to_append(self, name: str, folder: int, mode: int = 0o600) -> int:
        """Open a file for appending, made when missing."""
        flags = os.O_CREAT | os.O_RDWR | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        return os.open(name, flags, mode, dir_fd=folder)

    def write(self, fd: int, data: bytes) -> int:
        """Write as much as one call takes."""
        return os.write(fd, data)

    def truncate(self, fd: int, size: int) -> None:
        """Cut a file off."""
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
        """Set when a file was written last, in nanoseconds; waits for a write that has begun."""
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
        with suppress(NotImplementedError):
            for name in _listxattr(model):
                os.setxattr(fd, name, os.getxattr(model, name))


class SyscallsWithoutExchange(Syscalls):
    """For file systems that cannot exchange: a link keeps what is displaced, and there is an instant of which it cannot."""

    def rename_new(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        os.link(old, new, src_dir_fd=old_folder, dst_dir_fd=new_folder)
        os.unlink(old, dir_fd=old_folder)

    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        kept = f"w-kept-{old}"
        os.link(new, kept, src_dir_fd=new_folder, dst_dir_fd=old_folder)
        self.rename(old, old_folder, new, new_folder)
        self.rename(kept, old_folder, old, old_folder)


def _listxattr(fd: int) -> list[str]:
    try:
        return os.listxattr(fd)
    except OSError:
        return []  # the file system has none


def _renameat2(old: str, old_folder: int, new: str, new_folder: int, flags: int) -> None:
    done = _LIBC.renameat2(old_folder, os.fsencode(old), new_folder, os.fsencode(new), flags)
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), old, None, new)
