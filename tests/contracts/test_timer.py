"""The timer rings at the slots and does one piece of work after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from bankd.adapters.clock import utc_now
from bankd.adapters.timer import Timer, TimetableTrigger
from bankd.core.schedule import Every, Slot

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
    timer.submit(lambda: (goes_on.wait(20), order.append(1)))
    timer.submit(lambda: (order.append(2), done.set()))
    timer.set_timetables({"soon": Soon()})

    assert rung.acquire(timeout=20)
    assert timer.proves_alive(20)
    assert order == []

    goes_on.set()
    assert done.wait(20)
    assert order == [1, 2]
