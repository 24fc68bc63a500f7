"""The only module that names adapters: it puts a workspace together for a command."""

from __future__ import annotations

import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Event as Waiter
from zoneinfo import ZoneInfo

from bankd.adapters.catalogue import Catalogue
from bankd.adapters.clock import read_clock
from bankd.adapters.files import BankFiles
from bankd.adapters.graph import LinkGraph
from bankd.adapters.holdings import PageHoldings
from bankd.adapters.lock import Lock
from bankd.adapters.logs import LogFiles
from bankd.adapters.recovery import Recoverer
from bankd.adapters.runs import RunHistory
from bankd.adapters.transactions import Transactions
from bankd.config import compile_finders, load_rules, load_settings
from bankd.core.events import Ledger, fold
from bankd.core.plan import new_run_id
from bankd.core.policy import Settings
from bankd.core.rearrange import rewriter
from bankd.core.report import counts_of
from bankd.core.transaction import Transaction
from bankd.cycle import Kind, Policy, Report, World, run_cycle
from bankd.errors import BankError, RefusedError, StorageError, UserError
from bankd.wiring.run_index import RunIndex

SETTINGS = "bankd.yaml"
FOLDERS = ("memory", "bank", "archive", "events")
_LOOK_SECONDS = 0.25


@dataclass(slots=True)
class Workspace:
    """A workspace opened for one command; `now` is the moment of the command."""

    root: Path
    settings: Settings
    now: datetime
    files: BankFiles
    catalogue: Catalogue
    transactions: Transactions
    index: RunIndex
    graph: LinkGraph

    def run_cycle(self, kind: Kind, *, dry_run: bool = False, force: bool = False) -> Report:
        """Run one cycle."""
        finders = compile_finders(self.settings.secrets.patterns, str(self.root / SETTINGS))
        policy = Policy(self.settings, load_rules(self.root / self.settings.routing), finders, force)
        history = RunHistory(self.files.tree)
        run = new_run_id(self.now, kind, {str(row.get("run")) for row in history.read()})
        if dry_run:
            return run_cycle(kind, run, self.now, self._world(), policy, dry_run=True)
        return self._noted(history, run, kind, policy)

    def _noted(self, history: RunHistory, run: str, kind: Kind, policy: Policy) -> Report:
        """Run a cycle and note its end in the history, whatever end it was."""
        try:
            report = run_cycle(kind, run, self.now, self._world(), policy)
        except BankError as error:
            status = "refused" if isinstance(error, RefusedError) else "failed"
            with suppress(StorageError):  # the error that is on its way says it already
                history.note(run, kind, self.now, status, error=str(error)[:2000])
            raise
        status = "empty" if report.plan.is_empty else "changed"
        history.note(run, kind, self.now, status, counts=counts_of(report.plan))
        return report

    def wait_until_settled(self) -> None:
        """Wait for files that were saved a moment ago, as long as the settle time at most; then it is now."""
        settle = self.settings.settle_seconds
        waiter = Waiter()
        for _ in range(int(settle / _LOOK_SECONDS) + 2):
            surveys = [self.files.survey(folder, self.now, settle, any_content=True) for folder in ("memory", "bank")]
            if not any(reason.startswith("changed less") for survey in surveys for reason in survey.unsettled.values()):
                return
            waiter.wait(_LOOK_SECONDS)
            self.now = read_clock(self.settings.timezone)

    def _world(self) -> World:
        settle = self.settings.settle_seconds
        logs = LogFiles(self.files, self.catalogue, self.now, settle, self.settings.retain.anywhere)
        return World(logs, self.holdings(), _Committer(self.transactions), self.index, self.index, self.graph)

    def holdings(self) -> PageHoldings:
        """What the bank and its archive hold."""
        return PageHoldings(self.files, self.catalogue, self.settings.settle_seconds)

    def ledger(self) -> Ledger:
        """The fold of the event log."""
        return fold(self.transactions.events.read())


@dataclass(frozen=True, slots=True)
class _Committer:
    """The transaction layer as the story of a run knows it."""

    transactions: Transactions

    def ledger(self) -> Ledger:
        return fold(self.transactions.events.read())

    def commit(self, transaction: Transaction) -> Sequence[str]:
        return self.transactions.commit(transaction).conflicts


@contextmanager
def open_workspace(root: Path, now: datetime | None = None, *, write: bool = True) -> Iterator[Workspace]:
    """Open a workspace; to write, take its lock (BusyError when another has it) and finish what a crash interrupted."""
    settings = load_settings(root / SETTINGS)
    moment = _moment(now, settings)
    check_folders(root)
    files = BankFiles(root)
    lock = Lock(files.tree, moment.isoformat(timespec="seconds"))
    (root / ".bankd").mkdir(mode=0o700, exist_ok=True)
    try:
        if write:
            lock.take()
        transactions = Transactions(files.tree, lock, _writer(), rewriter(settings.routing))
        if write:
            Recoverer(files.tree, transactions, settings.settle_seconds).recover(moment)
        catalogue = Catalogue(root / ".bankd" / "catalogue.sqlite3")
        index = RunIndex(root, transactions.publish, PageHoldings(files, catalogue, settings.settle_seconds))
        graph = LinkGraph(files.tree, root / ".bankd" / "links.sqlite3", settings.links.roots, settings.routing)
        try:
            yield Workspace(root, settings, moment, files, catalogue, transactions, index, graph)
        finally:
            graph.close()
            index.close()
            catalogue.close()
    finally:
        lock.release()
        files.tree.close()


def _moment(now: datetime | None, settings: Settings) -> datetime:
    zone = ZoneInfo(settings.timezone)
    if now is None:
        return read_clock(settings.timezone)
    return now.replace(tzinfo=zone) if now.tzinfo is None else now.astimezone(zone)


def check_folders(root: Path) -> None:
    """UserError when a folder is missing that only a person can put back."""
    missing = [name for name in ("memory", "bank") if not (root / name).is_dir()]
    if missing:
        raise UserError(
            *(f"{root / name}: no such folder; put it back, or make it with: bankctl init {root}" for name in missing)
        )


def _writer() -> str:
    """The name of this machine's event files."""
    return re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname()).strip("-").lower() or "local"
