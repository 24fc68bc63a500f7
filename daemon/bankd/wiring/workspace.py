"""The only module that names adapters: it puts a workspace together for a command."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Event as Waiter
from zoneinfo import ZoneInfo

from bankd.adapters.index.recall import RecallBuffer
from bankd.adapters.storage.files import BankFiles
from bankd.adapters.storage.filesystem import require_safe
from bankd.adapters.storage.lock import Lock
from bankd.adapters.storage.recovery import Recoverer
from bankd.adapters.storage.transactions import Applied, TransactionWriter
from bankd.adapters.system.clock import read_clock
from bankd.adapters.system.socket_client import NoDaemonError, borrow_lock
from bankd.adapters.workspace.catalog_database import CatalogDatabase
from bankd.adapters.workspace.link_graph import LinkGraph
from bankd.adapters.workspace.link_store import LinkTable
from bankd.adapters.workspace.logs import LogFiles
from bankd.adapters.workspace.memory_catalog import PageMemoryCatalog
from bankd.adapters.workspace.outside import OutsideFiles
from bankd.adapters.workspace.run_reports import RunReports
from bankd.config import load_settings
from bankd.core.daemon.health import cannot_be_told
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import Ledger, fold_events
from bankd.core.markdown.display import show_line
from bankd.core.markdown.names import is_outside
from bankd.core.markdown.policy import Settings
from bankd.core.pages.rearrange import reference_rewriter
from bankd.cycle import CycleKind, Policy, Report, World, run_cycle
from bankd.errors import BusyError, UserError
from bankd.wiring.configuration import SETTINGS, Configuration, load_configuration
from bankd.wiring.recording import Recorder
from bankd.wiring.run_index import RunIndex
from bankd.wiring.search_service import SearchService
from bankd.wiring.trusting import judge_clock

log = logging.getLogger(__name__)

_LOOK_SECONDS = 0.25


@dataclass(frozen=True, slots=True)
class DaemonLease:
    """What a daemon gives to a run: the lock it holds, settings that hold whatever the files now say, the index."""

    lock: Lock
    configuration: Configuration
    searching: SearchService


@dataclass(slots=True)
class Workspace:
    """A workspace opened for one command; `now` is the moment of the command."""

    root: Path
    settings: Settings
    now: datetime
    files: BankFiles
    catalog_db: CatalogDatabase
    transactions: TransactionWriter
    index: RunIndex
    graph: LinkGraph
    configuration: Configuration | None = None
    is_live: bool = True
    """Whether `now` was read from the clock, and not given."""

    resting: Mapping[str, datetime] = field(default_factory=dict)
    """The pages that runs leave alone until then, because something changes them back; a person may change them."""

    healed: list[str] = field(default_factory=list)
    """What the start put right on pages that people had saved, until somebody is told of it."""

    is_by_hand: bool = True
    """Whether a command opened it, and not the daemon."""

    @property
    def recorder(self) -> Recorder:
        """What notes what is done, now."""
        reports = RunReports(self.files.tree, self.transactions.staging)
        return Recorder(self.root, reports, self.now, self.is_by_hand, not self.is_live)

    def policy(self, *, force: bool = False, remember: bool = False) -> Policy:
        """What a run is told; `remember` that the clock was looked at."""
        held = self.configuration = self.configuration or load_configuration(self.root)
        staging = self.transactions.staging if remember else None
        is_frozen = self.is_live and judge_clock(self.files.tree, staging).is_frozen
        return Policy(held.settings, held.rules, held.finders, force, is_frozen)

    def run_cycle(self, kind: CycleKind, *, dry_run: bool = False, force: bool = False) -> Report:
        """Run one cycle."""
        policy = self.policy(force=force, remember=not dry_run)
        if dry_run:
            report = run_cycle(kind, self.recorder.new_run(kind), self.now, self._world(), policy, dry_run=True)
        else:
            report = self._recorded(kind, policy)
        return replace(report, notes=(*report.notes, *self.take_damage(), *self._unreadable()))

    def take_damage(self) -> list[str]:
        """What was found damaged, and made anew or set aside, since the last time this was asked."""
        derived = (self.catalog_db, self.graph.table, self.index)
        made_anew = [said for one in derived for said in one.take_made_anew()]
        return [*made_anew, *self.transactions.journals.take_set_aside()]

    def _unreadable(self) -> list[str]:
        """What there is to say of lines of events that this run could not read."""
        return [cannot_be_told(str(one)).text for one in self.transactions.events.corrupt]

    def close(self) -> None:
        """Say what no report has said, and let go of everything."""
        for said in self.take_damage():
            log.warning("%s", said)
        self.graph.close()
        self.index.close()
        self.catalog_db.close()

    def _recorded(self, kind: CycleKind, policy: Policy) -> Report:
        with self.recorder.recording(kind) as record:
            report = run_cycle(kind, record.run, self.now, self._world(), policy)
            record.tell(report.plan)
            self._note_superseded(is_changed=not report.plan.is_empty)
        notes = (*self.healed, *report.notes)
        if self.is_by_hand:
            self.healed.clear()  # the daemon's log has them too
        return replace(report, notes=notes)

    def _note_superseded(self, *, is_changed: bool) -> None:
        """Let search know what was superseded."""
        if is_changed or not self.catalog_db.knows_superseded():
            self.catalog_db.record_superseded(self.ledger().successors())

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
        logs = LogFiles(self.files, self.catalog_db, self.now, settle, self.settings.retain.anywhere)
        recalls = RecallBuffer(self.root / "recall", self.settings.search.recall_minutes)
        catalog = PageMemoryCatalog(self.files, self.catalog_db, settle, self.resting, self.transactions.own_writes)
        return World(logs, catalog, self.committer(), self.index, self.index, self.graph, recalls)

    def committer(self) -> Committer:
        """What commits."""
        return Committer(self.transactions, self.files, self.settings.routing)

    def catalog(self) -> PageMemoryCatalog:
        """What the bank and its archive hold."""
        own_writes = self.transactions.own_writes
        return PageMemoryCatalog(self.files, self.catalog_db, self.settings.settle_seconds, own_writes=own_writes)

    def refresh(self) -> None:
        """Bring what is derived from the pages up to date after a change outside a cycle."""
        self.catalog().refresh(self.now)
        self._note_superseded(is_changed=True)
        self.index.refresh(self.now)

    def ledger(self) -> Ledger:
        """The fold of the event log."""
        return fold_events(self.transactions.events.read())

    def commit(self, transaction: Transaction) -> Applied:
        """Do what a person asked for, all of it; UserError that names the pages that cannot be written, if any."""
        paths = {operation.path for operation in transaction.operations if not is_outside(operation.path)}
        closed = self.transactions.closed(paths)
        if closed:
            raise UserError(*(f"{path}: {why}; nothing was changed" for path, why in closed.items()))
        return self.committer().apply(transaction)


@dataclass(frozen=True, slots=True)
class Committer:
    """The transaction layer as the stories know it; files outside the workspace follow when all else is done."""

    transactions: TransactionWriter
    files: BankFiles
    routing: str

    def ledger(self) -> Ledger:
        """The fold of the event log."""
        return fold_events(self.transactions.events.read())

    def closed(self, paths: Collection[str]) -> Mapping[str, str]:
        """Those of these files, there or not yet, that cannot be written now, and why."""
        return self.transactions.closed(paths)

    def commit(self, transaction: Transaction) -> Sequence[str]:
        """Apply a transaction; gives what was left as the user had it."""
        return self.apply(transaction).conflicts

    def apply(self, transaction: Transaction) -> Applied:
        """The same; gives the files of the workspace that changed too."""
        outside = [operation for operation in transaction.operations if is_outside(operation.path)]
        inside = tuple(operation for operation in transaction.operations if not is_outside(operation.path))
        applied = self.transactions.commit(replace(transaction, operations=inside))
        others = OutsideFiles(self.files.tree.calls)
        applied.conflicts += others.relink(outside, self.transactions.look, reference_rewriter(self.routing))
        return applied


@contextmanager
def open_workspace(
    root: Path, now: datetime | None = None, *, write: bool = True, lease: DaemonLease | None = None
) -> Iterator[Workspace]:
    """Open a workspace; to write, take its lock (BusyError when another has it) and finish what a crash interrupted.

    A tenant has the lock already, and keeps it. A daemon that has it lends it between two of its runs.
    """
    settings = lease.configuration.settings if lease else load_settings(root / SETTINGS)
    moment = _moment(now, settings)
    check_folders(root)
    (root / ".bankd").mkdir(mode=0o700, exist_ok=True)
    files = BankFiles(root)
    try:
        with _lock_of(files, moment, write, lease) as lock:
            transactions = TransactionWriter(files.tree, lock, _writer(), reference_rewriter(settings.routing))
            healed: list[str] = []
            if write:
                require_safe(files.tree, permitted=settings.unsafe_filesystem)
                recoverer = Recoverer(files.tree, transactions, settings.settle_seconds, settings.keep)
                healed = recoverer.recover(moment).notes
            workspace = _assembled(files, transactions, moment, settings, lease)
            workspace.is_live, workspace.is_by_hand, workspace.healed = now is None, lease is None, healed
            try:
                yield workspace
            finally:
                _log(healed)
                workspace.close()
    finally:
        files.tree.close()


def _log(notes: Sequence[str]) -> None:
    for note in notes:
        log.warning("%s", show_line(note))


def _assembled(
    files: BankFiles, transactions: TransactionWriter, moment: datetime, settings: Settings, lease: DaemonLease | None
) -> Workspace:
    """Put together what works on the files; one who only looks goes on where the disk takes nothing."""
    root, is_reader = files.tree.root, not transactions.may_write
    own = root / ".bankd"
    catalog_db = CatalogDatabase(own / "catalogue.sqlite3", may_stay_in_memory=is_reader)
    table = LinkTable(own / "links.sqlite3", may_stay_in_memory=is_reader)
    catalog = PageMemoryCatalog(files, catalog_db, settings.settle_seconds)
    searching, held = (lease.searching, lease.configuration) if lease else (None, None)
    index = RunIndex(root, moment, transactions.publish, catalog, searching)
    graph = LinkGraph(files.tree, table, settings.links.roots, settings.routing)
    resting = transactions.journals.resting(moment)
    return Workspace(root, settings, moment, files, catalog_db, transactions, index, graph, held, resting=resting)


@contextmanager
def _lock_of(files: BankFiles, moment: datetime, write: bool, lease: DaemonLease | None) -> Iterator[Lock]:
    if lease:
        yield lease.lock
        return
    lock = Lock(files.tree, moment.isoformat(timespec="seconds"))
    give_back = _take(lock, files.tree.root) if write else None
    try:
        yield lock
    finally:
        lock.release()
        if give_back is not None:
            give_back()


def _take(lock: Lock, root: Path) -> Callable[[], None] | None:
    """Take the lock; where a daemon has it, borrow it, and give how to hand it back."""
    try:
        lock.take()
    except BusyError:
        try:
            loan = borrow_lock(str(root))
        except NoDaemonError:
            loan = None
        if loan is None:
            raise
        try:
            lock.take()
        except BusyError:  # somebody was faster
            loan.close()
            raise
        return loan.close
    return None


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
