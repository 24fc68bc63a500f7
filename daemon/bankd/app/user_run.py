"""What a person asks for outside a cycle: checked, committed and reported by the same rules as what a cycle does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bankd.app.workspace import Workspace
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import Ledger, make_event
from bankd.core.plan.closing import leave_out
from bankd.core.plan.plan import Plan
from bankd.core.plan.report import ReportRow
from bankd.cycle import Report, check_plan, closed_for
from bankd.errors import UserError
from bankd.ports.bank import MemoryCatalog
from bankd.relinking import relink_plan

Said: TypeAlias = tuple[str, str, Mapping[str, object]]
"""An event that a person causes: its type, what is said of, and the facts."""


@dataclass(frozen=True, slots=True)
class UserRun:
    """One thing that a person asked for, over the bank as it is now; its plan is empty to begin with."""

    workspace: Workspace
    name: str
    plan: Plan
    catalog: MemoryCatalog
    ledger: Ledger

    def carry_out(self, plan: Plan, *, force: bool = False, dry_run: bool = False) -> Report:
        """Check a plan and commit it, or stop there; raises RefusedError beyond the budget, InvariantError for a bug."""
        workspace = self.workspace
        workspace.graph.refresh()
        closed = closed_for(plan, workspace.transactions)
        plan = leave_out(plan, closed)
        if closed and plan.is_empty:
            raise UserError(*(f"{path}: {why}; nothing was changed" for path, why in closed.items()))
        plan = relink_plan(plan, workspace.graph, self.catalog.read)
        plan = leave_out(plan, closed_for(plan, workspace.transactions))
        check_plan(plan, self.catalog, workspace.graph, workspace.policy(force=force or dry_run))
        if dry_run:
            return Report(self.name, plan, is_applied=False)
        if plan.is_empty:
            return Report(self.name, plan, is_applied=True)
        with workspace.recorder.recording(self.name, plan.run) as record:
            conflicts = workspace.transactions.commit(replace(plan.transaction, kind=self.name)).conflicts
            record.tell(plan)
        workspace.refresh()
        return Report(self.name, plan, is_applied=True, notes=tuple(conflicts))


def record_events(
    workspace: Workspace, kind: str, said: Iterable[Said], counts: Mapping[str, int], rows: Sequence[ReportRow]
) -> None:
    """Record as a run of this kind what a person said, which changes no page; each event is one of this run."""
    with workspace.recorder.recording(kind) as record:
        events = tuple(
            make_event(name, f"{key}@{record.run}", workspace.now, run=record.run, **facts) for name, key, facts in said
        )
        workspace.commit(Transaction(record.run, workspace.now.isoformat(timespec="seconds"), (), events, kind))
        record.is_changed, record.counts, record.rows = True, counts, rows


def begin_run(workspace: Workspace, name: str) -> UserRun:
    """Look at the bank and the events, and take a run id."""
    if workspace.is_live:
        workspace.wait_until_settled()
    workspace.catalog.refresh(workspace.now)
    plan = Plan(workspace.recorder.new_run(name), workspace.now)
    return UserRun(workspace, name, plan, workspace.catalog, workspace.transactions.ledger())
