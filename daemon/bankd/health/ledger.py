"""The ledger of runs: rows that say what began, ended, failed, was stopped or missed, and what follows for each job.

The scheduler remembers nothing else, and `status`, `log` and `show` read the same rows. A run that began and has no
end was cut off, and is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

from bankd.health.schedule import REMEMBERED, JobState, Slot, after_failure, after_success

FAILURES_IN_A_ROW = 3


class PersonCall(StrEnum):
    """What to tell a person."""

    FAILING = "failing"
    RECOVERED = "recovered"


@dataclass(frozen=True, slots=True)
class Alarm:
    """The failures of one job in a row, and whether somebody was called for them."""

    failures: int = 0
    rings: bool = False


def after_run(alarm: Alarm, *, worked: bool, after: int = FAILURES_IN_A_ROW) -> tuple[Alarm, PersonCall | None]:
    """The alarm after a run, and the call to make now if any."""
    if worked:
        return Alarm(), PersonCall.RECOVERED if alarm.rings else None
    failures = alarm.failures + 1
    if failures < after or alarm.rings:
        return Alarm(failures, alarm.rings), None
    return Alarm(failures, rings=True), PersonCall.FAILING


class RunOutcome(StrEnum):
    """What a row tells."""

    ENROLLED = "enrolled"
    STARTED = "started"
    RAN = "ran"
    FAILED = "failed"
    REFUSED = "refused"
    STOPPED = "stopped"
    MISSED = "missed"
    CLOCK = "clock"


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line of the ledger; a run that nobody planned, such as one a person asked for, has no slot.

    A run `by_hand` was made by a command while the daemon lent the workspace, or where there was none; at a moment that
    was `given` to it, the clock may never have stood.
    """

    at: datetime
    job: str
    outcome: RunOutcome
    slot: Slot | None = None
    made_up: bool = False
    seconds: float = 0.0
    note: str = ""
    by_hand: bool = False
    run: str = ""
    counts: Mapping[str, int] = field(default_factory=dict)
    changed: bool = False
    given: bool = False


@dataclass(frozen=True, slots=True)
class History:
    """The state of one job, as its rows give it."""

    state: JobState
    alarm: Alarm = field(default_factory=Alarm)
    last: LedgerRow | None = None
    open: LedgerRow | None = None


def fold_rows(job: str, rows: Iterable[LedgerRow], now: datetime, after: int = FAILURES_IN_A_ROW) -> History:
    """The history of a job from its rows; without rows no slot before `now` is open."""
    history = History(JobState(anchor=now))
    for row in rows:
        if row.job == job:
            history = add_row(history, row, after)
    if history.open is None:
        return history
    # Begun and never ended: the process was killed. It counts as a failure, so that a crash loop calls somebody.
    cut_off = replace(history.open, outcome=RunOutcome.FAILED, note="cut off: the process ended in the middle")
    return add_row(history, cut_off, after)


def add_row(history: History, row: LedgerRow, after: int = FAILURES_IN_A_ROW) -> History:
    """The history after one more row of its job."""
    state = history.state
    match row.outcome:
        case RunOutcome.ENROLLED:
            return History(JobState(anchor=row.at), last=history.last)
        case RunOutcome.STARTED:
            return replace(history, state=_account(state, row.slot), open=row)
        case RunOutcome.MISSED | RunOutcome.CLOCK:
            return replace(history, state=_account(state, row.slot))
        case RunOutcome.RAN:
            alarm, _ = after_run(history.alarm, worked=True, after=after)
            return History(after_success(state), alarm, row)
        case RunOutcome.FAILED | RunOutcome.REFUSED:
            return _after_failure(history, row, after)
        case RunOutcome.STOPPED:
            retry = replace(state, failed=_slot_of(history, row), retry_at=row.at)
            return History(retry, history.alarm, row)


def _after_failure(history: History, row: LedgerRow, after: int) -> History:
    if row.by_hand:  # the person who asked for it has seen it: nobody is called, and nothing is tried again
        return replace(history, last=row)
    alarm, _ = after_run(history.alarm, worked=False, after=after)
    return History(after_failure(history.state, _slot_of(history, row), row.at), alarm, row)


def _slot_of(history: History, row: LedgerRow) -> Slot:
    """The slot of a run that ended: the row that says so may come from another process, which does not know it."""
    begun = history.open.slot if history.open else None
    return row.slot or begun or Slot("", row.at)


def is_enrolled(job: str, rows: Iterable[LedgerRow]) -> bool:
    """Whether the timetable of a job was ever started; runs by hand do not start it."""
    return any(row.job == job and (row.outcome is RunOutcome.ENROLLED or row.slot is not None) for row in rows)


def _account(state: JobState, slot: Slot | None) -> JobState:
    if slot is None or not slot.key:
        return state
    kept = tuple(other for other in state.accounted if other.key != slot.key)
    return replace(state, anchor=slot.due, accounted=(*kept, slot)[-REMEMBERED:])


def row_to_json(row: LedgerRow) -> dict[str, Any]:
    """The row as its line in the ledger has it; what is empty is left out."""
    line: dict[str, Any] = {"at": row.at.isoformat(), "job": row.job, "outcome": row.outcome.value}
    if row.slot is not None:
        line |= {"slot": row.slot.key, "due": row.slot.due.isoformat()}
    if row.outcome is RunOutcome.MISSED:
        line["made_up"] = row.made_up
    if row.seconds:
        line["seconds"] = round(row.seconds, 3)
    rest: dict[str, Any] = {"by_hand": row.by_hand, "given": row.given, "run": row.run, "changed": row.changed}
    rest |= {"counts": dict(row.counts), "note": row.note}
    return line | {name: value for name, value in rest.items() if value}


def row_from_json(line: Mapping[str, Any]) -> LedgerRow:
    """The row in a line; raises ValueError, KeyError or TypeError if it is not one."""
    slot = Slot(str(line["slot"]), _aware(line["due"])) if "slot" in line else None
    outcome, made_up = RunOutcome(line["outcome"]), line.get("made_up") is True
    return LedgerRow(
        _aware(line["at"]),
        str(line["job"]),
        outcome,
        slot,
        made_up,
        float(line.get("seconds", 0)),
        str(line.get("note", "")),
        line.get("by_hand") is True,
        str(line.get("run", "")),
        {str(kind): int(count) for kind, count in dict(line.get("counts", {})).items()},
        line.get("changed") is True,
        line.get("given") is True,
    )


_LOGGED = frozenset({RunOutcome.RAN, RunOutcome.FAILED, RunOutcome.REFUSED, RunOutcome.MISSED})


def logged_run(row: LedgerRow) -> dict[str, Any] | None:
    """A row as `bankctl log` shows it; None for one that tells of no run, or of none that ended."""
    if row.outcome not in _LOGGED:
        return None
    status = row.outcome.value if row.outcome is not RunOutcome.RAN else "changed" if row.changed else "empty"
    fields: dict[str, Any] = {"run": row.run, "cycle": row.job, "at": row.at.isoformat(), "status": status}
    fields["note"] = row.note
    if row.slot is not None and row.outcome is RunOutcome.MISSED:
        fields |= {"slot": row.slot.key, "due": row.slot.due.isoformat(), "made_up": row.made_up}
    return fields | {"counts": dict(row.counts)}


def _aware(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError(f"{text} has no zone")
    return moment
