"""Where the daemon's log lines go: to the journal of systemd with its level prefixes, else to standard error.

Lines carry names, counts and ids, never a memory's text.
"""

from __future__ import annotations

import json
import logging
import os
import stat
import sys
from collections.abc import Callable
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import IO, Literal, ParamSpec, TypeVar

from bankd.core.markdown.display import show_line

_P = ParamSpec("_P")
_R = TypeVar("_R")
_BANK: ContextVar[str] = ContextVar("bank", default="")
"""The bank that is worked on, where a process serves several."""

_PREFIXES = ((logging.CRITICAL, 2), (logging.ERROR, 3), (logging.WARNING, 4), (logging.INFO, 6))


class JournalFormatter(logging.Formatter):
    """One line a record, and one a line of its traceback, each begun by the journal's level as sd-daemon(3) has it."""

    def format(self, record: logging.LogRecord) -> str:
        level = next((prefix for least, prefix in _PREFIXES if record.levelno >= least), 7)
        return "\n".join(f"<{level}>{line}" for line in _lines_of(record, self))


class PlainFormatter(logging.Formatter):
    """The same for a terminal or a file, with the time and the level's name."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).astimezone()
        first, *rest = _lines_of(record, self)
        return "\n".join([f"{at:%Y-%m-%d %H:%M:%S} {record.levelname.lower():7} {first}", *rest])


def _lines_of(record: logging.LogRecord, formatter: logging.Formatter) -> list[str]:
    """The message on one line, whatever is in it, then the lines of the traceback."""
    trace = formatter.formatException(record.exc_info) if record.exc_info else ""
    bank = f"bank={_BANK.get()} " if _BANK.get() else ""
    return [show_line(f"{bank}{record.getMessage()}"), *(show_line(line) for line in trace.splitlines())]


class JsonFormatter(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        at = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        bank = {"bank": _BANK.get()} if _BANK.get() else {}
        line = {
            "at": at,
            **bank,
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": super().format(record),
        }
        return json.dumps(line)


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
    if log_format == "json":
        handler.setFormatter(JsonFormatter())
    elif goes_to_journal(sys.stderr, journal_stream):
        handler.setFormatter(JournalFormatter())
    else:
        handler.setFormatter(PlainFormatter())
    logging.basicConfig(level=level, handlers=[handler], force=True)
    logging.getLogger("apscheduler").setLevel(logging.WARNING)
    logging.getLogger("watchdog").setLevel(logging.WARNING)
