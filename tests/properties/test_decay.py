"""Fading is exact: whatever runs are missed, doubled or late, the value is that of daily runs."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bankd.memory.use import (
    CONFIRMATION,
    Fading,
    falls_on,
    forecast_falls,
    is_faded,
    is_fading,
    raise_confidence,
    value_on,
)
from bankd.pages.memory import Confidence, Memory
from bankd.settings import DecayPolicy

START = date(2026, 11, 21)
DEFAULT = Fading.of(DecayPolicy())

days = st.integers(0, 120)
values = st.integers(0, 100)
fadings = st.builds(Fading, per_day=st.integers(0, 100), floor=st.integers(0, 100))


def by_daily_runs(start: int, count: int, fading: Fading) -> int:
    """The value that a run each day would have left, one subtraction at a time."""
    value = start
    for _ in range(count):
        value = max(0, value - fading.per_day)
    return value


@pytest.mark.parametrize("start", range(101))
def test_every_start_value_is_exact_on_each_of_120_days(start: int) -> None:
    written = Confidence(start, START)
    found = [value_on(written, START + timedelta(n), DEFAULT) for n in range(121)]

    assert found == [by_daily_runs(start, n, DEFAULT) for n in range(121)]


@given(values, st.lists(days, max_size=40), days, fadings)
def test_runs_that_rewrite_the_line_change_nothing(start: int, runs: list[int], last: int, fading: Fading) -> None:
    written = Confidence(start, START)
    for n in sorted(min(run, last) for run in runs):
        today = START + timedelta(n)
        written = Confidence(value_on(written, today, fading), max(today, written.day or today))

    assert value_on(written, START + timedelta(last), fading) == by_daily_runs(start, last, fading)


@given(values, fadings)
def test_the_day_of_the_fall_is_the_first_below_the_floor(start: int, fading: Fading) -> None:
    written = Confidence(start, START)
    day = falls_on(written, fading)
    below = [n for n in range(150) if by_daily_runs(start, n, fading) < fading.floor]

    assert day == (START + timedelta(below[0]) if below else None)


def test_full_confidence_is_archived_on_the_36th_day() -> None:
    opinion = Memory("prefers tea", "O", Confidence(100, START))
    first = next(n for n in range(400) if is_faded(opinion, START + timedelta(n), DEFAULT))

    assert first == 36  # 1.00 - 35 * 0.02 = 0.30, which is not below the floor
    assert falls_on(Confidence(100, START), DEFAULT) == START + timedelta(36)


@given(values, st.integers(-4000, -1))
def test_a_clock_set_back_changes_nothing(start: int, n: int) -> None:
    assert value_on(Confidence(start, START), START + timedelta(n), DEFAULT) == start


@given(st.sampled_from(["Asia/Seoul", "America/New_York", "Europe/Helsinki", "Pacific/Apia"]), st.integers(0, 400))
def test_zones_and_daylight_saving_do_not_count(zone: str, n: int) -> None:
    opinion = Confidence(100, START)
    at = datetime(2026, 11, 21, 3, 0, tzinfo=ZoneInfo(zone))
    local = (at + timedelta(n)).date()
    late = (at.astimezone(UTC) + timedelta(n, hours=1)).astimezone(ZoneInfo(zone)).date()

    assert value_on(opinion, local, DEFAULT) == by_daily_runs(100, n, DEFAULT)
    assert value_on(opinion, late, DEFAULT) in {by_daily_runs(100, k, DEFAULT) for k in (n, n + 1)}


@given(values, days)
def test_a_confirmation_is_a_small_step_up_from_today(start: int, n: int) -> None:
    today = START + timedelta(n)
    said_again = raise_confidence(Confidence(start, START), today, DEFAULT)

    assert said_again == Confidence(min(100, by_daily_runs(start, n, DEFAULT) + CONFIRMATION), today)


@pytest.mark.parametrize(
    ("memory", "expected"),
    [
        (Memory("prefers tea", "O", Confidence(10, START)), True),
        (Memory("prefers tea #pinned", "O", Confidence(10, START)), False),
        (Memory("prefers tea", "O"), False),
        (Memory("drinks tea", "W", Confidence(10, START)), False),
    ],
)
def test_only_opinions_with_a_confidence_fade(memory: Memory, expected: bool) -> None:
    assert is_fading(memory) is expected
    assert is_faded(memory, START, DEFAULT) is expected


def test_the_forecast_tells_what_falls_when_soonest_first() -> None:
    memories = [
        ("m-late", Memory("late", "O", Confidence(60, START))),
        ("m-soon", Memory("soon", "O", Confidence(32, START))),
        ("m-gone", Memory("gone", "O", Confidence(10, START - timedelta(9)))),
        ("m-never", Memory("never #pinned", "O", Confidence(10, START))),
        ("m-undated", Memory("undated", "O", Confidence(40))),
    ]
    falls = forecast_falls(memories, START, 10, DEFAULT)

    assert [(fall.id, (fall.day - START).days, fall.value) for fall in falls] == [
        ("m-gone", 0, 0),
        ("m-soon", 2, 32),
        ("m-undated", 6, 40),
    ]
