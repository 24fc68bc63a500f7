"""APScheduler as bankd uses it: an alarm clock at the slots of timetables, and one thread that does all work.

It decides nothing: whatever it calls looks at the clock and the ledger itself, so an alarm too many or too late, as
after sleep or a changed clock, does no harm.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from bankd.adapters.system.clock import read_monotonic
from bankd.adapters.system.logging_setup import logged_as
from bankd.core.daemon.health import QueueFacts
from bankd.core.daemon.schedule import Timetable


class TimetableTrigger(BaseTrigger):  # type: ignore[misc]  # the package has no types
    """Fires at the slots of a timetable.

    Not a cron trigger: that fires twice at an hour that a night has twice, and cannot say which slots were missed
    while nobody was there. What is due and what is missed is asked of one timetable, which tests drive by hand.
    """

    def __init__(self, timetable: Timetable) -> None:
        """Take the timetable."""
        self._timetable = timetable

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        """The next slot, in APScheduler's terms: after the one that fired, but not before now."""
        return self._timetable.following(max(previous, now) if previous else now).due


@dataclass(slots=True, eq=False)
class _Work:
    """Something submitted that is not done: since when it waits, in seconds, or once it has begun, is being done."""

    what: str
    since: float
    has_begun: bool = False


class Timer:
    """Calls `ring` at each slot, and runs what is submitted, one at a time, in the order of submission."""

    def __init__(self, ring: Callable[[], None], bank: str = "") -> None:
        """Take what to call, which must return soon, and the name of the bank for the log, where there are several."""
        self._ring, self._bank = logged_as(bank, ring), bank
        # Work that takes minutes must not hold the bell back, so the bell has a thread of its own.
        executors = {"default": ThreadPoolExecutor(1), "work": ThreadPoolExecutor(1)}
        defaults = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        self._scheduler = BackgroundScheduler(executors=executors, job_defaults=defaults, timezone=UTC)
        self._timetables: dict[str, Timetable] = {}
        self._unfinished: list[_Work] = []

    def start(self) -> None:
        """Begin to ring."""
        self._scheduler.start()

    def set_timetables(self, timetables: dict[str, Timetable]) -> None:
        """Ring by these from now on; also to be called after the clock was set, to which alarms do not adapt."""
        self._timetables = timetables
        for name, timetable in timetables.items():
            self._scheduler.add_job(self._ring, TimetableTrigger(timetable), id=name, replace_existing=True)

    def realign(self) -> None:
        """Compute the alarms again, as after the clock was set."""
        self.set_timetables(self._timetables)

    def ring_in(self, wait: timedelta, now: datetime, what: str) -> None:
        """Ring once more, after a while; a later call for the same thing replaces an earlier one."""
        self._scheduler.add_job(self._ring, "date", run_date=now + wait, id=f"once-{what}", replace_existing=True)

    def submit(self, what: str, work: Callable[[], None]) -> None:
        """Do something in the one thread that does work; `what` says what is done then."""
        item = _Work(what, read_monotonic())

        def do() -> None:
            item.since, item.has_begun = read_monotonic(), True
            try:
                work()
            finally:
                self._unfinished.remove(item)

        self._unfinished.append(item)
        self._scheduler.add_job(logged_as(self._bank, do), executor="work")

    def queue(self) -> QueueFacts:
        """What is being done, and what waits."""
        unfinished = list(self._unfinished)
        if not unfinished:
            return QueueFacts()
        first = next((item for item in unfinished if item.has_begun), unfinished[0])
        doing = first.what if first.has_begun else ""
        return QueueFacts(doing, read_monotonic() - first.since, len(unfinished) - bool(doing))

    def proves_alive(self, within: float) -> bool:
        """Whether something asked of the scheduler is done within this many seconds."""
        answered = threading.Event()
        self._scheduler.add_job(answered.set)
        return answered.wait(within)

    def stop(self) -> None:
        """Ring no more; work that has begun goes on."""
        if not self._scheduler.running:
            return
        # Stopped while it starts a job that is due once, it looks for that job in the wrong place, and fails aloud.
        self._scheduler.pause()
        self._scheduler.get_jobs()  # waits until it has started what it was starting
        self._scheduler.shutdown(wait=False)
