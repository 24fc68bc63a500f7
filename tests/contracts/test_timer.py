"""The timer rings at the slots and does one piece of work after the other; and what the service manager hears."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from bankd.health.health import QueueFacts
from bankd.health.schedule import Every, Slot
from bankd.system.clock import utc_now
from bankd.system.manager import Notifier, take_notifier
from bankd.system.process import Timer, TimetableTrigger

NOW = datetime(2026, 11, 22, 12, 10, tzinfo=UTC)


class Soon:
    """A timetable with a slot every tenth of a second."""

    once = False

    def slots(self, after: datetime, until: datetime) -> list[Slot]:
        return []

    def following(self, after: datetime) -> Slot:
        return Slot("soon", after + timedelta(seconds=0.1))


@pytest.fixture
def rings() -> Iterator[tuple[Timer, threading.Semaphore]]:
    rung = threading.Semaphore(0)
    timer = Timer(rung.release)
    timer.start()
    yield timer, rung
    timer.stop()


def test_the_trigger_fires_at_the_slots() -> None:
    trigger = TimetableTrigger(Every(30))

    assert trigger.get_next_fire_time(None, NOW) == datetime(2026, 11, 22, 12, 30, tzinfo=UTC)
    assert trigger.get_next_fire_time(NOW.replace(minute=30), NOW.replace(hour=15)) == datetime(
        2026, 11, 22, 15, 30, tzinfo=UTC
    )


def test_it_rings_again_and_again(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    timer.set_timetables({"soon": Soon()})

    assert rung.acquire(timeout=20)
    assert rung.acquire(timeout=20)


def test_it_rings_once_more_when_asked(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    timer.set_timetables({"micro": Every(30)})
    timer.ring_in(timedelta(seconds=0.05), utc_now(), "test")

    assert rung.acquire(timeout=20)


def test_long_work_delays_other_work_but_no_ring(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    goes_on, done, order = threading.Event(), threading.Event(), []
    timer.submit("one", lambda: (goes_on.wait(20), order.append(1)))
    timer.submit("two", lambda: (order.append(2), done.set()))
    timer.set_timetables({"soon": Soon()})

    assert rung.acquire(timeout=20)
    assert timer.proves_alive(20)
    assert order == []

    goes_on.set()
    assert done.wait(20)
    assert order == [1, 2]


def test_the_queue_says_what_is_done_and_how_much_waits(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, _ = rings
    begun, goes_on, done = threading.Event(), threading.Event(), threading.Event()
    assert timer.queue() == QueueFacts()

    timer.submit("a run", lambda: (begun.set(), goes_on.wait(20), 1 / 0))
    timer.submit("another", done.set)
    assert begun.wait(20)
    there = timer.queue()
    assert (there.doing, there.waiting) == ("a run", 1)
    assert timer.queue().seconds >= there.seconds > 0

    goes_on.set()
    assert done.wait(20), "one that fails holds up nobody"
    timer.submit("the last", (ended := threading.Event()).set)
    assert ended.wait(20)


def test_work_that_nobody_does_is_in_the_queue_all_the_same() -> None:
    timer = Timer(lambda: None)  # never started
    timer.submit("a run", lambda: None)

    found = timer.queue()
    assert (found.doing, found.waiting, found.seconds >= 0) == ("", 1, True)


class Slow:
    """A timetable that takes a while to say what comes after its first slot."""

    once = False

    def __init__(self, first: datetime) -> None:
        self._first = first
        self.is_asked_again = threading.Event()

    def slots(self, after: datetime, until: datetime) -> list[Slot]:
        return []

    def following(self, after: datetime) -> Slot:
        if after < self._first:
            return Slot("slow", self._first)
        self.is_asked_again.set()
        threading.Event().wait(0.2)
        return Slot("slow", after + timedelta(hours=1))


def test_nothing_fails_when_it_is_stopped_while_it_starts_something(
    monkeypatch: pytest.MonkeyPatch, rings: tuple[Timer, threading.Semaphore]
) -> None:
    timer, _ = rings
    failures: list[threading.ExceptHookArgs] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    now = utc_now()
    slow = Slow(now + timedelta(seconds=0.2))
    timer.ring_in(timedelta(seconds=0.2), now, "at the same time, and started after it")
    timer.set_timetables({"a": slow})

    assert slow.is_asked_again.wait(20)
    timer.stop()

    assert failures == []


@pytest.mark.parametrize("kind", ["path", "abstract"])
def test_what_the_manager_hears(tmp_path: Path, kind: str) -> None:
    address = str(tmp_path / "notify") if kind == "path" else f"@bankd-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(address.replace("@", "\0"))
        manager.settimeout(5)
        notifier = Notifier(address)
        notifier.ready("10 pages\nnext run 03:00")
        notifier.alive()
        notifier.reloading()
        notifier.extend(timedelta(seconds=2))
        notifier.stopping("bye")
        heard = [manager.recv(1000).decode() for _ in range(5)]

    assert heard[0] == "READY=1\nSTATUS=10 pages next run 03:00"
    assert heard[1] == "WATCHDOG=1"
    assert heard[2].startswith("RELOADING=1\nMONOTONIC_USEC=")
    assert heard[3:] == ["EXTEND_TIMEOUT_USEC=2000000", "STOPPING=1\nSTATUS=bye"]


def test_without_a_manager_nothing_is_said() -> None:
    absent, nonsense = take_notifier({}), take_notifier({"NOTIFY_SOCKET": "nonsense"})
    absent.ready("fine")
    Notifier("/nowhere/at/all").alive()  # one that went away must not stop the service

    assert (absent.address, nonsense.address) == (None, None)


def test_the_variables_are_taken_from_the_environment() -> None:
    environment = {"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "60000000", "WATCHDOG_PID": str(os.getpid())}
    environment["HOME"] = "/"

    assert take_notifier(environment) == Notifier("/run/x", timedelta(minutes=1))
    assert environment == {"HOME": "/"}


def test_a_watchdog_meant_for_another_process_is_not_fed() -> None:
    assert take_notifier({"NOTIFY_SOCKET": "/run/x", "WATCHDOG_USEC": "1", "WATCHDOG_PID": "1"}).watchdog is None
