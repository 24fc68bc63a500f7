"""A year of clock in four zones: each job runs as its policy says, and each slot that did not run has its row."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bankd.health.schedule import (
    Daily,
    Every,
    Job,
    JobState,
    ScheduleCheck,
    after_failure,
    after_success,
    check_schedule,
    next_run,
)

START = datetime(2026, 1, 1, 0, 15, tzinfo=UTC)
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
ZONES = ("Asia/Seoul", "Europe/Berlin", "Europe/Helsinki", "America/New_York")
POLICIES = {"run-once": None, "skip": timedelta(0), "within: 6h": 6 * HOUR}

# (real time of the event, hours asleep, hours by which the clock is set)
TROUBLES = (
    (datetime(2026, 2, 10, 0, 5, tzinfo=UTC), 3, 0),
    (datetime(2026, 3, 7, 23, 5, tzinfo=UTC), 72, 0),
    (datetime(2026, 3, 29, 0, 5, tzinfo=UTC), 3, 0),
    (datetime(2026, 5, 4, 2, 17, tzinfo=UTC), 0, -2),
    (datetime(2026, 6, 6, 7, 10, tzinfo=UTC), 3, -2),
    (datetime(2026, 8, 1, 18, 40, tzinfo=UTC), 0, 24),
    (datetime(2026, 10, 24, 22, 5, tzinfo=UTC), 72, 0),
    (datetime(2026, 11, 20, 19, 40, tzinfo=UTC), 0, -2),
)


def wall_readings() -> Iterator[datetime]:
    """What the wall clock shows at each look of a year: every quarter of an hour, except asleep, with the troubles above."""
    troubles, wake, offset = list(TROUBLES), START, timedelta(0)
    real = START
    while real < START + 365 * DAY:
        while troubles and troubles[0][0] <= real:
            at, asleep, step = troubles.pop(0)
            wake, offset = at + asleep * HOUR, offset + step * HOUR
        if real >= wake:
            yield real + offset
        real += 15 * MINUTE


READINGS = tuple(wall_readings())


@dataclass(frozen=True)
class Ran:
    at: datetime
    key: str


def simulate(job: Job) -> tuple[list[Ran], dict[str, bool], list[ScheduleCheck]]:
    """All runs, the row of each missed slot (whether it was made up for), and the looks that found something."""
    state, runs, rows, looks = JobState(anchor=READINGS[0]), [], {}, []
    for now in READINGS[1:]:
        seen = check_schedule(job, state, now)
        state = seen.state
        if seen.run:
            runs.append(Ran(now, seen.run.key))
        for missed in seen.missed:
            assert missed.slot.key not in rows or not job.timetable.once
            rows[missed.slot.key] = missed.made_up
        if seen.run or seen.missed:
            looks.append(seen)
    return runs, rows, looks


def first_instant(day: date, at: time, zone: ZoneInfo) -> datetime:
    """The first instant of a local date whose local time is `at` or later, found by walking through the night."""
    instant = datetime.combine(day, time(0), UTC) - 14 * HOUR
    while True:
        local = instant.astimezone(zone)
        if local.date() == day and local.time() >= at:
            return instant
        instant += 15 * MINUTE


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("policy", POLICIES)
def test_reflect_keeps_its_policy_through_a_year(zone: str, policy: str) -> None:
    at, window = time(3, 0), POLICIES[policy]
    job = Job("reflect", Daily(at, ZoneInfo(zone)), window)
    days = [START.date() + n * DAY for n in range(-1, 370)]
    dues = {day.isoformat(): first_instant(day, at, ZoneInfo(zone)) for day in days}

    expected_runs, expected_rows = [], {}
    pending = [key for key, due in dues.items() if due > READINGS[0]]
    for now in READINGS[1:]:
        crossed = []
        while dues[pending[0]] <= now:
            crossed.append(pending.pop(0))
        if not crossed:
            continue
        lateness = now - dues[crossed[-1]]
        runs = lateness <= 1.5 * MINUTE or window is None or lateness <= window
        late = crossed if lateness > 1.5 * MINUTE else crossed[:-1]
        expected_rows |= dict.fromkeys(late, runs and window != timedelta(0))
        expected_runs += [Ran(now, crossed[-1])] * runs

    runs, rows, _ = simulate(job)

    assert runs == expected_runs
    assert rows == expected_rows
    assert len(rows) >= 4
    assert {run.key for run in runs} | set(rows) == {
        key for key, due in dues.items() if READINGS[0] < due <= max(READINGS)
    }
    assert len({run.key for run in runs}) == len(runs)


@pytest.mark.parametrize("policy", POLICIES)
def test_micro_keeps_its_policy_through_a_year(policy: str) -> None:
    window = POLICIES[policy]
    job = Job("micro", Every(30), window)

    expected_runs, expected_rows = [], {}
    for before, now in pairwise(READINGS):
        crossed, slot = [], before.replace(minute=0) if before.minute < 30 else before.replace(minute=30)
        while (slot := slot + 30 * MINUTE) <= now:
            crossed.append(slot)
        if crossed:
            on_time = now - crossed[-1] <= 1.5 * MINUTE
            runs = on_time or window is None or now - crossed[-1] <= window
            expected_runs += [now] * runs
            late = crossed[:-1] if on_time else crossed
            expected_rows |= {f"{due:%Y-%m-%dT%H:%MZ}": runs and window != timedelta(0) for due in late}

    runs, rows, _ = simulate(job)

    assert [run.at for run in runs] == expected_runs
    assert rows == expected_rows
    assert len(rows) > 2 * 72 * 2


def test_a_clock_once_set_to_2031_does_not_stop_the_nights_of_2026() -> None:
    job = Job("reflect", Daily(time(3, 0), ZoneInfo("Asia/Seoul")))
    state = check_schedule(job, JobState(START), START.replace(year=2031)).state
    state = check_schedule(job, state, START + HOUR).state
    seen = check_schedule(job, state, datetime(2026, 1, 1, 18, 0, 5, tzinfo=UTC))

    assert seen.run is not None
    assert seen.run.key == "2026-01-02"


def test_a_failed_run_is_tried_again_later_and_later() -> None:
    job, state, now = Job("reflect", Daily(time(3, 0), ZoneInfo("Asia/Seoul"))), JobState(START), START
    slot = job.timetable.following(START)
    state, now, waits = check_schedule(job, state, slot.due).state, slot.due, []
    for _ in range(8):
        state = after_failure(state, slot, now)
        due = next_run(job, state, now)
        waits.append((due - now) // MINUTE)

        assert check_schedule(job, state, due - MINUTE / 2).run is None

        seen = check_schedule(job, state, due)
        assert seen.run == slot

        state, now = seen.state, due
    assert waits == [1, 2, 4, 8, 16, 32, 60, 60]
    assert check_schedule(job, after_success(state), now + HOUR).run is None


def test_the_next_run_is_told() -> None:
    job = Job("reflect", Daily(time(3, 0), ZoneInfo("Europe/Helsinki")))

    assert next_run(job, JobState(START), datetime(2026, 3, 28, 12, tzinfo=UTC)) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert next_run(job, JobState(START), datetime(2026, 10, 24, 12, tzinfo=UTC)) == datetime(
        2026, 10, 25, 0, tzinfo=UTC
    )
