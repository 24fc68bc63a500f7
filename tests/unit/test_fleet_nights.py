"""What is decided about the nights of a fleet, without a database."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, time, timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from bankd.fleet.actions import NightFailedError, Nights
from bankd.fleet.registry import (
    FleetBank,
    FleetFacts,
    NightOutcome,
    UnfinishedNight,
    due_night,
    render_fleet_metrics,
    wait_after,
)

DUE = datetime(2026, 5, 2, 18, 0, tzinfo=UTC)  # 03:00 in Seoul on the third
SEOUL = (time(3), "Asia/Seoul", DUE)


@pytest.mark.parametrize(
    ("later", "night", "next_"),
    [
        (timedelta(0), "2026-05-03", timedelta(days=1)),
        (timedelta(hours=23), "2026-05-03", timedelta(days=1)),
        (timedelta(days=1), "2026-05-04", timedelta(days=2)),
        (timedelta(days=7, hours=3), "2026-05-10", timedelta(days=8)),
    ],
)
def test_of_nights_that_passed_the_last_is_done(later: timedelta, night: str, next_: timedelta) -> None:
    assert due_night(*SEOUL, DUE + later) == (night, DUE + next_)


def test_an_hour_that_a_date_lacks_is_moved_and_one_that_it_has_twice_counts_once() -> None:
    spring = datetime(2026, 3, 29, 1, 30, tzinfo=UTC)
    assert due_night(time(2, 30), "Europe/Berlin", spring, spring)[0] == "2026-03-29"
    autumn = datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    night, following = due_night(time(2, 30), "Europe/Berlin", autumn, autumn + timedelta(hours=1))
    assert (night, following) == ("2026-10-25", datetime(2026, 10, 26, 1, 30, tzinfo=UTC))


def test_waits_grow_and_end() -> None:
    assert [wait_after(tries, 60) for tries in range(1, 7)] == [60, 240, 960, 3840, 15360, None]


def test_metrics_count_by_state() -> None:
    nights = [UnfinishedNight("a", "2026-05-03", state, 1, None, "") for state in ("failed", "failed", "waiting")]
    text = render_fleet_metrics(FleetFacts(5, 1, 2, 3, nights))

    assert 'bankd_fleet_nights{state="failed"} 2\n' in text
    assert 'bankd_fleet_nights{state="stalled"} 0\n' in text
    assert text.count("# TYPE") == text.count("# HELP") == 5


class Banks:
    """The banks of a fleet, in memory."""

    def __init__(self, root: Path, *, is_shared: bool) -> None:
        self.bank = FleetBank(1, "one", str(root), "default", "UTC", time(3), DUE, is_shared)
        self.noted: list[NightOutcome] = []

    def named(self, name: str) -> FleetBank | None:
        return self.bank if name == "one" else None

    def is_done(self, bank: str, night: str) -> bool:
        return any((one.bank, one.night, one.is_done) == (bank, night, True) for one in self.noted)

    def note_night(self, outcome: NightOutcome) -> None:
        self.noted.append(outcome)


def nights_of(banks: Banks, runs: list[Path], shared: list[str], problem: Exception | None = None) -> Nights:
    def run(root: Path) -> str:
        runs.append(root)
        if problem is not None:
            raise problem
        return "3 learned"

    seconds = iter(range(100))
    return Nights(
        cast(Any, banks), run, lambda bank: shared.append(bank.name), "w", lambda: DUE, lambda: float(next(seconds))
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "bankd.yaml").write_text("", "utf-8")
    return tmp_path


def test_a_night_is_done_once_and_noted(root: Path) -> None:
    banks, runs, shared = Banks(root, is_shared=True), list[Path](), list[str]()
    nights = nights_of(banks, runs, shared)
    nights.do_night("one", "2026-05-03", 1)
    nights.do_night("one", "2026-05-03", 1)
    nights.do_night("taken out", "2026-05-03", 1)

    assert (runs, shared) == ([root], ["one"])
    assert banks.noted == [NightOutcome("one", "2026-05-03", DUE, 1.0, 1, True, "3 learned", "w")]


@pytest.mark.parametrize("problem", [OSError(28, "No space left on device"), KeyError("x"), RuntimeError()])
def test_whatever_ends_a_night_is_noted_and_told(root: Path, problem: Exception) -> None:
    banks, runs, shared = Banks(root, is_shared=True), list[Path](), list[str]()
    with pytest.raises(NightFailedError):
        nights_of(banks, runs, shared, problem).do_night("one", "2026-05-03", 2)

    assert shared == []
    assert [(one.is_done, one.tries) for one in banks.noted] == [(False, 2)]
    assert banks.noted[0].said


def test_a_bank_that_is_not_shared_stays_out_of_the_shared_search(root: Path) -> None:
    shared: list[str] = []
    nights_of(Banks(root, is_shared=False), [], shared).do_night("one", "2026-05-03", 1)

    assert shared == []


def test_a_folder_that_this_worker_does_not_see_is_no_bank(tmp_path: Path) -> None:
    runs: Sequence[Path] = []
    with pytest.raises(NightFailedError, match="the worker w sees no workspace there"):
        nights_of(Banks(tmp_path, is_shared=False), list(runs), []).do_night("one", "2026-05-03", 1)
