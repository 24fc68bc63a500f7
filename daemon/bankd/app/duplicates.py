"""The lines that were blocked because they said nothing new, and a person's word that one says something all the same."""

from __future__ import annotations

from dataclasses import dataclass

from bankd.adapters.workspace.logs import read_one_log
from bankd.app.user_run import Errand, begin
from bankd.core.lifecycle.events import DUPLICATE, Event
from bankd.core.lifecycle.retain import Place, RetainLine, identified_as
from bankd.core.lifecycle.routing import route
from bankd.core.markdown.memory import parse_memory
from bankd.core.plan.plan import Placement
from bankd.cycle import Report, followed
from bankd.errors import UserError
from bankd.wiring.workspace import Workspace


@dataclass(frozen=True, slots=True)
class BlockedLine:
    """A line that was blocked: its id, place and words, its twin and what that says now, why, and when."""

    id: str
    place: str
    text: str
    twin: str
    twin_place: str
    twin_text: str
    reason: str
    day: str


def list_blocked(workspace: Workspace) -> list[BlockedLine]:
    """Every blocked line, the newest first."""
    errand = begin(workspace, "list")
    facts = {id_: fact for id_, fact in errand.ledger.consumed.items() if fact["type"] == DUPLICATE}
    twins = errand.holdings.texts_of(str(fact.get("of")) for fact in facts.values())
    found = [_blocked(id_, fact, twins.get(str(fact.get("of")), ("", ""))) for id_, fact in facts.items()]
    return sorted(found, key=lambda line: (line.day, line.place), reverse=True)


def _blocked(id_: str, fact: Event, twin: tuple[str, str]) -> BlockedLine:
    return BlockedLine(
        id_,
        f"memory/{fact.get('log')}:{fact.get('line')}",
        str(fact.get("text", "")),
        str(fact.get("of")),
        *twin,
        str(fact.get("reason", "says the same")),
        str(fact["at"])[:10],
    )


def find_blocked(workspace: Workspace, id_: str) -> BlockedLine:
    """One of them; UserError when there is none with this id."""
    for line in list_blocked(workspace):
        if line.id == id_:
            return line
    raise UserError(f"{id_}: no blocked line has this id; bankctl duplicates list shows those there are")


def allow(workspace: Workspace, id_: str, *, dry_run: bool) -> Report:
    """Let a blocked line in, whatever it is like: onto the page that its rule gives; or only say which that is."""
    errand = begin(workspace, "allow")
    fact = errand.ledger.consumed.get(id_)
    if fact is None or fact["type"] != DUPLICATE:
        raise UserError(f"{id_}: no blocked line has this id; bankctl duplicates list shows those there are")
    line = _line_of(errand, id_, fact)
    workspace.graph.refresh()
    rules = workspace.policy().rules
    placement = Placement(line, followed(line.memory, route(line.memory, rules), workspace.graph))
    return errand.carry_out(errand.plan.with_(lines=(line,), placements=(placement,)), dry_run=dry_run)


def _line_of(errand: Errand, id_: str, fact: Event) -> RetainLine:
    """The line as it stands in its log now, or, where that is gone, as the event remembers it."""
    for log in errand.ledger.names_of(str(fact.get("log"))):
        reading = read_one_log(errand.workspace.files, log, errand.workspace.settings.retain.anywhere)
        lines = identified_as(reading, errand.ledger.identity_of(log)).lines if reading else ()
        for line in lines:
            if line.id == id_:
                return line
    place = Place(str(fact.get("log")), int(fact.get("line", 0)))
    return RetainLine(place, parse_memory(str(fact.get("text", ""))), 0, id_)
