"""`bankctl show`: a memory and its source, or what became of a log line.

`bankctl log`: the runs of a workspace, with what each did; empty, failed and missed ones too.

`bankctl undo`: take a run back.

How a run's report is printed for people.
"""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bankd.cli.base import add_dry_run, add_json, add_limit, add_now
from bankd.cli.location import open_named
from bankd.cli.page import Announcer
from bankd.cli.printing import Progress, padded, plain, reads_korean, say, say_answer, say_json, shortened, styled
from bankd.cycle import Report
from bankd.memory.plan import Plan
from bankd.memory.report import ReportRow, counts_of, plan_json, rows_of, tell_prose

if TYPE_CHECKING:
    from bankd.app.record import RunRows
    from bankd.app.show import ChangedFile, FoundMemory, RunPage
    from bankd.app.undo import Undone
    from bankd.memory.provenance import Trace

_RUN = re.compile(r"\d{8}T\d{6}-|\d{1,6}$")
LINE = re.compile(r"(?:\./)?memory/(?P<log>.+):(?P<line>\d{1,9})")


def show_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "what",
        metavar="ID|LINE|RUN",
        help="a memory id such as m-k3fba2xqb7te, a log line such as memory/2026-05-02.md:7, or a run",
    )
    add_now(parser)
    add_json(parser)


def show_command(arguments: Namespace) -> int:
    """Show it."""
    from bankd.app.show import find_memory, show_run, trace_log_line

    with open_named(arguments, write=False) as workspace:
        if found := LINE.fullmatch(arguments.what):
            return _show_line(trace_log_line(workspace, found["log"], int(found["line"])), as_json=arguments.json)
        if _RUN.match(arguments.what):
            return _print_run(show_run(workspace, arguments.what), as_json=arguments.json)
        return _show_memory(
            find_memory(workspace, arguments.what.removeprefix("^"), is_korean=reads_korean()), as_json=arguments.json
        )


def _show_line(trace: Trace, *, as_json: bool) -> int:
    fields = {"outcome": trace.outcome, "memory": trace.memory, "text": trace.text, "sentence": trace.sentence}
    return say_answer(
        {"place": str(trace.place), **fields},
        f"{styled(str(trace.place), 'bold')}  {styled(trace.outcome, 'cyan')}",
        f"  {styled(trace.text)}" if trace.text else "",
        f"  {styled(trace.sentence)}" + (f"  {styled('^' + trace.memory, 'dim')}" if trace.memory else ""),
        as_json=as_json,
    )


def _show_memory(found: FoundMemory, *, as_json: bool) -> int:
    from bankd.app.show import describe_memory

    asked = (f"? {question}" for question in found.questions)
    written = (f"a model wrote, to find it by: {text}" for text in found.written)
    strength = () if found.strength is None else (f"strength {found.strength:.2f}, where 1 is fresh",)
    return say_answer(
        describe_memory(found),
        *(styled(place, "bold") for place in found.places),
        f"  {plain(found.text)}" if found.text else "  no page holds it now",
        f"  {styled(f'tagged as {found.meaning}', 'dim')}" if found.meaning else "",
        f"  from {styled(found.source or 'the user: no log line has this id')}",
        f"  {styled(found.when, 'dim')}" if found.when else "",
        *(f"  {styled(line, 'dim')}" for line in (*asked, *written, *found.history, *strength)),
        as_json=as_json,
    )


_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_LONGEST = 400
"""Lines of differences that are printed of one file; `--json` has all."""


def _print_run(page: RunPage, *, as_json: bool) -> int:
    """Print the page of a run."""
    from bankd.memory.report import chapters_of

    if as_json:
        whole = {"rows": [asdict(row) for row in page.rows], "files": [asdict(file) for file in page.files]}
        say_json({"run": page.run, "status": page.row.get("status"), "at": page.row.get("at"), **whole})
        return 0
    _print_head(page.run, page.row)
    for title, rows in chapters_of(page.rows):
        say()
        say(styled(f"{title} ({len(rows)})", "bold"))
        for row in rows:
            _print_row(row)
    _print_files(page)
    return 0


def _print_head(run: str, row: Mapping[str, Any]) -> None:
    when = str(row["at"])[:16].replace("T", " ")
    say(f"{styled(run, 'bold')}  {styled(when, 'dim')}  {styled(str(row['status']), 'cyan')}")
    if row["status"] in {"failed", "refused"}:
        say(f"  {styled(str(row.get('note', '')).split(chr(10))[0], 'red')}")


def _print_row(row: ReportRow) -> None:
    say(f"  {styled(row.text or row.reason)}")
    rest = [row.place, row.reason if row.text else ""]
    if any(rest):
        say(f"    {styled('  '.join(part for part in rest if part), 'dim')}")


def _print_files(page: RunPage) -> None:
    say()
    if not page.files:
        changed_none = page.is_undoable or page.row["status"] == "empty"
        say("it changed no page" if changed_none else "what it changed in pages is not kept, or it changed none")
        return
    say(styled(f"Changed pages ({len(page.files)})", "bold"))
    for file in page.files:
        _print_file(file)
    say(styled(f"bankctl undo {page.run} takes it back", "dim"))


def _print_file(file: ChangedFile) -> None:
    note = " (new)" if file.is_new else " (gone)" if file.is_gone else ""
    say("  " + styled(file.path + note, "bold"))
    lines = file.diff[2:]
    for line in lines[:_LONGEST]:
        say("    " + styled(line, *([_COLOURS[line[0]]] if line[:1] in _COLOURS else [])))
    if len(lines) > _LONGEST:
        say(styled(f"    … {len(lines) - _LONGEST} more lines", "dim"))


def log_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_limit(parser, 20)
    parser.add_argument(
        "-f", "--follow", action="store_true", help="list them oldest first, then each new one as it ends"
    )
    add_json(parser)


def log_command(arguments: Namespace) -> int:
    """List the runs, newest first."""
    from bankd.app.show import list_runs

    with open_named(arguments, write=False) as workspace:
        rows, ledger = list_runs(workspace), workspace.recorder.open_ledger()
    shown = rows[: arguments.limit] if arguments.limit else rows
    if arguments.follow:
        _follow(ledger, shown[::-1], as_json=arguments.json)
        return 0
    said = "bankctl show RUN shows what a run changed; bankctl undo RUN takes it back" if rows else "no runs yet"
    return say_answer({"runs": shown}, *map(_line, shown), said, as_json=arguments.json)


def _follow(ledger: RunRows, rows: Iterable[dict[str, Any]], *, as_json: bool) -> None:
    """Print rows, then each new one, until interrupted."""
    import sys
    from itertools import chain

    from bankd.app.show import follow_runs

    for row in chain(rows, follow_runs(ledger)):
        say_json(row) if as_json else say(_line(row))
        sys.stdout.flush()


def _line(row: dict[str, Any]) -> str:
    colour = {"changed": "green", "failed": "red", "refused": "red", "missed": "yellow"}.get(str(row["status"]), "dim")
    counts = row.get("counts") or {}
    words = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    words = words or str(row.get("note", "")).split("\n")[0]
    when = str(row["at"])[:16].replace("T", " ")
    name = str(row["run"]) or f"{row['cycle']} of {row.get('slot', '')}"
    head = f"{when}  {styled(padded(name, 26), 'bold')}  {styled(padded(str(row['status']), 8), colour)}"
    return f"{head}  {styled(words)}".rstrip()


def undo_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("run_id", metavar="RUN", help="the run, as `bankctl log` names it")
    add_dry_run(parser)
    add_json(parser)


def undo_command(arguments: Namespace) -> int:
    """Say what stays, then take back the rest."""
    from bankd.app.undo import Undo

    announcer = Announcer("undoing this undo lets them lead there again", as_json=arguments.json)
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        undo = Undo(workspace, arguments.run_id)
        announcer(undo.dangling)
        if not arguments.json:
            _say_what_stays(undo.stays)
        undone = undo.foretell() if arguments.dry_run else undo.carry_out()
    if arguments.json:
        stays = list(dict.fromkeys([*undo.stays, *undone.stays]))
        applied = not arguments.dry_run
        said = {"run": undone.run, "undoes": arguments.run_id, "changed": undone.changed, "stays": stays}
        say_json({**said, "applied": applied, "dangling": announcer.rows})
    else:
        _tell(undone, is_dry=arguments.dry_run)
    return 0


def _say_what_stays(stays: list[str]) -> None:
    for words in stays:
        say(f"{styled('stays', 'yellow')} {styled(words)}")


def _tell(undone: Undone, *, is_dry: bool) -> None:
    for path in undone.changed:
        say(f"{styled('back', 'green')}  {styled(path)}")
    if is_dry:
        say("nothing was written")
        return
    _say_what_stays(list(undone.stays))
    if undone.changed:
        say(f"taken back; bankctl undo {undone.run} brings it again")
    else:
        say("nothing of it is left to take back")


_REPORTS_COLOURS = {"+": "green", "=": "dim", "~": "blue", "-": "yellow", "!": "red", ".": "dim"}


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
            _print_row_reports(row)
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


def _print_row_reports(row: ReportRow) -> None:
    what = " ".join(part for part in (row.place, shortened(row.text, 90)) if part)
    say(f"{styled(row.sign, _REPORTS_COLOURS[row.sign])} {styled(row.kind, 'dim'):9} {styled(what)}")
    if row.reason:
        say(f"    {styled(shortened(row.reason, 110), 'dim')}")


def _summary_of(run: str, counts: Mapping[str, int], *, applied: bool) -> str:
    """One line: the run and how many of what."""
    said = ", ".join(f"{number} {kind}" for kind, number in counts.items()) or "nothing new"
    return f"{run}: {said}" if applied else f"{run} would do: {said}. Nothing was written"
