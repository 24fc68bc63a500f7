"""`bankctl show`: a memory and its source, or what became of a log line."""

from __future__ import annotations

import re
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bankd.cli.options import add_json, add_now
from bankd.cli.printing import plain, reads_korean, say, say_answer, say_json, styled
from bankd.cli.workspace import open_named

if TYPE_CHECKING:
    from bankd.app.show import ChangedFile, FoundMemory, RunPage
    from bankd.core.lifecycle.provenance import Trace
    from bankd.core.plan.report import ReportRow

_RUN = re.compile(r"\d{8}T\d{6}-|\d{1,6}$")
LINE = re.compile(r"(?:\./)?memory/(?P<log>.+):(?P<line>\d{1,9})")


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "what",
        metavar="ID|LINE|RUN",
        help="a memory id such as m-k3fba2xqb7te, a log line such as memory/2026-05-02.md:7, or a run",
    )
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
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
    from bankd.core.plan.report import chapters_of

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
