"""`bankctl show RUN`: what a run did, chapter by chapter, and then what it changed, as differences of lines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bankd.cli.printing import say, say_json, styled
from bankd.core.plan.report import ReportRow, chapters_of

if TYPE_CHECKING:
    from bankd.app.log import ChangedFile, RunPage

_COLOURS = {"+": "green", "-": "red", "@": "cyan"}
_LONGEST = 400
"""Lines of differences that are printed of one file; `--json` has all."""


def print_run(page: RunPage, *, as_json: bool) -> int:
    """Print the page of a run."""
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
