"""Use cases of the archive: list it, bring memories back, offer and archive memories, forecast what fades when."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from bankd.app.workspace import Workspace, begin_run
from bankd.cycle import Report
from bankd.errors import UserError
from bankd.memory.archive import (
    ArchiveCandidate,
    Resident,
    fades_away_on,
    find_archivable,
    moved_out,
    offered_among,
    plan_restoring,
    read_contents,
    resident_of,
    residents_of,
)
from bankd.memory.route import RenamedPages, find_claims
from bankd.memory.use import FADING_TAG, value_on
from bankd.pages.memory import statement_of
from bankd.pages.names import BANK


@dataclass(frozen=True, slots=True)
class ArchivedMemory:
    """A memory in the archive: its place there, its text, its old page, since when and why it is there."""

    id: str
    place: str
    text: str
    page: str
    since: str
    reason: str


def list_archive(workspace: Workspace) -> list[ArchivedMemory]:
    """Everything in the archive, the latest first."""
    user_run, found = begin_run(workspace, "list"), []
    for page in user_run.catalog.pages("archive"):
        for entry in page.entries:
            if id_ := entry.memory.id:
                stone = user_run.ledger.tombstones.get(id_, {})
                was = str(stone.get("page") or BANK + page.path.removeprefix("archive/"))
                since, reason = str(stone.get("at", ""))[:10], str(stone.get("reason", "put there by hand"))
                text = statement_of(entry.memory)
                found.append(ArchivedMemory(id_, f"{page.path}:{entry.line}", text, was, since, reason))
    return sorted(found, key=lambda item: (item.since, item.id), reverse=True)


def restore_memories(workspace: Workspace, ids: Sequence[str], *, dry_run: bool) -> Report:
    """Bring memories back from the archive, or with `dry_run` only say where to; UserError when one is not there."""
    user_run = begin_run(workspace, "restore")
    held = user_run.catalog.lines_of(ids, "archive")
    missing = [id_ for id_ in ids if id_ not in held]
    if missing:
        raise UserError(*(f"{id_}: not in the archive; bankctl archive list shows what is" for id_ in missing))
    twice = user_run.catalog.lines_of(ids)
    if twice:
        raise UserError(*(f"{id_}: is in {twice[id_].page} too; delete one of the two" for id_ in sorted(twice)))
    contents = {page.path: read_contents(page) for page in user_run.catalog.pages()}
    stones, renamed = user_run.ledger.tombstones, RenamedPages(user_run.ledger, user_run.catalog.pages_of)

    def name_now(page: str) -> str:
        return page if user_run.catalog.read(page) is not None else BANK + renamed.name_now(page.removeprefix(BANK))

    back = tuple(plan_restoring(id_, held[id_], stones.get(id_), contents, name_now) for id_ in ids)
    return user_run.carry_out(user_run.plan.with_(restored=back), dry_run=dry_run)


def collect_garbage(workspace: Workspace, *, apply: bool, force: bool) -> Report:
    """Move memories that were superseded, have faded or were not used for 90 days to the archive, or only list them."""
    user_run = begin_run(workspace, "gc")
    held = user_run.catalog.all_lines()
    going = _find_offered(workspace, residents_of(held, user_run.ledger))
    plan = user_run.plan.with_(
        archived=tuple(moved_out(found.resident.id, held[found.resident.id], found.detail) for found in going)
    )
    return user_run.carry_out(plan, force=force, dry_run=not apply)


@dataclass(frozen=True, slots=True)
class OfferedMemory:
    """A memory that may go to the archive: its strength, 0 to 1, the reason, its page and its text."""

    id: str
    strength: float
    reason: str
    page: str
    text: str


def offer_candidates(workspace: Workspace) -> list[OfferedMemory]:
    """What `collect_garbage` would take, the weakest first."""
    user_run = begin_run(workspace, "candidates")
    residents = residents_of(user_run.catalog.all_lines(), user_run.ledger)
    offered = [
        OfferedMemory(one.resident.id, one.strength, one.detail, one.resident.page, statement_of(one.resident.memory))
        for one in _find_offered(workspace, residents)
    ]
    return sorted(offered, key=lambda one: (round(one.strength, 6), one.page, one.id))


def _find_offered(workspace: Workspace, residents: Iterable[Resident]) -> list[ArchiveCandidate]:
    policy = workspace.policy()
    found = find_archivable(residents, workspace.now.date(), workspace.fading(), clock_frozen=policy.clock_frozen)
    return offered_among(found)


@dataclass(frozen=True, slots=True)
class FadingForecast:
    """A memory that will be below the floor on a day: its id or else its place, its confidence now in hundredths."""

    day: date
    id: str
    value: int
    place: str
    text: str
    kept_on: str = ""
    """If its words make it a preference: the page on which it would not fade."""


def forecast_fading(workspace: Workspace, days: int) -> tuple[list[FadingForecast], int]:
    """What falls below the floor within this many days, soonest first; and how many opinions a pin keeps from fading."""
    user_run = begin_run(workspace, "forecast")
    pages = {opinion.page for opinion in user_run.catalog.opinions()}
    fading, today, found, pinned = workspace.fading(), workspace.now.date(), list[FadingForecast](), 0
    for page in (page for page in user_run.catalog.pages() if page.path in pages):
        for entry in page.entries:
            memory, place = entry.memory, f"{page.path}:{entry.line}"
            if memory.tag != FADING_TAG or not (written := memory.confidence):
                continue
            pinned += memory.is_pinned
            dated = replace(memory, confidence=replace(written, day=written.day or today))
            resident = resident_of(memory.id or place, page.path, dated, user_run.ledger)
            day = fades_away_on(resident, today, fading)
            if day and (day - today).days <= days:
                worth = value_on(written, today, fading, page.path, resident.signals.used)
                belongs = find_claims(replace(memory, entities=()), workspace.policy().rules)[0].page
                kept_on = belongs if fading.keeps(BANK + belongs) else ""
                found.append(FadingForecast(day, resident.id, worth, place, statement_of(memory), kept_on))
    return sorted(found, key=lambda one: (one.day, one.id)), pinned
