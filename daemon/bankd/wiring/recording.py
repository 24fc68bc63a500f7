"""The one recorder of runs: what every cycle and every command that changes the bank did, or why it could not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bankd.adapters.system.clock import read_monotonic
from bankd.adapters.workspace.run_ledger import RunLedger, read_ledger
from bankd.adapters.workspace.run_reports import RunReports
from bankd.core.daemon.schedule_rows import LedgerRow, RunOutcome
from bankd.core.plan.plan import Plan, new_run_id
from bankd.core.plan.report import ReportRow, counts_of, rows_of
from bankd.errors import BankError, RefusedError


@dataclass(slots=True)
class RunRecord:
    """What a run says of itself when it ends; until then it has changed nothing."""

    run: str
    is_changed: bool = False
    counts: Mapping[str, int] = field(default_factory=dict)
    rows: Sequence[ReportRow] = ()
    note: str = ""

    def tell(self, plan: Plan) -> None:
        """Take what a plan that was carried out says of itself."""
        self.is_changed, self.rows = not plan.is_empty, tuple(rows_of(plan))
        self.counts = counts_of(self.rows)


@dataclass(frozen=True, slots=True)
class Recorder:
    """Writes ledger and reports of a workspace; `is_given` says that `now` was given and not read from the clock."""

    root: Path
    reports: RunReports
    now: datetime
    is_by_hand: bool
    is_given: bool

    def new_run(self, kind: str) -> str:
        """An id for a run that begins."""
        return new_run_id(self.now, kind, {row.run for row in read_ledger(self.root)})

    @contextmanager
    def recording(self, kind: str, run: str = "") -> Iterator[RunRecord]:
        """Note how a run ends, whatever end it is; StorageError when the disk does not take its report."""
        record, began = RunRecord(run or self.new_run(kind)), read_monotonic()
        try:
            yield record
        except BankError as error:
            outcome = RunOutcome.REFUSED if isinstance(error, RefusedError) else RunOutcome.FAILED
            record.note = str(error)[:2000]
            self._note(kind, record, outcome, read_monotonic() - began)
            raise
        self._note(kind, record, RunOutcome.RAN, read_monotonic() - began)
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
        RunLedger(self.root).add(row)
