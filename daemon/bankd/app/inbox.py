"""The inbox of a workspace, the ways out of it, and where a text would go."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankd.app.user_run import record_events
from bankd.app.workspace import Workspace
from bankd.core.daemon.health import COPIED_ADVICE
from bankd.core.edits.transaction import Transaction, keep_versions
from bankd.core.lifecycle.events import DISMISSED
from bankd.core.lifecycle.renamed_pages import RenamedPages
from bankd.core.lifecycle.retain import LogPlace
from bankd.core.lifecycle.routing import Destination, find_claims, problem_of_target
from bankd.core.markdown.memory import Memory, parse_memory
from bankd.core.markdown.names import INBOX
from bankd.core.markdown.pages import read_page
from bankd.core.pages.block_links import relink_operations
from bankd.core.plan.held_back import HeldBack, held_back_in, screened_in
from bankd.core.plan.memory_moves import MovingMemory, move_operations
from bankd.core.plan.report import ReportRow
from bankd.cycle import pages_there, place_on_page
from bankd.errors import UserError
from bankd.relinking import follow_links, rebase_moved

_MARKER = re.compile(r"^[ \t]*[-*+][ \t]+")


def list_inbox(workspace: Workspace) -> list[MovingMemory]:
    """What waits in the inbox, in the order of its page."""
    page = read_page(INBOX, workspace.files.read(f"bank/{INBOX}") or b"")
    return [
        MovingMemory(entry.memory.id, page.text_of(entry), entry.line, " ".join(entry.heading[-1:]))
        for entry in page.entries
        if entry.memory.id
    ]


def place_memory(workspace: Workspace, id_: str, target: str, *, dry_run: bool) -> list[tuple[str, str]]:
    """Move one memory out of the inbox, or only say where to; UserError when it is not there or the page may not be."""
    page, _, heading = target.partition("#")
    if problem := problem_of_target(page):
        raise UserError(problem)
    waiting = [item for item in list_inbox(workspace) if item.id == id_]
    if not waiting:
        raise UserError(f"{id_}: not in the inbox; bankctl inbox lists what is")
    moves = [(waiting[0], Destination(page, heading or None, "placed by hand"))]
    if not _without_copies(workspace, moves):
        raise UserError(f"{id_}: bank/{page} has it in other words; {COPIED_ADVICE}")
    return move_memories(workspace, "place", moves, dry_run=dry_run)


def retry_inbox(workspace: Workspace, *, dry_run: bool) -> list[tuple[str, str]]:
    """Route everything in the inbox again by the rules as they are now, or only say where to."""
    waiting = list_inbox(workspace)
    found = places_for(workspace, [parse_memory(_MARKER.sub("", item.text)) for item in waiting])
    routed = [(item, places[0]) for item, places in zip(waiting, found, strict=True)]
    placed = [(item, destination) for item, destination in routed if destination.page != INBOX]
    return move_memories(workspace, "retry", _without_copies(workspace, placed), dry_run=dry_run)


def _without_copies(
    workspace: Workspace, moves: list[tuple[MovingMemory, Destination]]
) -> list[tuple[MovingMemory, Destination]]:
    """The moves but those to a page where the user has put the memory already, and reworded it."""
    _, versions = keep_versions(Transaction("", "", move_operations(moves)), workspace.transactions.look)
    return [(item, to) for item, to in moves if item.id not in versions]


def places_for(workspace: Workspace, memories: Sequence[Memory]) -> list[list[Destination]]:
    """Every place that claims each memory, the one that wins first; by the page's present name, and of a split one the part that fits."""
    workspace.catalog.refresh(workspace.now)
    workspace.graph.refresh()
    rules, graph = workspace.policy().rules, workspace.graph
    like, renamed = (
        workspace.index.similar_to,
        RenamedPages(workspace.transactions.ledger(), workspace.catalog.pages_of),
    )
    there = pages_there(graph, renamed)
    return [
        [place_on_page(memory, place, graph, renamed) for place in find_claims(memory, rules, like, there)]
        for memory in memories
    ]


def list_held_back(workspace: Workspace, log: str) -> tuple[HeldBack, ...]:
    """The lines of a log, as it is now, that were not taken in and wait for a person."""
    ledger = workspace.transactions.ledger()
    reading = workspace.read_log(log, ledger)
    return held_back_in(reading, ledger, screened_in(ledger), workspace.policy().finders) if reading else ()


def dismiss_line(workspace: Workspace, log: str, line: int, *, dry_run: bool, accepted: str = "") -> HeldBack:
    """Let a line of a log that was not taken in be named no more, or only say which; UserError when none such is there.

    `accepted` is what the log now says in its place, if anything.
    """
    place = LogPlace(log, line)
    item = next((item for item in list_held_back(workspace, log) if item.place == place), None)
    if item is None:
        raise UserError(f"{place}: no line there waits to be dealt with; bankctl inbox lists those that do")
    if dry_run:
        return item
    facts = {"key": item.key, "log": log, "line": line, "why": item.kind} | ({"accepted": accepted} if accepted else {})
    row = ReportRow("-", "dismissed", str(place), item.text, item.reason)
    record_events(workspace, "dismiss", [(DISMISSED, item.key, facts)], {"dismissed": 1}, [row])
    workspace.logs.dismiss(item.key)
    return item


def accept_line(workspace: Workspace, log: str, line: int, *, dry_run: bool) -> HeldBack:
    """Take in a line that a model or a rule wrote and that waits: it is said again without doubt, and dismissed.

    UserError for a line that only its log can mend.
    """
    item = dismiss_line(workspace, log, line, dry_run=True)
    if not item.is_offered:
        raise UserError(f"{item.place}: {item.reason}")
    if not dry_run:
        accepted = f"- {' '.join(item.text.split())}\n"
        workspace.logs.append(log, accepted)
        dismiss_line(workspace, log, line, dry_run=False, accepted=accepted)
    return item


def move_memories(
    workspace: Workspace, kind: str, moves: list[tuple[MovingMemory, Destination]], *, dry_run: bool
) -> list[tuple[str, str]]:
    """Move memories as a run of this kind, with the links to them, or only say where to: id and page of each."""
    moved = [(waiting.id, destination.page) for waiting, destination in moves]
    if dry_run or not moved:
        return moved
    workspace.graph.refresh()
    operations = rebase_moved(move_operations(moves), workspace.graph, workspace.transactions.look)
    links = follow_links(operations, workspace.graph, workspace.transactions.look).followed
    with workspace.recorder.recording(kind) as record:
        at = workspace.now.isoformat(timespec="seconds")
        workspace.commit(Transaction(record.run, at, (*operations, *relink_operations(links)), kind=kind))
        record.is_changed, record.counts = True, {"placed": len(moves)}
        record.rows = [
            ReportRow("~", "placed", f"{item.page}:{item.line}", item.text, f"bank/{to.page}: {to.reason}")
            for item, to in moves
        ]
    workspace.refresh()
    return moved
