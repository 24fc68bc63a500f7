"""Records runs: what each cycle, and each command that changes the bank, did, or why it failed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING

from bankd.errors import BankError, RefusedError
from bankd.health.schedule import LedgerRow, RunOutcome
from bankd.memory.plan import Plan, new_run_id
from bankd.memory.report import ReportRow, counts_of, rows_of

if TYPE_CHECKING:
    from bankd.workspace.facts import RunLedger, RunReports


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


@dataclass(slots=True)
class Recorder:
    """Writes the ledger and the reports of a workspace. With `is_given`, `now` came from the user and not from the clock."""

    open_ledger: Callable[[], RunLedger]
    reports: RunReports
    read_monotonic: Callable[[], float]
    now: datetime
    is_by_hand: bool
    """Whether a command records, and not the daemon."""
    is_given: bool = False

    def new_run(self, kind: str) -> str:
        """A new id for a run."""
        return new_run_id(self.now, kind, {row.run for row in self.open_ledger().rows})

    @contextmanager
    def recording(self, kind: str, run: str = "") -> Iterator[RunRecord]:
        """Record how a run ends, also when it fails; StorageError when its report cannot be written."""
        record, began = RunRecord(run or self.new_run(kind)), self.read_monotonic()
        try:
            yield record
        except BankError as error:
            outcome = RunOutcome.REFUSED if isinstance(error, RefusedError) else RunOutcome.FAILED
            record.note = str(error)[:2000]
            self._note(kind, record, outcome, self.read_monotonic() - began)
            raise
        self._note(kind, record, RunOutcome.RAN, self.read_monotonic() - began)
        self.reports.keep(record.run, record.rows)

    def _note(self, kind: str, record: RunRecord, outcome: RunOutcome, seconds: float) -> None:
        counted = ", ".join(f"{count} {name}" for name, count in record.counts.items())
        row = LedgerRow(
            self.now,
            kind,
            outcome,
            seconds=seconds,
            note=record.note or counted or "nothing new",
            by_hand=self.is_by_hand,
            run=record.run,
            counts=record.counts,
            changed=record.is_changed,
            given=self.is_given,
        )
        self.open_ledger().add(row)
