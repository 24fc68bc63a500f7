"""A daemon whose computer sleeps and whose clock is set: rows for what was missed, runs as the policy says."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bankd.service.daemon import Daemon, ServiceEnvironment
from bankd.system.clock import read_monotonic
from bankd.system.manager import HANDLED, Notifier, Signals
from bankd.wiring.held import Held, open_held

NOON = datetime(2026, 11, 22, 12, 10, tzinfo=UTC)


class WallClock:
    """The clock of a computer that sleeps and whose clock is set: the daemon sees only that it moved."""

    def __init__(self) -> None:
        self.now = NOON

    def move(self, hours: float = 0, seconds: float = 0) -> None:
        self.now += timedelta(hours=hours, seconds=seconds)


@pytest.fixture
def held(manager: Any) -> Held:
    return open_held(manager.workspace)


@pytest.fixture
def clock() -> WallClock:
    return WallClock()


@pytest.fixture
def daemon(held: Held, clock: WallClock) -> Iterator[Daemon]:
    before = {number: signal.getsignal(number) for number in HANDLED}
    signals = Signals()
    around = ServiceEnvironment(Notifier(None), clock=lambda: clock.now)
    daemon = Daemon(held, around, signals)
    daemon.start()
    yield daemon
    daemon.stop()
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)


def beat_until_idle(daemon: Daemon) -> None:
    """Beat, and wait until what it started has ended."""
    daemon.beat()
    until = read_monotonic() + 60
    while any(job.running for job in daemon.facts().jobs) and read_monotonic() < until:
        signal.sigtimedwait([], 0.05)
    daemon.beat()


def rows(root: Path, *words: str) -> list[str]:
    lines = (root / ".bankd/runs.jsonl").read_text().splitlines()
    return [line for line in lines if all(word in line for word in words)]


def test_a_night_asleep_is_made_up_for_in_the_morning(daemon: Daemon, clock: WallClock, held: Held) -> None:
    clock.move(9)
    beat_until_idle(daemon)

    assert rows(held.root, "reflect", "missed", '"slot": "2026-11-23"', '"made_up": true')
    assert len(rows(held.root, "reflect", "started")) == 1
    assert len(rows(held.root, "micro", "missed")) == 18


def test_a_clock_set_back_runs_no_night_twice(daemon: Daemon, clock: WallClock, held: Held) -> None:
    clock.move(6, 30)
    beat_until_idle(daemon)
    clock.move(-2)
    for _ in range(6):
        clock.move(0.5)
        beat_until_idle(daemon)

    assert len(rows(held.root, "reflect", "started")) == 1


def test_after_the_clock_was_set_back_it_still_beats_and_runs(daemon: Daemon, clock: WallClock, held: Held) -> None:
    clock.move(-24 * 15)
    beat_until_idle(daemon)
    before = len(rows(held.root, "micro", "started", "slot"))
    clock.move(0.5, 30)
    beat_until_idle(daemon)

    assert len(rows(held.root, "micro", "started", "slot")) == before + 1


def test_a_clock_set_forward_by_a_day_makes_up_for_one_night(daemon: Daemon, clock: WallClock, held: Held) -> None:
    clock.move(24)
    beat_until_idle(daemon)

    assert len(rows(held.root, "reflect", "started")) == 1
    assert len(rows(held.root, "reflect", "missed")) == 1
