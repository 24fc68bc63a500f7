"""How a run's report is printed for people."""

from __future__ import annotations

from collections.abc import Mapping

from bankd.cli.printing import say, say_json, shortened, styled
from bankd.core.plan.plan import Plan
from bankd.core.plan.report import ReportRow, counts_of, plan_json, rows_of
from bankd.cycle import Report

_COLOURS = {"+": "green", "=": "dim", "~": "blue", "-": "yellow", "!": "red", ".": "dim"}


def print_report(plan: Plan, *, applied: bool, limit: int = 0) -> None:
    """Print the rows of a run and a last line with its counts; with a limit, only so many rows of each kind."""
    shown: dict[str, int] = {}
    rows = tuple(rows_of(plan))
    for row in rows:
        shown[row.kind] = shown.get(row.kind, 0) + 1
        if not limit or shown[row.kind] <= limit:
            _print_row(row)
        elif shown[row.kind] == limit + 1:
            say(styled(f"  … more of {row.kind}: bankctl show {plan.run}", "dim"))
    say(styled(_summary_of(plan.run, counts_of(rows), applied=applied), "bold"))


def tell(report: Report, *, as_json: bool) -> int:
    """Print what a run did, or would do."""
    if as_json:
        whole = {"kind": report.kind, "applied": report.is_applied, "notes": list(report.notes)}
        say_json(whole | plan_json(report.plan))
        return 0
    print_report(report.plan, applied=report.is_applied)
    for note in report.notes:
        say(styled(note, "yellow"))
    return 0


def _print_row(row: ReportRow) -> None:
    what = " ".join(part for part in (row.place, shortened(row.text, 90)) if part)
    say(f"{styled(row.sign, _COLOURS[row.sign])} {styled(row.kind, 'dim'):9} {styled(what)}")
    if row.reason:
        say(f"    {styled(shortened(row.reason, 110), 'dim')}")


def _summary_of(run: str, counts: Mapping[str, int], *, applied: bool) -> str:
    """One line: the run and how many of what."""
    said = ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "nothing new"
    return f"{run}: {said}" if applied else f"{run} would do: {said}. Nothing was written"
