"""The lines that were blocked because they said nothing new, and a person's word that one says something all the same."""

from __future__ import annotations

from dataclasses import dataclass

from bankd.app.user_run import UserRun, begin_run
from bankd.app.workspace import Workspace
from bankd.core.lifecycle.events import DUPLICATE, Event
from bankd.core.lifecycle.provenance import source_line
from bankd.core.lifecycle.renamed_pages import RenamedPages
from bankd.core.lifecycle.retain import LogPlace, RetainLine
from bankd.core.lifecycle.routing import route_memory
from bankd.core.markdown.memory import parse_memory
from bankd.core.plan.decisions import Placement
from bankd.cycle import Report, place_on_page
from bankd.errors import UserError


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
    user_run = begin_run(workspace, "list")
    facts = {id_: fact for id_, fact in user_run.ledger.consumed.items() if fact["type"] == DUPLICATE}
    twins = user_run.catalog.texts_of(str(fact.get("of")) for fact in facts.values())
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


def allow_line(workspace: Workspace, id_: str, *, dry_run: bool) -> Report:
    """Let a blocked line in, whatever it is like: onto the page that its rule gives; or only say which that is."""
    user_run = begin_run(workspace, "allow")
    fact = user_run.ledger.consumed.get(id_)
    if fact is None or fact["type"] != DUPLICATE:
        raise UserError(f"{id_}: no blocked line has this id; bankctl duplicates list shows those there are")
    line = _line_of(user_run, id_, fact)
    workspace.graph.refresh()
    rules = workspace.policy().rules
    renamed = RenamedPages(user_run.ledger, workspace.catalog.pages_of)
    destination = place_on_page(line.memory, route_memory(line.memory, rules), workspace.graph, renamed)
    placement = Placement(line, destination)
    return user_run.carry_out(user_run.plan.with_(lines=(line,), placements=(placement,)), dry_run=dry_run)


def _line_of(user_run: UserRun, id_: str, fact: Event) -> RetainLine:
    """The line as it stands in its log now, or, where that is gone, as the event remembers it."""
    for log in user_run.ledger.names_of(str(fact.get("log"))):
        reading = user_run.workspace.read_log(log, user_run.ledger)
        if reading and (line := source_line(id_, reading)):
            return line
    place = LogPlace(str(fact.get("log")), int(fact.get("line", 0)))
    return RetainLine(place, parse_memory(str(fact.get("text", ""))), 0, id_)
