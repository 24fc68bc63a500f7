"""The steps of a run that merge near-copies and archive what has faded.

Both only add to the plan; what leaves the bank goes to the archive.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set
from typing import TYPE_CHECKING

from bankd.edits.operations import Replace
from bankd.health.health import FROZEN
from bankd.memory import archive
from bankd.memory.ledger import Ledger
from bankd.memory.plan import Plan
from bankd.memory.route import RenamedPages
from bankd.memory.use import NOTICE, Fading
from bankd.night.insights import sources_of
from bankd.night.sections import FOLDER
from bankd.settings import Settings

if TYPE_CHECKING:
    from bankd.workspace.catalog import PageMemoryCatalog


def merge_near_copies(plan: Plan, ledger: Ledger, catalog: PageMemoryCatalog, settings: Settings) -> Plan:
    """Merge the compared near-copies that were in the bank before this run, except memories that this run changes."""
    touched = _touched(plan)
    held = {id_: lines for id_, lines in catalog.all_lines().items() if id_ not in touched}
    fading = Fading.of(settings.decay)
    found = archive.find_mergers(held, catalog.known_pairs(), ledger.restored, plan.now.date(), fading)
    warning = archive.too_many(sum(len(m.sources) for m in found), catalog.count(), settings.budget)
    return plan.with_(warnings=(*plan.warnings, warning)) if warning else plan.with_(merged=found)


def retire_memories(
    plan: Plan, ledger: Ledger, catalog: PageMemoryCatalog, settings: Settings, *, clock_frozen: bool, force: bool
) -> Plan:
    """Move the faded opinions and, if the settings say so, superseded memories to the archive."""
    if clock_frozen:
        plan = plan.with_(warnings=(*plan.warnings, FROZEN))
    today, fading = plan.now.date(), Fading.of(settings.decay, RenamedPages(ledger, catalog.pages_of).name_now)
    near = [] if clock_frozen else archive.find_fallen(catalog.opinions(), today + NOTICE, fading)
    opinions = archive.find_fallen(near, today, fading)
    superseded = ledger.successors() if settings.dedup.archive_superseded else {}
    distilled = {id_ for id_, fact in ledger.consumed.items() if str(fact.get("log", "")).startswith(f"{FOLDER}/")}
    ids = {o.id for o in near if o.id} | superseded.keys() | distilled
    lines = catalog.lines_of(ids - _touched(plan))
    residents = archive.residents_of(lines, ledger)
    going = [
        found
        for found in archive.find_archivable(residents, today, fading, clock_frozen=clock_frozen)
        if archive.goes_by_itself(found, archives_superseded=settings.dedup.archive_superseded)
    ]
    going += _unsupported(plan, residents, {found.resident.id for found in going}, ledger, catalog)
    going_ids = {found.resident.id for found in going}
    staying = [resident for resident in residents if resident.id not in going_ids and not clock_frozen]
    plan = plan.with_(fading=tuple(archive.find_departures(staying, today, fading)))
    warning = archive.too_many(len(plan.taken_out) + len(going), catalog.count(), settings.budget)
    if warning and not force:
        return plan.with_(warnings=(*plan.warnings, warning))
    out = tuple(archive.Archived(found.resident.id, lines[found.resident.id], found.detail) for found in going)
    return plan.with_(archived=out, named=_named(opinions, catalog))


def _unsupported(
    plan: Plan, residents: Sequence[archive.Resident], going: Set[str], ledger: Ledger, catalog: PageMemoryCatalog
) -> Iterator[archive.ArchiveCandidate]:
    """The insights of which a source memory leaves the bank."""
    insights = [(one, sources_of(one.memory.text)) for one in residents if one.id not in going]
    held = catalog.pages_of(id_ for _, sources in insights for id_ in sources)
    standing = held.keys() - ledger.successors().keys() - {update.old for update in plan.updates} - going
    for one, sources in insights:
        if lost := next((id_ for id_ in sources if id_ not in standing), ""):
            reason = f"it was derived from {lost} too"
            yield archive.ArchiveCandidate(one, archive.Reason.UNSUPPORTED, reason, one.strength(plan.now.date()))


def _touched(plan: Plan) -> set[str]:
    """The memories that the plan of this run changes already."""
    merged = {id_ for m in plan.merged for id_ in (m.change.key, *(source.id for source in m.sources))}
    said_again = {*(b.twin for b in plan.blocked), *(c.key for c in plan.confirmed)}
    return merged | said_again | {*(u.old for u in plan.updates), *(r.change.key for r in plan.revised)}


def _named(opinions: Sequence[archive.HeldMemory], catalog: PageMemoryCatalog) -> tuple[Replace, ...]:
    """Give ids to faded opinions that the user wrote, so that the next reflect can archive them."""
    found = catalog.lines_at(opinion for opinion in opinions if opinion.id is None)
    return tuple(archive.give_id(lines) for lines in found if not archive.memory_of(lines).is_pinned)
