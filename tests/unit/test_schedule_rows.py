"""The ledger's rows say all that the scheduler needs to know, whatever interrupted it."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from bankd.core.daemon.schedule import Daily, Job, Slot, Standing, look
from bankd.core.daemon.schedule_rows import Outcome, Row, is_enrolled, recount, row_from_json, row_to_json

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)
SLOT = Slot("2026-11-22", datetime(2026, 11, 21, 18, tzinfo=UTC))
REFLECT = Job("reflect", Daily(time(3, 0), ZoneInfo("Asia/Seoul")))


def row(outcome: Outcome, minutes: int = 0, slot: Slot | None = SLOT) -> Row:
    return Row(SLOT.due + timedelta(minutes=minutes), "reflect", outcome, slot)


def test_without_rows_nothing_was_missed() -> None:
    assert recount("reflect", [], NOW).standing == Standing(NOW)


def test_a_run_that_ended_is_not_due_again() -> None:
    history = recount("reflect", [row(Outcome.STARTED), row(Outcome.RAN, 1)], NOW)

    assert look(REFLECT, history.standing, NOW).run is None
    assert history.last == row(Outcome.RAN, 1)


def test_a_run_that_was_cut_off_is_tried_again_and_counts_as_a_failure() -> None:
    history = recount("reflect", [row(Outcome.STARTED)], NOW)

    assert look(REFLECT, history.standing, NOW).run == SLOT
    assert history.alarm.failures == 1


def test_a_run_that_was_stopped_is_tried_again_and_is_no_failure() -> None:
    history = recount("reflect", [row(Outcome.STARTED), row(Outcome.STOPPED, 1)], NOW)

    assert look(REFLECT, history.standing, NOW).run == SLOT
    assert history.alarm.failures == 0


def test_a_missed_slot_has_its_row_once() -> None:
    history = recount("reflect", [row(Outcome.MISSED)], NOW)

    assert look(REFLECT, history.standing, NOW).missed == ()


def test_three_failures_ring_until_it_worked() -> None:
    failures = [row(outcome, minute) for minute in range(3) for outcome in (Outcome.STARTED, Outcome.FAILED)]

    assert recount("reflect", failures, NOW).alarm.rings
    assert not recount("reflect", [*failures, row(Outcome.RAN, 9)], NOW).alarm.rings


def test_a_run_that_a_person_asked_for_leaves_the_timetable_alone() -> None:
    rows = [row(Outcome.STARTED, slot=None), row(Outcome.RAN, slot=None)]

    assert recount("reflect", rows, NOW).standing.accounted == ()


def test_a_run_by_hand_is_the_last_one_and_ends_a_row_of_failures_but_begins_no_timetable() -> None:
    by_hand = replace(row(Outcome.RAN, 9, slot=None), by_hand=True)
    history = recount("reflect", [row(Outcome.FAILED, minutes) for minutes in range(3)] + [by_hand], NOW)

    assert history.last == by_hand
    assert history.alarm.failures == 0
    assert look(REFLECT, history.standing, NOW).run is None
    assert not is_enrolled("reflect", [by_hand])
    assert is_enrolled("reflect", [by_hand, row(Outcome.RAN)])


def test_a_run_that_failed_by_hand_is_shown_and_neither_counted_nor_retried() -> None:
    by_hand = replace(row(Outcome.REFUSED, 9, slot=None), by_hand=True)
    history = recount("reflect", [row(Outcome.RAN), by_hand], NOW)

    assert history.last == by_hand
    assert history.alarm.failures == 0
    assert history.standing.retry_at is None


def test_the_slot_of_a_failed_run_is_known_from_its_beginning() -> None:
    history = recount("reflect", [row(Outcome.STARTED), row(Outcome.FAILED, 1, slot=None)], NOW)

    assert history.standing.failed == SLOT


@pytest.mark.parametrize("written", [
    Row(NOW, "inbox", Outcome.RAN, run="20261122T120000-place", counts={"placed": 1}, changed=True, given=True),
    Row(NOW, "reflect", Outcome.RAN, note="nothing new", by_hand=True),
    row(Outcome.STARTED), row(Outcome.STARTED, slot=None), Row(NOW, "reflect", Outcome.MISSED, SLOT, made_up=True),
    Row(NOW, "micro", Outcome.RAN, None, seconds=1.25, note="3 new"), Row(NOW, "clock", Outcome.CLOCK, note="set back"),
])  # fmt: skip
def test_rows_come_back_as_they_were_written(written: Row) -> None:
    assert row_from_json(row_to_json(written)) == written
