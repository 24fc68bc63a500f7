"""A worker: a process, or several, that do nights until a signal ends them, and go on when a lost database is back.

A night of one bank is done once a date, and how it ended is noted whatever end it is.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event

from bankd.core.daemon.nights import FleetBank, NightOutcome
from bankd.core.markdown.display import show_line
from bankd.errors import BankError, UserError
from bankd.wiring.fleet import LOST, Fleet, FleetUnreachableError, StandingNights, WorkerPlan, open_fleet, utc_now
from bankd.wiring.fleet_search import share_bank

log = logging.getLogger(__name__)


class NightFailedError(BankError):
    """A night was not done; it is tried again."""


@dataclass(frozen=True, slots=True)
class Nights:
    """Does nights, one after another."""

    fleet: Fleet
    run_night: Callable[[Path], str]
    share: Callable[[FleetBank], object]
    """Brings the shared search up to date after a night."""
    worker: str
    read_utc: Callable[[], datetime]
    read_seconds: Callable[[], float]

    def do_night(self, name: str, night: str, tries: int) -> None:
        """Do the night of a bank unless it was done; NightFailedError says why it could not be, and so does the table."""
        bank = self.fleet.banks.named(name)
        if bank is None or self.fleet.banks.is_done(name, night):
            return
        began, problem = self.read_seconds(), None
        try:
            said = self._do(bank)
        except Exception as error:
            problem, said = error, show_line(str(error) or type(error).__name__)
        seconds = self.read_seconds() - began
        outcome = NightOutcome(name, night, self.read_utc(), seconds, tries, problem is None, said, self.worker)
        self.fleet.banks.note_night(outcome)
        if problem is not None:
            log.warning("night failed bank=%s night=%s try=%d: %s", name, night, tries, said)
            raise NightFailedError(f"{name}: {said}") from problem

    def _do(self, bank: FleetBank) -> str:
        root = Path(bank.root)
        if not (root / "bankd.yaml").is_file():
            raise UserError(f"{root}: no workspace is there, as {self.worker} sees it")
        said = self.run_night(root)
        if bank.is_shared:
            self.share(bank)
        return said


def queue_due(fleet: Fleet, now: datetime) -> int:
    """Put the nights that are due into the queue; gives how many."""
    put = 0
    while True:
        with fleet.database.transaction() as connection:
            nights = fleet.banks.take_due(connection, now)
            fleet.queue.put(connection, nights)
        if not nights:
            return put
        put += len(nights)


_PAUSE = 2.0
"""Seconds until a database that went away is asked for again."""


def work_alone(dsn: str, plan: WorkerPlan) -> None:
    """Do nights in this process until a signal ends it, or until none waits; a database that goes away is waited for."""
    with closing(StandingNights()) as standing:
        while (problem := _work_while_there(dsn, plan, standing)) is not None:
            log.warning("the database is lost: %s; again in %.0f s", problem, _PAUSE)
            Event().wait(_PAUSE)


def _work_while_there(dsn: str, plan: WorkerPlan, standing: StandingNights) -> str | None:
    """Do nights as long as the database is there; None when that is all, else what is wrong with it."""
    try:
        with open_fleet(dsn) as fleet:
            nights = Nights(fleet, standing.run, partial(share_bank, fleet), plan.name, utc_now, standing.seconds)
            look = partial(_look, dsn)
            look()
            while not asyncio.run(fleet.queue.work(plan, nights.do_night, look)):
                if plan.stays:
                    return "it went away"
                if not _is_waiting(fleet, plan):
                    break
                Event().wait(_PAUSE)
    except (*LOST, FleetUnreachableError) as error:
        return str(error).strip().partition("\n")[0] or type(error).__name__
    return None


def _is_waiting(fleet: Fleet, plan: WorkerPlan) -> bool:
    """Whether a night waits, or is due and on its way into the queue by another worker."""
    return fleet.queue.has_ready(plan.storages) or fleet.banks.count_due(utc_now()) > 0


def _look(dsn: str) -> None:
    """Put what is due into the queue; over a connection of its own, since a night may hold the other one."""
    with open_fleet(dsn) as fleet:
        queue_due(fleet, utc_now())
        fleet.banks.forget_nights()


def work_together(dsn: str, words: Sequence[str], processes: int, socket_file: str | None) -> int:
    """Have several processes do nights; a signal is passed on, and each finishes its night. Gives the worst exit code.

    The address of the database goes by the environment: others may read command lines, and it may hold a password.
    """
    program = "import sys; from bankd.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "fleet", "worker", *words]
    served = ["--socket", socket_file] if socket_file else []
    around = {**os.environ, "BANKD_FLEET": dsn}
    commands = [[*command, *(served if number == 0 else [])] for number in range(processes)]
    children = [subprocess.Popen(one, env=around) for one in commands]  # noqa: S603 -- ourselves

    def pass_on(caught: int, _frame: object) -> None:
        for child in children:
            child.send_signal(caught)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    return max(child.wait() for child in children)


def worker_name() -> str:
    """How a worker is called in what it notes: the machine and the process."""
    return f"{socket.gethostname()}:{os.getpid()}"
