"""The parts of the service, made here: the service itself says what they do together, and names nothing outside.

What it has to name is named here too; `pyproject.toml` has the rule that it imports no adapter.
"""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Literal, Protocol

from bankd.health.health import ClockReading
from bankd.system.clock import read_clocks, read_monotonic, utc_now
from bankd.system.files import read_banks
from bankd.system.manager import Notifier, Signals, take_notifier
from bankd.system.process import Timer, call_person, keep_little, logged_as, set_up_log, write_metrics
from bankd.system.socket_client import socket_path
from bankd.system.socket_server import Answer, Handler, LockLoan, Request, SocketServer
from bankd.wiring.held import Held
from bankd.workspace.runs import RunLedger
from bankd.workspace.snapshot import Changes
from bankd.workspace.watcher import Watcher

__all__ = [
    "Answer", "LockLoan", "Notifier", "Request", "RunLedger", "ServiceEnvironment", "ServiceParts", "Signalling", "Signals",
    "SocketServer", "Telling", "Timer", "Watcher", "call_person", "logged_as", "prepare_process", "read_banks",
    "read_monotonic", "write_metrics",
]  # fmt: skip

BEAT = 30.0


class Telling(Protocol):
    """Whoever receives the state of a daemon: its service manager, or the daemon of several banks."""

    @property
    def watchdog(self) -> timedelta | None:
        """How long it waits for a sign of life; None where it does not."""

    def ready(self, status: str) -> None:
        """It has begun, or has taken new settings."""

    def status(self, status: str) -> None:
        """How it is, in a line."""

    def alive(self) -> None:
        """All parts have proved that they work."""

    def reloading(self) -> None:
        """It reads its settings."""

    def stopping(self, status: str) -> None:
        """It ends."""

    def extend(self, by: timedelta) -> None:
        """It needs more time."""


class Signalling(Protocol):
    """Who tells a daemon what to do."""

    def wait(self, seconds: float) -> set[signal.Signals]:
        """The signals that came, as soon as there is one; empty after this many seconds without."""


@dataclass(frozen=True, slots=True)
class ServiceEnvironment:
    """What the daemon is given by its command line and its service manager."""

    workspace: Path
    notifier: Telling
    bank: str = ""
    """Its name for the log, where the process serves several."""
    polling: bool = False
    metrics_file: Path | None = None
    runtime_folder: Path | None = None
    beat: float = BEAT
    read_clocks: Callable[[], ClockReading] = read_clocks
    clock: Callable[[], datetime] = utc_now


@dataclass(frozen=True, slots=True)
class ServiceParts:
    """What a service is made of; each part gets what to call."""

    held: Held
    around: ServiceEnvironment

    def make_ledger(self) -> RunLedger:
        """What ran and what was missed."""
        return RunLedger(self.around.workspace)

    def make_timer(self, ring: Callable[[], None]) -> Timer:
        """What rings at the slots of timetables, and has work done."""
        return Timer(ring, self.around.bank)

    def make_watcher(self, report: Callable[[Changes], None]) -> Watcher:
        """What notices changes of files."""
        return Watcher(self.around.workspace, logged_as(self.around.bank, report), polling=self.around.polling)

    def make_socket(self, handle: Handler) -> SocketServer:
        """The socket in `.bankd/`, or, where the service manager gives a folder for it, there with a link in `.bankd/`."""
        handle = logged_as(self.around.bank, handle)
        usual = Path(socket_path(str(self.around.workspace)))
        if self.around.runtime_folder is None:
            return SocketServer(usual, handle)
        return SocketServer(self.around.runtime_folder / usual.name, handle, link=usual)


def prepare_process(log_format: Literal["auto", "json"], *, debug: bool) -> tuple[Notifier, Signals]:
    """Set up what a process has once: memory, log, modes of new files; gives the service manager's notifier and the signals."""
    keep_little()
    notifier = take_notifier(os.environ)
    set_up_log(os.environ.get("JOURNAL_STREAM", ""), log_format, logging.DEBUG if debug else logging.INFO)
    os.umask(0o077)
    return notifier, Signals()
