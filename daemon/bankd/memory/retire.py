"""Memories that leave their page: those that fade, near-copies that are merged, and events that became lasting knowledge.

What leaves the bank goes to the archive with a tombstone; nothing is deleted. The number in one run is limited, because a
wrong clock makes everything look old. Only what says the same is merged, so that no fact is lost. Lasting knowledge is only
offered to a person.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import permutations

from bankd.edits.inserting import block_key, outdent_lines, unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove, Replace
from bankd.memory.archive import Resident, archive_page, fades_away_on, resident_of
from bankd.memory.ledger import Ledger
from bankd.memory.route import Destination
from bankd.memory.use import NOTICE, Fading, value_on
from bankd.memory.use_policy import PROMOTED_AFTER, PROMOTED_USES
from bankd.pages.memory import Confidence, Memory, memory_id, parse_memory, render_sources, statement_of
from bankd.pages.names import Names, is_own
from bankd.pages.page import MARKER, MemoryLines, with_confidence
from bankd.same.compare import Relation
from bankd.same.pairs import Pairs
from bankd.settings import BudgetPolicy

ALWAYS_ALLOWED = 20
"""Memories that may go in one run however small the bank is."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """An opinion with its written confidence and its place; one written by hand may have no id."""

    page: str
    line: int
    id: str | None
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Named:
    """A memory of the user that gets an id, because the archive must refer to it: its lines before and after."""

    page: str
    text: str
    named: str
    id: str

    @property
    def operation(self) -> Operation:
        """Write the lines with the id."""
        return Replace(self.page, block_key(self.text), self.text, self.named)


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory that goes to the archive: its exact lines, where it stood, its neighbours there, and why it goes."""

    id: str
    page: str
    heading: tuple[str, ...]
    text: str
    after: tuple[str, ...]
    reason: str
    before: tuple[str, ...] = ()
    is_apart: tuple[bool, bool] | None = None
    archive: str = ""
    """The existing page of the archive, if its name differs from the page's name only in case; else empty."""

    def within(self, names: Names) -> Archived:
        """The move, into an existing page of the archive whose name differs only in case: on some systems that is one file."""
        return replace(self, archive=names.file(archive_page(self.page)) or "")

    @property
    def operations(self) -> tuple[Operation, Operation]:
        """Into the archive first, then out of the bank."""
        here, target = Piece(self.id, unix_text(self.text)), self.archive or archive_page(self.page)
        there = Piece(self.id, outdent_lines(here.text))
        heading, title = self.heading[-1] if len(self.heading) > 1 else "", self.heading[0] if self.heading else ""
        return Append(target, heading, (there,), title), Remove(self.page, (here,), target)

    @property
    def tombstone(self) -> dict[str, object]:
        """What the event log keeps about it."""
        return {
            "memory": self.id,
            "page": self.page,
            "heading": list(self.heading),
            "after": list(self.after),
            "before": list(self.before),
            "is_apart": list(self.is_apart) if self.is_apart else None,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Departure:
    """A memory that will fade away on a day: its page and text."""

    page: str
    text: str
    day: date


def find_departures(residents: Iterable[Resident], today: date, fading: Fading) -> list[Departure]:
    """The memories that will fade away within the time of notice, but not today, soonest first."""
    days = [(resident, fades_away_on(resident, today, fading)) for resident in residents]
    soon = [Departure(r.page, statement_of(r.memory), day) for r, day in days if day and today < day <= today + NOTICE]
    return sorted(soon, key=lambda one: (one.day, one.page, one.text))


def allowed_removals(held: int, budget: BudgetPolicy) -> int:
    """How many memories one run may take out without asking."""
    return max(ALWAYS_ALLOWED, held * budget.max_removed_percent // 100)


def find_fallen(opinions: Iterable[Opinion], today: date, fading: Fading) -> list[Opinion]:
    """The opinions whose confidence is below the floor today."""
    return [opinion for opinion in opinions if value_on(opinion.confidence, today, fading, opinion.page) < fading.floor]


def residents_of(held: Mapping[str, MemoryLines], ledger: Ledger) -> list[Resident]:
    """The facts about memories that the rules of the archive need, from their lines and the events.

    A memory with other memories (with ids) nested in it is left out, since they would go with it.
    """
    newer, alone = ledger.successors(), sorted((id_, lines) for id_, lines in held.items() if not lines.inside)
    return [resident_of(id_, lines.page, memory_of(lines), ledger, newer.get(id_)) for id_, lines in alone]


def memory_of(lines: MemoryLines) -> Memory:
    """The memory at the start of these lines, without nested ones."""
    own = "\n".join(line.strip() for line in lines.text.split("\n")[: lines.own])
    return parse_memory(MARKER.sub("", own))


def give_id(lines: MemoryLines) -> Named:
    """Give a memory of the user an id, made from its page and text."""
    id_ = memory_id(lines.page, statement_of(parse_memory(MARKER.sub("", lines.text))), 0)
    rows = lines.text.split("\n")
    rows[lines.own - 1] = f"{rows[lines.own - 1].rstrip()} ^{id_}"
    return Named(lines.page, lines.text, "\n".join(rows), id_)


def moved_out(id_: str, lines: MemoryLines, reason: str) -> Archived:
    """A memory that goes to the archive."""
    return Archived(id_, lines.page, lines.heading, lines.text, lines.after, reason, lines.before, lines.is_apart)


def too_many(going: int, held: int, budget: BudgetPolicy) -> str | None:
    """The warning when more memories would go in one run than may without a person's word; else None."""
    if going <= allowed_removals(held, budget):
        return None
    return (
        f"{going} of {held} memories would go to the archive at once, more than "
        f"budget.max_removed_percent = {budget.max_removed_percent} allows; nothing was archived. If the clock is right, "
        "run bankctl cycle reflect --force"
    )


_TAIL = re.compile(r"(?:[ \t]+<!-- also[^>\n]*-->)?[ \t]+\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that stays, its lines now and as they will be, and the memories that are merged into it."""

    id: str
    page: str
    text: str
    merged: str
    sources: tuple[Archived, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Name the sources, then move them to the archive."""
        named = Replace(self.page, self.id, self.text, self.merged)
        return (named, *(operation for source in self.sources for operation in source.operations))


def find_mergers(
    held: Mapping[str, MemoryLines], pairs: Pairs, restored: Container[str], today: date, fading: Fading
) -> tuple[Merged, ...]:
    """What can be merged among these memories without losing a word: those found to say the same, under one of them.

    A pinned memory is never merged into another, nor one that a person brought back, nor one with others nested in it. The
    lines of the one that stays get a comment that names its sources, and the confidence that is highest today.
    """
    same: dict[str, set[str]] = {}
    for pair in (pair for pair, found in pairs.items() if found.relation is Relation.SAME and held.keys() >= set(pair)):
        for one, other in permutations(pair):
            same.setdefault(one, set()).add(other)
    memories, gone, mergers = {id_: memory_of(held[id_]) for id_ in same}, set[str](), list[Merged]()
    for id_ in sorted(same, key=lambda id_: (not memories[id_].is_pinned, -len(memories[id_].text.split()), id_)):
        if id_ in gone:
            continue
        lines, memory = held[id_], memories[id_]
        kin = (one for one in sorted(same[id_] - gone) if not (memories[one].is_pinned or one in restored))
        others = [one for one in kin if memories[one].tag == memory.tag and not held[one].inside]
        gone |= {id_, *others}
        if not others:
            continue
        written = [found for one in (id_, *others) if (found := memories[one].confidence)]
        strongest = max(written, key=lambda one: value_on(one, today, fading, lines.page), default=None)
        text = unix_text(lines.text)
        rows = (with_confidence(text, strongest) if strongest and memory.confidence else text).split("\n")
        sources = render_sources(tuple(dict.fromkeys((*memory.sources, *others))))
        rows[lines.own - 1] = _TAIL.sub(f"{sources} ^{id_}", rows[lines.own - 1])
        out = tuple(moved_out(one, held[one], f"superseded: {id_} says all of it") for one in others)
        mergers.append(Merged(id_, lines.page, text, "\n".join(rows), out))
    return tuple(mergers)


LIVED = ("experience/", "world/events.md", "world/events/")
"""The pages and folders for events, relative to the bank; a split page has its parts in a folder."""
KNOWN = "knowledge/learned.md"
"""The page for lasting knowledge that no rule places elsewhere."""


def find_promotable(residents: Iterable[Resident], today: date, declined: Container[str]) -> list[Resident]:
    """Events that were learned a week ago or earlier and used on three days, unless declined; the most used first."""
    offered = [one for one in residents if one.id not in declined and _is_promotable(one, today)]
    return sorted(offered, key=lambda one: (-len(set(one.signals.used)), one.page, one.id))


def _is_promotable(one: Resident, today: date) -> bool:
    if one.kept is None or one.superseded_by or not is_lived(one.page.removeprefix("bank/")):
        return False
    return one.kept <= today - timedelta(PROMOTED_AFTER) and len(set(one.signals.used)) >= PROMOTED_USES


def is_lived(page: str) -> bool:
    """Whether a page, relative to the bank, holds events."""
    return page.startswith(LIVED)


def lasting_place(claims: Sequence[Destination]) -> Destination:
    """The first of these places that is not on a page for events."""
    lasting = (place for place in claims if not (is_lived(place.page) or is_own(place.page)))
    return next(lasting, Destination(KNOWN, None, "lasting knowledge"))
