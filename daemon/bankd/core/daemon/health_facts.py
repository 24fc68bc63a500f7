"""What is known of bankd at one moment, as `status` shows it and programs read it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from bankd.core.daemon.schedule_rows import LedgerRow
from bankd.core.lifecycle.copies import Copied


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """How the index stands: pages it has not read, and pages read without the analyser; `updated` is ISO 8601."""

    generation: str = ""
    memories: int = 0
    pending: int = 0
    provisional: int = 0
    updated: str = ""
    problem: str = ""
    worker: str = "not running"


@dataclass(frozen=True, slots=True)
class BankFacts:
    """What the workspace holds, what it lacks, which pages are large or rest until when, why it cannot be written.

    `copied` are the memories that the user has copied with their id, `closed` the pages that cannot be written and why,
    `held_back` the log lines that were not taken in, `unread_events` lines of events in words with their place,
    `set_aside` the journals that could not be read.
    """

    pages: int = 0
    inbox: int = 0
    missing: tuple[str, ...] = ()
    index: IndexFacts = IndexFacts()
    large: tuple[str, ...] = ()
    is_clock_frozen: bool = False
    disk: str = ""
    resting: Mapping[str, datetime] = field(default_factory=dict)
    unread_events: tuple[str, ...] = ()
    copied: tuple[Copied, ...] = ()
    closed: Mapping[str, str] = field(default_factory=dict)
    held_back: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    prose: int = 0
    """Lines of the logs that were read and not taken in because nobody tagged them."""
    too_large: tuple[str, ...] = ()
    """The logs that search does not read for their size."""
    offered: int = 0
    """The log lines that a model or a rule wrote and that wait for the user's word."""
    left_alone: Mapping[str, str] = field(default_factory=dict)
    """The files that are not read as they are, and why."""
    not_ours: tuple[str, ...] = ()
    """The files and folders of bankd itself that it may not use."""


@dataclass(frozen=True, slots=True)
class JobFacts:
    """How a job stands."""

    name: str
    last: LedgerRow | None = None
    following: datetime | None = None
    failures: int = 0
    running: bool = False


LENT = "the workspace is lent to another process"
"""What the queue does while a command of the user writes."""


@dataclass(frozen=True, slots=True)
class QueueFacts:
    """The one queue of all that a daemon does: what it does, since how many seconds, and how many jobs wait behind that.

    Where it does nothing, `seconds` are those that the oldest job waits.
    """

    doing: str = ""
    seconds: float = 0.0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class DaemonFacts:
    """What only a living daemon knows of itself; `waiting` is why it cannot work yet."""

    pid: int
    version: str
    since: datetime
    watcher: dict[str, Any] = field(default_factory=dict)
    waiting: str = ""
    settings_problem: str = ""
    requests: int = 0
    refused: int = 0
    queue: QueueFacts = QueueFacts()


@dataclass(frozen=True, slots=True)
class HealthFacts:
    """All of it at one moment; `unusable` are the problems of settings and rules that only reading the files found.

    `how_to_start` is the command that has the work done by itself; a daemon needs none.
    """

    workspace: str
    now: datetime
    bank: BankFacts
    jobs: tuple[JobFacts, ...] = ()
    rows: tuple[LedgerRow, ...] = ()
    daemon: DaemonFacts | None = None
    timezone: str = "UTC"
    unusable: tuple[str, ...] = ()
    how_to_start: str = ""
