"""Use cases of past runs: list and show them, and undo one: planned first, then carried out as a run of its own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from difflib import unified_diff
from functools import partial
from typing import Any, NamedTuple

from bankd.app.review import list_held_back
from bankd.app.workspace import Workspace
from bankd.edits.operations import Write
from bankd.edits.transaction import HEALING, UNDO, Event, Journal, Transaction, replay_transaction, state_of
from bankd.errors import UserError
from bankd.health.schedule import logged_run
from bankd.layouts.links import Link
from bankd.layouts.rearrange import relink_operations
from bankd.memory.archive import written_links
from bankd.memory.ledger import APART, ARCHIVED, REOPENED, UNDONE
from bankd.memory.links import find_dead_links, follow_links
from bankd.memory.report import ReportRow, is_confirmation
from bankd.memory.undo import REOPENS, PastRun, Present, events_of, plan_undo
from bankd.memory.use import IMPORTANCE
from bankd.pages.names import Names, is_outside
from bankd.pages.scanner import decode_text

SHORTEST_PIECE = 4
"""A piece of the id of a run names it if it has at least as many characters."""


@dataclass(frozen=True, slots=True)
class ChangedFile:
    """One file that a run changed, with the lines of its diff; `is_new` and `is_gone`: it was made, or deleted."""

    path: str
    is_new: bool
    is_gone: bool
    diff: tuple[str, ...]


def list_runs(workspace: Workspace) -> list[dict[str, Any]]:
    """The rows of the history, the newest first, each with the number of its journal if it can be undone.

    And with the run that undid it, unless that was undone itself.
    One that changed no page and cannot be undone has the status `noted`: it only recorded facts.
    """
    journals = [*workspace.transactions.journals.all()]
    undone = [said["id"] for j in journals if j.transaction.kind == UNDO for said in j.transaction.events]
    answered = {id_.partition(":")[2].rpartition("@")[0] for id_ in undone}  # each names the event that it takes back
    kept = {j.transaction.run: j.seq for j in journals if _can_go_back(j.transaction, answered)}
    noted = {j.transaction.run for j in journals} - kept.keys()
    noted -= {j.transaction.run for j in journals if j.transaction.operations}
    logged = (run for row in workspace.open_ledger().read() if (run := logged_run(row)))
    rows = [{**run, "undoable": kept.get(run["run"])} for run in logged]
    rows = [row | {"status": "noted"} if row["run"] in noted and row["status"] == "changed" else row for row in rows]
    known = {row["run"] for row in rows}
    for journal in journals:
        id_, kind, at = journal.transaction.run, journal.transaction.kind, journal.transaction.planned_at
        if id_ not in known:
            row = {"run": id_, "cycle": kind, "at": at, "status": "changed", "undoable": kept.get(id_)}
            first = id_.partition("~")[0]
            rows.append(row | {"note": f"repeated a part of {first} that was overwritten"} if kind in HEALING else row)
    rows = sorted(rows, key=lambda row: datetime.fromisoformat(row["at"]))
    undoing = [row for row in rows if row["cycle"] == UNDO and row["status"] == "changed"]
    by = {str(row.get("note")).rpartition(" ")[2]: row["run"] for row in undoing}  # "takes back RUN"

    def undone_by(run: str) -> str | None:
        return by[run] if run in by and not undone_by(by[run]) else None

    return [row | {"undone_by": undone_by(row["run"])} for row in rows[::-1]]


def _can_go_back(transaction: Transaction, answered: Collection[str] = ()) -> bool:
    """Whether it changed a file, or gave an answer that was not taken back yet: its event is not among those `answered`."""
    is_answer = any(said["type"] in REOPENS and said["id"] not in answered for said in transaction.events)
    return transaction.kind not in _FOR_GOOD and (is_answer or bool(transaction.operations))


def find_run(workspace: Workspace, wanted: str) -> str:
    """The run that a person names: by its id, by a piece of it with at least four characters, or `last`; empty if none is kept.

    UserError when several have this piece.
    """
    if re.match(r"\d{8}T\d{6}-.", wanted):  # a whole id: never another run whose id only begins so
        return wanted
    runs = list(dict.fromkeys(str(row["run"]) for row in list_runs(workspace) if row["run"]))
    if wanted == "last":
        return runs[0] if runs else ""
    found = [run for run in runs if wanted in run] if len(wanted) >= SHORTEST_PIECE else []
    if len(found) > 1:
        named = ", ".join(found[:5]) + (" …" if len(found) > 5 else "")
        raise UserError(f"{wanted}: {len(found)} runs have this in their id; type more of it: {named}")
    return found[0] if found else ""


def run_to_undo(workspace: Workspace) -> tuple[str, str]:
    """The newest run that can be undone, and why it is not the newest that did anything, if so.

    Only what bankd noted by itself is passed over. UserError when there is none, or when what a person did after it
    cannot be undone.
    """
    runs = [
        row for row in list_runs(workspace) if row["status"] in {"changed", "noted"} and row["cycle"] not in HEALING
    ]
    chosen = next((row for row in runs if row["undoable"]), None)
    if runs and runs[0] is not chosen:
        before = [f"to undo the run before it: bankctl undo {chosen['run']}"] if chosen else []
        if why := why_by_hand(runs[0]):
            raise UserError(f"{runs[0]['run']}: {why}", *before)
        if why := why_for_good(runs[0]) or ("it took back a decision or an undo" if runs[0]["cycle"] == UNDO else ""):
            raise UserError(f"{runs[0]['run']}: cannot be undone; {why}", *before)
    if chosen is None:
        raise UserError("no run changed a page lately; bankctl log lists the runs")
    run, newest = str(chosen["run"]), runs[0]
    return run, "" if newest is chosen else f"{newest['run']} changed no page; the last run that did is {run}"


def why_for_good(row: Mapping[str, Any]) -> str:
    """Why runs of this kind cannot be undone; empty if they can."""
    return _FOR_GOOD.get(str(row["cycle"]), "")


def why_by_hand(row: Mapping[str, Any]) -> str:
    """Why there is nothing to undo in a run that only noted what a person deleted, and what brings it back; else empty."""
    if row.get("status") != "noted" or not (row.get("counts") or {}).get("deleted"):
        return ""
    return f"it only noted what was taken out by hand; bankctl archive restore ID brings that back, and bankctl show {row['run']} lists it"


class RunPage(NamedTuple):
    """A run for `bankctl show`: its row of the history, its report, and the files that it changed."""

    run: str
    row: Mapping[str, Any]
    rows: Sequence[ReportRow]
    files: Sequence[ChangedFile]


def show_run(workspace: Workspace, run: str) -> RunPage:
    """What a run did and changed; UserError when nothing about it is kept."""
    journals = [journal for journal in workspace.transactions.journals.all() if journal.transaction.run == run]
    known: list[Mapping[str, Any]] = [row for row in list_runs(workspace) if row.get("run") == run]
    if not known:
        raise UserError(f"{run}: no such run is kept; `bankctl log` lists those that are")
    files = []
    for before, after in map(workspace.transactions.images_of, journals):
        for path, old in before.items():
            was, now = (decode_text(data or b"").split("\n") for data in (old, after[path]))
            lines = unified_diff(was, now, path, path, lineterm="", n=2)
            files.append(ChangedFile(path, old is None, after[path] is None, tuple(lines)))
    return RunPage(run, known[0], workspace.reports.read(run), files)


_FOR_GOOD = {
    "forget": "what a person forgot stays forgotten",
    "purge": "a purged text cannot come back",
    "import": "what was imported stays in its log, memory/imports/…; delete that log if you do not want it",
    "feedback": "no page was changed; to correct it, use bankctl feedback again",
    **dict.fromkeys(HEALING, "it only repeated a part of an earlier run; undo that one"),
}
_BY_HAND = (
    "It moved lines between pages, so all of it goes back or nothing, and nothing was changed. "
    "bankctl page merge PAGE puts parts back, bankctl page split PAGE divides again, bankctl page move NEW OLD moves back: "
    "each takes along what was changed since, and every link"
)


class Undone(NamedTuple):
    """The result: the run that took a run back, the files that changed, and what stays because others changed it.

    With `is_final` it cannot be undone itself. `gone` are the files among the changed ones that it removed.
    """

    run: str
    changed: tuple[str, ...]
    stays: tuple[str, ...]
    is_final: bool
    gone: tuple[str, ...] = ()


class Undo:
    """Takes a past run back; UserError when that is not possible now."""

    def __init__(self, workspace: Workspace, run: str) -> None:
        """Plan what comes back and what stays; nothing is written."""
        self._workspace, self._undoes = workspace, run
        self.run = workspace.new_run("undo")
        self.stays: list[str] = []
        self.dangling: list[Link] = []
        self._transactions = list(self._plan(_journals_of(workspace, run)))

    def _plan(self, journals: Sequence[Journal]) -> Iterator[Transaction]:
        """The transactions of a run in reverse order, each based on the state after the one before it."""
        workspace, state = self._workspace, dict[str, bytes | None]()
        workspace.graph.refresh()
        look, ledger = state_of(state, workspace.transactions.look), workspace.transactions.ledger()
        surveys = [workspace.files.survey(folder, workspace.now, 0, any_content=True) for folder in ("bank", "archive")]
        pages = {path for survey in surveys for path in (*survey.files, *survey.unsettled, *survey.quarantined)}
        dead = partial(find_dead_links, graph=workspace.graph, read=look)
        for journal in reversed(journals):
            past = PastRun(journal.transaction, *workspace.transactions.images_of(journal))
            names, since = Names(pages | state.keys()), ledger.learned_after(past.transaction.planned_at)
            undoing = plan_undo(past, Present(names, look, dead, ledger.was_forgotten, since))
            if undoing.obstacles:
                raise UserError(f"{self._undoes}: cannot be taken back", *undoing.obstacles, _BY_HAND)
            written = {link: words for said in past.transaction.events for link, words in written_links(said).items()}
            links = follow_links(undoing.operations, workspace.graph, look, written=written)
            self.stays += undoing.stays
            self.dangling += links.dangling
            operations = (*undoing.operations, *relink_operations(links.followed))
            inside = tuple(op for op in operations if not is_outside(op.path))
            events = events_of(undoing, past.transaction, self.run, workspace.now, ledger)
            taken = {said["memory"] for said in events if said["type"] == UNDONE}
            self.stays += [
                f"memory/{one.get('log')}:{one.get('line')}: says it too, and stays out; to let it in: bankctl review accept {id_}"
                for id_, one in ledger.consumed.items()
                if str(one.get("of")) in taken and is_confirmation(one) and one.get("run") != self._undoes
            ]
            reverse = Transaction(self.run, workspace.now.isoformat(timespec="seconds"), operations, events, UNDO)
            before, rewrite = {op.path: look(op.path) for op in inside}, workspace.transactions.rewrite
            state |= replay_transaction(replace(reverse, operations=inside), before, look, rewrite)
            yield reverse

    def carry_out(self) -> Undone:
        """Do it; what the user changed meanwhile stays too."""
        workspace, changed, late = self._workspace, list[str](), list[str]()
        is_final = not any(map(_can_go_back, self._transactions))
        operations = [op for done in self._transactions for op in done.operations]
        dropped = tuple(op.path for op in operations if isinstance(op, Write) and op.after is None)
        if workspace.is_dry:
            asked = [done for said in self._transactions for done, _ in _ask_again(workspace, said.events) if done]
            return Undone(self.run, (*sorted({op.path for op in operations}), *asked), (), is_final, dropped)
        with workspace.recording("undo", self.run) as record:
            for transaction in self._transactions:
                applied = workspace.commit(transaction)
                changed += applied.changed
                late += applied.conflicts
            reopened = [one for done in self._transactions for one in _ask_again(workspace, done.events)]
            asked, late = [done for done, _ in reopened if done], [*late, *(stays for _, stays in reopened if stays)]
            record.is_changed, record.note = bool(changed or asked), f"takes back {self._undoes}"
            record.rows = [ReportRow("!", "stays", "", "", words) for words in (*self.stays, *late)]
        # Leave no empty folder, and no page that looks as if the user had moved it.
        workspace.transactions.remove_empty_folders(dropped)
        workspace.graph.refresh()
        workspace.graph.settle(dropped)
        workspace.refresh()
        return Undone(self.run, tuple(dict.fromkeys((*changed, *asked))), tuple(late), is_final, dropped)


def _journals_of(workspace: Workspace, run: str) -> Sequence[Journal]:
    """The journals of a run; UserError when it cannot be undone."""
    row = next((row for row in list_runs(workspace) if row["run"] == run), {})
    if row and (why := why_for_good(row)):
        raise UserError(f"{run}: cannot be undone; {why}")
    if why := why_by_hand(row):
        raise UserError(f"{run}: {why}")
    if row.get("status") == "empty" and row.get("undoable") is None:
        raise UserError(f"{run}: it changed nothing, so there is nothing to take back")
    return workspace.transactions.journals.find(run)


def _ask_again(workspace: Workspace, events: Sequence[Event]) -> Iterator[tuple[str, str]]:
    """Undo the answers that these events record; gives two texts, what is open again and what stays (either may be empty).

    In a dry workspace nothing is done, and nothing is known to stay.
    """
    moved = {said.get("memory") for said in events if said["type"] in {UNDONE, ARCHIVED}}
    superseded = workspace.transactions.ledger().superseded
    for said in events:
        memory, other, log = said.get("memory"), said.get("other"), str(said.get("log", ""))
        if said["type"] == APART and not {memory, other} & moved:
            yield f"{memory} and {other} both hold again", ""
        elif said["type"] == IMPORTANCE:
            held = f"importance {said['value']}" if said["value"] else "no importance"
            yield f"{memory} has {held} again", ""
        elif said["type"] == REOPENED and other:
            if not workspace.is_dry:
                workspace.catalog.compare_again([str(memory), str(other)])
            pair = str(memory), str(other)
            newer = {one: superseded[one]["by"] for one in pair if one in superseded and superseded[one]["by"] in pair}
            again = next((f"{new} replaces {old} again" for old, new in newer.items()), "")
            yield again or f"{memory} and {other} are compared again", ""
        elif said["type"] == REOPENED and not log:
            yield f"{said['key']} is offered again", ""
        elif said["type"] == REOPENED:
            accepted = str(said.get("accepted", ""))
            is_back = not accepted or workspace.is_dry or workspace.logs.take_back(log, accepted)
            if not workspace.is_dry:
                workspace.logs.note_held_back({log: list_held_back(workspace, log)})
            stays = "" if is_back else f"memory/{log}: the accepted line stays, because more was written below it"
            yield f"memory/{log}:{said.get('line')} waits again", stays
