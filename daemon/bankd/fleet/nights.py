"""A night of one bank of a fleet: done once a date, and how it ended is noted whatever end it is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from bankd.core.daemon.nights import FleetBank, NightOutcome
from bankd.core.markdown.display import show_line
from bankd.errors import BankError, UserError
from bankd.wiring.fleet import Fleet

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
