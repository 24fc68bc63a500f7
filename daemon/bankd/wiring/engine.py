"""A workspace as the daemon holds it: locked for its life, with the settings that were good when last read."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.adapters.clock import read_clock
from bankd.adapters.lock import Lock
from bankd.adapters.runs import RunHistory
from bankd.adapters.tree import Tree
from bankd.core.health import BankFacts
from bankd.core.policy import Settings
from bankd.core.report import counts_of, plan_json
from bankd.core.schedule_rows import Row
from bankd.core.watching import Changes
from bankd.cycle import Kind
from bankd.errors import UserError
from bankd.wiring.catching_up import MANY, catch_up_apart
from bankd.wiring.facts import bank_facts
from bankd.wiring.finder import Finder
from bankd.wiring.workspace import Configuration, Tenancy, Workspace, load_configuration, open_workspace


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run did: a line for people, and the whole for programs; logs may have been too fresh to be read."""

    line: str
    report: dict[str, Any]
    has_waiting_logs: bool = False


class Engine:
    """Runs cycles and answers questions.

    Whatever writes (`run`, `settle_index`, `lend`, `retake`) must come one at a time; the rest from any thread.
    """

    def __init__(self, root: Path, configuration: Configuration) -> None:
        """Take the lock; raises BusyError when another process has it, UserError when there is no writing here."""
        self.root = root
        self._configuration = configuration
        self._changing = threading.Lock()
        self._tree = Tree(root)
        started = self._now().isoformat(timespec="seconds")
        self._lock = Lock(self._tree, started)
        try:
            self._lock.take()
        except BaseException:
            self._tree.close()
            raise
        self.finder = Finder(root, configuration.settings)

    @property
    def settings(self) -> Settings:
        """The settings in force."""
        return self._configuration.settings

    def reload(self) -> None:
        """Read settings and rules again; raises ConfigError, and goes on by the old ones, when they cannot be used."""
        with self._changing:
            self._configuration = load_configuration(self.root)
            self.finder.adopt(self._configuration.settings)

    def recover(self) -> None:
        """Finish what a crash interrupted."""
        with self._working():
            pass

    def run(self, kind: Kind, *, force: bool = False) -> RunSummary:
        """Run a cycle and make searchable what it did; raises what the cycle raises."""
        self._make_ready()
        with self._working() as workspace:
            report = workspace.run_cycle(kind, force=force)
        counts = ", ".join(f"{count} {name}" for name, count in counts_of(report.plan).items())
        whole = {"kind": kind, "applied": report.is_applied, "notes": list(report.notes)}
        # Only those: a log that waits for anything else waits for its next change.
        waiting = any(
            d.what.startswith("memory/") and d.reason.startswith("changed less") for d in report.plan.deferred
        )
        return RunSummary(counts or "nothing new", whole | plan_json(report.plan), waiting)

    def take_in(self, changes: Changes) -> None:
        """Make searchable what changed on disk, at once if not thoroughly; `settle_index` is to follow."""
        pages = [path.removeprefix("bank/") for path in changes.paths if path.startswith("bank/")]
        if len(pages) < MANY or not catch_up_apart(self.root, soon=True):
            self.finder.take_in(pages, self._now())

    def settle_index(self) -> None:
        """Read thoroughly what was only read at once, and bring the tree file up to date."""
        self._make_ready()
        with self._working() as workspace:
            workspace.index.refresh(workspace.now)

    def search(self, request: dict[str, Any], pending: int) -> dict[str, Any]:
        """Answer a search; `pending` is how many changed files are known not to be in the index yet."""
        return self.finder.answer(request, self._now(), pending)

    def facts(self, pending: int, pages: int) -> BankFacts:
        """How bank and index stand, by what the watcher knows of the files."""
        return bank_facts(self.root, self.finder.facts(pending), pages, self.settings.split.warn_kib)

    def tidy(self) -> None:
        """End the analyser's process when it was idle for long."""
        self.finder.tidy()

    def note_missed(self, row: Row) -> None:
        """Have `bankctl log` show a run that was not made when it was due; raises StorageError."""
        if row.slot is None:
            return
        fields = {"slot": row.slot.key, "due": row.slot.due.isoformat(), "made_up": row.made_up}
        RunHistory(self._tree).note("", row.job, row.at, "missed", **fields)

    def lend(self) -> None:
        """Let another process of the user write for a while."""
        self._lock.release()

    def retake(self) -> None:
        """Be the writer again; raises BusyError while the other still writes."""
        self._lock.take()

    def close(self) -> None:
        """Let go of the workspace."""
        self.finder.close()
        self._lock.release()
        self._tree.close()

    def _make_ready(self) -> None:
        if self.finder.needs_many(MANY):
            catch_up_apart(self.root)

    @contextmanager
    def _working(self) -> Iterator[Workspace]:
        worked = False
        try:
            with open_workspace(self.root, tenancy=self._tenancy) as workspace:
                yield workspace
            worked = True
        finally:
            self.finder.end_run(worked=worked)

    @property
    def _tenancy(self) -> Tenancy:
        return Tenancy(self._lock, self._configuration, self.finder.for_runs)

    def _now(self) -> datetime:
        return read_clock(self.settings.timezone)


def open_engine(root: Path) -> Engine:
    """Read the settings, take the lock, and finish what a crash interrupted; UserError where one cannot write."""
    try:
        engine = Engine(root, load_configuration(root))
    except OSError as error:
        raise UserError(f"{error.filename or root}: {error.strerror}") from error
    try:
        engine.recover()
    except OSError as error:
        engine.close()
        raise UserError(f"{error.filename or root}: {error.strerror}") from error
    except BaseException:
        engine.close()
        raise
    return engine
