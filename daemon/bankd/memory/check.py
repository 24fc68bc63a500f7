"""Two checks: a plan keeps every memory and stays in its budget; and nothing in a bank is lost.

The first compares the pages that a plan touches, before and after. What it finds is a bug in bankd. The second goes by
logs and pages, and does not trust what runs noted about them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bankd.edits.operations import Rewrite
from bankd.edits.transaction import Transaction, take_step
from bankd.layouts.links import Link
from bankd.memory.ledger import DUPLICATE, KEPT, REVISED, SCREENED, Ledger
from bankd.memory.plan import Plan
from bankd.memory.retain import LogReading
from bankd.memory.retire import allowed_removals
from bankd.pages.memory import Memory, statement_of
from bankd.pages.page import Page, part_lines, parts_folder, read_page_once
from bankd.pages.references import without_targets
from bankd.settings import BudgetPolicy

Pages = Mapping[str, bytes]


def find_losses(plan: Plan, before: Pages, after: Pages) -> list[str]:
    """Every way in which the plan's result would lose, double or garble a memory; empty when all is well."""
    old = {path: read_page_once(path, data) for path, data in before.items()}
    new = {path: read_page_once(path, data) for path, data in after.items()}
    held, kept = _ids(old), _ids(new)
    lost = [f"memory {id_} would be lost by run {plan.run}" for id_ in sorted(held) if id_ not in kept]
    # A memory that the user has copied may stand as often as before.
    more = {id_: n for id_, n in kept.items() if id_.startswith("m-") and n > max(held[id_], 1)}
    doubled = [f"memory {id_} would stand {n} times" for id_, n in sorted(more.items())]
    return [*lost, *_unplaced(plan, new), *doubled, *_unwritten_prose(old, new)]


def foresee_pages(transaction: Transaction, before: Pages, rewrite: Rewrite | None = None) -> dict[str, bytes]:
    """The pages that a transaction touches as they will be afterwards; `rewrite` says how links follow."""
    after: dict[str, bytes | None] = dict(before)
    for step in transaction.steps():
        after[step.path] = take_step(step, after.get(step.path), after.get, rewrite).data
    return {path: data for path, data in after.items() if data is not None}


def _ids(pages: Mapping[str, Page]) -> Counter[str]:
    return Counter(entry.memory.id for page in pages.values() for entry in page.entries if entry.memory.id)


def _unplaced(plan: Plan, new: Mapping[str, Page]) -> list[str]:
    """The new memories that are not once, in the same words, on their page or a part of it."""
    findings = []
    there: dict[str | None, list[tuple[str, Memory]]] = defaultdict(list)
    for path, page in new.items():
        for entry in page.entries:
            there[entry.memory.id].append((path, entry.memory))
    for placement in plan.placements:
        line, target = placement.line, f"bank/{placement.destination.page}"
        below = parts_folder(target) + "/"
        found = [said for path, said in there[line.id] if path == target or path.startswith(below)]
        if len(found) != 1 or statement_of(found[0]) != statement_of(line.memory):
            findings.append(f"{line.place} would not be read back from {placement.destination.page}")
    return findings


def _unwritten_prose(old: Mapping[str, Page], new: Mapping[str, Page]) -> list[str]:
    """The user's texts without an id that would be lost: they must stay word for word, but link targets may change.

    A line that the user copied from a hub is such a text where it links to no part. It may become a link to a part again.
    """
    before = Counter(without_targets(e.memory.text) for page in old.values() for e in page.entries if not e.memory.id)
    after = Counter(without_targets(e.memory.text) for page in new.values() for e in page.entries)
    for page in new.values():
        lines = (page.document.lines[number].strip()[2:] for number in part_lines(page.document, page.path))
        after.update(map(without_targets, lines))
    return [f"a text without an id would be lost: {text[:60]!r}" for text in sorted((before - after).elements())]


def find_broken(plan: Plan, dead: Iterable[Link] = ()) -> list[str]:
    """Every link that works now and would not after the plan: those that its splits break, and those of `dead`."""
    lost = plan.rearranged.relinked.lost if plan.rearranged else ()
    known = {(item.source, item.reference) for item in lost}
    found = [link for link in dead if (link.source, link.reference) not in known]
    layout = plan.rearranged.findings if plan.rearranged else ()
    return [
        *layout,
        *(f"{link.source}:{link.reference.line + 1}: {link.reference.target} would lead nowhere" for link in found),
    ]


def find_excess(plan: Plan, budget: BudgetPolicy, held: int) -> str | None:
    """Why a plan takes out too many of `held` memories to run without `--force` (`budget` in the settings); else None."""
    removed = len(plan.taken_out)
    if removed <= allowed_removals(held, budget):
        return None
    limit = f"budget.max_removed_percent = {budget.max_removed_percent} allows"
    return f"this run would take {removed} of {held} memories out of the bank, more than {limit}"


# the promises of a bank


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """One problem: its kind (`lost`, `twice`, `link`, `left over`, `unreadable`), its place, and a description."""

    kind: str
    place: str
    words: str


@dataclass(frozen=True, slots=True)
class Emptied:
    """A page that is empty now; its memories count as deleted only after `days` days."""

    page: str
    memories: int
    days: int

    @property
    def words(self) -> str:
        """The finding in words, for people."""
        which = f"{self.memories} memories stood on it" if self.memories > 1 else "1 memory stood on it"
        days = f"{self.days} day{'s' if self.days > 1 else ''}"
        return f"is empty, perhaps cut by an unfinished save; {which}, taken for deleted after {days}"


@dataclass(frozen=True, slots=True)
class Verification:
    """How much was checked, how many lines wait for the next run, the problems, and which pages were just emptied."""

    lines: int
    memories: int
    waiting: int
    findings: tuple[VerifyFinding, ...]
    emptied: tuple[Emptied, ...] = ()


def find_lost(
    readings: Sequence[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> Iterator[VerifyFinding]:
    """Retain lines that were taken in and left nothing: no page, no archive, no tombstone.

    Then the memories whose log line is gone too, so that only the event log knows them.
    """
    lines = [line for reading in readings for line in reading.lines]
    for line in lines:
        if words := _why_lost(line.id, places, ledger):
            yield VerifyFinding("lost", str(line.place), words)
    in_logs = {line.id for line in lines}
    for id_ in find_missing_memories(places, ledger):
        if id_ not in in_logs:
            fact = ledger.consumed[id_]
            place = f"memory/{fact.get('log')}:{fact.get('line')}"
            yield VerifyFinding("lost", place, f"{id_} is on no page, and its log line is gone too")


def _why_lost(id_: str, places: Mapping[str, Sequence[str]], ledger: Ledger) -> str:
    fact = ledger.consumed.get(id_, {"type": SCREENED})
    if fact["type"] == SCREENED or id_ in places or id_ in ledger.gone:
        return ""
    other = str(fact.get("of"))
    is_known = other in places or other in ledger.gone
    if fact["type"] == REVISED:
        return "" if is_known else f"{other} was to follow it, and is on no page"
    if fact["type"] == DUPLICATE:
        is_known = is_known or not other.startswith("m-") or bool(fact.get("text"))
        return "" if is_known else f"was blocked because {other} says the same, and {other} is gone"
    return f"became {id_}, which is on no page; if you took it out, the next run will note that"


def count_waiting(readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger) -> int:
    """How many Retain lines no run has taken in yet."""
    lines = [line for reading in readings for line in reading.lines]
    return sum(line.id not in ledger.consumed and line.id not in places for line in lines)


def find_missing_memories(places: Mapping[str, Sequence[str]], ledger: Ledger) -> list[str]:
    """The ids of memories that were kept, are in no place, and were not noted as taken out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT}
    return sorted(kept - places.keys() - ledger.gone.keys())
