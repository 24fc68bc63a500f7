"""The services of the daemon's process: its log, alerts, and its timer.

Log lines go to the journal of systemd or to standard error. They carry names, counts and ids, never a memory's text.
The timer is APScheduler: it calls a function at the slots of timetables, and one thread does all work. It decides nothing.
The function that it calls checks the clock and the ledger itself, so a call too many or too late, as after sleep or after
the clock was set, does no harm.
"""

from __future__ import annotations

import logging
import os
import shlex
import stat
import sys
import threading
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import IO, ParamSpec, TypeVar

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from bankd.health.health import QueueFacts
from bankd.health.schedule import Timetable
from bankd.pages.text import show_line
from bankd.system.child import CommandStoppedError, run_command
from bankd.system.clock import read_monotonic

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BANK: ContextVar[str] = ContextVar("bank", default="")
"""The bank being worked on, in a process that serves several."""

_PREFIXES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))


class LogFormatter(logging.Formatter):
    """A record for the journal, or for a terminal or a file.

    The message is one line, whatever is in it, and each line of a traceback another: for the journal each begins with its
    level as sd-daemon(3) has it, else the first with the time.
    """

    def __init__(self, *, is_journal: bool) -> None:
        """Take for which."""
        super().__init__()
        self._is_journal = is_journal

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        bank = _BANK.get()
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        message = f"bank={bank} {record.getMessage()}" if bank else record.getMessage()
        first, *rest = (show_line(line) for line in (message, *trace.splitlines()))
        if not self._is_journal:
            at = datetime.fromtimestamp(record.created, UTC).astimezone()
            return "\n".join([f"{at:%Y-%m-%d %H:%M:%S} {record.levelname.lower():7} {first}", *rest])
        prefix = next((prefix for least, prefix in _PREFIXES if record.levelno >= least), 7)
        return "\n".join(f"<{prefix}>{line}" for line in (first, *rest))


def logged_as(bank: str, work: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same function, but its log lines name the bank, in every thread; unchanged if the name is empty."""

    def named(*arguments: _P.args, **keywords: _P.kwargs) -> _R:
        token = _BANK.set(bank)
        try:
            return work(*arguments, **keywords)
        finally:
            _BANK.reset(token)

    return named if bank else work


def goes_to_journal(stream: IO[str], journal_stream: str) -> bool:
    """Whether `JOURNAL_STREAM` (device:inode) is this very stream: it is inherited by children that write elsewhere."""
    try:
        found = os.fstat(stream.fileno())
    except (OSError, ValueError):
        return False
    return stat.S_ISSOCK(found.st_mode) and journal_stream == f"{found.st_dev}:{found.st_ino}"


def set_up_log(journal_stream: str, level: int = logging.INFO) -> None:
    """Send the log of the whole process to standard error, as the journal or a terminal wants it."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(LogFormatter(is_journal=goes_to_journal(sys.stderr, journal_stream)))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("watchdog").setLevel(logging.WARNING)


log = logging.getLogger(__name__)

TIMEOUT = 30
_LONGEST = 1 << 20
"""Bytes that an alert command may print; nobody reads them."""


def call_person(command: str, message: str) -> bool:
    """Run the alert command of the settings, without a shell, with the message on its standard input, at most 30 seconds.

    Gives whether it worked. Without a command, only the journal has the message.
    """
    if not command.strip():
        return False
    try:
        ran = run_command(shlex.split(command), f"{message}\n".encode(), TIMEOUT, _LONGEST)
    except (OSError, ValueError, CommandStoppedError) as error:
        log.error("alert command failed error=%s", error)  # noqa: TRY400  its traceback would tell nothing more
        return False
    if ran.code:
        log.error("alert command failed exit=%d said=%s", ran.code, ran.said.decode(errors="replace")[:500])
    return ran.code == 0


class TimetableTrigger(BaseTrigger):  # type: ignore[misc]  # the package has no types
    """Fires at the slots of a timetable.

    A cron trigger would fire twice at an hour that a night has twice, and could not say which slots were missed while
    the daemon was off. So one timetable decides what is due and what was missed.
    """

    def __init__(self, timetable: Timetable) -> None:
        """Take the timetable."""
        self._timetable = timetable

    def get_next_fire_time(self, previous: datetime | None, now: datetime) -> datetime:
        """The next slot, in APScheduler's terms: after the one that fired, but not before now."""
        return self._timetable.following(max(previous, now) if previous else now).due


@dataclass(slots=True, eq=False)
class _Work:
    """Submitted work that is not done: since when it waits (monotonic seconds), or since when it runs once it has begun."""

    what: str
    since: float
    has_begun: bool = False


class Timer:
    """Calls `ring` at each slot, and runs what is submitted, one at a time, in the order of submission."""

    def __init__(self, ring: Callable[[], None], bank: str = "") -> None:
        """Take the function to call, which must return soon, and the bank's name for the log if there are several."""
        self._ring, self._bank = logged_as(bank, ring), bank
        # Work may take minutes and must not delay a ring, so rings have a thread of their own.
        executors = {"default": ThreadPoolExecutor(1), "work": ThreadPoolExecutor(1)}
        defaults = {"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        self._scheduler = BackgroundScheduler(executors=executors, job_defaults=defaults, timezone=UTC)
        self._unfinished: list[_Work] = []

    def start(self) -> None:
        """Begin to ring."""
        self._scheduler.start()

    def set_timetables(self, timetables: dict[str, Timetable]) -> None:
        """Ring by these from now on."""
        for name, timetable in timetables.items():
            self._scheduler.add_job(self._ring, TimetableTrigger(timetable), id=name, replace_existing=True)

    def ring_in(self, wait: timedelta, now: datetime, what: str) -> None:
        """Ring once after `wait` from `now`. A later call with the same `what` replaces an earlier one."""
        self._scheduler.add_job(self._ring, "date", run_date=now + wait, id=f"once-{what}", replace_existing=True)

    def submit(self, what: str, work: Callable[[], None]) -> None:
        """Do something in the one thread that does work; `what` names it in the queue's state."""
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
        """The work that runs, and how much waits."""
        unfinished = list(self._unfinished)
        if not unfinished:
            return QueueFacts()
        first = next((item for item in unfinished if item.has_begun), unfinished[0])
        doing = first.what if first.has_begun else ""
        return QueueFacts(doing, read_monotonic() - first.since, len(unfinished) - bool(doing))

    def proves_alive(self, within: float) -> bool:
        """Whether the scheduler runs a small job within this many seconds."""
        answered = threading.Event()
        self._scheduler.add_job(answered.set)
        return answered.wait(within)

    def stop(self) -> None:
        """Stop ringing. Work that has begun goes on."""
        if not self._scheduler.running:
            return
        # If it is stopped while it starts a job that is due once, it looks for that job in the wrong place, and logs an error.
        self._scheduler.pause()
        self._scheduler.get_jobs()  # waits until it has started what it was starting
        self._scheduler.shutdown(wait=False)
