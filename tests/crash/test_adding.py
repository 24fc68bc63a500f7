"""`bankctl add` on a disk that fails: the whole line is in the log, durable, or the log is as it was."""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path

import pytest

from bankd.errors import StorageError
from bankd.storage.events import append_line
from bankd.storage.tree import FileTree
from tests.crash.faults import Fault, FaultyCalls, Killed

LOG, LINE = "2026-05-02.md", "- W: 한 줄을 더한다"
NEW = f"# 2026-05-02\n\n## Retain\n{LINE}\n"


def add(log: Path, calls: FaultyCalls) -> int:
    tree = FileTree(log.parent.parent, calls)
    try:
        return append_line(tree, LOG, LINE)[0].line
    finally:
        tree.close()


class HalfFull(FaultyCalls):
    """There is room for the first half of a write, and none for the second."""

    def write(self, fd: int, data: bytes) -> int:
        if self.count:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return super().write(fd, data[: len(data) // 2])


@pytest.fixture(params=["", "# Day\n\n- W: one\n", "# Day\n\n- W: no end"])
def log(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A log that is not there yet, one that ends well, and one that has no last newline."""
    (tmp_path / "memory").mkdir()
    (tmp_path / ".bankd").mkdir()
    if request.param:
        (tmp_path / "memory" / LOG).write_text(request.param)
    return tmp_path / "memory" / LOG


def test_a_line_is_added_with_what_must_stand_before_it_and_its_number(log: Path) -> None:
    before = log.read_text() if log.exists() else ""
    calls = FaultyCalls()
    number = add(log, calls)

    after = log.read_text()
    assert after == (before.rstrip("\n") + f"\n{LINE}\n" if before else NEW)
    assert after.split("\n")[number - 1] == LINE
    assert [change.split()[0] for change in calls.log].count("sync") == (1 if before else 2)


def test_what_a_line_replaces_is_added_below_it_and_where_others_follow_in_a_line_of_its_own(log: Path) -> None:
    tree = FileTree(log.parent.parent)

    def write(line: str) -> bool:
        return append_line(tree, LOG, line, once=True)[1]

    written = [
        write(LINE),
        write(f"{LINE} (replaces m-aaaaaaaaaaaa)"),
        write(f"{LINE} (replaces m-aaaaaaaaaaaa)"),
        write(LINE),
    ]
    assert written == [True, True, False, False]
    assert log.read_text().endswith(f"{LINE}\n  (replaces m-aaaaaaaaaaaa)\n")
    written = [
        write("- W: another"),
        write(f"{LINE} (replaces m-bbbbbbbbbbbb)"),
        write(f"{LINE} (replaces m-bbbbbbbbbbbb)"),
    ]
    assert written == [True, True, False]
    assert log.read_text().endswith(f"- W: another\n{LINE} (replaces m-bbbbbbbbbbbb)\n")
    tree.close()


@pytest.mark.parametrize("error", ["ENOSPC", "EIO", "EACCES"])
def test_an_error_leaves_the_log_as_it_was(log: Path, error: str) -> None:
    before = log.read_text() if log.exists() else None
    for at, kind in enumerate(("create", "write", "sync"), 1):
        with pytest.raises(StorageError, match="was not added"):
            add(log, FaultyCalls(Fault(1, error, kinds=(kind,))))

        assert (log.read_text() if log.exists() else None) == before, at


def test_a_write_that_is_cut_short_is_gone_on_with_or_taken_back(log: Path) -> None:
    before = log.read_text() if log.exists() else None
    with pytest.raises(StorageError, match="disk is full"):
        add(log, HalfFull(Fault(kinds=("write",))))

    assert (log.read_text() if log.exists() else None) == before
    add(log, FaultyCalls(Fault(1, "short", kinds=("write",))))
    assert log.read_text().endswith(f"\n{LINE}\n")


def test_a_kill_leaves_what_was_there(log: Path) -> None:
    before = log.read_text() if log.exists() else ""
    for at in range(1, 5):
        for action in ("kill", "torn"):
            with suppress(Killed):
                add(log, FaultyCalls(Fault(at, action)))

            assert (log.read_bytes() if log.exists() else b"").startswith(before.encode())
