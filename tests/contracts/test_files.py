"""Paths, locks, clocks and file systems: what keeps the promises, what does not, and where changes must be polled for."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from bankd.errors import BusyError, ConflictError, RefusedError, UserError
from bankd.storage.disk import probe_filesystem, require_safe
from bankd.storage.journals import Lock
from bankd.storage.tree import FileTree, Syscalls, SyscallsWithoutExchange
from bankd.system.clock import read_clock, read_clock_alone
from bankd.system.files import find_mount, needs_polling
from tests.crash.world import bank_of, build, faults, fresh, run


class NoExchange(Syscalls):
    def exchange(self, old: str, old_folder: int, new: str, new_folder: int) -> None:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))


def test_this_file_system_can(tmp_path: Path) -> None:
    tree = FileTree(tmp_path)

    assert probe_filesystem(tree) == []
    require_safe(tree, permitted=False)
    assert not list((tmp_path / ".bankd/stage").iterdir())


def test_one_that_cannot_is_refused_with_the_setting_that_permits_it(tmp_path: Path) -> None:
    with pytest.raises(RefusedError, match="unsafe_filesystem: true"):
        require_safe(FileTree(tmp_path, NoExchange()), permitted=False)


def test_permitted_it_is_written_without_exchange(tmp_path: Path) -> None:
    tree = FileTree(tmp_path, NoExchange())
    require_safe(tree, permitted=True)

    assert isinstance(tree.calls, SyscallsWithoutExchange)


def test_a_run_without_exchange_gives_the_same_bank(tmp_path: Path) -> None:
    template = build(tmp_path / "template")
    usual, other = fresh(template, tmp_path / "usual"), fresh(template, tmp_path / "other")
    run(usual)
    run(other, SyscallsWithoutExchange())

    assert faults(other) == []
    assert bank_of(other) == bank_of(usual)


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
    assert find_mount(Path.cwd()).file_system != "unknown"


def test_only_remote_file_systems_need_polling() -> None:
    assert [
        name for name in ("ext4", "xfs", "fuseblk", "nfs4", "9p", "fuse.sshfs", "overlay") if needs_polling(name)
    ] == ["nfs4", "9p", "fuse.sshfs"]


@pytest.fixture
def tree(tmp_path: Path) -> FileTree:
    """A workspace with a page, beside a folder with a secret."""
    for path in ("ws/bank/a.md", "outside/secret.md"):
        (tmp_path / path).parent.mkdir(parents=True)
        (tmp_path / path).write_text("text\n")
    return FileTree(tmp_path / "ws")


@pytest.mark.parametrize(
    "path",
    ["../outside/secret.md", "bank/../../outside/secret.md", "/etc/passwd", "bank//a.md", "./bank/a.md", "", "a\0b"],
)
def test_a_path_that_could_leave_by_its_text_is_refused(tree: FileTree, path: str) -> None:
    with pytest.raises(UserError):
        tree.read(path)


def test_a_link_out_of_the_workspace_is_not_followed(tree: FileTree) -> None:
    (tree.root / "bank/out").symlink_to(tree.root.parent / "outside")
    (tree.root / "bank/up").symlink_to("../../outside")
    (tree.root / "bank/link.md").symlink_to(tree.root.parent / "outside/secret.md")

    for path in ("bank/out/secret.md", "bank/up/secret.md", "bank/link.md"):
        with pytest.raises(ConflictError):
            tree.read(path)


def test_what_is_no_regular_file_is_left_alone_without_waiting(tree: FileTree) -> None:
    os.mkfifo(tree.root / "bank/pipe.md")

    with pytest.raises(ConflictError):
        tree.read("bank/pipe.md")


def test_a_page_inside_is_read_up_to_the_cap_and_one_that_is_not_there_is_none(tree: FileTree) -> None:
    assert tree.read("bank/b.md") is None
    assert tree.read("bank/a.md", cap=5) == b"text\n"
    with pytest.raises(ConflictError):
        tree.read("bank/a.md", cap=4)


@pytest.fixture
def locks(tmp_path: Path) -> tuple[Lock, Lock]:
    """Two that want to write in one workspace."""
    return Lock(FileTree(tmp_path), "2026-05-04T03:00"), Lock(FileTree(tmp_path), "2026-05-04T03:01")


def test_while_one_writes_the_other_is_told_who_does_and_may_when_that_is_done(locks: tuple[Lock, Lock]) -> None:
    first, second = locks
    first.take()

    with pytest.raises(BusyError, match=str(os.getpid())):
        second.take()

    assert (first.is_held, second.is_held) == (True, False)
    first.release()
    second.take()

    assert (first.is_held, second.is_held) == (False, True)


def test_a_lock_that_was_handed_on_is_held_until_both_let_go(locks: tuple[Lock, Lock], tmp_path: Path) -> None:
    first, second = locks
    first.take()
    descriptor = os.dup(first.descriptor)
    assert Lock.handed(FileTree(tmp_path), descriptor).is_held
    with pytest.raises(BusyError):
        second.take()
    os.close(descriptor)


@pytest.mark.parametrize("zone", ["Asia/Seoul", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "UTC"])
def test_both_ways_of_reading_the_clock_agree(zone: str) -> None:
    before = os.environ.get("TZ")

    library, alone = read_clock(zone), read_clock_alone(zone)

    assert alone.utcoffset() == library.utcoffset()
    assert abs((alone - library).total_seconds()) < 60
    assert os.environ.get("TZ") == before


def test_a_zone_that_the_computer_lacks_is_not_taken_for_utc(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bankd.system.clock._ZONES", "/nowhere")

    assert read_clock_alone("Asia/Seoul").utcoffset() == read_clock("Asia/Seoul").utcoffset()
