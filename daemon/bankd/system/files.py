"""Files outside the bank: the list of the user's banks, projects, and file systems.

The list is `~/.config/bankd/banks.yaml`, a line `name: folder` for each bank; people may edit it. It is read without a YAML
library, because importing one takes longer than searching a bank.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from bankd.config import replace_file
from bankd.errors import UserError

_HEAD = "# The banks that `bankctl search --all` asks: a line `name: folder` each.\n"


def banks_path() -> str:
    """Where the list is, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = home if os.path.isabs(home) else os.path.expanduser("~/.config")  # noqa: PTH111, PTH117 -- as above
    return os.path.join(folder, "bankd", "banks.yaml")  # noqa: PTH118 -- same


def read_banks() -> dict[str, str]:
    """The folders by name, in the order of the file; none without a file. UserError names a line that cannot be read."""
    path = banks_path()
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as lines:  # noqa: PTH123 -- same
            said = [(number, line.strip()) for number, line in enumerate(lines, 1)]
    except FileNotFoundError:
        return {}
    return dict(_read_line(path, number, line) for number, line in said if line and not line.startswith("#"))


def _read_line(path: str, number: int, line: str) -> tuple[str, str]:
    name, colon, folder = line.partition(":")
    folder = os.path.expanduser(folder.strip().strip("\"'"))  # noqa: PTH111 -- same
    if not colon or not name.strip() or not os.path.isabs(folder):  # noqa: PTH117 -- same
        raise UserError(f"{path}:{number}: must be `name: /folder`, not {line!r}")
    return name.strip().strip("\"'"), folder


def write_banks(banks: dict[str, str]) -> None:
    """Replace the list in one step; comments of the file are kept, at its head."""
    path = banks_path()
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)  # noqa: PTH103, PTH120 -- same
    head = _HEAD
    with suppress(FileNotFoundError), open(path, encoding="utf-8", errors="surrogateescape") as lines:  # noqa: PTH123 -- same
        head = "".join(f"{line.rstrip()}\n" for line in lines if line.startswith("#"))
    replace_file(Path(path), head + "".join(f"{name}: {folder}\n" for name, folder in banks.items()))


def find_project(folder: str) -> str:
    """The top level of the git repository that a folder is in, by its real path; empty if it is in none.

    All worktrees of a repository are one project, named by the folder of the main one. For a folder that is gone, the nearest
    existing folder above it counts.
    """
    if not os.path.isabs(folder):  # noqa: PTH117 -- a hook has no time for pathlib
        return ""
    here = os.path.realpath(folder)
    while not os.path.lexists(f"{here}/.git"):
        here, below = os.path.dirname(here), here  # noqa: PTH120 -- same
        if here == below:
            return ""
    try:
        with open(f"{here}/.git", encoding="utf-8") as file:  # noqa: PTH123 -- same
            own = os.path.join(here, file.read(4096).removeprefix("gitdir:").strip())  # noqa: PTH118 -- same
        with open(f"{own}/commondir", encoding="utf-8") as file:  # noqa: PTH123 -- same
            common = os.path.realpath(os.path.join(own, file.read(4096).strip()))  # noqa: PTH118 -- same
    except (OSError, ValueError):  # a folder, or a submodule: the top level itself
        return here
    return common.removesuffix("/.git")


# On these another computer may change a file without this kernel knowing, so no inotify event comes.
_REMOTE = {
    *["nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "vboxsf", "drvfs", "afs", "ceph", "glusterfs", "virtiofs", "prl_fs"]
}


class Mount(NamedTuple):
    """A file system where it is mounted, with the options of the mount and of the file system itself."""

    file_system: str = "unknown"
    options: frozenset[str] = frozenset()

    @property
    def is_read_only(self) -> bool:
        """Whether it was mounted read-only, or the kernel made it so after an error, which no file mode shows."""
        return bool(self.options & {"ro", "emergency_ro"})


def find_mount(path: Path, mountinfo: str | None = None) -> Mount:
    """The mount that a path is on: the longest mount point above it (proc(5), mountinfo)."""
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


def needs_polling(file_system: str) -> bool:
    """Whether the kernel does not tell of changes by other computers; any FUSE file system may be a network."""
    return file_system in _REMOTE or file_system.startswith("fuse.")


def _unescape(point: str) -> str:
    for code, char in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(code, char)
    return point
