"""A workspace opened for one command: what every use case works on, how it runs a cycle, and how runs are recorded.

What a person asks for outside a cycle is checked, committed and reported by the same rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from threading import Event as Waiter
from typing import TYPE_CHECKING, TypeAlias

from bankd.app.index import RunIndex
from bankd.config.workspace import ConfigError, Configuration, compile_finders, configure_run
from bankd.cycle import CycleKind, Policy, Report, check_plan, closed_for, run_cycle
from bankd.edits.operations import Operation
from bankd.edits.settle import is_just_saved
from bankd.edits.transaction import Applied, Transaction
from bankd.errors import BankError, RefusedError, UserError
from bankd.health.health import tell_unread
from bankd.health.schedule import LedgerRow, RunOutcome
from bankd.memory.ledger import Ledger, make_event
from bankd.memory.links import relink_plan
from bankd.memory.plan import Plan, leave_out
from bankd.memory.report import ReportRow, counts_of, rows_of, with_masked
from bankd.memory.retain import LogPlace, LogReading, identified_as
from bankd.memory.route import RenamedPages
from bankd.memory.use import Fading
from bankd.night.asking import NightParts, Prompt, Reply, Unanswered
from bankd.ports import Models
from bankd.secrets.screening import Finder
from bankd.settings import Settings

if TYPE_CHECKING:
    from bankd.index.sources import RecallBuffer
    from bankd.storage.transactions import TransactionWriter
    from bankd.storage.tree import BankFiles
    from bankd.workspace.catalog import PageMemoryCatalog
    from bankd.workspace.facts import RunLedger, RunReports, TextTraces, TrustedClock
    from bankd.workspace.graph import LinkGraph
    from bankd.workspace.logs import ImportedLogs, LogFiles

_LOOK_SECONDS = 0.25


@dataclass(slots=True)
class RunRecord:
    """What is recorded of a run when it ends; a run fills it in."""

    run: str
    is_changed: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    rows: Sequence[ReportRow] = ()
    note: str = ""

    def tell(self, plan: Plan) -> None:
        """Fill it in from a plan that was carried out."""
        self.is_changed, self.rows = not plan.is_empty, tuple(rows_of(plan))
        self.counts = counts_of(self.rows)

    def join(self, part: RunRecord) -> None:
        """Take in what a part of this run did."""
        self.is_changed |= part.is_changed
        self.counts, self.rows = Counter(self.counts) + Counter(part.counts), (*self.rows, *part.rows)


@dataclass(slots=True)
class Workspace:
    """A workspace opened for one command; `now` is the time of the command."""

    root: Path
    settings: Settings
    now: datetime
    files: BankFiles
    logs: LogFiles
    catalog: PageMemoryCatalog
    transactions: TransactionWriter
    index: RunIndex
    graph: LinkGraph
    recalls: RecallBuffer
    open_ledger: Callable[[], RunLedger]
    reports: RunReports
    read_monotonic: Callable[[], float]
    read_clock: Callable[[str], datetime]
    clock_trust: TrustedClock
    traces: TextTraces
    imports: ImportedLogs
    models: Models | None = None
    """The language model that the user named, if any."""
    unanswered: Mapping[str, str] = field(default_factory=dict)
    """Why the model gave no answer before this run, by digest of the prompt; a run itself only uses kept replies."""
    configuration: Configuration | None = None
    is_live: bool = True
    """Whether `now` was read from the clock, and not given."""
    is_by_hand: bool = True
    """Whether a command works on it, and not the daemon."""
    unusable: Sequence[str] = ()
    """The problems of the settings; no run starts while there is one."""
    healed: list[str] = field(default_factory=list)
    """What the start repaired on pages that people had saved; kept until a report has mentioned it."""
    whole: RunRecord | None = None
    """The run that is being recorded: what is recorded until it ends is a part of it, and one undo takes back all."""

    def policy(self, *, force: bool = False, remember: bool = False) -> Policy:
        """The policy of a run; `remember` as for the clock. ConfigError if settings cannot be used."""
        if self.unusable:
            raise ConfigError(*self.unusable)
        held = self.configuration = self.configuration or configure_run(self.root, self.settings)
        is_frozen = self.is_live and self.clock_trust.judge(remember=remember).is_frozen
        return Policy(held.settings, held.rules, held.finders, force, is_frozen)

    def finders(self) -> Sequence[Finder]:
        """The patterns of credentials, as far as the settings can be used."""
        return self.configuration.finders if self.configuration else compile_finders(self.settings.secrets.patterns)

    def read_log(self, log: str, ledger: Ledger) -> LogReading | None:
        """A log as it is now, with ids made from the name under which it was first read; None when there is no log."""
        if (reading := self.logs.read(log)) is None:
            return None
        return identified_as(with_masked(reading, self.logs.text(log), self.finders()), ledger.identity_of(log))

    @property
    def is_dry(self) -> bool:
        """Whether it was opened without the lock: a use case then only tells what it would do."""
        return not self.transactions.may_write

    def run_batches(self, kind: CycleKind, *, force: bool = False) -> Iterator[Report]:
        """Run a cycle, and again while the logs hold more than one run may take in; each run has its own undo."""
        report = self.run_cycle(kind, force=force)
        yield report
        while report.rest:
            report = self.run_cycle(kind, force=force, start=report.rest)
            yield report

    def run_cycle(self, kind: CycleKind, *, force: bool = False, start: LogPlace | None = None) -> Report:
        """Run one cycle, on the logs from `start` on."""
        policy = replace(self.policy(force=force, remember=not self.is_dry), start=start)
        self.catalog.resting = self.transactions.journals.resting(self.now)
        notes: list[str] = []
        if self.is_dry:
            report = run_cycle(kind, self.new_run(kind), self, policy)
        else:
            with self.recording(kind) as record:
                night = self.night(AnsweredBefore(self.models, self.unanswered)) if self.models else None
                report = run_cycle(kind, record.run, self, policy, night)
                record.tell(report.plan)
                is_known = report.plan.is_empty and self.catalog.database.knows_relations()
                if kind == "reflect" or not is_known:  # else no event needs to be read again
                    self.tell_search(report.ledger)
            notes += self.healed
            if self.is_by_hand:
                self.healed.clear()  # the daemon's log has them too
        unread = [tell_unread(str(one)) for one in self.transactions.events.corrupt]
        return replace(report, notes=(*notes, *report.notes, *self.take_damage(), *unread))

    def new_run(self, kind: str) -> str:
        """A new id for a run: its time and kind, with a number when that id is taken. A part of a run has the id of the whole."""
        if self.whole:
            return self.whole.run
        first, taken = f"{self.now:%Y%m%dT%H%M%S}-{kind}", {row.run for row in self.open_ledger().rows}
        numbered = (first if n == 1 else f"{first}-{n}" for n in count(1))
        return next(run for run in numbered if run not in taken)

    @contextmanager
    def recording(self, kind: str, run: str = "") -> Iterator[RunRecord]:
        """Record how a run ends, also when it fails; StorageError when its report cannot be written."""
        record, began, whole = RunRecord(run or self.new_run(kind)), self.read_monotonic(), self.whole
        self.whole = whole or record
        try:
            yield record
        except BankError as error:
            outcome = RunOutcome.REFUSED if isinstance(error, RefusedError) else RunOutcome.FAILED
            record.note = str(error)[:2000]
            self._note(kind, record, outcome, self.read_monotonic() - began)
            raise
        finally:
            self.whole = whole
        if whole:
            whole.join(record)
            return
        self._note(kind, record, RunOutcome.RAN, self.read_monotonic() - began)
        self.reports.keep(record.run, record.rows)

    def _note(self, kind: str, record: RunRecord, outcome: RunOutcome, seconds: float) -> None:
        row = LedgerRow(
            self.now,
            kind,
            outcome,
            seconds=seconds,
            note=record.note or ", ".join(f"{count} {name}" for name, count in record.counts.items()) or "nothing new",
            by_hand=self.is_by_hand,
            run=record.run,
            counts=record.counts,
            changed=record.is_changed,
            given=not self.is_live,
        )
        self.open_ledger().add(row)

    def take_damage(self) -> list[str]:
        """Notes on what was found damaged, and made anew or set aside, since the last call."""
        made_anew = [said for one in (self.catalog.database, self.graph.database) for said in one.take_made_anew()]
        return [*made_anew, *self.index.take_made_anew(), *self.transactions.journals.take_set_aside()]

    def wait_until_settled(self) -> None:
        """Wait, at most for the settle time, for files that others saved a moment ago; then set `now` anew."""
        settle = self.settings.settle_seconds
        waiter = Waiter()
        for _ in range(int(settle / _LOOK_SECONDS) + 2):
            logs = self.files.survey("memory", self.now, settle, any_content=True).unsettled
            if not any(map(is_just_saved, (*logs.values(), *self.catalog.unsettled(self.now).values()))):
                return
            waiter.wait(_LOOK_SECONDS)
            self.now = self.read_clock(self.settings.timezone)

    def night(self, models: Models) -> NightParts:
        """The parts that a night with this model needs."""
        return NightParts(self.logs, self.finders(), models, self.catalog, self.index)

    def refresh(self) -> None:
        """Bring all that is made from the pages up to date after a change outside a cycle."""
        self.catalog.refresh(self.now)
        self.tell_search()
        self.index.refresh(self.now)

    def tell_search(self, known: Ledger | None = None) -> None:
        """Tell search which memories are or may be superseded, the projects of memories, and the pages on which none fades.

        `known` is the ledger as it is now; without it the events are read.
        """
        ledger = known or self.transactions.ledger()
        kept, asked = self.fading().kept, ledger.asked_about()
        self.catalog.database.record_relations(ledger.successors(), ledger.projects(), kept, asked)

    def fading(self) -> Fading:
        """How opinions fade, with the present names of the pages on which none fades."""
        return Fading.of(self.settings.decay, RenamedPages(self.transactions.ledger(), self.catalog.pages_of).name_now)

    def read_anew(self) -> Ledger:
        """Read the bank and the events as they are now; gives what the events say."""
        if self.is_live:
            self.wait_until_settled()
        self.catalog.refresh(self.now)
        return self.transactions.ledger()

    def carry_out(self, kind: str, *, force: bool = False, **changes: object) -> Report:
        """Check a plan of these changes and commit it as a run; RefusedError beyond the budget, InvariantError for a bug."""
        plan = Plan(self.new_run(kind), self.now).with_(**changes)
        self.graph.refresh()
        closed = closed_for(plan, self.transactions)
        plan = leave_out(plan, closed)
        if closed and plan.is_empty:
            raise UserError(*(f"{path}: {why}; nothing was changed" for path, why in closed.items()))
        plan = relink_plan(plan, self.graph, self.catalog.read)
        plan = leave_out(plan, closed_for(plan, self.transactions))
        check_plan(plan, self.catalog, self.graph, self.policy(force=force or self.is_dry))
        if self.is_dry or plan.is_empty:
            return Report(kind, plan, is_applied=not self.is_dry)
        with self.recording(kind, plan.run) as record:
            conflicts = self.transactions.commit(replace(plan.transaction, kind=kind)).conflicts
            record.tell(plan)
        self.refresh()
        return Report(kind, plan, is_applied=True, notes=tuple(conflicts))

    def commit(self, transaction: Transaction) -> Applied:
        """Commit all of what a person asked for, or UserError with the pages that cannot be written."""
        if closed := closed_for(transaction, self.transactions):
            raise UserError(*(f"{path}: {why}; nothing was changed" for path, why in closed.items()))
        return self.transactions.commit(transaction)


class AnsweredBefore:
    """A model as a run sees it: a run holds the lock, so it only uses earlier answers and asks nothing."""

    def __init__(self, models: Models, unanswered: Mapping[str, str]) -> None:
        """Take the model, and why it did not answer, by the digest of the prompt."""
        self._models, self._unanswered = models, unanswered

    def find(self, prompt: Prompt) -> Reply | None:
        """The reply that was kept."""
        return self._models.find(prompt)

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """The kept replies. A prompt that changed since the model was asked has no reply, and so stays unanswered."""
        late = "it changed while the model was asked"
        return [self.find(one) or Unanswered(self._unanswered.get(one.digest, late)) for one in prompts]


Said: TypeAlias = tuple[str, str, Mapping[str, object]]
"""An event that a person causes: its type, its key, and the facts."""


def record_run(
    workspace: Workspace,
    kind: str,
    counts: Mapping[str, int],
    rows: Sequence[ReportRow],
    *,
    said: Iterable[Said] = (),
    operations: Sequence[Operation] = (),
) -> Applied:
    """Carry out as a run of this kind what a person said, and what it changes on pages; nothing in a dry workspace."""
    if workspace.is_dry:
        return Applied(0)
    with workspace.recording(kind) as record:
        run, now = record.run, workspace.now
        events = tuple(make_event(name, f"{key}@{run}", now, run=run, **facts) for name, key, facts in said)
        applied = workspace.commit(Transaction(run, now.isoformat(timespec="seconds"), tuple(operations), events, kind))
        record.is_changed, record.counts, record.rows = bool(events or applied.changed), counts, rows
        applied.run = run
    if operations:
        workspace.refresh()
    return applied
