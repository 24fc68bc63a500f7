"""The outside that a daemon works with, re-exported: the service imports no adapter (`pyproject.toml` has the rule)."""

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
from bankd.workspace.runs import RunLedger
from bankd.workspace.watcher import Watcher

__all__ = [
    "Answer", "LockLoan", "Notifier", "Request", "RunLedger", "ServiceEnvironment", "Signalling", "Signals",
    "SocketServer", "Telling", "Timer", "Watcher", "call_person", "logged_as", "make_socket", "prepare_process", "read_banks",
    "read_monotonic", "write_metrics",
]  # fmt: skip

BEAT = 30.0
"""Seconds between two looks at the clock, at what is due, and at every part."""


class Telling(Protocol):
    """Receives the state of a daemon: the service manager, or the daemon of several banks."""

    @property
    def watchdog(self) -> timedelta | None:
        """How long it waits for a sign of life; None: it does not watch."""

    def ready(self, status: str) -> None:
        """It has begun, or has taken new settings."""

    def status(self, status: str) -> None:
        """How it is, in a line."""

    def alive(self) -> None:
        """Every part has proved that it works."""

    def reloading(self) -> None:
        """It reads its settings."""

    def stopping(self, status: str) -> None:
        """It ends."""

    def extend(self, by: timedelta) -> None:
        """It needs more time."""


class Signalling(Protocol):
    """Where the signals for a daemon come from."""

    def wait(self, seconds: float) -> set[signal.Signals]:
        """The signals that came, as soon as there is one; empty after this many seconds without."""


@dataclass(frozen=True, slots=True)
class ServiceEnvironment:
    """What the command line and the service manager give to a daemon."""

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


def make_socket(around: ServiceEnvironment, handle: Handler) -> SocketServer:
    """The socket in `.bankd/`; where the service manager gives a folder for it, there, with a link in `.bankd/`."""
    usual, handle = Path(socket_path(str(around.workspace))), logged_as(around.bank, handle)
    if around.runtime_folder is None:
        return SocketServer(usual, handle)
    return SocketServer(around.runtime_folder / usual.name, handle, link=usual)


def prepare_process(log_format: Literal["auto", "json"], *, debug: bool) -> tuple[Notifier, Signals]:
    """Set up what a process has once: memory, log, modes of new files; gives the service manager's notifier and the signals."""
    keep_little()
    notifier = take_notifier(os.environ)
    set_up_log(os.environ.get("JOURNAL_STREAM", ""), log_format, logging.DEBUG if debug else logging.INFO)
    os.umask(0o077)
    return notifier, Signals()
