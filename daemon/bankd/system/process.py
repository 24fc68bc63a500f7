"""Where the daemon's log lines go: to the journal of systemd with its level prefixes, else to standard error.

Lines carry names, counts and ids, never a memory's text.

What the daemon says to people who do not look at it: an alert by a command of theirs, and metrics for their collector.

Gives memory back to the system after work that needed much of it; glibc keeps it otherwise.

APScheduler as bankd uses it: an alarm clock at the slots of timetables, and one thread that does all work.

It decides nothing: whatever it calls looks at the clock and the ledger itself, so an alarm too many or too late, as
after sleep or a changed clock, does no harm.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import shlex
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import _lru_cache_wrapper
from pathlib import Path
from typing import IO, Literal, ParamSpec, TypeVar

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from apscheduler.triggers.base import BaseTrigger

from bankd.errors import StorageError
from bankd.health.health import QueueFacts
from bankd.health.schedule import Timetable
from bankd.pages.text import show_line
from bankd.system.clock import read_monotonic
from bankd.system.command import CommandStoppedError, run_command
from bankd.system.files import replace_file

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BANK: ContextVar[str] = ContextVar("bank", default="")
"""The bank that is worked on, where a process serves several."""

_PREFIXES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))


class LogFormatter(logging.Formatter):
    """A record as its reader wants it: `json`, `journal` or `plain`.

    JSON is one object a line. Else the message is one line, whatever is in it, and each line of a traceback another: for
    the journal each begins with its level as sd-daemon(3) has it, for a terminal or a file the first with the time.
    """

    def __init__(self, form: Literal["json", "journal", "plain"]) -> None:
        """Take the form."""
        super().__init__()
        self._form = form

    def format(self, record: logging.LogRecord) -> str:
        """The record as text."""
        at, level, bank = datetime.fromtimestamp(record.created, UTC), record.levelname.lower(), _BANK.get()
        if self._form == "json":
            line = {"at": at.isoformat(timespec="milliseconds"), **({"bank": bank} if bank else {}), "level": level}
            return json.dumps(line | {"logger": record.name, "message": super().format(record)})
        trace = self.formatException(record.exc_info) if record.exc_info else ""
        message = f"bank={bank} {record.getMessage()}" if bank else record.getMessage()
        first, *rest = (show_line(line) for line in (message, *trace.splitlines()))
        if self._form == "plain":
            return "\n".join([f"{at.astimezone():%Y-%m-%d %H:%M:%S} {level:7} {first}", *rest])
        prefix = next((prefix for least, prefix in _PREFIXES if record.levelno >= least), 7)
        return "\n".join(f"<{prefix}>{line}" for line in (first, *rest))


def logged_as(bank: str, work: Callable[_P, _R]) -> Callable[_P, _R]:
    """The same work, whose log lines name a bank, in whatever thread it is done; as it is where there is no name."""

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


def set_up_log(journal_stream: str, log_format: Literal["auto", "json"] = "auto", level: int = logging.INFO) -> None:
    """Send the log of the whole process to standard error, in the form that its reader wants."""
    handler = logging.StreamHandler(sys.stderr)
    is_journal = goes_to_journal(sys.stderr, journal_stream)
    handler.setFormatter(LogFormatter("json" if log_format == "json" else "journal" if is_journal else "plain"))
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("watchdog").setLevel(logging.WARNING)


log = logging.getLogger(__name__)

TIMEOUT = 30
_LONGEST = 1 << 20
"""Bytes that an alert command may print; nobody reads them."""


def call_person(command: str, message: str) -> bool:
    """Run the command of the settings, without a shell and for half a minute at most, the message on its standard input.

    Gives whether it worked; without a command the journal alone has the message.
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


def write_metrics(path: Path, text: str) -> None:
    """Replace the file that a node exporter's textfile collector reads; a disk that does not take it costs one reading."""
    try:
        replace_file(path, text, 0o644)
    except OSError as error:
        log.warning("metrics not written path=%s error=%s", path, error.strerror)


_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)
_MANY_OBJECTS = 5_000_000
"""Made since the last collection; of a run that takes in 20,000 lines hardly any are in cycles, so nothing else grows."""
_LARGE_CACHE = 10_000


def keep_little() -> None:
    """Have all threads share two arenas: memory freed in one of many is seldom given back. Call it first of all."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

    with suppress(AttributeError):  # a C library without it
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


@contextmanager
def seldom_collected() -> Iterator[None]:
    """While much is made that stays: each collection looks at all of it, for nothing. A tenth of a rebuild went there."""
    before = gc.get_threshold()
    gc.set_threshold(_MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def require_room(needed: int) -> None:
    """StorageError where a limit of the process (`ulimit -v`) leaves less memory: native code ends the process then."""
    import resource  # noqa: PLC0415 -- a query has no time for it

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123 -- called at every change of the index
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    if limit - taken < needed:
        raise StorageError(
            f"the index needs {needed >> 20} MB of memory and has {(limit - taken) >> 20}; raise the limit (ulimit -v)"
        )


def forget_kept() -> None:
    """Empty the large caches of functions, which are for the lines of one run: one bank after another only fills them."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (one.cache_parameters()["maxsize"] or 0) >= _LARGE_CACHE:
            one.cache_clear()


def give_back() -> None:
    """Collect garbage and return what is free."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

    gc.collect()
    with suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)


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
