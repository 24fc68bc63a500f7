"""Opens a workspace for a command or a run: puts the real parts behind the ports."""

from __future__ import annotations

import logging
import re
import socket
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Event
from zoneinfo import ZoneInfo

from bankd.app.index import RunIndex
from bankd.app.workspace import Workspace
from bankd.config.workspace import (
    SETTINGS,
    ConfigError,
    Configuration,
    compile_finders,
    load_settings,
    load_usable_settings,
    place_folders,
    require_folders,
)
from bankd.errors import BusyError, UserError
from bankd.health.health import BANK_ADVICE, tell_emptied
from bankd.index.sources import RecallBuffer
from bankd.layouts.rearrange import reference_rewriter
from bankd.memory.retain import LogPlace, without_project
from bankd.pages.text import show_line
from bankd.search.bank_search import BankSearch
from bankd.secrets.screening import find_secrets
from bankd.settings import Settings
from bankd.storage.disk import require_safe
from bankd.storage.events import ReplyLog, append_line
from bankd.storage.journals import Lock
from bankd.storage.transactions import Recoverer, TransactionWriter
from bankd.storage.tree import BankFiles, FileTree
from bankd.system.child import seldom_collected
from bankd.system.clock import read_clock, read_monotonic
from bankd.system.socket_client import NoDaemonError, borrow_lock
from bankd.wiring.search import make_search
from bankd.workers.models import ModelDoor
from bankd.workspace.catalog import CatalogDatabase, PageMemoryCatalog
from bankd.workspace.facts import RunLedger, RunReports, TextTraces, TrustedClock, count_emptied
from bankd.workspace.graph import LinkGraph
from bankd.workspace.logs import ImportedLogs, LogFiles

log = logging.getLogger(__name__)


def add_line(root: Path, line: str, *, once: bool = False) -> tuple[LogPlace, bool]:
    """Append one Retain line to today's log (with `once` only once a day); gives its place, and whether it was written now.

    UserError for a likely credential.
    """
    settings = load_settings(root / SETTINGS)
    place_folders(root, settings.folders)
    if secrets := find_secrets(without_project(line), compile_finders(settings.secrets.patterns)):
        raise UserError(f"it looks like a credential ({secrets[0].kind}) and was not written down; leave that out")
    require_folders(root)
    with closing(FileTree(root)) as tree:
        log = f"{read_clock(settings.timezone):%Y-%m-%d}.md"
        return append_line(tree, log, line, once=once, anywhere=settings.retain.anywhere)


def require_pages(root: Path) -> None:
    """UserError when a bank that held memories has no page now: nobody is taken to have deleted all of it."""
    if emptied := count_emptied(root):
        raise UserError(f"{root}: {tell_emptied(emptied)}; {BANK_ADVICE}")


@contextmanager
def open_workspace(
    root: Path,
    now: datetime | None = None,
    *,
    write: bool = True,
    lease: tuple[Lock, Configuration] | None = None,
    searching: BankSearch | None = None,
    force: bool = False,
) -> Iterator[Workspace]:
    """Open a workspace; to write, take its lock (BusyError when another has it) and finish what a crash interrupted.

    With a `lease` of the daemon its lock is kept, and its settings hold, even if the files changed since. Else a daemon
    that has the lock lends it between two of its runs. Search that is given is left open. UserError, unless `force`,
    to write to a bank whose pages are all gone.
    """
    given, configuration = lease or (None, None)
    settings, unusable = _settings_of(root, configuration, write=write)
    if now is None:
        moment = read_clock(settings.timezone)
    else:
        zone = ZoneInfo(settings.timezone)
        moment = now.astimezone(zone) if now.tzinfo else now.replace(tzinfo=zone)
    require_folders(root)
    (root / ".bankd").mkdir(mode=0o700, exist_ok=True)
    files = BankFiles(root)
    try:
        with _lock_of(files, moment, write, given) as lock:
            writer = TransactionWriter(files, lock, _writer(), reference_rewriter(settings.routing))
            healed: list[str] = []
            if write:
                require_safe(files, permitted=settings.unsafe_filesystem)
                healed = Recoverer(files, writer, settings.settle_seconds, settings.keep).recover(moment).notes
                if not force:
                    require_pages(root)
            with seldom_collected(), ExitStack() as stack:
                workspace = _assemble(writer, files, settings, moment, searching, stack)
                workspace.configuration = configuration
                workspace.is_live, workspace.healed, workspace.unusable = now is None, healed, unusable
                workspace.is_by_hand = lease is None
                try:
                    yield workspace
                    if unusable:
                        log.warning("%s", ConfigError(*unusable))
                finally:
                    for note in (*healed, *workspace.take_damage()):
                        log.warning("%s", show_line(note))
    finally:
        files.close()


def _settings_of(root: Path, known: Configuration | None, *, write: bool) -> tuple[Settings, Sequence[str]]:
    """The settings, and their problems: a command that only reads goes on without the settings that cannot be used."""
    if known:
        return known.settings, ()
    settings, problems = (load_settings(root / SETTINGS), ()) if write else load_usable_settings(root / SETTINGS)
    try:
        place_folders(root, settings.folders)
    except ConfigError as error:
        if write:
            raise
        problems = (*problems, *error.problems)
    return settings, problems


def _assemble(
    writer: TransactionWriter,
    files: BankFiles,
    settings: Settings,
    moment: datetime,
    searching: BankSearch | None,
    stack: ExitStack,
) -> Workspace:
    """Put the parts together; a command that only reads works on a disk that cannot be written, too."""
    root, own = files.root, files.root / ".bankd"
    catalog_db = CatalogDatabase(own / "catalogue.sqlite3", may_stay_in_memory=not writer.may_write)
    stack.callback(catalog_db.close)
    graph = LinkGraph(files, settings.links.roots, settings.routing, may_stay_in_memory=not writer.may_write)
    stack.callback(graph.database.close)
    catalog = PageMemoryCatalog(files, catalog_db, settings.settle_seconds, writer.own_writes)
    search = (lambda: searching) if searching else partial(make_search, root)
    door = None
    if settings.distil.is_on:
        door = ModelDoor(settings.distil, ReplyLog(files, _writer()), moment, read_monotonic, Event().wait)
        stack.callback(door.close)
    index = RunIndex(moment, writer.publish, catalog, search, is_ours=searching is None)
    stack.callback(index.close)
    return Workspace(
        root=root,
        settings=settings,
        now=moment,
        files=files,
        logs=LogFiles(files, catalog_db, settings.settle_seconds, settings.retain.anywhere),
        catalog=catalog,
        transactions=writer,
        index=index,
        graph=graph,
        recalls=RecallBuffer(root / "recall", settings.search.recall_minutes),
        open_ledger=partial(RunLedger, root),
        reports=RunReports(files, writer.staging),
        read_monotonic=read_monotonic,
        read_clock=read_clock,
        clock_trust=TrustedClock(files, writer.staging),
        traces=TextTraces(files, writer, catalog_db, index.close),
        imports=ImportedLogs(files, writer),
        models=door,
    )


@contextmanager
def _lock_of(files: BankFiles, moment: datetime, write: bool, given: Lock | None) -> Iterator[Lock]:
    """The lock of a workspace: the daemon's, or our own; taken to write, and borrowed if a daemon has it."""
    if given:
        yield given
        return
    lock, loan = Lock(files, moment.isoformat(timespec="seconds")), None
    try:
        try:
            if write:
                lock.take()
        except BusyError:
            with suppress(NoDaemonError):
                loan = borrow_lock(str(files.root))
            if loan is None:
                raise
            lock.take()  # BusyError if somebody was faster
        yield lock
    finally:
        lock.release()
        if loan is not None:
            loan.close()


def _writer() -> str:
    """The name of this machine's event files."""
    return re.sub(r"[^A-Za-z0-9]+", "-", socket.gethostname()).strip("-").lower() or "local"
