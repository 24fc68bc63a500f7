"""The life of one of several banks in a daemon: a thread, and what is a service manager to it."""

from __future__ import annotations

import logging
import queue
import signal
import threading
from dataclasses import dataclass, field
from datetime import timedelta
from functools import partial
from pathlib import Path

from bankd.app.engine import Engine
from bankd.errors import BankError
from bankd.service.daemon import Daemon
from bankd.service.opening import RETRY, open_when_possible
from bankd.wiring.engine import CommonChildren, open_engine
from bankd.wiring.serving import BEAT, ServiceEnvironment, ServiceParts, logged_as, read_monotonic

log = logging.getLogger(__name__)

_SILENT = 4 * BEAT
"""Seconds after which a bank that has proved nothing has a part that hangs."""


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
class BankVoice:
    """Hears how one bank is, and remembers it."""

    watchdog: timedelta | None = field(default=timedelta(seconds=3 * BEAT))
    said: str = "starting"
    proved: float | None = None
    """When it last proved that all of its parts work, in seconds; None while it is not served."""

    @property
    def is_served(self) -> bool:
        """Whether it is open, and answers."""
        return self.proved is not None

    def hangs(self, now: float) -> bool:
        """Whether it is served and has proved nothing for long."""
        return self.proved is not None and now - self.proved > _SILENT

    def ready(self, status: str) -> None:
        """Hear that it began, or why it cannot."""
        self.said = status

    def status(self, status: str) -> None:
        """Hear how it is."""
        self.said = status

    def alive(self) -> None:
        """Hear that all of its parts work."""
        if self.is_served:
            self.proved = read_monotonic()

    def reloading(self) -> None:
        """Nobody waits for that."""

    def stopping(self, status: str) -> None:
        """Hear that it ends; it has to prove nothing any more."""
        self.said, self.proved = status, None

    def extend(self, by: timedelta) -> None:
        """It has the time of the whole."""


class BankLife:
    """Serves one bank in a thread, and opens it again where it was moved, was not there, or failed."""

    def __init__(self, name: str, root: str, children: CommonChildren, *, polling: bool) -> None:
        """Take the bank; nothing is opened yet."""
        self.name, self.root = name, root
        self.signals, self.voice = BankSignals(), BankVoice()
        self._children, self._polling = children, polling
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
            opening = partial(open_engine, children=self._children.of_bank())
            engine = open_when_possible(Path(self.root), opening, self.voice, self.signals, ())
            return engine is None or self._serve(engine)
        except BankError as error:
            log.error("%s", error)  # noqa: TRY400 -- a person can mend it
            self.voice.stopping(str(error))
        except Exception as error:
            log.exception("this is a bug in bankd")
            self.voice.stopping(f"a bug in bankd: {error!r}")
        return False

    def _serve(self, engine: Engine) -> bool:
        around = ServiceEnvironment(Path(self.root), self.voice, self.name, self._polling)
        daemon = Daemon(ServiceParts(engine, around), self.signals)
        self.voice.proved = read_monotonic()
        try:
            return daemon.live() == 0
        except BaseException:
            daemon.stop()  # else the bank stays locked
            raise
