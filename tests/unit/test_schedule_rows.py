"""The ledger's rows say all that the scheduler needs to know, whatever interrupted it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bankd.health.ledger import LedgerRow, RunOutcome, fold_rows, is_enrolled, row_from_json, row_to_json
from bankd.health.schedule import Daily, Job, JobState, Slot, check_schedule

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SLOT = Slot("2026-11-22", datetime(2026, 11, 21, 18, tzinfo=UTC))
REFLECT = Job("reflect", Daily(time(3, 0), ZoneInfo("Asia/Seoul")))


def row(outcome: RunOutcome, minutes: int = 0, slot: Slot | None = SLOT) -> LedgerRow:
    return LedgerRow(SLOT.due + timedelta(minutes=minutes), "reflect", outcome, slot)


def test_without_rows_nothing_was_missed() -> None:
    assert fold_rows("reflect", [], NOW).state == JobState(NOW)


def test_a_run_that_ended_is_not_due_again() -> None:
    history = fold_rows("reflect", [row(RunOutcome.STARTED), row(RunOutcome.RAN, 1)], NOW)

    assert check_schedule(REFLECT, history.state, NOW).run is None
    assert history.last == row(RunOutcome.RAN, 1)


def test_a_run_that_was_cut_off_is_tried_again_and_counts_as_a_failure() -> None:
    history = fold_rows("reflect", [row(RunOutcome.STARTED)], NOW)

    assert check_schedule(REFLECT, history.state, NOW).run == SLOT
    assert history.alarm.failures == 1


def test_a_run_that_was_stopped_is_tried_again_and_is_no_failure() -> None:
    history = fold_rows("reflect", [row(RunOutcome.STARTED), row(RunOutcome.STOPPED, 1)], NOW)

    assert check_schedule(REFLECT, history.state, NOW).run == SLOT
    assert history.alarm.failures == 0


def test_a_missed_slot_has_its_row_once() -> None:
    history = fold_rows("reflect", [row(RunOutcome.MISSED)], NOW)

    assert check_schedule(REFLECT, history.state, NOW).missed == ()


def test_three_failures_ring_until_it_worked() -> None:
    failures = [row(outcome, minute) for minute in range(3) for outcome in (RunOutcome.STARTED, RunOutcome.FAILED)]

    assert fold_rows("reflect", failures, NOW).alarm.rings
    assert not fold_rows("reflect", [*failures, row(RunOutcome.RAN, 9)], NOW).alarm.rings


def test_a_run_that_a_person_asked_for_leaves_the_timetable_alone() -> None:
    rows = [row(RunOutcome.STARTED, slot=None), row(RunOutcome.RAN, slot=None)]

    assert fold_rows("reflect", rows, NOW).state.accounted == ()


def test_a_run_by_hand_is_the_last_one_and_ends_a_row_of_failures_but_begins_no_timetable() -> None:
    by_hand = replace(row(RunOutcome.RAN, 9, slot=None), by_hand=True)
    history = fold_rows("reflect", [row(RunOutcome.FAILED, minutes) for minutes in range(3)] + [by_hand], NOW)

    assert history.last == fold_rows("reflect", [by_hand, row(RunOutcome.ENROLLED, 10)], NOW).last == by_hand
    assert history.alarm.failures == 0
    assert check_schedule(REFLECT, history.state, NOW).run is None
    assert not is_enrolled("reflect", [by_hand])
    assert is_enrolled("reflect", [by_hand, row(RunOutcome.RAN)])


def test_a_run_that_failed_by_hand_is_shown_and_neither_counted_nor_retried() -> None:
    by_hand = replace(row(RunOutcome.REFUSED, 9, slot=None), by_hand=True)
    history = fold_rows("reflect", [row(RunOutcome.RAN), by_hand], NOW)

    assert history.last == by_hand
    assert history.alarm.failures == 0
    assert history.state.retry_at is None


def test_the_slot_of_a_failed_run_is_known_from_its_beginning() -> None:
    history = fold_rows("reflect", [row(RunOutcome.STARTED), row(RunOutcome.FAILED, 1, slot=None)], NOW)

    assert history.state.failed == SLOT


@pytest.mark.parametrize("written", [
    LedgerRow(NOW, "inbox", RunOutcome.RAN, run="20261122T120000-place", counts={"placed": 1}, changed=True, given=True),
    LedgerRow(NOW, "reflect", RunOutcome.RAN, note="nothing new", by_hand=True),
    row(RunOutcome.STARTED), row(RunOutcome.STARTED, slot=None), LedgerRow(NOW, "reflect", RunOutcome.MISSED, SLOT, made_up=True),
    LedgerRow(NOW, "micro", RunOutcome.RAN, None, seconds=1.25, note="3 new"), LedgerRow(NOW, "clock", RunOutcome.CLOCK, note="set back"),
])  # fmt: skip
def test_rows_come_back_as_they_were_written(written: LedgerRow) -> None:
    assert row_from_json(row_to_json(written)) == written
