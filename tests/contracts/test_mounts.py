"""Where changes cannot be seen by the kernel, bankd polls."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.system.files import find_file_system, find_mount, needs_polling

MOUNTS = """\
22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
40 22 0:40 / /home rw,relatime shared:2 - btrfs /dev/sdb rw
41 40 0:41 / /home/ann/my\\040notes rw,relatime - nfs4 server:/notes rw
42 40 0:42 / /home/ann/drive rw - fuse.sshfs ann@server: rw
43 40 0:43 / /home/annex rw - xfs /dev/sdc rw
"""


def test_the_nearest_mount_decides() -> None:
    places = ("/home/ann/my notes/bank", "/home/ann/drive", "/home/ann", "/srv/bank")

    assert [find_mount(Path(place), MOUNTS).file_system for place in places] == ["nfs4", "fuse.sshfs", "btrfs", "ext4"]


@pytest.mark.parametrize(("options", "own", "expected"), [
    ("rw,relatime", "rw", False), ("ro,relatime", "rw", True), ("rw", "ro,seclabel", True),
    ("rw", "rw,errors=remount-ro", False), ("rw", "rw,abort,emergency_ro", True),
])  # fmt: skip
def test_a_disk_is_read_only_by_its_mount_or_after_an_error(options: str, own: str, expected: bool) -> None:
    mounts = f"22 1 8:1 / / {options} shared:1 - ext4 /dev/sda1 {own}\n"

    assert find_mount(Path("/srv"), mounts).is_read_only is expected


def test_this_computer_has_an_answer_too() -> None:
    assert find_file_system(Path.cwd()) != "unknown"


def test_only_remote_file_systems_need_polling() -> None:
    assert [
        name for name in ("ext4", "xfs", "fuseblk", "nfs4", "9p", "fuse.sshfs", "overlay") if needs_polling(name)
    ] == ["nfs4", "9p", "fuse.sshfs"]
