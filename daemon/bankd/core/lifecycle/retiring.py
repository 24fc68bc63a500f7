"""What a reflect cycle takes out of the bank by itself: opinions that have faded, and what was superseded if so set.

It goes to the archive with a tombstone that says where it stood; nothing is deleted, and its log line does not bring it
back. How many may go in one night is bounded: a wrong clock makes everything look old.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date

from bankd.core.edits.operations import Append, Operation, Piece, Remove, Replace
from bankd.core.edits.spans import block_key, outdent_lines, unix_text
from bankd.core.lifecycle.archive import ArchiveCandidate, Resident, archive_page, fades_away_on
from bankd.core.lifecycle.decay import NOTICE, Fading, value_on
from bankd.core.lifecycle.events import Ledger, day_of
from bankd.core.markdown.memory import Confidence, Memory, memory_id, parse_memory, statement_of
from bankd.core.markdown.names import Names
from bankd.core.markdown.page_lines import MARKER, MemoryLines
from bankd.core.markdown.policy import BudgetPolicy

ALWAYS_ALLOWED = 20
"""Memories that may go in one run however small the bank is."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """An opinion with its written confidence, by the place where it begins; a hand-written one may have no id."""

    page: str
    line: int
    id: str | None
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Named:
    """A memory that the user wrote gets an id, since the archive has to refer to it: its lines before and after."""

    page: str
    text: str
    named: str
    id: str

    @property
    def operation(self) -> Operation:
        """The id at the end of the memory's own lines."""
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
    """The page of the archive, where another name in case than that of the page has been made; empty for the mirror of it."""

    def within(self, names: Names) -> Archived:
        """The same, into the page of the archive that is there: two whose names differ in case alone are one elsewhere."""
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
        """What the event log remembers of it."""
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
    """A memory that will have faded away on a day: where it stands, and what it says."""

    page: str
    text: str
    day: date


def find_departures(residents: Iterable[Resident], today: date, fading: Fading) -> list[Departure]:
    """What fades away within the time of notice, but not today, soonest first."""
    days = [(r, fades_away_on(r.memory, r.kept, r.restored, today, fading, r.signals)) for r in residents]
    soon = [Departure(r.page, statement_of(r.memory), day) for r, day in days if day and today < day <= today + NOTICE]
    return sorted(soon, key=lambda one: (one.day, one.page, one.text))


def allowed_removals(held: int, budget: BudgetPolicy) -> int:
    """How many memories one run may take out unasked."""
    return max(ALWAYS_ALLOWED, held * budget.max_removed_percent // 100)


def find_fallen(opinions: Iterable[Opinion], today: date, fading: Fading) -> list[Opinion]:
    """The opinions that are strictly below the floor today, as far as their confidence tells."""
    return [opinion for opinion in opinions if value_on(opinion.confidence, today, fading) < fading.floor]


def residents_of(held: Mapping[str, MemoryLines], ledger: Ledger) -> list[Resident]:
    """What the archive rules ask of memories, from their lines and the events.

    One in which other memories with ids are nested is not a resident: they would go where it goes.
    """
    newer = ledger.successors()
    return [_resident(id_, lines, newer.get(id_), ledger) for id_, lines in sorted(held.items()) if not lines.inside]


def _resident(id_: str, lines: MemoryLines, newer: str | None, ledger: Ledger) -> Resident:
    memory = memory_of(lines)
    kept = ledger.consumed.get(id_)
    first = day_of(kept) if kept else None
    used, signals = ledger.last_use_of(id_), ledger.signals_of(id_)
    return Resident(id_, lines.page, memory, first, used, newer, ledger.restored.get(id_), signals)


def memory_of(lines: MemoryLines) -> Memory:
    """The memory that its lines say, without what is nested in it."""
    own = "\n".join(line.strip() for line in lines.text.split("\n")[: lines.own])
    return parse_memory(MARKER.sub("", own))


def give_id(lines: MemoryLines) -> Named:
    """Give a hand-written memory an id, made of its page and what it says."""
    id_ = memory_id(lines.page, statement_of(parse_memory(MARKER.sub("", lines.text))), 0)
    rows = lines.text.split("\n")
    rows[lines.own - 1] = f"{rows[lines.own - 1].rstrip()} ^{id_}"
    return Named(lines.page, lines.text, "\n".join(rows), id_)


def archive_memory(candidate: ArchiveCandidate, lines: MemoryLines) -> Archived:
    """A candidate that goes."""
    return moved_out(candidate.resident.id, lines, candidate.detail)


def moved_out(id_: str, lines: MemoryLines, reason: str) -> Archived:
    """A memory that goes to the archive, from its lines."""
    return Archived(id_, lines.page, lines.heading, lines.text, lines.after, reason, lines.before, lines.is_apart)


def too_many(going: int, held: int, budget: BudgetPolicy) -> str | None:
    """Say so when more would go in one run than may without a person's word."""
    if going <= allowed_removals(held, budget):
        return None
    return (
        f"{going} of {held} memories would go to the archive at once, more than "
        f"budget.max_removed_percent = {budget.max_removed_percent} allows; nothing was archived. If the clock is right, "
        "run bankctl cycle reflect --force"
    )
