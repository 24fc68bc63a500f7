"""Past runs of a workspace: the list of them, and what one changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from difflib import unified_diff
from threading import Event
from typing import Any

from bankd.app.recording import RunRows
from bankd.app.workspace import Workspace
from bankd.core.daemon.schedule_rows import logged_run
from bankd.core.edits.journal import Journal
from bankd.core.edits.transaction import HEALING, replay_transaction
from bankd.core.markdown.scanner import decode_text, encode_text
from bankd.core.plan.report import ReportRow
from bankd.errors import UserError

_LOOK_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a run changed, with its difference as lines; `is_new` and `is_gone` say what the lines cannot."""

    path: str
    is_new: bool
    is_gone: bool
    diff: tuple[str, ...]


def list_runs(workspace: Workspace) -> list[dict[str, Any]]:
    """The rows of the history, newest first, each with the number of its journal when it can be undone."""
    journals = [*workspace.transactions.journals.all()]
    kept = {j.transaction.run: j.seq for j in journals if j.transaction.kind not in HEALING}
    logged = (run for row in workspace.recorder.open_ledger().read() if (run := logged_run(row)))
    rows = [{**run, "undoable": kept.get(run["run"])} for run in logged]
    known = {row["run"] for row in rows}
    for journal in journals:
        transaction = journal.transaction
        if transaction.run not in known:
            found = {
                "run": transaction.run,
                "cycle": transaction.kind,
                "at": transaction.planned_at,
                "status": "changed",
            }
            rows.append({**found, "undoable": kept.get(transaction.run)})
    return sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]))[::-1]


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run as `bankctl show` prints it: its row of the history, its report, and what it changed, file by file."""

    run: str
    row: Mapping[str, Any]
    rows: Sequence[ReportRow]
    files: Sequence[ChangedFile]
    is_undoable: bool


def show_run(workspace: Workspace, wanted: str) -> RunPage:
    """What a run did and changed; UserError when nothing of it is kept."""
    journals = [j for j in workspace.transactions.journals.all() if wanted in {j.transaction.run, str(j.seq)}]
    run = journals[0].transaction.run if journals else wanted
    known: list[Mapping[str, Any]] = [row for row in list_runs(workspace) if row.get("run") == run]
    if not known:
        raise UserError(f"{wanted}: no such run is kept; `bankctl log` lists those that are")
    files = [file for journal in journals for file in _changes(workspace, journal)]
    return RunPage(run, known[0], workspace.recorder.reports.read(run), files, bool(journals))


def _changes(workspace: Workspace, journal: Journal) -> list[ChangedFile]:
    before, after = images_of(workspace, journal)
    found = []
    for path, old in before.items():
        new = after[path]
        lines = unified_diff(_lines(old), _lines(new), path, path, lineterm="", n=2)
        found.append(ChangedFile(path, old is None, new is None, tuple(lines)))
    return found


def _lines(data: bytes | None) -> list[str]:
    return decode_text(data or b"").split("\n")


def images_of(workspace: Workspace, journal: Journal) -> tuple[Mapping[str, bytes | None], Mapping[str, bytes | None]]:
    """The files of a run from before it, and as it left them."""
    before = {path: None if text is None else encode_text(text) for path, text in sorted(journal.before.items())}
    transactions = workspace.transactions
    return before, replay_transaction(journal.transaction, before, transactions.look, transactions.rewrite)


def follow_runs(ledger: RunRows) -> Iterator[dict[str, Any]]:
    """Each row that is added from now on, for ever."""
    pause = Event()
    while True:
        yield from (run for row in ledger.learn() if (run := logged_run(row)))
        pause.wait(_LOOK_SECONDS)
