"""The limits of what counts as on time, as made up for, and as a step of the clock, to the second."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.health.schedule import ON_TIME, STEP_BACK, TAKEN_BACK, Every, Job, JobState, ScheduleCheck, check_schedule

START = datetime(2026, 1, 1, 0, 15, tzinfo=UTC)
DUE = START.replace(minute=30)
SECOND, HOUR = timedelta(seconds=1), timedelta(hours=1)


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
    assert [missed.made_up for missed in seen.missed] == [runs]


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
