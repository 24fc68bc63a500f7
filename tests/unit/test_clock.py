"""When the clock is believed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.health import ClockReading, ClockTrust, judge_reading

START = datetime(2026, 11, 21, 3, 0, tzinfo=UTC)


def look(wall: timedelta, steady: timedelta, boot: str = "a") -> ClockReading:
    return ClockReading(START + wall, steady.total_seconds(), 0.0, boot)


@pytest.mark.parametrize(
    ("wall", "steady", "frozen"),
    [
        (timedelta(minutes=30), timedelta(minutes=30), False),
        (timedelta(days=30), timedelta(days=30), False),  # asleep for a month
        (timedelta(days=3), timedelta(0), False),
        (timedelta(days=3, seconds=1), timedelta(0), True),
        (timedelta(days=1500), timedelta(minutes=30), True),
        (timedelta(days=-4), timedelta(minutes=30), True),
        (timedelta(days=-1), timedelta(minutes=30), False),
    ],
)
def test_a_step_of_more_than_three_days_freezes(wall: timedelta, steady: timedelta, frozen: bool) -> None:
    trust = judge_reading(judge_reading(None, look(timedelta(0), timedelta(0))), look(wall, steady))

    assert trust.is_frozen is frozen


def test_it_stays_frozen_until_a_person_accepts_or_the_clock_is_set_right() -> None:
    first = judge_reading(None, look(timedelta(0), timedelta(0)))
    jumped = judge_reading(first, look(timedelta(days=1500), timedelta(hours=1)))
    later = judge_reading(jumped, look(timedelta(days=1500, hours=5), timedelta(hours=6)))
    set_right = judge_reading(later, look(timedelta(hours=7), timedelta(hours=7)))

    assert later.is_frozen
    assert not set_right.is_frozen
    assert not ClockTrust(look(timedelta(days=1500), timedelta(hours=8))).is_frozen


@pytest.mark.parametrize("was_frozen", [False, True])
def test_a_restart_neither_freezes_nor_thaws(was_frozen: bool) -> None:
    before = ClockTrust(look(timedelta(0), timedelta(0)), timedelta(days=1500) if was_frozen else None)
    after = judge_reading(before, look(timedelta(days=20), timedelta(0), boot="b"))
    once_more = judge_reading(after, look(timedelta(days=20, hours=1), timedelta(hours=1), boot="b"))

    assert (after.is_frozen, once_more.is_frozen) == (was_frozen, was_frozen)
