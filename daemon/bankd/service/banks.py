"""The banks on the user's list, each served as by a daemon of its own, all in one process.

    the list, read at every beat | one thread per bank: open when possible, live, again | one status for the service manager

Each bank has a thread: when one hangs, for instance because its disk went away, the others go on.
"""

from __future__ import annotations

import logging
import queue
import signal
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.config.workspace import SETTINGS
from bankd.errors import BankError, UserError
from bankd.service.daemon import BEAT, PATIENCE, Daemon, ServiceEnvironment, told_to_stop
from bankd.system.child import ProcessTurn
from bankd.system.clock import read_monotonic
from bankd.system.files import read_banks
from bankd.system.manager import Notifier, Signals
from bankd.system.process import logged_as
from bankd.wiring.held import Held, open_held

if TYPE_CHECKING:
    from bankd.wiring.held import Turns

log = logging.getLogger(__name__)

RETRY = 10.0
"""Seconds between two tries to open a bank, at most."""
_SILENT = 4 * BEAT
"""A bank that has not shown for this many seconds that it works counts as hanging."""


def open_when_possible(
    workspace: Path,
    open_held: Callable[[Path], Held],
    telling: Notifier,
    signals: Signals | BankSignals,
    hopeless: tuple[type[BankError], ...],
) -> Held | None:
    """Open the workspace; while that fails, log why once and try again. Raises errors of the kinds `hopeless`.

    None when a signal came first.
    """
    pause, said = telling.pause(RETRY), ""
    while True:
        try:
            if not (workspace / SETTINGS).is_file():  # perhaps its disk is not mounted yet
                raise UserError(f"{workspace}: no workspace is there; make one with: bankctl init {workspace}")
            return open_held(workspace)
        except hopeless:
            raise
        except BankError as error:
            if str(error) != said:
                log.error("waiting, tried again every %.1f s: %s", pause, error)  # noqa: TRY400
            said = str(error)
            telling.ready(f"waiting: {said}")
            telling.alive()
        if signals.wait(pause) - {signal.SIGHUP}:
            return None


class BankSignals:
    """The signals of one bank, which any thread may send."""

    def __init__(self) -> None:
        """No signal was sent yet."""
        self._sent: queue.SimpleQueue[signal.Signals] = queue.SimpleQueue()

    def send(self, number: signal.Signals) -> None:
        """Send it a signal."""
        self._sent.put(number)

    def wait(self, seconds: float) -> set[signal.Signals]:
        """The signals that came, as soon as there is one; empty after this many seconds without."""
        try:
            came = {self._sent.get(timeout=seconds)}
        except queue.Empty:
            return set()
        while not self._sent.empty():
            came.add(self._sent.get())
        return came


@dataclass(slots=True)
class BankVoice(Notifier):
    """Takes the place of a service manager for one bank, and remembers its state."""

    address: str | None = None
    watchdog: timedelta | None = field(default=timedelta(seconds=3 * BEAT))
    said: str = "starting"
    proved: float | None = None
    """When it last showed that all of its parts work, in seconds; None while it is not served."""

    @property
    def is_served(self) -> bool:
        """Whether it is open, and answers."""
        return self.proved is not None

    def hangs(self, now: float) -> bool:
        """Whether it is served but has not shown for long that it works."""
        return self.proved is not None and now - self.proved > _SILENT

    def send(self, *fields: str) -> None:
        """Take note of its state, of a sign of life, and that it stops: from then on it need not show that it works."""
        told = dict(assignment.split("=", 1) for assignment in fields)
        self.said = told.get("STATUS", self.said)
        if "STOPPING" in told:
            self.proved = None
        elif "WATCHDOG" in told and self.is_served:
            self.proved = read_monotonic()


class BankLife:
    """Serves one bank in a thread; opens it again after it failed, was moved or was not there."""

    def __init__(self, name: str, root: str, turns: Turns, *, polling: bool) -> None:
        """Take the bank; nothing is opened yet."""
        self.name, self.root = name, root
        self.signals, self.voice = BankSignals(), BankVoice()
        self._turns, self._polling = turns, polling
        self._thread = threading.Thread(target=logged_as(name, self._go_on), name=f"bank {name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def has_ended(self, within: float) -> bool:
        """Whether it has ended, after waiting for up to `seconds`."""
        self._thread.join(within)
        return not self._thread.is_alive()

    def _go_on(self) -> None:
        while not self._live():
            if self.signals.wait(RETRY) - {signal.SIGHUP}:
                return

    def _live(self) -> bool:
        """Open it and serve it; gives whether a signal ended it."""
        try:
            opening = partial(open_held, turns=self._turns)
            held = open_when_possible(Path(self.root), opening, self.voice, self.signals, ())
            return held is None or self._serve(held)
        except BankError as error:
            log.error("%s", error)  # noqa: TRY400 -- a person can mend it
            self.voice.stopping(str(error))
        except Exception as error:
            log.exception("this is a bug in bankd")
            self.voice.stopping(f"a bug in bankd: {error!r}")
        return False

    def _serve(self, held: Held) -> bool:
        daemon = Daemon(held, ServiceEnvironment(self.voice, self.name, self._polling), self.signals)
        self.voice.proved = read_monotonic()
        try:
            return daemon.live() == 0
        except BaseException:
            daemon.stop()  # else the bank stays locked
            raise


class AllBanks:
    """A daemon of as many banks as are on the list."""

    def __init__(self, telling: Notifier, signals: Signals, *, polling: bool) -> None:
        """Take the receiver of their state, and the signals that end them; nothing runs yet."""
        self._telling, self._signals, self._polling = telling, signals, polling
        self._turns = ProcessTurn(), ProcessTurn()
        """The banks run one at a time, and read one at a time: ten Kiwis would need five gigabytes."""
        self._lives: dict[str, BankLife] = {}
        self._leaving: list[BankLife] = []
        self._problem = ""

    def live(self) -> int:
        """Serve until a signal comes; gives the exit code."""
        self._follow_list()
        self._telling.ready(self._status_line())
        reload = partial(self._send, signal.SIGHUP)
        while not told_to_stop(self._signals, self._telling, reload, self._status_line):
            self._follow_list()
            self._feed_watchdog()
        return self._stop()

    def _follow_list(self) -> None:
        """Serve exactly what is on the list now; a list that cannot be read changes nothing."""
        wanted = self._read_list()
        for name, life in [*self._lives.items()]:
            if wanted.get(name) != life.root:
                life.signals.send(signal.SIGTERM)
                self._leaving.append(self._lives.pop(name))
        self._leaving = [life for life in self._leaving if not life.has_ended(0)]
        for name in wanted.keys() - self._lives.keys():
            self._lives[name] = BankLife(name, wanted[name], self._turns, polling=self._polling)
            self._lives[name].start()

    def _read_list(self) -> Mapping[str, str]:
        before = self._problem
        try:
            banks, self._problem = read_banks(), ""
        except (UserError, OSError) as error:
            banks, self._problem = {name: life.root for name, life in self._lives.items()}, str(error)
        if not banks and not self._problem:
            self._problem = "no bank is on the list; bankctl banks add DIR puts one there"
        if self._problem and self._problem != before:
            log.error("%s", self._problem)
        return banks

    def _feed_watchdog(self) -> None:
        """Feed the watchdog unless a served bank hangs: then only a new process helps."""
        hanging = [name for name, life in self._lives.items() if life.voice.hangs(read_monotonic())]
        if hanging:
            log.error("not alive banks=%s", ",".join(hanging))
        else:
            self._telling.alive()
        self._telling.status(self._status_line())

    def _status_line(self) -> str:
        said = {name: life.voice.said for name, life in self._lives.items() if not life.voice.is_served}
        count = f"{len(self._lives) - len(said)} of {len(self._lives)} banks served"
        problems = (self._problem, *(f"{name}: {text}" for name, text in said.items()))
        return "; ".join([count, *(text.partition("\n")[0] for text in problems if text)])

    def _send(self, number: signal.Signals) -> None:
        for life in self._lives.values():
            life.signals.send(number)

    def _stop(self) -> int:
        """End all banks at once; the next start finishes what did not end in time."""
        self._telling.stopping("stopping")
        self._telling.extend(timedelta(seconds=PATIENCE + 2))
        self._send(signal.SIGTERM)
        until = read_monotonic() + PATIENCE + 1
        late = [
            life.name
            for life in (*self._lives.values(), *self._leaving)
            if not life.has_ended(max(0.0, until - read_monotonic()))
        ]
        log.info("stopped cleanly=%s", not late)
        return 0
