"""The use case that undoes a past run: planned and shown first, then carried out as a run of its own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from bankd.app.imports import move_import
from bankd.app.review import list_held_back
from bankd.app.show import images_of, list_runs
from bankd.app.workspace import Workspace
from bankd.edits.operations import Drop
from bankd.edits.transaction import HEALING, Event, Journal, Transaction, replay_transaction, state_of
from bankd.errors import UserError
from bankd.layouts.links import Link
from bankd.layouts.rearrange import relink_operations
from bankd.memory.archive import written_links
from bankd.memory.ledger import FORGOTTEN, IMPORTED, REOPENED, TAKEN_OUT
from bankd.memory.links import follow_links
from bankd.memory.report import ReportRow
from bankd.memory.undo import Inbound, PastRun, Present, events_of, plan_undo
from bankd.memory.use import IMPORTANCE
from bankd.pages.names import Names, is_outside
from bankd.pages.resolve import WIKI_KINDS, resolve_reference

_FOR_GOOD = {
    "forget": "what a person forgot stays forgotten",
    "purge": "a purged text cannot come back",
    "feedback": "no page was changed; to correct it, use bankctl feedback again",
    **dict.fromkeys(HEALING, "it only repeated a part of an earlier run; undo that one"),
}
_BY_HAND = (
    "It moved lines between pages, so all of it goes back or nothing, and nothing was changed. "
    "bankctl page merge PAGE puts parts back, bankctl page split PAGE divides again, bankctl page move NEW OLD moves back: "
    "each takes along what was changed since, and every link"
)


@dataclass(frozen=True, slots=True)
class Undone:
    """The result: the run that took a run back, the files that changed, and what stays because others changed it."""

    run: str
    changed: tuple[str, ...]
    stays: tuple[str, ...]


class Undo:
    """Takes a past run back; UserError when that is not possible now."""

    def __init__(self, workspace: Workspace, run: str) -> None:
        """Plan what comes back and what stays; nothing is written."""
        self._workspace, self._undoes = workspace, run
        self.run = workspace.recorder.new_run("undo")
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
        forgotten = {id_ for id_, fact in ledger.gone.items() if fact.get("type") == FORGOTTEN}
        for journal in reversed(journals):
            past = PastRun(journal.transaction, *images_of(workspace, journal))
            names, since = Names(pages | state.keys()), ledger.learned_after(past.transaction.planned_at)
            undoing = plan_undo(past, Present(names, look, self._links_to, forgotten, since))
            if undoing.obstacles:
                raise UserError(f"{self._undoes}: cannot be taken back", *undoing.obstacles, _BY_HAND)
            written = {link: words for said in past.transaction.events for link, words in written_links(said).items()}
            links = follow_links(undoing.operations, workspace.graph, look, written=written)
            self.stays += undoing.stays
            self.dangling += links.dangling
            operations = (*undoing.operations, *relink_operations(links.followed))
            inside = tuple(op for op in operations if not is_outside(op.path))
            events = events_of(undoing, past.transaction, self.run, workspace.now, ledger)
            reverse = Transaction(self.run, workspace.now.isoformat(timespec="seconds"), operations, events, "undo")
            before, rewrite = {op.path: look(op.path) for op in inside}, workspace.transactions.rewrite
            state |= replay_transaction(replace(reverse, operations=inside), before, look, rewrite)
            yield reverse

    def _links_to(self, path: str) -> Iterator[Inbound]:
        for link in self._workspace.graph.links_to(path):
            target = resolve_reference(link.reference, link.source, self._workspace.graph.names)
            fragment = (target.fragment if target else None) or ""
            yield Inbound(link.source, link.reference.line + 1, fragment, link.reference.kind in WIKI_KINDS)

    def foretell(self) -> Undone:
        """The result that it would have."""
        paths = {operation.path for transaction in self._transactions for operation in transaction.operations}
        return Undone(self.run, tuple(sorted(paths)), ())

    def carry_out(self) -> Undone:
        """Do it; what the user changed meanwhile stays too."""
        workspace, changed, late = self._workspace, list[str](), list[str]()
        with workspace.recorder.recording("undo", self.run) as record:
            for transaction in self._transactions:
                applied = workspace.commit(transaction)
                changed += applied.changed
                late += applied.conflicts
            reopened = [one for done in self._transactions for one in _ask_again(workspace, done.events)]
            asked, late = [done for done, _ in reopened if done], [*late, *(stays for _, stays in reopened if stays)]
            record.is_changed, record.note = bool(changed or asked), f"takes back {self._undoes}"
            record.rows = [ReportRow("!", "stays", "", "", words) for words in (*self.stays, *late)]
        # Leave no empty folder, and no page that looks as if the user had moved it.
        dropped = [op.path for done in self._transactions for op in done.operations if isinstance(op, Drop)]
        workspace.transactions.remove_empty_folders(dropped)
        workspace.graph.refresh()
        workspace.graph.settle(dropped)
        workspace.refresh()
        return Undone(self.run, tuple(dict.fromkeys((*changed, *asked))), tuple(late))


def _journals_of(workspace: Workspace, run: str) -> Sequence[Journal]:
    """The journals of a run; UserError when it cannot be undone."""
    row = next((row for row in list_runs(workspace) if row["run"] == run), {})
    if row.get("status") == "empty" and row.get("undoable") is None:
        raise UserError(f"{run}: it changed nothing, so there is nothing to take back")
    journals = workspace.transactions.journals.find(run)
    kind = journals[0].transaction.kind
    if kind in _FOR_GOOD:
        raise UserError(f"{run}: cannot be undone; {_FOR_GOOD[kind]}")
    return journals


def _ask_again(workspace: Workspace, events: Iterable[Event]) -> Iterator[tuple[str, str]]:
    """Undo the answers that these events record; gives two texts, what is open again and what stays (either may be empty)."""
    for said in events:
        memory, log = said.get("memory"), str(said.get("log", ""))
        if said["type"] == IMPORTANCE:
            held = f"importance {said['value']}" if said["value"] else "no importance"
            yield f"{memory} has {held} again", ""
        elif said["type"] in {IMPORTED, TAKEN_OUT}:
            yield move_import(workspace, said)
        elif said["type"] == REOPENED and "other" in said:
            workspace.catalog.compare_again([str(memory), str(said["other"])])
            yield f"{memory} and {said['other']} are compared again", ""
        elif said["type"] == REOPENED and not log:
            yield f"{said['key']} is offered again", ""
        elif said["type"] == REOPENED:
            accepted = str(said.get("accepted", ""))
            is_back = not accepted or workspace.logs.take_back(log, accepted)
            workspace.logs.note_held_back({log: list_held_back(workspace, log)})
            stays = "" if is_back else f"memory/{log}: the accepted line stays, because more was written below it"
            yield f"memory/{log}:{said.get('line')} waits again", stays
