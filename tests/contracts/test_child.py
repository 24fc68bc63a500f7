"""The process that works for another: it comes with work, and goes when there is none, or when its master is gone."""

from __future__ import annotations

import fcntl
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Event, Thread

import pytest

from bankd.system.child import ChildDiedError, ChildProcess, ProcessTurn
from tests.contracts.test_command import wait_until

SERVANT = """
import os, sys, threading
from bankd.system.child import serve_master

def answer(request, descriptor):
    if request["do"] == "hang":
        threading.Event().wait()
    if request["do"] == "die":
        os._exit(7)
    return {"pid": os.getpid(), "said": request["do"], "file": None if descriptor is None else os.pread(descriptor, 9, 0).decode()}

serve_master(answer)
"""
COMMAND = [sys.executable, "-c", SERVANT]


class Clock:
    """A clock that a test moves."""

    seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def child(clock: Clock) -> Iterator[ChildProcess]:
    child = ChildProcess(COMMAND, clock, idle_seconds=60)
    yield child
    child.close()


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_one_process_answers_many_requests(child: ChildProcess) -> None:
    answers = [child.ask({"do": word}) for word in ("one", "two", "x" * 200_000)]

    assert [len(answer["said"]) for answer in answers] == [3, 3, 200_000]
    assert len({answer["pid"] for answer in answers}) == 1


def test_of_children_with_one_turn_one_works_at_a_time_in_the_process_of_the_last(clock: Clock) -> None:
    turn = ProcessTurn()
    working, waiting = (ChildProcess(COMMAND, clock, turn=turn) for _ in range(2))
    refused: list[str] = []

    def ask(child: ChildProcess, word: str) -> None:
        try:
            child.ask({"do": word})
        except ChildDiedError as died:
            refused.append(str(died))

    threads = [Thread(target=ask, args=one, daemon=True) for one in ((working, "hang"), (waiting, "one"))]
    threads[0].start()
    assert wait_until(lambda: working.is_running)
    threads[1].start()
    assert not waiting.is_running
    waiting.end()
    assert working.is_running, "the end of one ends no other's work"
    working.end()
    for thread in threads:
        thread.join(20)

    assert sorted(refused) == ["it was closed", "the process that does the work ended (by signal 9)"]
    third, fourth, fifth = (ChildProcess(COMMAND, clock, turn=turn) for _ in range(3))
    (pid,) = {child.ask({"do": "one"})["pid"] for child in (third, fourth, third, fourth)}
    third.close()
    assert (third.is_running, fourth.is_running) == (False, True), "the end of one ends no other's process"
    with pytest.raises(ChildDiedError, match="it was closed"):
        third.ask({"do": "one"})
    assert fifth.ask({"do": "one"})["pid"] == pid, "one that was closed takes no process"
    assert not fourth.is_running
    fifth.close()


def test_an_open_file_goes_with_a_request(child: ChildProcess, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("inside")
    with (tmp_path / "file").open() as file:
        answer = child.ask({"do": "read"}, file.fileno())

    assert answer["file"] == "inside"
    assert child.ask({"do": "again"})["file"] is None


def test_it_goes_when_there_was_nothing_to_do_for_a_while(child: ChildProcess, clock: Clock) -> None:
    first = child.ask({"do": "one"})["pid"]
    clock.seconds = 59
    child.end_if_idle()
    is_kept = child.is_running
    clock.seconds = 61
    child.end_if_idle()

    assert is_kept
    assert not child.is_running
    assert not is_alive(first)
    assert child.ask({"do": "two"})["pid"] != first


def test_one_that_dies_is_told_and_the_next_request_has_another(child: ChildProcess) -> None:
    with pytest.raises(ChildDiedError, match="exit code 7"):
        child.ask({"do": "die"})

    assert child.ask({"do": "one"})["said"] == "one"


def test_ended_in_the_middle_it_begins_nothing_more(child: ChildProcess) -> None:
    child.ask({"do": "one"})
    told: list[str] = []

    def work() -> None:
        try:
            child.ask({"do": "hang"})
        except ChildDiedError as error:
            told.append(str(error))

    thread = Thread(target=work)
    thread.start()
    Event().wait(0.1)
    child.end()
    thread.join(20)

    assert told == ["the process that does the work ended (by signal 9)"]
    with pytest.raises(ChildDiedError):
        child.ask({"do": "one"})


def test_it_ends_with_its_master_in_the_middle_of_work_and_a_lock_is_held_until_then(tmp_path: Path) -> None:
    master = f"""
import fcntl, os, threading
from bankd.system.child import ChildProcess
child = ChildProcess({COMMAND!r}, lambda: 0.0)
lock = os.open({str(tmp_path / "lock")!r}, os.O_RDWR | os.O_CREAT)
fcntl.flock(lock, fcntl.LOCK_EX)
print(child.ask({{"do": "one"}}, lock)["pid"], flush=True)
child.ask({{"do": "hang"}}, lock)
"""
    with subprocess.Popen([sys.executable, "-c", master], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        child = int(process.stdout.readline())
        was_alive = is_alive(child)
        process.send_signal(signal.SIGKILL)
        process.wait()
    with (tmp_path / "lock").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)

    assert was_alive
    assert wait_until(lambda: not is_alive(child))


def test_it_goes_when_its_master_went_without_reading_the_answer() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    with theirs:
        servant = subprocess.Popen(COMMAND, stdin=theirs.fileno())
    ours.sendall(b'{"do": "one"}\n')
    select.select([ours], [], [], 20)
    ours.close()

    assert servant.wait(20) == 0
