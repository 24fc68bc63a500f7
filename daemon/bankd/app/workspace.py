"""A workspace opened for one command: what every use case works on, and a run of a cycle over it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from threading import Event as Waiter
from typing import Protocol

from bankd.app.import_sources import ImportLogs
from bankd.app.recording import Recorder
from bankd.app.run_index import RunIndex
from bankd.config import ConfigError, compile_finders
from bankd.config.workspace_config import Configuration, configure_run
from bankd.core.daemon.health import ClockTrust, cannot_be_told
from bankd.core.daemon.settle import is_just_saved
from bankd.core.edits.journal import Applied
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import Ledger
from bankd.core.lifecycle.retain import LogPlace, LogReading, identified_as
from bankd.core.markdown.names import is_outside
from bankd.core.markdown.policy import Settings
from bankd.core.secrets.screening import Finder
from bankd.cycle import CycleKind, Policy, Report, World, run_cycle
from bankd.distilling import DistilParts
from bankd.enriching import EnrichParts
from bankd.errors import UserError
from bankd.matching import MatchParts
from bankd.ports.bank import Graph, MemoryCatalog
from bankd.ports.logs import Logs, ProseLogs, Recalls
from bankd.ports.models import Enrichments, Models, UnaskedMemories
from bankd.ports.storage import Files, Traces, Transactions

_LOOK_SECONDS = 0.25


class ClockJudge(Protocol):
    """Whether the clock of this computer is believed."""

    def judge(self, *, remember: bool = False) -> ClockTrust:
        """Look at the clock, and remember for the next look what was found, or not."""

    def accept(self) -> ClockTrust:
        """Believe the clock from now on."""


class SuccessorTable(Protocol):
    """What was superseded, for search to mark."""

    def knows_superseded(self) -> bool:
        """Whether any was ever recorded; a table that was made anew does not know."""

    def record_superseded(self, newer: Mapping[str, str]) -> None:
        """Remember, by the ids of the older memories, which supersede them."""


class DerivedFile(Protocol):
    """A file made from the pages, that is made anew when it is damaged."""

    def take_made_anew(self) -> Sequence[str]:
        """What there is to say of damage, once."""


class WorkspaceLogs(Logs, ProseLogs, Protocol):
    """The logs of a workspace, as what runs read and as prose."""


@dataclass(frozen=True, slots=True)
class Outside:
    """What few use cases ask for: the clock, what was superseded, what is derived, where a text may be left."""

    read_clock: Callable[[str], datetime]
    clock_trust: ClockJudge
    successors: SuccessorTable
    derived: Sequence[DerivedFile]
    traces: Traces
    imports: ImportLogs
    enriched: Enrichments


@dataclass(slots=True)
class Workspace:
    """A workspace opened for one command; `now` is the moment of the command."""

    root: Path
    settings: Settings
    now: datetime
    files: Files
    logs: WorkspaceLogs
    catalog: MemoryCatalog
    transactions: Transactions
    index: RunIndex
    graph: Graph
    recalls: Recalls
    recorder: Recorder
    outside: Outside
    models: Models | None = None
    """The language model that the user named, if any."""
    unasked: UnaskedMemories | None = None
    """The memories that it was asked for before the lock was taken; None where a run asks."""
    configuration: Configuration | None = None
    is_live: bool = True
    """Whether `now` was read from the clock, and not given."""

    unusable: Sequence[str] = ()
    """What cannot be used of the settings; no run goes by what is left."""

    healed: list[str] = field(default_factory=list)
    """What the start put right on pages that people had saved, until a report has said it."""

    def policy(self, *, force: bool = False, remember: bool = False) -> Policy:
        """What a run goes by; `remember` that the clock was looked at. ConfigError where settings cannot be used."""
        if self.unusable:
            raise ConfigError(*self.unusable)
        held = self.configuration = self.configuration or configure_run(self.root, self.settings)
        is_frozen = self.is_live and self.outside.clock_trust.judge(remember=remember).is_frozen
        return Policy(held.settings, held.rules, held.finders, force, is_frozen)

    def finders(self) -> Sequence[Finder]:
        """What credentials look like, as far as the settings can be used."""
        return self.configuration.finders if self.configuration else compile_finders(self.settings.secrets.patterns)

    def read_log(self, log: str, ledger: Ledger) -> LogReading | None:
        """A log as it is now, its lines known by the name that it was first read under; None when there is none."""
        reading = self.logs.read(log)
        return identified_as(reading, ledger.identity_of(log)) if reading else None

    def run_batches(self, kind: CycleKind, *, dry_run: bool = False, force: bool = False) -> Iterator[Report]:
        """Run a cycle, and again as long as the logs hold more than one run takes in; each is a run with its own undo."""
        report = self.run_cycle(kind, dry_run=dry_run, force=force)
        yield report
        while report.rest:
            report = self.run_cycle(kind, force=force, start=report.rest.start)
            yield report

    def run_cycle(
        self, kind: CycleKind, *, dry_run: bool = False, force: bool = False, start: LogPlace | None = None
    ) -> Report:
        """Run one cycle, on the logs from `start` on."""
        policy = replace(self.policy(force=force, remember=not dry_run), start=start)
        if dry_run:
            report = run_cycle(kind, self.recorder.new_run(kind), self.now, self._world(), policy, dry_run=True)
        else:
            report = self._recorded(kind, policy)
        return replace(report, notes=(*report.notes, *self.take_damage(), *self._unreadable()))

    def take_damage(self) -> list[str]:
        """What was found damaged, and made anew or set aside, since the last time this was asked."""
        made_anew = [said for one in (*self.outside.derived, self.index) for said in one.take_made_anew()]
        return [*made_anew, *self.transactions.journals.take_set_aside()]

    def _unreadable(self) -> list[str]:
        """What there is to say of lines of events that this run could not read."""
        return [cannot_be_told(str(one)).text for one in self.transactions.corrupt]

    def _recorded(self, kind: CycleKind, policy: Policy) -> Report:
        with self.recorder.recording(kind) as record:
            report = run_cycle(kind, record.run, self.now, self._world(), policy)
            record.tell(report.plan)
            self._note_superseded_by(report)
        notes = (*self.healed, *report.notes)
        if self.recorder.is_by_hand:
            self.healed.clear()  # the daemon's log has them too
        return replace(report, notes=notes)

    def _note_superseded_by(self, report: Report) -> None:
        """Let search know what was superseded; all events are read again only where the run may have changed that."""
        table, known = self.outside.successors, report.successors
        if not report.plan.is_empty or not table.knows_superseded():
            table.record_superseded(self.transactions.ledger().successors() if known is None else known)

    def wait_until_settled(self) -> None:
        """Wait for files that others saved a moment ago, as long as the settle time at most; then it is now."""
        settle = self.settings.settle_seconds
        waiter = Waiter()
        for _ in range(int(settle / _LOOK_SECONDS) + 2):
            logs = self.files.survey("memory", self.now, settle, any_content=True).unsettled
            if not any(map(is_just_saved, (*logs.values(), *self.catalog.unsettled(self.now).values()))):
                return
            waiter.wait(_LOOK_SECONDS)
            self.now = self.recorder.now = self.outside.read_clock(self.settings.timezone)

    def _world(self) -> World:
        self.catalog.resting = self.transactions.journals.resting(self.now)
        parts = self.distilling(), self.enriching(), None if self.unasked else self.matching()
        return World(
            self.logs, self.catalog, self.transactions, self.index, self.index, self.graph, self.recalls, *parts
        )

    def distilling(self) -> DistilParts | None:
        """What turns prose into lines; None unless the user named a language model."""
        return DistilParts(self.logs, self.finders(), self.models, self.index) if self.models else None

    def enriching(self) -> EnrichParts | None:
        """What has questions written for memories; None unless the user named a language model."""
        return (
            EnrichParts(self.unasked or self.index, self.models, self.outside.enriched, self.finders())
            if self.models
            else None
        )

    def matching(self) -> MatchParts | None:
        """What has a model look at memories that are like each other; None unless the user named one."""
        return MatchParts(self.catalog, self.index, self.models, self.finders()) if self.models else None

    def refresh(self) -> None:
        """Bring what is derived from the pages up to date after a change outside a cycle."""
        self.catalog.refresh(self.now)
        self.outside.successors.record_superseded(self.transactions.ledger().successors())
        self.index.refresh(self.now)

    def commit(self, transaction: Transaction) -> Applied:
        """Do what a person asked for, all of it; UserError that names the pages that cannot be written, if any."""
        paths = {operation.path for operation in transaction.operations if not is_outside(operation.path)}
        closed = self.transactions.closed(paths)
        if closed:
            raise UserError(*(f"{path}: {why}; nothing was changed" for path, why in closed.items()))
        return self.transactions.commit(transaction)
