"""`bankctl show`, `log`, `undo`, `cycle` and `demo`: runs and what they did; how the report of a run is printed for people."""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from argparse import Namespace
from collections import Counter
from contextlib import closing
from dataclasses import asdict
from datetime import datetime, time, timedelta
from itertools import chain
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any

from bankd.cli import find_workspace, open_named
from bankd.cli.bank import breaking_links, link_row
from bankd.cli.base import Outcome, bare_id, named_hit, padded, plain, say, shortened, styled
from bankd.errors import UsageError, UserError
from bankd.translate import counted, reads_korean
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from bankd.app.runs import ChangedFile, RunPage
    from bankd.app.show import FoundMemory
    from bankd.app.workspace import Workspace
    from bankd.cycle import Report
    from bankd.memory.plan import Plan
    from bankd.memory.report import ReportRow, Trace

_PLACE = re.compile(r"(?P<path>.+):(?P<line>\d{1,9})")


def show_command(arguments: Namespace) -> Outcome:
    """Show a log line, a memory, also by its number in the last list, or a run."""
    from bankd.app.runs import find_run, show_run
    from bankd.app.show import find_memory, memory_at, trace_log_line

    what = bare_id(arguments.what.removeprefix("./"))
    with open_named(arguments, write=False) as workspace:
        what = named_hit(workspace.root, what)
        if place := _PLACE.fullmatch(what):
            path, line = place["path"], int(place["line"])
            if path.startswith("memory/"):
                log = path.removeprefix("memory/").removesuffix(".md") + ".md"
                return _of_line(trace_log_line(workspace, log, line))
            what = memory_at(workspace, path, line)
        if not what.startswith("m-") and (run := find_run(workspace, what)):
            return _of_run(show_run(workspace, run))
        return _of_memory(find_memory(workspace, what, is_korean=reads_korean()))


def _of_line(trace: Trace) -> Outcome:
    fields = {"outcome": trace.outcome, "memory": trace.memory, "text": trace.text, "sentence": trace.sentence}
    head = f"{styled(str(trace.place), 'bold')}  {styled(_(trace.outcome), 'cyan')}"
    text = f"  {styled(trace.text)}" if trace.text else ""
    fate = f"  {styled(_(trace.sentence))}" + (f"  {styled('^' + trace.memory, 'dim')}" if trace.memory else "")
    code = 3 if trace.outcome == "nothing" else 0  # the log has no such line
    return Outcome({"place": str(trace.place), **fields}, head, text, fate, code=code)


def _of_memory(found: FoundMemory) -> Outcome:
    from bankd.app.show import describe_memory

    asked = (f"? {question}" for question in found.questions)
    strength = () if found.strength is None else (_(f"strength {found.strength:.2f}, where 1 is fresh"),)
    return Outcome(
        describe_memory(found),
        *(styled(place, "bold") for place in found.places),
        f"  {plain(found.text)}" if found.text else "",
        "" if found.places else "  " + _("no page holds it now"),
        f"  {styled(_(f'tagged as {found.meaning}'), 'dim')}" if found.meaning else "",
        "  " + _(f"from {styled(found.source or _('the user: no log line has this id'))}"),
        f"  {styled(found.when, 'dim')}" if found.when else "",
        *(f"  {styled(line, 'dim')}" for line in (*asked, *map(_, found.history), *strength)),
    )


def _of_run(page: RunPage) -> Outcome:
    rows, files = ([asdict(one) for one in part] for part in (page.rows, page.files))
    whole = {"run": page.run, "status": page.row.get("status"), "at": page.row.get("at"), "rows": rows, "files": files}
    return Outcome(whole, "\n".join(_run_lines(page)))


def _run_lines(page: RunPage) -> Iterator[str]:
    from bankd.app.runs import why_for_good
    from bankd.memory.report import chapters_of

    row = page.row
    yield f"{styled(page.run, 'bold')}  {styled(_minute(row), 'dim')}  {styled(_(str(row['status'])), 'cyan')}"
    if row["status"] in {"failed", "refused"}:
        yield f"  {styled(_(_first_note(row)), 'red')}"
    for title, rows in chapters_of(page.rows):
        yield "\n" + styled(f"{_(title)} ({len(rows)})", "bold")
        for one in rows:
            yield f"  {styled(one.text or _(one.reason))}"
            if rest := "  ".join(filter(None, [one.place, _(one.reason) if one.text else ""])):
                yield f"    {styled(rest, 'dim')}"
    yield ""
    if page.files:
        yield styled(_(f"Changed pages ({len(page.files)})"), "bold")
        for file in page.files:
            yield from _file_lines(file)
    elif row["undoable"] or row["status"] in {"empty", "noted"}:
        yield _("it changed no page")
    else:
        yield _("its changes are no longer kept, or it changed no page")
    if row["undoable"]:
        yield styled(_(f"to undo this run: bankctl undo {page.run}"), "dim")
    elif why := why_for_good(row):
        yield styled(_(f"{page.run}: cannot be undone; {why}"), "dim")


def _file_lines(file: ChangedFile) -> Iterator[str]:
    note = f" ({_('new')})" if file.is_new else f" ({_('gone')})" if file.is_gone else ""
    yield "  " + styled(file.path + note, "bold")
    colours, lines, most = {"+": ["green"], "-": ["red"], "@": ["cyan"]}, file.diff[2:], 400
    yield from ("    " + styled(line, *colours.get(line[:1], [])) for line in lines[:most])
    if len(lines) > most:
        yield styled("    " + _(f"… {len(lines) - most} more lines; --json has all"), "dim")


def _minute(row: Mapping[str, Any]) -> str:
    return str(row["at"])[:16].replace("T", " ")


def _first_note(row: Mapping[str, Any]) -> str:
    return str(row.get("note", "")).split("\n")[0]


def log_command(arguments: Namespace) -> Outcome:
    """List the runs, newest first, the empty, failed and missed ones too; with `--since` those that changed, and what."""
    from bankd.app.runs import list_runs
    from bankd.search.request import read_span

    problems: list[str] = []
    with open_named(arguments, write=False) as workspace:
        since = read_span({"since": arguments.since}, "since", workspace.now.date(), problems)
        if problems:
            raise UsageError(*problems)
        rows = list_runs(workspace)
        if since:
            since_then = (row for row in rows if str(row["at"])[:10] >= since.first.isoformat())
            told = ((row, workspace.reports.read(str(row["run"]))) for row in since_then)
            some = (row | {"rows": [one for one in all_ if one.sign in "+~-"]} for row, all_ in told)
            rows = [row for row in some if row["rows"] or row["status"] == "changed"]  # old reports are gone
    most = arguments.limit if arguments.limit is not None else 0 if since else 20
    shown = rows[:most] if most else rows
    lines = (line for row in shown for line in (_line(row), *chain(*map(_row_lines, row.get("rows", ())))))
    whole = [row | {"rows": [asdict(one) for one in row["rows"]]} if "rows" in row else row for row in shown]
    said, nothing = "bankctl show RUN shows what a run changed; bankctl undo RUN undoes it", "no runs yet"
    more = len(rows) - len(shown)
    rest = styled(_(f"… and {more} more: --limit 0 lists all"), "dim") if more else ""
    return Outcome(
        {"runs": whole, "more": more}, *lines, rest, _(said if rows else "nothing new" if since else nothing), listed=()
    )


def _line(row: dict[str, Any]) -> str:
    status = "undone" if row.get("undone_by") else str(row["status"])
    colour = {"changed": "green", "failed": "red", "refused": "red", "missed": "yellow"}.get(status, "dim")
    name = str(row["run"]) or f"{row['cycle']} {row.get('slot', '')}"
    head = f"{styled(padded(name, 26), 'bold')}  {styled(padded(_(status), 8), colour)}"
    return f"{_minute(row)}  {head}  {styled(_what_it_was(row))}".rstrip()


def _what_it_was(row: Mapping[str, Any]) -> str:
    """What a run did in a few words: its counts, else the first line of its note."""
    words = ", ".join(_(f"{number} {what}") for what, number in (row.get("counts") or {}).items() if number)
    return words or _(_first_note(row))


_MOST_TEXTS = 10
"""The most memories of a run that its undo names."""


def undo_command(arguments: Namespace) -> Outcome:
    """Undo a run, and say which one it was and what cannot be undone."""
    from bankd.app.runs import SHORTEST_PIECE, Undo, find_run, list_runs, run_to_undo

    wanted, passed_over = arguments.run_id or "last", ""
    if len(wanted) < SHORTEST_PIECE:
        raise UserError(f"{wanted}: does not name a run; bankctl undo takes back the last one, bankctl log lists all")
    with open_named(arguments, write=not arguments.dry_run) as workspace:
        if wanted == "last":
            run, passed_over = run_to_undo(workspace)
        else:
            run = find_run(workspace, wanted) or wanted
        undo = Undo(workspace, run)
        was = next((_what_it_was(row) for row in list_runs(workspace) if row["run"] == run), "")
        texts = list(dict.fromkeys(row.text for row in workspace.reports.read(run) if row.text and row.sign in "+~-"))
        undone = undo.carry_out()
    said = _("undone") if undone.is_final else _(f"undone; to redo it: bankctl undo {undone.run}")
    if not undone.changed:
        said = f"{styled(run, 'bold')}: {_('nothing is left to undo')}"
    elif arguments.dry_run:
        said = _(f"nothing was written; to do it: bankctl undo {run}")
    back, gone = ("would be back", "would be gone") if arguments.dry_run else ("back", "gone")
    rest = len(texts) - _MOST_TEXTS
    stays, rows = list(dict.fromkeys([*undo.stays, *undone.stays])), [link_row(link) for link in undo.dangling]
    whole = {"run": undone.run, "undoes": run, "changed": undone.changed, "stays": stays}
    return Outcome(
        {**whole, "applied": not arguments.dry_run, "dangling": rows},
        f"{_('undoes')} {styled(run, 'bold')}  {styled(was)}".rstrip() if undone.changed else "",
        *(f"  {styled(shortened(text, 90), 'dim')}" for text in texts[:_MOST_TEXTS] if undone.changed),
        styled("  " + _(f"… and {rest} more: bankctl show {run}"), "dim") if undone.changed and rest > 0 else "",
        styled(_(passed_over), "yellow") if passed_over and undone.changed else "",
        *breaking_links(undo.dangling, "to repair them: undo this undo"),
        *(f"{styled(_('stays'), 'yellow')} {styled(_(words))}" for words in stays),
        *(f"{styled(_(gone if path in undone.gone else back), 'green')}  {styled(path)}" for path in undone.changed),
        said,
    )


def report_answer(report: Report, *more: str, is_whole: bool = False) -> Outcome:
    """What a run did, or would do, and more lines; `is_whole` has every row of a long one."""
    from bankd.memory.report import plan_json

    whole = {"kind": report.kind, "applied": report.is_applied, "notes": list(report.notes)}
    lines = _plan_lines(report.plan, applied=report.is_applied, is_whole=is_whole)
    return Outcome(whole | plan_json(report.plan), *lines, *(styled(_(note), "yellow") for note in report.notes), *more)


def _plan_lines(plan: Plan, *, applied: bool, is_whole: bool) -> Iterator[str]:
    """The rows of a run, of more than a hundred only the first three of each kind, and a line with the counts."""
    from bankd.memory.report import counts_of, rows_of, tell_prose

    rows, most = tuple(rows_of(plan)), 3
    counts, shown = counts_of(rows), Counter[str]()
    for row in rows:
        shown[row.kind] += 1
        if is_whole or len(rows) <= 100 or shown[row.kind] <= most:
            yield from _row_lines(row)
        elif shown[row.kind] == counts[row.kind]:
            all_ = f"bankctl show {plan.run}" if applied else "-v"
            yield styled("  " + _(f"… and {counts[row.kind] - most} more: {all_}"), "dim")
    said = _told_counts(counts)
    yield styled(f"{plan.run}: {said}" if applied else _(f"{plan.run} would do: {said}. Nothing was written"), "bold")
    if plan.prose:
        yield styled(_(tell_prose(plan.prose)), "dim")


def _row_lines(row: ReportRow) -> Iterator[str]:
    colours = {"+": "green", "=": "dim", "~": "blue", "-": "yellow", "!": "red", ".": "dim"}
    told = " ".join(filter(None, [row.place, shortened(row.text, 90)]))
    yield f"{styled(row.sign, colours[row.sign])} {styled(padded(_(row.kind), 9), 'dim')} {styled(told or _(row.reason))}"
    if row.reason and told:
        yield f"    {styled(shortened(_(row.reason), 110), 'dim')}"


def _told_counts(counts: Mapping[str, int]) -> str:
    return ", ".join(_(f"{number} {kind}") for kind, number in counts.items()) or _("nothing new")


def cycle_command(arguments: Namespace) -> int:
    """Run the cycle and print its report.

    The model is asked before the run, without the lock: it may take minutes, and others can write meanwhile.
    """
    from bankd.wiring.runner import import_watched
    from bankd.wiring.workspace import open_workspace

    root, now = find_workspace(arguments.workspace), arguments.now
    with open_workspace(root, now, write=not arguments.dry_run, force=arguments.force) as workspace:
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
    with open_workspace(root, now, force=arguments.force) as workspace:
        workspace.unanswered = unanswered
        return _run_in(workspace, arguments)


def _run_in(workspace: Workspace, arguments: Namespace) -> int:
    """Run it in batches; each prints its report."""
    for report in workspace.run_batches(arguments.kind, force=arguments.force):
        report_answer(report, is_whole=arguments.verbose).show(as_json=arguments.json)
    return 0


def demo_command(arguments: Namespace) -> int:
    """Show two weeks of sample logs in a temporary workspace, or in the folder of `--keep`."""
    if arguments.keep is None:
        with tempfile.TemporaryDirectory(prefix="bankd-demo-") as folder:
            _demo(Path(folder))
        say(styled(_("Nothing was left behind. Next:"), "bold"))
        say("  bankctl demo --keep ~/bank-demo     " + _("the same, and keep it to explore"))
        say("  bankctl init ~/notes                " + _("a workspace of your own"))
        return 0
    root = Path(arguments.keep).expanduser().absolute()
    if root.exists() and (not root.is_dir() or any(root.iterdir())):
        raise UserError(f"{root}: is not an empty folder; name a new one")
    _demo(root)
    say(styled(_("The demo bank is kept. To explore it:"), "bold"))
    say(f"  cd {quote(str(root))} && bankctl search 가치관 && ls bank/*")
    return 0


def _demo(root: Path) -> None:
    from bankd.app.init import make_workspace
    from bankd.config import shipped_folder
    from bankd.memory.report import counts_of, rows_of
    from bankd.pages.page import read_page
    from bankd.wiring.asking import Asked
    from bankd.wiring.workspace import open_workspace

    make_workspace(root)
    shipped = shipped_folder("config") / "demo"
    say(styled(_("Two weeks of raw logs, one run a night."), "bold") + "\n")
    with open_workspace(root) as workspace:
        for log in sorted((shipped / "memory").glob("*.md")):
            shutil.copyfile(log, root / "memory" / log.name)
            night = datetime.combine(datetime.fromisoformat(log.stem) + timedelta(days=1), time(3))
            workspace.now = night.replace(tzinfo=workspace.now.tzinfo)
            rows = tuple(rows_of(workspace.run_cycle("reflect").plan))
            say(f"{styled(f'{night:%Y-%m-%d %H:%M}', 'cyan')}  {_told_counts(counts_of(rows))}")
            for line in chain(*(_row_lines(row) for row in rows if row.kind not in {"learned", "waiting"})):
                say(f"  {line}")
    say("\n" + styled(_("The bank after two weeks:"), "bold"))
    for page in sorted((root / "bank").rglob("*.md")):
        path = page.relative_to(root).as_posix()
        if entries := read_page(path, page.read_bytes()).entries:
            say(f"  {styled(padded(path, 32), 'green')} {counted(len(entries), 'memory', 'memories')}")
    say("\n" + styled(_("Five questions:"), "bold"))
    with closing(Asked(str(root))) as asked:
        for query in filter(None, (shipped / "queries.txt").read_text(encoding="utf-8").splitlines()):
            say(f"  {styled('? ' + query, 'cyan')}")
            for hit in asked.ask({"query": query, "limit": 2})["hits"]:
                place = styled(f"{hit['path']}:{hit['line']}", "green")
                say(f"    {place}  {styled(shortened(hit['text'], 70))}")
    say()
