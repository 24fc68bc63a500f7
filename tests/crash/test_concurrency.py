"""Two at once: one works, the others say who holds the workspace; a dead holder holds nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bankd.errors import BusyError
from bankd.storage.journals import Lock
from bankd.storage.tree import FileTree
from tests.settings import make_quick_workspace

NOW = "2026-06-10T03:00"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    make_quick_workspace(folder)
    lines = "".join(f"- W: fact number {n} about the garden\n" for n in range(30))
    (folder / "memory/2026-05-02.md").write_text(f"## Retain\n{lines}")
    return folder


def bankctl(root: Path, *words: str) -> subprocess.Popen[str]:
    code = "import sys; from bankd.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *words, "--workspace", str(root)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@contextmanager
def holder(root: Path, code: str = "") -> Iterator[subprocess.Popen[str]]:
    """Another process that has taken the lock, and then does as it is told."""
    program = (
        "import sys; from pathlib import Path; from bankd.storage.journals import Lock; from bankd.storage.tree import FileTree\n"
        f"lock = Lock(FileTree(Path({str(root)!r})), 'a while ago'); lock.take()\n{code}\nprint('ready', flush=True); sys.stdin.read()"
    )
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    process = subprocess.Popen([sys.executable, "-c", program], text=True, **pipes)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_a_second_writer_is_told_who_holds_the_workspace(root: Path) -> None:
    with holder(root) as process:
        for words in (["cycle", "micro", "--now", NOW], ["undo"], ["forget", "m-x"]):
            refused = bankctl(root, *words)
            _, said = refused.communicate()

            assert refused.returncode == 75
            assert f"process {process.pid} on" in said
            assert "since a while ago" in said


def test_adding_and_reading_need_no_lock(root: Path) -> None:
    with holder(root):
        for words in (["add", "W: one more fact"], ["log"], ["show", "memory/2026-05-02.md:2"], ["doctor", "verify"]):
            done = bankctl(root, *words)
            _, said = done.communicate()

            assert done.returncode == 0, said


def test_a_child_that_outlives_its_parent_does_not_hold_the_lock(root: Path) -> None:
    starts = "import subprocess; child = subprocess.Popen(['sleep', '60'], close_fds=False)"
    with holder(root, f"{starts}; Path({str(root / 'pid')!r}).write_text(str(child.pid))") as process:
        pid = int((root / "pid").read_text())
        process.kill()
        process.wait()
        try:
            lock = Lock(FileTree(root), "now")
            lock.take()
            lock.release()
        finally:
            os.kill(pid, signal.SIGKILL)


def test_a_lock_file_left_by_a_dead_process_holds_nothing(root: Path) -> None:
    with holder(root) as process:
        pass
    assert str(process.pid) in (root / ".bankd/lock").read_text()

    done = bankctl(root, "cycle", "micro", "--now", NOW)

    assert done.communicate()[1] == ""
    assert done.returncode == 0


def test_the_same_process_cannot_take_it_twice_either(root: Path) -> None:
    held = Lock(FileTree(root), "now")
    held.take()
    with pytest.raises(BusyError, match=str(os.getpid())):
        Lock(FileTree(root), "later").take()
    held.release()


def test_runs_adds_and_undos_at_once_lose_and_double_nothing(root: Path) -> None:
    bankctl(root, "cycle", "micro", "--now", NOW).communicate()
    run = re.search(r"\d{8}T\d{6}-micro", bankctl(root, "log").communicate()[0])
    assert run is not None
    waves = [
        ["cycle", "reflect", "--now", "2026-06-10T03:30"],
        ["undo", run[0]],
        ["add", "W: in the middle of it all"],
    ] * 2
    crowd = [bankctl(root, *words) for words in waves]
    codes = [(process.communicate()[1], process.returncode)[1] for process in crowd]
    bankctl(root, "undo", "-h").communicate()
    bankctl(root, "cycle", "reflect", "--now", "2026-06-10T04:30").communicate()
    verdict = bankctl(root, "doctor", "verify")

    said, _ = verdict.communicate()
    assert set(codes) <= {0, 75}
    assert 0 in codes
    assert verdict.returncode == 0, said
