"""Which jobs are due: a function of the timetable, what was accounted for, the clock and the policy for missed runs.

A slot is one due time of a timetable. Each is accounted for exactly once: run, or missed and then made up for or not.
Nothing here waits, reads the clock or remembers: `check_schedule` returns the new state.

Also the ledger of runs: rows that say what began, ended, failed, was stopped or missed, and what follows for each job.
The scheduler remembers nothing else, and `status`, `log` and `show` read the same rows. A run that began and has no end
was cut off, and is tried again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from enum import StrEnum
from typing import Any, Literal, TypeAlias
from zoneinfo import ZoneInfo

from bankd.settings import SchedulePolicy, Settings

# A check comes every 30 s; what starts within three of them was not missed.
ON_TIME = timedelta(seconds=90)
# Smaller steps back are corrections of a network clock: a slot that just ran must not run again.
STEP_BACK = timedelta(minutes=1)
# A slot accounted for in a future that the clock then took back by more than this is open again.
TAKEN_BACK = timedelta(hours=12)
REMEMBERED = 64
FIRST_RETRY = timedelta(minutes=1)
LAST_RETRY = timedelta(hours=1)


JobName: TypeAlias = Literal["micro", "reflect"]


@dataclass(frozen=True, slots=True)
class Slot:
    """One occasion: `key` names it for people and the ledger, `due` is its instant in UTC."""

    key: str
    due: datetime


class Timetable:
    """When a job is due; with `once` a key counts only once, even if the clock shows its time twice."""

    once = False

    def following(self, after: datetime) -> Slot:
        """The first slot after an instant."""
        raise NotImplementedError

    def slots(self, after: datetime, until: datetime) -> list[Slot]:
        """The slots in `after < due <= until`, in order."""
        found: list[Slot] = []
        while (slot := self.following(found[-1].due if found else after)).due <= until:
            found.append(slot)
        return found


@dataclass(frozen=True)
class Every(Timetable):
    """At each multiple of `minutes` since the epoch, which is that of the hour in every zone when it divides 30."""

    minutes: int

    def following(self, after: datetime) -> Slot:
        """The first slot after an instant."""
        step = self.minutes * 60
        due = datetime.fromtimestamp((after.timestamp() // step + 1) * step, UTC)
        return Slot(due.strftime("%Y-%m-%dT%H:%MZ"), due)


@dataclass(frozen=True)
class Daily(Timetable):
    """Once each local date, at a local time.

    A time that a date has twice counts the first time; one that a date lacks is moved by as much as the clocks were
    (03:00 in Helsinki exists not at all in March and twice in October).
    """

    at: time
    zone: ZoneInfo
    once = True

    def following(self, after: datetime) -> Slot:
        """The first slot after an instant."""
        day = after.astimezone(self.zone).date()
        while (due := datetime.combine(day, self.at, self.zone).astimezone(UTC)) <= after:
            day += timedelta(days=1)
        return Slot(day.isoformat(), due)


@dataclass(frozen=True, slots=True)
class Job:
    """A cycle with its timetable; a missed slot is still run up to `make_up` later (None: always, zero: never)."""

    name: JobName
    timetable: Timetable
    make_up: timedelta | None = None


@dataclass(frozen=True, slots=True)
class JobState:
    """What is done of a job: slots up to `anchor`, and those in `accounted`, are accounted for."""

    anchor: datetime
    accounted: tuple[Slot, ...] = ()
    failures: int = 0
    failed: Slot | None = None
    retry_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class ScheduleCheck:
    """What one check of the clock found: the slot to run now, those that did not run when they were due, and the new state.

    `made_up` is whether the run makes up for those that were missed.
    """

    run: Slot | None
    missed: tuple[Slot, ...]
    state: JobState
    made_up: bool = False


def check_schedule(job: Job, state: JobState, now: datetime) -> ScheduleCheck:
    """Decide what to run now and what was missed; the new state accounts for every slot that is named."""
    state = _after_step_back(state, now)
    known = {slot.key for slot in state.accounted} if job.timetable.once else set()
    open_slots = [slot for slot in job.timetable.slots(state.anchor, now) if slot.key not in known]
    if not open_slots and (state.failed is None or state.retry_at is None or now < state.retry_at):
        return ScheduleCheck(None, (), state)
    if not open_slots:
        return ScheduleCheck(state.failed, (), replace(state, retry_at=None))
    latest = open_slots[-1]
    is_late = now - latest.due > ON_TIME
    runs = not is_late or job.make_up is None or now - latest.due <= job.make_up
    late = open_slots if is_late else open_slots[:-1]
    made_up = runs and job.make_up != timedelta(0)
    state = replace(state, anchor=latest.due, accounted=(*state.accounted, *open_slots)[-REMEMBERED:])
    return ScheduleCheck(latest if runs else None, tuple(late), state, made_up)


def _after_step_back(state: JobState, now: datetime) -> JobState:
    if state.retry_at is not None and state.retry_at - now > LAST_RETRY:
        state = replace(state, retry_at=now)
    if state.anchor - now <= STEP_BACK:
        return state
    return replace(state, anchor=now, accounted=tuple(slot for slot in state.accounted if slot.due - now <= TAKEN_BACK))


def after_failure(state: JobState, slot: Slot, now: datetime) -> JobState:
    """The state after a run that failed: it is tried again after 1, 2, 4 … 60 minutes, or at its next slot."""
    wait = min(FIRST_RETRY * 2 ** min(state.failures, 10), LAST_RETRY)
    return replace(state, failures=state.failures + 1, failed=slot, retry_at=now + wait)


def next_run(job: Job, state: JobState, now: datetime) -> datetime:
    """When the job runs next, if nothing changes."""
    planned = job.timetable.following(now).due
    return planned if state.retry_at is None else min(planned, max(state.retry_at, now))


def make_jobs(settings: Settings) -> tuple[Job, ...]:
    """The jobs for both cycles, by the settings. A missed micro cycle is always made up for: the next one finds its lines."""
    schedule = settings.schedule
    hour, minute = schedule.reflect_at.split(":")
    daily = Daily(time(int(hour), int(minute)), ZoneInfo(settings.timezone))
    return Job("micro", Every(schedule.micro_minutes)), Job("reflect", daily, make_up_window(schedule))


def make_up_window(schedule: SchedulePolicy) -> timedelta | None:
    """How late a missed run is made up for: `run-once` always (None), `skip` never, `within: 6h` up to then."""
    if schedule.missed in {"run-once", "skip"}:
        return None if schedule.missed == "run-once" else timedelta(0)
    amount = schedule.missed.removeprefix("within:").strip()
    units = {"m": timedelta(minutes=1), "h": timedelta(hours=1), "d": timedelta(days=1)}
    return int(amount[:-1].strip()) * units[amount[-1]]


FAILURES_IN_A_ROW = 3


class RunOutcome(StrEnum):
    """What a row tells."""

    ENROLLED = "enrolled"
    STARTED = "started"
    RAN = "ran"
    FAILED = "failed"
    REFUSED = "refused"
    STOPPED = "stopped"
    MISSED = "missed"


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
    """The state of one job, as its rows give it; `rings`: somebody was called for its failures."""

    state: JobState
    rings: bool = False
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
        case RunOutcome.STARTED | RunOutcome.MISSED:
            begun = row if row.outcome is RunOutcome.STARTED else history.open
            return replace(history, state=_account(state, row.slot), open=begun)
        case RunOutcome.RAN:
            return History(replace(state, failures=0, failed=None, retry_at=None), last=row)
        case RunOutcome.STOPPED:
            return History(replace(state, failed=_slot_of(history, row), retry_at=row.at), history.rings, row)
        case RunOutcome.FAILED | RunOutcome.REFUSED:
            if row.by_hand:  # the person who asked for it has seen it: nobody is called, and nothing is tried again
                return replace(history, last=row)
            failed = after_failure(state, _slot_of(history, row), row.at)
            return History(failed, history.rings or failed.failures >= after, row)


def _slot_of(history: History, row: LedgerRow) -> Slot:
    """The slot of a run that ended: the row that says so may come from another process, which does not know it."""
    return row.slot or (history.open.slot if history.open else None) or Slot("", row.at)


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
