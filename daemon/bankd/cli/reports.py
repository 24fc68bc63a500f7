"""How a run's report is printed for people."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping

from bankd.cli.printing import Progress, say, say_json, shortened, styled
from bankd.core.plan.plan import Plan
from bankd.core.plan.report import ReportRow, counts_of, plan_json, rows_of, tell_prose
from bankd.cycle import Report

_COLOURS = {"+": "green", "=": "dim", "~": "blue", "-": "yellow", "!": "red", ".": "dim"}


_LONG = 100
"""Rows of a report that are printed without being asked for; of a longer one `_FIRST` of each kind."""

_FIRST = 3


def print_report(plan: Plan, *, applied: bool, is_whole: bool = False) -> None:
    """Print the rows of a run, of many only the first of each kind, and a last line with its counts."""
    rows = tuple(rows_of(plan))
    counts, shown = counts_of(rows), Counter[str]()
    is_short = is_whole or len(rows) <= _LONG
    for row in rows:
        shown[row.kind] += 1
        if is_short or shown[row.kind] <= _FIRST:
            _print_row(row)
        elif shown[row.kind] == counts[row.kind]:
            all_ = f"bankctl show {plan.run}" if applied else "-v"
            say(styled(f"  … and {counts[row.kind] - _FIRST} more {row.kind}: {all_}", "dim"))
    say(styled(_summary_of(plan.run, counts, applied=applied), "bold"))
    if plan.prose:
        say(styled(tell_prose(plan.prose), "dim"))


def tell(report: Report, *, as_json: bool, is_whole: bool = False) -> int:
    """Print what a run did, or would do."""
    if as_json:
        whole = {"kind": report.kind, "applied": report.is_applied, "notes": list(report.notes)}
        say_json(whole | plan_json(report.plan))
        return 0
    print_report(report.plan, applied=report.is_applied, is_whole=is_whole)
    for note in report.notes:
        say(styled(note, "yellow"))
    return 0


def show_progress(reports: Iterable[Report]) -> Iterator[Report]:
    """The reports of batches, with a bar of the logs that are done while more are to come."""
    bar, left = None, 0
    for report in reports:
        if bar:
            bar.close()
        yield report
        if report.rest:
            bar = bar or Progress("history", report.rest.logs)
            bar.step(report.rest.start.log, max(left - report.rest.logs, 0))
            left = report.rest.logs


def _print_row(row: ReportRow) -> None:
    what = " ".join(part for part in (row.place, shortened(row.text, 90)) if part)
    say(f"{styled(row.sign, _COLOURS[row.sign])} {styled(row.kind, 'dim'):9} {styled(what)}")
    if row.reason:
        say(f"    {styled(shortened(row.reason, 110), 'dim')}")


def _summary_of(run: str, counts: Mapping[str, int], *, applied: bool) -> str:
    """One line: the run and how many of what."""
    said = ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "nothing new"
    return f"{run}: {said}" if applied else f"{run} would do: {said}. Nothing was written"
