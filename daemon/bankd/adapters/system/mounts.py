"""What file system a path is on, and whether its changes can be watched from here."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

# On these another computer may change a file without this kernel knowing, so no inotify event comes.
_REMOTE = {
    "nfs",
    "nfs4",
    "cifs",
    "smb3",
    "smbfs",
    "9p",
    "vboxsf",
    "drvfs",
    "afs",
    "ceph",
    "glusterfs",
    "virtiofs",
    "prl_fs",
}


class Mount(NamedTuple):
    """A file system where it is mounted, with the options of the mount and of the file system itself."""

    file_system: str = "unknown"
    options: frozenset[str] = frozenset()

    @property
    def is_read_only(self) -> bool:
        """Whether it was mounted so, or an error made the kernel stop writing, which no mode or flag shows."""
        return bool(self.options & {"ro", "emergency_ro"})


def find_mount(path: Path, mountinfo: str | None = None) -> Mount:
    """What a path is on, by the longest mount point above it (proc(5), mountinfo)."""
    lines = mountinfo if mountinfo is not None else Path("/proc/self/mountinfo").read_text(errors="surrogateescape")
    target = os.path.realpath(path)
    best, found = "", Mount()
    for line in lines.splitlines():
        fields = line.split(" ")
        point = _unescape(fields[4])
        is_above = target == point or target.startswith(point.rstrip("/") + "/")
        if is_above and len(point) >= len(best):
            tail = fields[fields.index("-") + 1 :]
            best, found = point, Mount(tail[0], frozenset([*fields[5].split(","), *tail[-1].split(",")]))
    return found


def find_file_system(path: Path) -> str:
    """The type of the file system that a path is on."""
    return find_mount(path).file_system


def needs_polling(file_system: str) -> bool:
    """Whether changes made elsewhere would go unseen; any FUSE file system may be a network in disguise."""
    return file_system in _REMOTE or file_system.startswith("fuse.")


def _unescape(point: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return point
