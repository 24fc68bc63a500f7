"""A fleet put together: its database, its banks, the queue of their nights, and a night of one bank."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from bankd.adapters.fleet.bank_registry import BankRegistry
from bankd.adapters.fleet.database import FleetDatabase, FleetUnreachableError
from bankd.adapters.fleet.night_queue import LOST, NightQueue, WorkerPlan, queue_tables
from bankd.adapters.korean.kiwi import KiwiWorker
from bankd.adapters.system.clock import read_monotonic, utc_now
from bankd.adapters.system.logging_setup import set_up_log
from bankd.adapters.system.malloc import forget_kept, give_back, keep_little
from bankd.core.plan.report import counts_of, rows_of
from bankd.wiring.brief_files import write_due_briefs
from bankd.wiring.importing import import_watched
from bankd.wiring.search import make_search, search_settings
from bankd.wiring.workspace import open_workspace

__all__ = ["LOST", "FleetUnreachableError", "WorkerPlan", "utc_now"]

_BETWEEN = 20
"""Nights after which a worker empties its caches: otherwise it grows to a gigabyte in a thousand nights."""


@dataclass(frozen=True, slots=True)
class Fleet:
    """What belongs to a fleet, over one connection."""

    database: FleetDatabase
    banks: BankRegistry
    queue: NightQueue


@contextmanager
def open_fleet(dsn: str) -> Iterator[Fleet]:
    """Open a fleet; UserError where the database cannot be reached, or has no fleet."""
    with closing(FleetDatabase(dsn)) as database:
        database.require_tables()
        yield Fleet(database, BankRegistry(database), NightQueue(database))


def make_fleet(dsn: str) -> bool:
    """Make the tables of a fleet; False where they are there already."""
    with closing(FleetDatabase(dsn)) as database:
        return database.make_tables(queue_tables())


class StandingKiwi(KiwiWorker):
    """A Kiwi for one bank after another: what lets go of a bank does not end it."""

    def __init__(self) -> None:
        """Start none yet."""
        super().__init__(read_monotonic)

    def end(self) -> None:
        """Stay for the next bank."""

    def end_for_good(self) -> None:
        """End it."""
        super().end()


def run_night(root: Path, kiwi: StandingKiwi) -> str:
    """Reflect on a bank as `bankctl cycle reflect` does, and give what it did in a line; raises what keeps it from it."""
    settings = search_settings(root)
    searching = make_search(root, settings, kiwi if settings.analyser == "kiwi" else None)
    with closing(searching), open_workspace(root, searching=searching) as workspace:
        problems = list(import_watched(workspace))
        workspace.wait_until_settled()
        reports = list(workspace.run_batches("reflect"))
        write_due_briefs(workspace.root, workspace.settings.agents.briefs, workspace.now)
    counts = counts_of(row for report in reports for row in rows_of(report.plan))
    return "; ".join([", ".join(f"{count} {name}" for name, count in counts.items()) or "nothing new", *problems])


class StandingNights:
    """Runs nights of one bank after another, with one Kiwi."""

    def __init__(self) -> None:
        """Start nothing yet."""
        self._kiwi, self._done = StandingKiwi(), 0
        self.seconds = read_monotonic

    def run(self, root: Path) -> str:
        """Run the night of the bank there."""
        self._done += 1
        if self._done % _BETWEEN == 0:
            forget_kept()
            give_back()
        return run_night(root, self._kiwi)

    def close(self) -> None:
        """Let go of Kiwi."""
        self._kiwi.end_for_good()


def prepare_worker() -> None:
    """Set up what the process of a worker has once: its log, and the modes of new files."""
    keep_little()
    set_up_log(os.environ.get("JOURNAL_STREAM", ""))
    for name in ("procrastinate", "psycopg.pool"):  # what failed we say ourselves, without a traceback
        logging.getLogger(name).setLevel(logging.CRITICAL)
    os.umask(0o077)
