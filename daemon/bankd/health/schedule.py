"""Which jobs are due: a function of the timetable, what was accounted for, the clock and the policy for missed runs.

A slot is one due time of a timetable. Each is accounted for exactly once: run, or missed and then made up for or not.
Nothing here waits, reads the clock or remembers: `check_schedule` returns the new state.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Literal, TypeAlias
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


@dataclass(frozen=True, slots=True)
class Every:
    """At each multiple of `minutes` since the epoch, which is that of the hour in every zone when it divides 30."""

    minutes: int
    once: bool = False

    def slots(self, after: datetime, until: datetime) -> list[Slot]:
        """The slots in `after < due <= until`, in order."""
        step = self.minutes * 60
        first, last = int(after.timestamp() // step) + 1, int(until.timestamp() // step)
        return [self._slot(number) for number in range(first, last + 1)]

    def following(self, after: datetime) -> Slot:
        """The first slot after an instant."""
        return self._slot(int(after.timestamp() // (self.minutes * 60)) + 1)

    def _slot(self, number: int) -> Slot:
        due = datetime.fromtimestamp(number * self.minutes * 60, UTC)
        return Slot(due.strftime("%Y-%m-%dT%H:%MZ"), due)


@dataclass(frozen=True, slots=True)
class Daily:
    """Once each local date, at a local time.

    A time that a date has twice counts the first time; one that a date lacks is moved by as much as the clocks were
    (03:00 in Helsinki exists not at all in March and twice in October).
    """

    at: time
    zone: ZoneInfo
    once: bool = True

    def slots(self, after: datetime, until: datetime) -> list[Slot]:
        """The slots in `after < due <= until`, in order."""
        day = after.astimezone(self.zone).date()
        found: list[Slot] = []
        while (slot := self._slot(day)).due <= until:
            if slot.due > after:
                found.append(slot)
            day += timedelta(days=1)
        return found

    def following(self, after: datetime) -> Slot:
        """The first slot after an instant."""
        day = after.astimezone(self.zone).date()
        while (slot := self._slot(day)).due <= after:
            day += timedelta(days=1)
        return slot

    def _slot(self, day: date) -> Slot:
        return Slot(day.isoformat(), datetime.combine(day, self.at, self.zone).astimezone(UTC))


Timetable: TypeAlias = Every | Daily
"""When a job is due; with `once` a key counts only once, even if the clock shows its time twice."""


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
class MissedSlot:
    """A slot that did not run when it was due, and whether a run now makes up for it."""

    slot: Slot
    made_up: bool


@dataclass(frozen=True, slots=True)
class ScheduleCheck:
    """What one check of the clock found: the slot to run now, those that were missed, and the new state."""

    run: Slot | None
    missed: tuple[MissedSlot, ...]
    state: JobState


def check_schedule(job: Job, state: JobState, now: datetime) -> ScheduleCheck:
    """Decide what to run now and what was missed; the new state accounts for every slot that is named."""
    state = _after_step_back(state, now)
    known = {slot.key for slot in state.accounted} if job.timetable.once else set()
    open_slots = [slot for slot in job.timetable.slots(state.anchor, now) if slot.key not in known]
    if not open_slots:
        return _retry(state, now)
    latest = open_slots[-1]
    is_late = now - latest.due > ON_TIME
    runs = not is_late or job.make_up is None or now - latest.due <= job.make_up
    late = open_slots if is_late else open_slots[:-1]
    missed = tuple(MissedSlot(slot, made_up=runs and job.make_up != timedelta(0)) for slot in late)
    accounted = (*state.accounted, *open_slots)[-REMEMBERED:]
    return ScheduleCheck(latest if runs else None, missed, replace(state, anchor=latest.due, accounted=accounted))


def _after_step_back(state: JobState, now: datetime) -> JobState:
    if state.retry_at is not None and state.retry_at - now > LAST_RETRY:
        state = replace(state, retry_at=now)
    if state.anchor - now <= STEP_BACK:
        return state
    kept = tuple(slot for slot in state.accounted if slot.due - now <= TAKEN_BACK)
    return replace(state, anchor=now, accounted=kept)


def _retry(state: JobState, now: datetime) -> ScheduleCheck:
    if state.failed is None or state.retry_at is None or now < state.retry_at:
        return ScheduleCheck(None, (), state)
    return ScheduleCheck(state.failed, (), replace(state, retry_at=None))


def after_success(state: JobState) -> JobState:
    """The state after a run that ended well."""
    return replace(state, failures=0, failed=None, retry_at=None)


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
