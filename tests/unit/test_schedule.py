"""A year of clock in four zones, the limits of being on time to the second, and what the ledger's rows say."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from bankd.health.schedule import (
    ON_TIME,
    STEP_BACK,
    TAKEN_BACK,
    Daily,
    Every,
    Job,
    JobState,
    LedgerRow,
    RunOutcome,
    ScheduleCheck,
    Slot,
    after_failure,
    check_schedule,
    fold_rows,
    is_enrolled,
    next_run,
    row_from_json,
    row_to_json,
)

START = datetime(2026, 1, 1, 0, 15, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
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
        for slot in seen.missed:
            assert slot.key not in rows or not job.timetable.once
            rows[slot.key] = seen.made_up
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


@pytest.mark.parametrize(
    ("zone", "policy"),
    [*((zone, "run-once") for zone in ZONES), ("Europe/Berlin", "skip"), ("America/New_York", "within: 6h")],
)
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


def test_the_next_run_is_told() -> None:
    job = Job("reflect", Daily(time(3, 0), ZoneInfo("Europe/Helsinki")))

    assert next_run(job, JobState(START), datetime(2026, 3, 28, 12, tzinfo=UTC)) == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert next_run(job, JobState(START), datetime(2026, 10, 24, 12, tzinfo=UTC)) == datetime(
        2026, 10, 25, 0, tzinfo=UTC
    )


DUE = START.replace(minute=30)


def late_by(delay: timedelta, make_up: timedelta | None = None) -> ScheduleCheck:
    """The first look after a slot, so much later."""
    return check_schedule(Job("micro", Every(60 * 24 if delay > HOUR else 30), make_up), JobState(START), DUE + delay)


@pytest.mark.parametrize(("delay", "was_missed"), [(0 * SECOND, False), (ON_TIME, False), (ON_TIME + SECOND, True)])
def test_a_slot_that_is_met_within_ninety_seconds_was_not_missed(delay: timedelta, was_missed: bool) -> None:
    seen = late_by(delay)

    assert seen.run is not None
    assert bool(seen.missed) is was_missed


@pytest.mark.parametrize(("make_up", "runs"), [(600, True), (599, False), (0, False), (None, True)])
def test_a_missed_slot_is_made_up_for_up_to_the_limit(make_up: int | None, runs: bool) -> None:
    seen = late_by(600 * SECOND, None if make_up is None else make_up * SECOND)

    assert (seen.run is not None) is runs
    assert (len(seen.missed), seen.made_up) == (1, runs)


def after_step_back(step: timedelta) -> ScheduleCheck:
    """What is found on a clock that shows the slot once more, set back by so much right after it ran."""
    job = Job("micro", Every(30))
    ran = check_schedule(job, JobState(START), DUE)
    back = check_schedule(job, ran.state, DUE - step)
    return check_schedule(job, back.state, DUE)


def test_a_clock_that_is_set_back_by_up_to_a_minute_runs_nothing_again() -> None:
    assert after_step_back(STEP_BACK).run is None
    assert after_step_back(STEP_BACK + SECOND).run is not None


@pytest.mark.parametrize(("ahead", "is_open"), [(TAKEN_BACK, False), (TAKEN_BACK + SECOND, True)])
def test_a_slot_of_a_future_that_was_taken_back_is_open_again(ahead: timedelta, is_open: bool) -> None:
    job = Job("micro", Every(30))
    slot = job.timetable.following(DUE + ahead - SECOND)
    state = check_schedule(job, JobState(slot.due, (slot,)), slot.due - ahead).state

    assert (state.accounted == ()) is is_open


NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SLOT = Slot("2026-11-22", datetime(2026, 11, 21, 18, tzinfo=UTC))
REFLECT = Job("reflect", Daily(time(3, 0), ZoneInfo("Asia/Seoul")))


def row(outcome: RunOutcome, minutes: int = 0, slot: Slot | None = SLOT) -> LedgerRow:
    return LedgerRow(SLOT.due + timedelta(minutes=minutes), "reflect", outcome, slot)


@pytest.mark.parametrize(
    ("rows", "again", "failures"),
    [
        ([row(RunOutcome.STARTED), row(RunOutcome.RAN, 1)], None, 0),
        ([row(RunOutcome.STARTED)], SLOT, 1),
        ([row(RunOutcome.STARTED), row(RunOutcome.STOPPED, 1)], SLOT, 0),
        ([row(RunOutcome.MISSED)], None, 0),
        ([], None, 0),
    ],
    ids=["ended", "cut off", "stopped", "missed", "no rows"],
)
def test_a_run_is_due_again_that_did_not_end(rows: list[LedgerRow], again: Slot | None, failures: int) -> None:
    history = fold_rows("reflect", rows, NOW)
    seen = check_schedule(REFLECT, history.state, NOW)

    assert (seen.run, seen.missed, history.state.failures) == (again, (), failures)
    assert len(rows) != 2 or history.last == rows[-1]


def test_a_run_that_a_person_asked_for_leaves_the_timetable_alone() -> None:
    rows = [row(RunOutcome.STARTED, slot=None), row(RunOutcome.RAN, slot=None)]

    assert fold_rows("reflect", rows, NOW).state.accounted == ()


def test_a_run_by_hand_is_the_last_one_and_ends_a_row_of_failures_but_begins_no_timetable() -> None:
    by_hand = replace(row(RunOutcome.RAN, 9, slot=None), by_hand=True)
    history = fold_rows("reflect", [row(RunOutcome.FAILED, minutes) for minutes in range(3)] + [by_hand], NOW)

    assert history.last == fold_rows("reflect", [by_hand, row(RunOutcome.ENROLLED, 10)], NOW).last == by_hand
    assert history.state.failures == 0
    assert check_schedule(REFLECT, history.state, NOW).run is None
    assert not is_enrolled("reflect", [by_hand])
    assert is_enrolled("reflect", [by_hand, row(RunOutcome.RAN)])


def test_a_run_that_failed_by_hand_is_shown_and_neither_counted_nor_retried() -> None:
    by_hand = replace(row(RunOutcome.REFUSED, 9, slot=None), by_hand=True)
    history = fold_rows("reflect", [row(RunOutcome.RAN), by_hand], NOW)

    assert history.last == by_hand
    assert history.state.failures == 0
    assert history.state.retry_at is None


def test_the_slot_of_a_failed_run_is_known_from_its_beginning() -> None:
    history = fold_rows("reflect", [row(RunOutcome.STARTED), row(RunOutcome.FAILED, 1, slot=None)], NOW)

    assert history.state.failed == SLOT


@pytest.mark.parametrize("written", [
    LedgerRow(NOW, "inbox", RunOutcome.RAN, run="20261122T120000-place", counts={"placed": 1}, changed=True, given=True),
    LedgerRow(NOW, "reflect", RunOutcome.RAN, note="nothing new", by_hand=True),
    row(RunOutcome.STARTED), row(RunOutcome.STARTED, slot=None), LedgerRow(NOW, "reflect", RunOutcome.MISSED, SLOT, made_up=True),
    LedgerRow(NOW, "micro", RunOutcome.RAN, None, seconds=1.25, note="3 new"),
])  # fmt: skip
def test_rows_come_back_as_they_were_written(written: LedgerRow) -> None:
    assert row_from_json(row_to_json(written)) == written
