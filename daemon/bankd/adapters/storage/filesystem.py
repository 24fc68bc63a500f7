"""Whether a file system can do what the transaction layer stands on: exchange two files in one instant, and lock one."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress

from bankd.adapters.storage.syscalls import SyscallsWithoutExchange
from bankd.adapters.storage.tree import FileTree
from bankd.errors import RefusedError, UserError

_PERMIT = "`unsafe_filesystem: true` in bankd.yaml"
_KNOWN = ".bankd/filesystem"


def require_safe(tree: FileTree, *, permitted: bool) -> None:
    """RefusedError on a file system that cannot keep the promises, unless the setting permits it; asked once a device."""
    _require_one_mount(tree)
    device = str(tree.root.stat().st_dev).encode()
    if tree.read_own(_KNOWN) == device:
        return
    missing = probe_filesystem(tree)
    if missing and not permitted:
        raise RefusedError(f"{tree.root}: this file system cannot do {' and '.join(missing)}", _PERMIT)
    if missing:
        tree.calls = SyscallsWithoutExchange()
        return
    tree.remove(_KNOWN)
    with tree.folder(".bankd") as folder:
        fd = tree.calls.create("filesystem", folder)
        with suppress(OSError):  # asked again next time
            tree.calls.write(fd, device)
        os.close(fd)


def _require_one_mount(tree: FileTree) -> None:
    """UserError when pages are mounted apart from the stage: nothing can be exchanged between the two."""
    with tree.folder(".bankd", make=True) as folder:
        own = _mount_of(folder)
    for name in ("bank", "archive"):
        with suppress(FileNotFoundError), tree.folder(name) as folder:
            if _mount_of(folder) != own:
                reason = "is mounted apart from .bankd/, and no page can be exchanged in one instant between the two"
                raise UserError(f"{tree.root / name} {reason}; mount the whole workspace instead")


def _mount_of(descriptor: int) -> str:
    """The number of the mount that an open folder is on (proc(5), fdinfo); bind mounts share a device, not a mount."""
    with open(f"/proc/self/fdinfo/{descriptor}", encoding="ascii") as info:  # noqa: PTH123 -- called at every start
        return next((line for line in info if line.startswith("mnt_id:")), "")


def probe_filesystem(tree: FileTree) -> list[str]:
    """Try what the transaction layer needs of the file system; give what is missing."""
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
