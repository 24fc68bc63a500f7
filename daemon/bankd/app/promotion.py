"""What was lived and has been of use again and again: a person may move it to what is known, or say that it stays."""

from __future__ import annotations

from dataclasses import dataclass

from bankd.app.inbox import move_memories, places_for
from bankd.app.user_run import record_events
from bankd.app.workspace import Workspace
from bankd.core.lifecycle.events import DISMISSED
from bankd.core.lifecycle.promotion import find_promotable, is_lived, lasting_place
from bankd.core.lifecycle.retiring import residents_of
from bankd.core.lifecycle.routing import Destination, problem_of_target
from bankd.core.markdown.memory import Memory
from bankd.core.plan.memory_moves import MovingMemory
from bankd.core.plan.report import ReportRow
from bankd.errors import UserError


@dataclass(frozen=True, slots=True)
class PromotableMemory:
    """A memory that may become lasting knowledge: on how many days it was used, and what it says; where it stands."""

    id: str
    place: str
    text: str
    days: int
    memory: Memory


def list_promotable(workspace: Workspace) -> list[PromotableMemory]:
    """What was lived and used often enough, the most used first."""
    workspace.catalog.refresh(workspace.now)
    ledger = workspace.transactions.ledger()
    used = {id_ for id_, signals in ledger.signals.items() if signals.used}
    residents = residents_of(workspace.catalog.lines_of(used), ledger) if used else []
    found = find_promotable(residents, workspace.now.date(), ledger.dismissed)
    texts = workspace.catalog.texts_of({one.id for one in found})
    return [
        PromotableMemory(one.id, *texts[one.id], len(set(one.signals.used)), one.memory)
        for one in found
        if one.id in texts
    ]


def promote_memory(workspace: Workspace, id_: str, target: str | None, *, dry_run: bool) -> list[tuple[str, str]]:
    """Move one to what is known, by its rules or to this page, or only say where to; UserError when it is not offered."""
    offered = _offered(workspace, id_)
    destination = _destination(workspace, offered.memory, target)
    page, _, line = offered.place.rpartition(":")
    text = workspace.catalog.lines_of([id_])[id_].text
    return move_memories(
        workspace, "promote", [(MovingMemory(id_, text, int(line), page=page), destination)], dry_run=dry_run
    )


def decline_promotion(workspace: Workspace, id_: str, *, dry_run: bool) -> PromotableMemory:
    """Leave one where it is, and ask no more, or only say which; UserError when it is not offered."""
    offered = _offered(workspace, id_)
    if not dry_run:
        row = ReportRow("=", "kept", offered.place, offered.text, "it stays with what was lived")
        record_events(workspace, "keep", [(DISMISSED, id_, {"key": id_, "why": "promotion"})], {"kept": 1}, [row])
    return offered


def _offered(workspace: Workspace, id_: str) -> PromotableMemory:
    found = next((one for one in list_promotable(workspace) if one.id == id_), None)
    if found is None:
        raise UserError(f"{id_}: not offered as lasting knowledge; bankctl inbox lists what is")
    return found


def _destination(workspace: Workspace, memory: Memory, target: str | None) -> Destination:
    if target is None:
        (claims,) = places_for(workspace, [memory])
        return lasting_place(claims)
    page, _, heading = target.partition("#")
    if problem := problem_of_target(page):
        raise UserError(problem)
    if is_lived(page):
        raise UserError(f"{page}: holds what was lived; lasting knowledge is elsewhere")
    return Destination(page, heading or None, "promoted by hand")
