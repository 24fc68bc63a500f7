"""The life of one daemon: start, ready, loop, stop."""

from __future__ import annotations

import logging
import os
import signal
import threading
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from bankd import __version__
from bankd.errors import BankError, BusyError
from bankd.health.health import LENT, DaemonFacts, HealthFacts, find_jumps, render_metrics, tell_standstill
from bankd.health.ledger import LedgerRow, RunOutcome
from bankd.service.jobs import Jobs
from bankd.service.requests import Requests
from bankd.system.clock import read_clocks, utc_now
from bankd.system.process import Timer, logged_as, write_metrics
from bankd.system.socket_client import socket_path
from bankd.system.socket_server import SocketServer
from bankd.workspace.runs import RunLedger
from bankd.workspace.watcher import Watcher

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime

    from bankd.health.health import ClockReading
    from bankd.service.banks import BankSignals, BankVoice
    from bankd.system.manager import Notifier, Signals
    from bankd.wiring.held import Held
    from bankd.workspace.snapshot import Changes

log = logging.getLogger(__name__)

PATIENCE = 3.0
"""Seconds that a stop waits for runs; of the 5 s it may take, the rest is for killing them and for the socket."""
PROOF = 5.0
"""Seconds in which a part must prove that it works."""
BEAT = 30.0
"""Seconds between two looks at the clock, at what is due, and at every part."""
MANY = 100
"""From this many changed pages on, another process reads them; for fewer, starting it takes longer than reading."""


@dataclass(frozen=True, slots=True)
class ServiceEnvironment:
    """What the command line and the service manager give to a daemon.

    `bank` is the name for the log where the process serves several banks.
    """

    workspace: Path
    notifier: Notifier | BankVoice
    bank: str = ""
    polling: bool = False
    metrics_file: Path | None = None
    runtime_folder: Path | None = None
    beat: float = BEAT
    read_clocks: Callable[[], ClockReading] = read_clocks
    clock: Callable[[], datetime] = utc_now


class Daemon:
    """One running service over an open workspace."""

    def __init__(self, held: Held, around: ServiceEnvironment, signals: Signals | BankSignals) -> None:
        """Put the parts together; nothing runs yet."""
        self._held, self._signals, self._around = held, signals, around
        self._since, self._reading = around.clock(), around.read_clocks()
        self._settings_problem = self._disk_trouble = ""
        self._reloading = threading.Lock()
        self._ledger = RunLedger(around.workspace)
        self._timer = Timer(lambda: self._jobs.look(), around.bank)  # noqa: PLW0108 -- they are made next
        self._jobs = Jobs(held, self._ledger, self._timer, around.clock)
        self._watcher = Watcher(around.workspace, logged_as(around.bank, self.files_changed), polling=around.polling)
        handle = logged_as(around.bank, Requests(held, self._jobs, self._timer, self).handle)
        usual, folder = Path(socket_path(str(around.workspace))), around.runtime_folder
        # Where the service manager gives a folder for the socket, the usual place leads there.
        self._socket = SocketServer(folder / usual.name, handle, link=usual) if folder else SocketServer(usual, handle)

    def live(self) -> int:
        """Start, be ready, beat until a signal comes, stop; gives the exit code."""
        self.start()
        self._around.notifier.ready(self._status_line())
        while self._held.is_in_place():
            if self._is_told_to_stop():
                self.stop()
                return 0
            self.beat()
        log.error("%s was moved, or another disk mounted there: to be started again", self._around.workspace)
        self.stop()
        return BusyError.exit_code

    def start(self) -> None:
        """Start timer, watcher, socket and jobs."""
        self._timer.start()
        self._jobs.adopt(self._held.settings)
        self._watcher.start()
        self._socket.start()
        self._jobs.look()
        # What was written while nobody watched.
        self._jobs.log_changed()
        self._jobs.index_changed()
        log.info("started workspace=%s watching=%s", self._around.workspace, self._watcher.state.mode)

    def _is_told_to_stop(self) -> bool:
        watchdog = self._around.notifier.watchdog
        pause = min(self._around.beat, watchdog.total_seconds() / 3) if watchdog else self._around.beat
        came = self._signals.wait(pause)
        if signal.SIGHUP in came:
            self._around.notifier.reloading()
            self.reload()
            self._around.notifier.ready(self._status_line())
        return bool(came & {signal.SIGTERM, signal.SIGINT})

    def beat(self) -> None:
        """Look at the clock, at what is due, and at every part; feed the watchdog when every part works."""
        self._notice_jumps()
        self._notice_disk()
        self._jobs.look()
        self._watcher.check_watches()
        self._held.tidy()
        if self._around.metrics_file is not None:
            write_metrics(self._around.metrics_file, render_metrics(self.facts()))
        if self._proves_alive():
            self._around.notifier.alive()
            self._around.notifier.status(self._status_line())

    def _proves_alive(self) -> bool:
        queue = self._timer.queue()
        proofs = {
            "scheduler": self._timer.proves_alive(PROOF),
            "watcher": self._watcher.proves_alive(PROOF),
            "socket": self._socket.is_reachable(),
            "queue": queue.doing == LENT or not tell_standstill(queue),  # starting again ends no loan
        }
        dead = [name for name, is_alive in proofs.items() if not is_alive]
        if dead:
            log.error("not alive parts=%s", ",".join(dead))
        return not dead

    def _notice_jumps(self) -> None:
        reading = self._around.read_clocks()
        jumps = find_jumps(self._reading, reading)
        self._reading = reading
        for jump in jumps:
            log.warning("clock %s", jump)
            self._ledger.add(LedgerRow(reading.wall, "clock", RunOutcome.CLOCK, note=jump))
        if jumps:
            self._timer.realign()
            self._watcher.look_at_all()

    def _notice_disk(self) -> None:
        before, self._disk_trouble = self._disk_trouble, self._held.disk_trouble()
        if self._disk_trouble and not before:
            log.error("nothing can be written problem=%s", self._disk_trouble)
        if before and not self._disk_trouble:
            log.info("it can be written again; waiting work is done now")
            self._jobs.try_again()

    def files_changed(self, changes: Changes) -> None:
        """Make changed files searchable: at once by the lexicon, and after a pause with the analyser."""
        log.debug("changed=%d deleted=%d", len(changes.changed), len(changes.deleted))
        if any(path.startswith("memory/") for path in changes.paths):
            self._jobs.log_changed()
        try:
            if len(changes.paths) >= MANY:
                self._held.catch_up()
            else:
                self._held.search.take_in(changes.paths, self._held.now())
        except (BankError, OSError) as error:
            log.error("changes not indexed, tried again later error=%s", error)  # noqa: TRY400  no bug of ours
        self._jobs.index_changed()

    @property
    def pending(self) -> int:
        """How many changed files are not in the index yet."""
        return self._watcher.pending

    def reload(self) -> str:
        """Read the settings again; gives what is wrong with them, in which case the old ones still hold."""
        with self._reloading:
            try:
                self._held.reload()
            except BankError as error:
                self._settings_problem = str(error)
                log.error("settings not reloaded, the old ones still hold problem=%s", error)  # noqa: TRY400
                return self._settings_problem
            self._settings_problem = ""
            self._jobs.adopt(self._held.settings)
            log.info("settings reloaded")
            return ""

    def facts(self) -> HealthFacts:
        """The facts for the status: bank, index, jobs, watcher."""
        daemon = DaemonFacts(
            os.getpid(),
            __version__,
            self._since,
            watcher=asdict(self._watcher.state),
            settings_problem=self._settings_problem,
            requests=self._socket.served,
            refused=self._socket.refused,
            queue=self._timer.queue(),
        )
        bank = self._held.facts(self.pending, self._watcher.sizes("bank"))
        now = self._around.clock()
        rows, zone = tuple(self._ledger.rows), self._held.settings.timezone
        return HealthFacts(str(self._around.workspace), now, bank, self._jobs.facts(), rows, daemon, zone)

    def _status_line(self) -> str:
        """The line for the service manager, made at each beat from what is in memory."""
        if self._settings_problem:
            return f"the new settings cannot be used, the old ones hold: {self._settings_problem.splitlines()[0]}"
        if self._disk_trouble:
            return f"nothing can be written: {self._disk_trouble}"
        jobs = self._jobs.facts()
        failing = [f"{job.name} failed: {job.last.note}" for job in jobs if job.failures and job.last]
        following = min((job.following for job in jobs if job.following), default=None)
        due = f"next run {following:%H:%M} UTC" if following else "no run planned"
        return failing[0].partition("\n")[0] if failing else f"{self._watcher.state.files} files watched, {due}"

    def stop(self) -> None:
        """End everything within some seconds; a run that does not end is killed, and the next start finishes it."""
        self._around.notifier.stopping("stopping")
        self._around.notifier.extend(timedelta(seconds=PATIENCE + 2))
        self._timer.stop()
        ended = self._jobs.stop(PATIENCE)
        self._held.abandon()
        self._socket.stop()
        self._watcher.stop()
        self._held.close()
        log.info("stopped cleanly=%s", ended)
