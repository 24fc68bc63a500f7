"""`bankctl show`, `log`, `undo` and `cycle`: runs and what they did; how the report of a run is printed for people."""

from __future__ import annotations

import re
import sys
from argparse import Namespace
from collections import Counter
from dataclasses import asdict
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

from bankd.cli.base import bare_id
from bankd.cli.location import find_workspace, open_named
from bankd.cli.page import Announcer
from bankd.cli.printing import Progress, padded, plain, say, say_answer, say_json, shortened, styled
from bankd.errors import UserError
from bankd.translate import reads_korean
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from bankd.app.show import ChangedFile, FoundMemory, RunPage
    from bankd.app.workspace import Workspace
    from bankd.cycle import Report
    from bankd.memory.plan import Plan
    from bankd.memory.provenance import Trace


LINE = re.compile(r"(?:\./)?memory/(?P<log>.+):(?P<line>\d{1,9})")


def show_command(arguments: Namespace) -> int:
    """Show a log line, a run or a memory."""
    from bankd.app.show import find_memory, show_run, trace_log_line

    what = arguments.what
    with open_named(arguments, write=False) as workspace:
        if line := LINE.fullmatch(what):
            return _show_line(trace_log_line(workspace, line["log"], int(line["line"])), as_json=arguments.json)
        if re.match(r"\d{8}T\d{6}-|\d{1,6}$", what):
            return _show_run(show_run(workspace, what), as_json=arguments.json)
        return _show_memory(find_memory(workspace, bare_id(what), is_korean=reads_korean()), as_json=arguments.json)


def _show_line(trace: Trace, *, as_json: bool) -> int:
    fields = {"outcome": trace.outcome, "memory": trace.memory, "text": trace.text, "sentence": trace.sentence}
    head = f"{styled(str(trace.place), 'bold')}  {styled(_(trace.outcome), 'cyan')}"
    text = f"  {styled(trace.text)}" if trace.text else ""
    fate = f"  {styled(_(trace.sentence))}" + (f"  {styled('^' + trace.memory, 'dim')}" if trace.memory else "")
    return say_answer({"place": str(trace.place), **fields}, head, text, fate, as_json=as_json)


def _show_memory(found: FoundMemory, *, as_json: bool) -> int:
    from bankd.app.show import describe_memory

    asked = (f"? {question}" for question in found.questions)
    strength = () if found.strength is None else (_(f"strength {found.strength:.2f}, where 1 is fresh"),)
    return say_answer(
        describe_memory(found),
        *(styled(place, "bold") for place in found.places),
        f"  {plain(found.text)}" if found.text else "  " + _("no page holds it now"),
        f"  {styled(_(f'tagged as {found.meaning}'), 'dim')}" if found.meaning else "",
        "  " + _(f"from {styled(found.source or _('the user: no log line has this id'))}"),
        f"  {styled(found.when, 'dim')}" if found.when else "",
        *(f"  {styled(line, 'dim')}" for line in (*asked, *map(_, found.history), *strength)),
        as_json=as_json,
    )


def _show_run(page: RunPage, *, as_json: bool) -> int:
    from bankd.memory.report import chapters_of

    row = page.row
    if as_json:
        whole = {"rows": [asdict(row) for row in page.rows], "files": [asdict(file) for file in page.files]}
        say_json({"run": page.run, "status": row.get("status"), "at": row.get("at"), **whole})
        return 0
    say(f"{styled(page.run, 'bold')}  {styled(_minute(row), 'dim')}  {styled(_(str(row['status'])), 'cyan')}")
    if row["status"] in {"failed", "refused"}:
        say(f"  {styled(_(_first_note(row)), 'red')}")
    for title, rows in chapters_of(page.rows):
        say("\n" + styled(f"{_(title)} ({len(rows)})", "bold"))
        for one in rows:
            say(f"  {styled(one.text or _(one.reason))}")
            if rest := "  ".join(filter(None, [one.place, _(one.reason) if one.text else ""])):
                say(f"    {styled(rest, 'dim')}")
    say()
    if page.files:
        say(styled(_(f"Changed pages ({len(page.files)})"), "bold"))
        for file in page.files:
            _print_file(file)
        say(styled(_(f"to undo this run: bankctl undo {page.run}"), "dim"))
    elif page.is_undoable or row["status"] == "empty":
        say(_("it changed no page"))
    else:
        say(_("its changes are no longer kept, or it changed no page"))
    return 0


def _print_file(file: ChangedFile) -> None:
    note = f" ({_('new')})" if file.is_new else f" ({_('gone')})" if file.is_gone else ""
    say("  " + styled(file.path + note, "bold"))
    colours, lines, most = {"+": ["green"], "-": ["red"], "@": ["cyan"]}, file.diff[2:], 400
    for line in lines[:most]:
        say("    " + styled(line, *colours.get(line[:1], [])))
    if len(lines) > most:
        say(styled("    " + _(f"… {len(lines) - most} more lines; --json has all"), "dim"))


def _minute(row: Mapping[str, Any]) -> str:
    return str(row["at"])[:16].replace("T", " ")


def _first_note(row: Mapping[str, Any]) -> str:
    return str(row.get("note", "")).split("\n")[0]


def log_command(arguments: Namespace) -> int:
    """List the runs, newest first, the empty, failed and missed ones too."""
    from bankd.app.show import follow_runs, list_runs

    with open_named(arguments, write=False) as workspace:
        rows, ledger = list_runs(workspace), workspace.recorder.open_ledger()
    shown = rows[: arguments.limit] if arguments.limit else rows
    if arguments.follow:
        for row in chain(shown[::-1], follow_runs(ledger)):  # until interrupted
            say_json(row) if arguments.json else say(_line(row))
            sys.stdout.flush()
        return 0
    said = _("bankctl show RUN shows what a run changed; bankctl undo RUN undoes it") if rows else _("no runs yet")
    return say_answer({"runs": shown}, *map(_line, shown), said, as_json=arguments.json)


def _line(row: dict[str, Any]) -> str:
    colour = {"changed": "green", "failed": "red", "refused": "red", "missed": "yellow"}.get(str(row["status"]), "dim")
    words = ", ".join(_(f"{number} {what}") for what, number in (row.get("counts") or {}).items() if number)
    name = str(row["run"]) or f"{row['cycle']} {row.get('slot', '')}"
    head = f"{styled(padded(name, 26), 'bold')}  {styled(padded(_(str(row['status'])), 8), colour)}"
    return f"{_minute(row)}  {head}  {styled(words or _(_first_note(row)))}".rstrip()


def undo_command(arguments: Namespace) -> int:
    """Say what cannot be undone, then undo the rest."""
    from bankd.app.undo import Undo

    applies, announcer = not arguments.dry_run, Announcer("to repair them: undo this undo", as_json=arguments.json)
    with open_named(arguments, write=applies) as workspace:
        run = arguments.run_id or _last_run(workspace)
        undo = Undo(workspace, run)
        announcer(undo.dangling)
        if not arguments.json:
            _say_what_stays(undo.stays)
        undone = undo.carry_out() if applies else undo.foretell()
    if arguments.json:
        stays = list(dict.fromkeys([*undo.stays, *undone.stays]))
        said = {"run": undone.run, "undoes": run, "changed": undone.changed, "stays": stays}
        say_json({**said, "applied": applies, "dangling": announcer.rows})
        return 0
    for path in undone.changed:
        say(f"{styled(_('back'), 'green')}  {styled(path)}")
    if not applies:
        say(_("nothing was written"))
        return 0
    _say_what_stays(undone.stays)
    say(_(f"undone; to redo it: bankctl undo {undone.run}") if undone.changed else _("nothing is left to undo"))
    return 0


def _last_run(workspace: Workspace) -> str:
    """The newest run that changed pages; UserError when there is none."""
    from bankd.app.show import list_runs, show_run

    changed = (str(row["run"]) for row in list_runs(workspace) if row["status"] == "changed")
    for run in islice(changed, 20):
        if show_run(workspace, run).files:
            return run
    raise UserError("no run changed a page lately; bankctl log lists the runs")


def _say_what_stays(stays: Iterable[str]) -> None:
    for words in stays:
        say(f"{styled(_('stays'), 'yellow')} {styled(_(words))}")


def tell(report: Report, *, as_json: bool, is_whole: bool = False) -> int:
    """Print what a run did, or would do; `is_whole` prints every row of a long one. Gives exit code 0."""
    from bankd.memory.report import plan_json

    if as_json:
        whole = {"kind": report.kind, "applied": report.is_applied, "notes": list(report.notes)}
        say_json(whole | plan_json(report.plan))
        return 0
    _print_plan(report.plan, applied=report.is_applied, is_whole=is_whole)
    for note in report.notes:
        say(styled(_(note), "yellow"))
    return 0


def _print_plan(plan: Plan, *, applied: bool, is_whole: bool) -> None:
    """Print the rows of a run, of more than a hundred only the first three of each kind, and a line with the counts."""
    from bankd.memory.report import counts_of, rows_of, tell_prose

    rows, most = tuple(rows_of(plan)), 3
    counts, shown = counts_of(rows), Counter[str]()
    colours = {"+": "green", "=": "dim", "~": "blue", "-": "yellow", "!": "red", ".": "dim"}
    for row in rows:
        shown[row.kind] += 1
        if is_whole or len(rows) <= 100 or shown[row.kind] <= most:
            what = " ".join(filter(None, [row.place, shortened(row.text, 90)]))
            say(f"{styled(row.sign, colours[row.sign])} {styled(padded(_(row.kind), 9), 'dim')} {styled(what)}")
            if row.reason:
                say(f"    {styled(shortened(_(row.reason), 110), 'dim')}")
        elif shown[row.kind] == counts[row.kind]:
            all_ = f"bankctl show {plan.run}" if applied else "-v"
            say(styled("  " + _(f"… and {counts[row.kind] - most} more: {all_}"), "dim"))
    said = ", ".join(_(f"{number} {kind}") for kind, number in counts.items()) or _("nothing new")
    say(styled(f"{plan.run}: {said}" if applied else _(f"{plan.run} would do: {said}. Nothing was written"), "bold"))
    if plan.prose:
        say(styled(_(tell_prose(plan.prose)), "dim"))


def show_progress(reports: Iterable[Report]) -> Iterator[Report]:
    """Pass on the reports of batches, and show a bar of the logs done so far while more batches follow."""
    bar, left = None, 0
    for report in reports:
        if bar:
            bar.close()
        yield report
        if report.rest:
            bar = bar or Progress(_("history"), report.rest.logs)
            bar.step(report.rest.start.log, max(left - report.rest.logs, 0))
            left = report.rest.logs


def cycle_command(arguments: Namespace) -> int:
    """Run the cycle and print its report.

    The model is asked before the run, without the lock: it may take minutes, and others can write meanwhile.
    """
    from bankd.wiring.runner import import_watched
    from bankd.wiring.workspace import open_workspace

    root, now = find_workspace(arguments.workspace), arguments.now
    with open_workspace(root, now, write=not arguments.dry_run) as workspace:
        if not arguments.dry_run:
            for problem in import_watched(workspace):
                sys.stderr.write(f"bankctl: {_(problem)}\n")
        if not (arguments.no_wait or now or arguments.dry_run):
            workspace.wait_until_settled()
        if workspace.models is None or arguments.kind != "reflect" or arguments.dry_run:
            return _run_in(workspace, arguments)
    from bankd.app.distil import ask_models

    with open_workspace(root, now, write=False) as workspace:
        unanswered = ask_models(workspace)
    with open_workspace(root, now) as workspace:
        workspace.unanswered = unanswered
        return _run_in(workspace, arguments)


def _run_in(workspace: Workspace, arguments: Namespace) -> int:

    reports = workspace.run_batches(arguments.kind, dry_run=arguments.dry_run, force=arguments.force)
    for report in show_progress(reports):
        tell(report, as_json=arguments.json, is_whole=arguments.verbose)
    return 0
