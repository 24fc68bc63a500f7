"""A daemon whose computer sleeps and whose clock is set: rows for what was missed, runs as the policy says."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from bankd.health.health import ClockReading
from bankd.service.daemon import Daemon, ServiceEnvironment
from bankd.system.clock import read_monotonic
from bankd.system.manager import HANDLED, Notifier, Signals
from bankd.wiring.held import Held, open_held

NOON = datetime(2026, 11, 22, 12, 10, tzinfo=UTC)


class Clocks:
    """Three clocks that a test moves."""

    def __init__(self) -> None:
        self.wall, self.since_boot, self.awake = NOON, 1000.0, 1000.0

    def pass_(self, hours: float = 0, seconds: float = 30) -> None:
        """Time goes by, awake."""
        span = hours * 3600 + seconds
        self.wall += timedelta(seconds=span)
        self.since_boot += span
        self.awake += span

    def sleep(self, hours: float) -> None:
        """The computer sleeps."""
        self.wall += timedelta(hours=hours)
        self.since_boot += hours * 3600

    def set(self, hours: float) -> None:
        """Somebody sets the wall clock."""
        self.wall += timedelta(hours=hours)

    def read(self) -> ClockReading:
        return ClockReading(self.wall, self.since_boot, self.awake)


@pytest.fixture
def held(manager: Any) -> Held:
    return open_held(manager.workspace)


@pytest.fixture
def clocks() -> Clocks:
    return Clocks()


@pytest.fixture
def daemon(held: Held, clocks: Clocks) -> Iterator[Daemon]:
    before = {number: signal.getsignal(number) for number in HANDLED}
    signals = Signals()
    around = ServiceEnvironment(held.root, Notifier(None), read_clocks=clocks.read, clock=lambda: clocks.wall)
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


def test_a_night_asleep_is_made_up_for_in_the_morning(daemon: Daemon, clocks: Clocks, held: Held) -> None:
    clocks.sleep(9)
    beat_until_idle(daemon)

    assert rows(held.root, "clock", "the computer slept for 9:00:00")
    assert rows(held.root, "reflect", "missed", '"slot": "2026-11-23"', '"made_up": true')
    assert len(rows(held.root, "reflect", "started")) == 1
    assert len(rows(held.root, "micro", "missed")) == 18


def test_a_clock_set_back_runs_no_night_twice(daemon: Daemon, clocks: Clocks, held: Held) -> None:
    clocks.pass_(hours=6)
    beat_until_idle(daemon)
    clocks.set(-2)
    for _ in range(6):
        clocks.pass_(hours=0.5, seconds=0)
        beat_until_idle(daemon)

    assert rows(held.root, "clock", "was set back by 2:00:00")
    assert len(rows(held.root, "reflect", "started")) == 1


def test_after_the_clock_was_set_back_it_still_beats_and_runs(daemon: Daemon, clocks: Clocks, held: Held) -> None:
    clocks.set(-24 * 15)
    beat_until_idle(daemon)
    before = len(rows(held.root, "micro", "started", "slot"))
    clocks.pass_(hours=0.5)
    beat_until_idle(daemon)

    assert len(rows(held.root, "micro", "started", "slot")) == before + 1


def test_a_clock_set_forward_by_a_day_makes_up_for_one_night(daemon: Daemon, clocks: Clocks, held: Held) -> None:
    clocks.set(24)
    beat_until_idle(daemon)

    assert rows(held.root, "clock", "was set forward by 1 day")
    assert len(rows(held.root, "reflect", "started")) == 1
    assert len(rows(held.root, "reflect", "missed")) == 1
