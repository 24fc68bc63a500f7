"""The timer rings when it is asked to and does one piece of work after the other."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from bankd.health.health import QueueFacts
from bankd.system.process import Timer


@pytest.fixture
def rings() -> Iterator[tuple[Timer, threading.Semaphore]]:
    rung = threading.Semaphore(0)
    timer = Timer(rung.release)
    yield timer, rung
    timer.stop()


def test_it_rings_when_asked_and_the_last_word_counts(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    timer.ring_in(1000.0, "test")
    timer.ring_in(0.05, "test")
    assert rung.acquire(timeout=20)

    timer.ring_in(0.05, "test")
    timer.ring_in(1000.0, "test")
    assert not rung.acquire(timeout=0.3)


def test_long_work_delays_other_work_but_no_ring(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    goes_on, done, order = threading.Event(), threading.Event(), []
    timer.submit("one", lambda: (goes_on.wait(20), order.append(1)))
    timer.submit("two", lambda: (order.append(2), done.set()))
    timer.ring_in(0.05, "test")

    assert rung.acquire(timeout=20)
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


def test_after_a_stop_nothing_rings_and_nothing_is_begun(rings: tuple[Timer, threading.Semaphore]) -> None:
    timer, rung = rings
    goes_on, begun = threading.Event(), threading.Event()
    timer.submit("one", lambda: goes_on.wait(20) and None)
    timer.submit("two", begun.set)
    timer.ring_in(0.1, "test")
    timer.stop()
    timer.submit("three", begun.set)
    goes_on.set()

    assert not rung.acquire(timeout=0.3)
    assert not begun.is_set()
