"""Past runs of a workspace: the list of them, what one changed, and taking one back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from typing import Any

from bankd.adapters.journals import Journal
from bankd.adapters.run_ledger import read_rows
from bankd.core.block_links import relinks
from bankd.core.events import ARCHIVED, DELETED, KEPT, RESTORED, UNDONE, event
from bankd.core.markdown import decode, encode
from bankd.core.report import Row
from bankd.core.restoring import written_links
from bankd.core.schedule_rows import logged_run
from bankd.core.transaction import Event, Transaction, replay
from bankd.core.undo import Undoing, undo
from bankd.errors import UserError
from bankd.relinking import Announce, follow, say_nothing
from bankd.wiring.workspace import Workspace

_FOR_GOOD = {"forget": "what a person forgot stays forgotten", "purge": "what was purged is nowhere any more"}


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a run changed, with its difference as lines; `is_new` and `is_gone` say what the lines cannot."""

    path: str
    is_new: bool
    is_gone: bool
    diff: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Undone:
    """What taking a run back did: the run that did it, the files that changed, what people's changes kept as it is."""

    run: str
    changed: tuple[str, ...]
    stays: tuple[str, ...]


def list_runs(workspace: Workspace) -> list[dict[str, Any]]:
    """The rows of the history, newest first, each with the number of its journal when it can be undone."""
    kept = {journal.transaction.run: journal.seq for journal in workspace.transactions.journals.all()}
    logged = (run for row in read_rows(workspace.root) if (run := logged_run(row)))
    rows = [{**run, "undoable": kept.get(run["run"])} for run in logged]
    known = {row["run"] for row in rows}
    for journal in workspace.transactions.journals.all():
        transaction = journal.transaction
        if transaction.run not in known:
            found = {
                "run": transaction.run,
                "cycle": transaction.kind,
                "at": transaction.planned_at,
                "status": "changed",
            }
            rows.append({**found, "undoable": journal.seq})
    return sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]))[::-1]


@dataclass(frozen=True, slots=True)
class RunPage:
    """A run as `bankctl show` prints it: its row of the history, its report, and what it changed, file by file."""

    run: str
    row: Mapping[str, Any]
    rows: Sequence[Row]
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
    before, after = _images(workspace, journal)
    found = []
    for path, old in before.items():
        new = after[path]
        lines = unified_diff(_lines(old), _lines(new), path, path, lineterm="", n=2)
        found.append(ChangedFile(path, old is None, new is None, tuple(lines)))
    return found


def _lines(data: bytes | None) -> list[str]:
    return decode(data or b"").split("\n")


def _images(workspace: Workspace, journal: Journal) -> tuple[Mapping[str, bytes | None], Mapping[str, bytes | None]]:
    before = {path: None if text is None else encode(text) for path, text in sorted(journal.before.items())}
    transactions = workspace.transactions
    return before, replay(journal.transaction, before, transactions.look, transactions.rewrite)


def undo_run(workspace: Workspace, run: str, announce: Announce = say_nothing) -> Undone:
    """Take a run back; what people changed since stays and is named. UserError when it cannot be.

    `announce` is told of the links that will lead nowhere, before anything is done.
    """
    transactions = workspace.transactions
    journals = transactions.journals.find(run)
    kind = journals[0].transaction.kind
    if kind in _FOR_GOOD:
        raise UserError(f"{run}: cannot be undone; {_FOR_GOOD[kind]}")
    changed: list[str] = []
    stays: list[str] = []
    with workspace.recorder.recording("undo") as record:
        for journal in reversed(journals):
            workspace.graph.refresh()
            before, after = _images(workspace, journal)
            undoing = undo(journal.transaction, before, after, transactions.look)
            reverse = _reverse(workspace, record.run, journal.transaction, undoing)
            written = _written(journal.transaction)
            links = follow(reverse.operations, workspace.graph, transactions.look, written=written)
            announce(links.dangling)
            operations = (*reverse.operations, *relinks(links.followed))
            applied = workspace.committer().apply(replace(reverse, operations=operations))
            changed += applied.changed
            stays += [*undoing.stays, *applied.conflicts]
        record.is_changed, record.note = bool(changed), f"takes back {run}"
        record.rows = [Row("!", "stays", "", "", words) for words in stays]
    workspace.refresh()
    return Undone(record.run, tuple(changed), tuple(stays))


def _written(transaction: Transaction) -> Mapping[tuple[str, str], str]:
    """How the links were written that a run let follow to the archive."""
    return {link: words for said in transaction.events for link, words in written_links(said).items()}


def _reverse(workspace: Workspace, own: str, transaction: Transaction, undoing: Undoing) -> Transaction:
    at = workspace.now.isoformat(timespec="seconds")
    events = _reverse_events(workspace, own, transaction, undoing) if undoing.operations else ()
    return Transaction(own, at, tuple(undoing.operations), events, "undo")


def _reverse_events(workspace: Workspace, own: str, transaction: Transaction, undoing: Undoing) -> tuple[Event, ...]:
    """Say of each memory what it is now: taken out with its run, or back with it."""
    turned = []
    for said in transaction.events:
        memory = str(said.get("memory", ""))
        kind = {KEPT: UNDONE, RESTORED: UNDONE, ARCHIVED: RESTORED, DELETED: RESTORED, UNDONE: RESTORED}.get(
            str(said["type"])
        )
        if kind is None or (kind == UNDONE and memory not in undoing.taken_out):
            continue
        turned.append(event(kind, f"{memory}@{own}", workspace.now, memory=memory, run=own, undoes=transaction.run))
    return tuple(turned)
