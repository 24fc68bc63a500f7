"""A worker of a fleet: one or several processes that do nights until a signal, and wait for a lost database.

The night of a bank is done once for each date, and how it ended is always noted. Also how a machine joins a fleet: where
its database is, which banks are in it, and at what hour they have their nights.
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
from datetime import datetime, time
from functools import partial
from pathlib import Path
from threading import Event
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from bankd.config.workspace import SETTINGS, load_usable_settings
from bankd.errors import BankError, UsageError, UserError
from bankd.fleet.database import FleetUnreachableError
from bankd.fleet.queue import LOST, WorkerPlan
from bankd.fleet.registry import FleetBank, NightOutcome
from bankd.fleet.together import Fleet, StandingNights, forget_shared, open_fleet, share_bank
from bankd.health.schedule import Daily
from bankd.pages.text import show_line
from bankd.system.clock import utc_now

log = logging.getLogger(__name__)


class NightFailedError(BankError):
    """A night failed. It will be tried again."""


@dataclass(frozen=True, slots=True)
class Nights:
    """Does nights one after another; the fields are what a test replaces."""

    fleet: Fleet
    run_night: Callable[[Path], str]
    share: Callable[[FleetBank], object]
    """Brings the shared search up to date with a bank after its night."""
    worker: str
    read_utc: Callable[[], datetime]
    read_seconds: Callable[[], float]

    def do_night(self, name: str, night: str, tries: int) -> None:
        """Do the night of a bank unless it was done. NightFailedError says why it failed; the table has the reason too."""
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
            raise UserError(f"{root}: the worker {self.worker} sees no workspace there")
        said = self.run_night(root)
        if bank.is_shared:
            self.share(bank)
        return said


def queue_due(fleet: Fleet, now: datetime) -> int:
    """Put the nights that are due into the queue. Gives how many."""
    put = 0
    while True:
        with fleet.database.transaction() as connection:
            nights = fleet.banks.take_due(connection, now)
            fleet.queue.put(connection, nights)
        if not nights:
            return put
        put += len(nights)


_PAUSE = 2.0
"""Seconds until the worker tries a lost database again."""


def work_alone(dsn: str, plan: WorkerPlan) -> None:
    """Do nights in this process until a signal, or until none waits. Waits for a lost database."""
    with closing(StandingNights()) as standing:
        while (problem := _work_while_there(dsn, plan, standing)) is not None:
            log.warning("the database is lost: %s; again in %.0f s", problem, _PAUSE)
            Event().wait(_PAUSE)


def _work_while_there(dsn: str, plan: WorkerPlan, standing: StandingNights) -> str | None:
    """Do nights as long as the database is there. None at the end of the work, else the problem of the database."""
    try:
        with open_fleet(dsn) as fleet:
            nights = Nights(fleet, standing.run, partial(share_bank, fleet), plan.name, utc_now, standing.seconds)

            def look() -> None:
                with open_fleet(dsn) as other:  # its own connection: a night may hold the other one
                    queue_due(other, utc_now())
                    other.banks.forget_nights()

            look()
            while not asyncio.run(fleet.queue.work(plan, nights.do_night, look)):
                if plan.stays:
                    return "it went away"
                # A night that is due may be on its way into the queue, by another worker.
                if not (fleet.queue.has_ready(plan.storages) or fleet.banks.count_due(utc_now())):
                    break
                Event().wait(_PAUSE)
    except (*LOST, FleetUnreachableError) as error:
        return str(error).strip().partition("\n")[0] or type(error).__name__
    return None


def work_together(dsn: str, words: Sequence[str], processes: int, socket_file: str | None) -> int:
    """Do nights in several processes. They get each signal, and finish their nights. Gives the worst exit code.

    The address of the database goes by the environment: it may hold a password, and others can read command lines.
    """
    program = "import sys; from bankd.cli import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", program, "fleet", "worker", *words]
    first = [*command, "--socket", socket_file] if socket_file else command
    commands, around = [first, *[command] * (processes - 1)], {**os.environ, "BANKD_FLEET": dsn}
    children = [subprocess.Popen(one, env=around) for one in commands]  # noqa: S603 -- ourselves

    def pass_on(caught: int, _frame: object) -> None:
        for child in children:
            child.send_signal(caught)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, pass_on)
    return max(child.wait() for child in children)


def worker_name() -> str:
    """The name of this worker: machine and process."""
    return f"{socket.gethostname()}:{os.getpid()}"


def add_bank(fleet: Fleet, root: Path, name: str, storage: str, now: datetime) -> FleetBank | None:
    """Add a workspace, with its nights at the hour and in the zone of its settings. None if it is there already."""
    settings, _ = load_usable_settings(root / SETTINGS)
    at, zone = read_hour(settings.schedule.reflect_at), settings.timezone
    bank = FleetBank(0, name, str(root), storage, zone, at, next_night(at, zone, now))
    return bank if fleet.banks.add(bank) else None


def schedule_banks(
    fleet: Fleet, names: Sequence[str], at: str | None, zone: str | None, now: datetime
) -> list[FleetBank]:
    """Change the hour or the zone (None: it stays) of these banks' nights. Gives the banks as they are then."""
    for bank in (banks := fleet.banks.find(names)):
        hour, where = read_hour(at) if at else bank.at, zone or bank.zone
        fleet.banks.reschedule(bank, hour, where, next_night(hour, where, now))
    return list(fleet.banks.find([bank.name for bank in banks]))


def remove_banks(fleet: Fleet, names: Sequence[str]) -> None:
    """Remove banks from the fleet. Their files stay as they are."""
    forget_shared(fleet, fleet.banks.find(names))
    fleet.banks.remove(names)
    fleet.queue.drop(names)


def read_hour(text: str) -> time:
    """Read a time of day such as 03:00. UsageError if it is none."""
    try:
        return time.fromisoformat(text)
    except ValueError:
        raise UsageError(f"{text!r} is not a time of day such as 03:00") from None


def next_night(at: time, zone: str, now: datetime) -> datetime:
    """When the next night of a bank is due. UsageError for an unknown zone."""
    try:
        return Daily(at, ZoneInfo(zone)).following(now).due
    except (ZoneInfoNotFoundError, ValueError):
        raise UsageError(f"{zone!r} is not a time zone such as Asia/Seoul") from None


def fleet_file() -> Path:
    """The file with the address of the database, by the XDG base directory specification."""
    home = os.environ.get("XDG_CONFIG_HOME", "")
    folder = Path(home) if Path(home).is_absolute() else Path("~/.config").expanduser()
    return folder / "bankd" / "fleet"


def fleet_dsn(given: str | None) -> str:
    """The address of the database, as libpq reads it. UserError if there is none."""
    if found := given or os.environ.get("BANKD_FLEET"):
        return found
    try:
        return fleet_file().read_text("utf-8").strip()
    except OSError:
        raise UserError("no fleet is known here: type bankctl fleet init DSN, or set BANKD_FLEET") from None


def keep_dsn(dsn: str) -> Path:
    """Write the address into a file that only this user can read: it may hold a password."""
    path = fleet_file()
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    staged = path.with_name(f"{path.name}.{os.getpid()}")
    with os.fdopen(os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(f"{dsn}\n")
    staged.replace(path)
    return path
