"""The banks on the user's list, each served as by a daemon of its own, all in one process.

    the list, read at every beat | a thread a bank: open when possible, live, again | one status for the service manager

A thread a bank: what hangs in one, such as a disk that went away, holds no other back.
"""

from __future__ import annotations

import logging
import signal
from collections.abc import Mapping
from datetime import timedelta

from bankd.errors import UserError
from bankd.service.bank_life import BankLife
from bankd.service.daemon import PATIENCE
from bankd.wiring.engine import CommonChildren
from bankd.wiring.serving import BEAT, Signalling, Telling, read_banks, read_monotonic

log = logging.getLogger(__name__)


class AllBanks:
    """A daemon of as many banks as are on the list."""

    def __init__(self, telling: Telling, signals: Signalling, *, polling: bool) -> None:
        """Take what receives their state, and what ends them; nothing runs yet."""
        self._telling, self._signals, self._polling = telling, signals, polling
        self._children = CommonChildren()
        self._lives: dict[str, BankLife] = {}
        self._leaving: list[BankLife] = []
        self._problem = ""

    def live(self) -> int:
        """Serve until a signal comes; gives the exit code."""
        self._follow_list()
        self._telling.ready(self._status_line())
        while not self._is_told_to_stop():
            self._follow_list()
            self._feed_watchdog()
        return self._stop()

    def _is_told_to_stop(self) -> bool:
        watchdog = self._telling.watchdog
        came = self._signals.wait(min(BEAT, watchdog.total_seconds() / 3) if watchdog else BEAT)
        if signal.SIGHUP in came:
            self._telling.reloading()
            self._send(signal.SIGHUP)
            self._telling.ready(self._status_line())
        return bool(came & {signal.SIGTERM, signal.SIGINT})

    def _follow_list(self) -> None:
        """Serve what is on the list now, and that alone; a list that cannot be read changes nothing."""
        wanted = self._read_list()
        for name, life in [*self._lives.items()]:
            if wanted.get(name) != life.root:
                life.signals.send(signal.SIGTERM)
                self._leaving.append(self._lives.pop(name))
        self._leaving = [life for life in self._leaving if not life.has_ended(0)]
        for name in wanted.keys() - self._lives.keys():
            self._lives[name] = BankLife(name, wanted[name], self._children, polling=self._polling)
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
        """Say that all is well unless a bank that was served hangs, which only a new process can mend."""
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
        """End all at once; what does not end in time is left to the next start."""
        self._telling.stopping("stopping")
        self._telling.extend(timedelta(seconds=PATIENCE + 2))
        self._send(signal.SIGTERM)
        until = read_monotonic() + PATIENCE + 1
        late = [
            life.name
            for life in (*self._lives.values(), *self._leaving)
            if not life.has_ended(max(0.0, until - read_monotonic()))
        ]
        self._children.close()
        log.info("stopped cleanly=%s", not late)
        return 0
