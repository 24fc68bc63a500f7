"""Which memories leave their page and why, and where a memory that comes back belongs.

Those that fade, near-copies that are merged and, if a person wants it, those that nobody uses go to the archive with a
tombstone; nothing is deleted. Only what says the same is merged, so that no fact is lost. The number in one run is limited,
because a wrong clock makes everything look old. A memory comes back only when a person asks for it: to the place it came
from, byte for byte. Events that became lasting knowledge are only offered to a person. This module only decides.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum
from itertools import permutations

from bankd.edits.inserting import block_key, unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove, Replace, move_piece
from bankd.memory.ledger import Event, Ledger, day_of
from bankd.memory.use import NOTICE, Fading, UseSignals, falls_on, is_fading, strength_on, value_on
from bankd.pages.memory import Confidence, Memory, memory_id, parse_memory, render_sources, statement_of
from bankd.pages.names import ARCHIVE, Names
from bankd.pages.page import MARKER, MemoryLines, Page, read_page, with_confidence
from bankd.pages.scanner import encode_text
from bankd.same import Pairs, Relation
from bankd.settings import BudgetPolicy

WEAK = math.exp(-3)
"""Below this a memory may be offered for the archive: three times its stability has passed."""
PROMOTED_AFTER, PROMOTED_USES = 7, 3
"""An event is offered as lasting knowledge this many days after it was learned, if used on this many days: design section 17."""
RESTED = timedelta(days=30)
"""How long a restored memory stays, whatever its confidence. Its lines come back unchanged, with the old value in them;
a month is time to confirm it, to write another `c=`, or to pin it."""


class Reason(StrEnum):
    """Why a memory may go to the archive."""

    SUPERSEDED = "superseded"
    FADED = "faded"
    UNUSED = "unused"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Resident:
    """A memory of the bank and the facts of its life from events; None for unknown ones."""

    id: str
    page: str
    memory: Memory
    kept: date | None = None
    used: date | None = None
    """The last day on which it answered a search, was used, or was said again."""
    superseded_by: str | None = None
    restored: date | None = None
    signals: UseSignals = field(default_factory=UseSignals)

    def strength(self, today: date) -> float:
        """How strong it is, 0 to 1; it does not grow weak when no day of its life is known."""
        last = max((day for day in (self.kept, self.used) if day), default=today)
        return strength_on(today, last, self.signals, is_pinned=self.memory.is_pinned)


def resident_of(id_: str, page: str, memory: Memory, ledger: Ledger, newer: str | None = None) -> Resident:
    """The facts about a memory that the rules of the archive need; `newer` is the memory that replaces it."""
    kept = day_of(ledger.consumed[id_]) if id_ in ledger.consumed else None
    used, restored, signals = ledger.last_use_of(id_), ledger.restored.get(id_), ledger.signals_of(id_)
    return Resident(id_, page, memory, kept, used, newer, restored, signals)


@dataclass(frozen=True, slots=True)
class ArchiveCandidate:
    """A memory that may be archived, the reason, the reason in words for people, and its strength, 0 to 1."""

    resident: Resident
    reason: Reason
    detail: str
    strength: float


def find_archivable(
    residents: Iterable[Resident], today: date, fading: Fading, *, clock_frozen: bool
) -> list[ArchiveCandidate]:
    """All memories that may go, each with the first reason that holds; nothing goes by age while the clock is frozen."""
    return [found for resident in residents if (found := _candidate(resident, today, fading, clock_frozen))]


def _candidate(resident: Resident, today: date, fading: Fading, clock_frozen: bool) -> ArchiveCandidate | None:
    if resident.memory.is_pinned or today < stays_until(resident.restored):
        return None
    strength = resident.strength(today)
    if resident.superseded_by:
        return ArchiveCandidate(resident, Reason.SUPERSEDED, f"{resident.superseded_by} replaces it", strength)
    if clock_frozen or fading.keeps(resident.page):
        return None
    if fades_away_on(resident, today, fading) == today:
        return ArchiveCandidate(resident, Reason.FADED, f"its confidence is below {fading.floor / 100:.2f}", strength)
    last = max((day for day in (resident.kept, resident.used) if day), default=None)
    if last is not None and strength < WEAK:
        return ArchiveCandidate(resident, Reason.UNUSED, f"nobody asked for it since {last.isoformat()}", strength)
    return None


def stays_until(restored: date | None) -> date:
    """The first day on which a restored memory may go again; `date.min` for one that was never restored."""
    return restored + RESTED if restored else date.min


def fades_away_on(resident: Resident, today: date, fading: Fading) -> date | None:
    """The day on which a memory will have faded and goes to the archive, today or later; None when it never does.

    It stays a week after it was taken in or last used, and a month after it was brought back.
    """
    memory, used = resident.memory, resident.signals.used
    if memory.confidence is None or not is_fading(memory) or fading.keeps(resident.page):
        return None
    falls = falls_on(memory.confidence, fading, used)
    noticed = (day + NOTICE for day in (resident.kept, *used) if day)
    return max(falls, today, stays_until(resident.restored), *noticed) if falls else None


def offered_among(candidates: Iterable[ArchiveCandidate]) -> list[ArchiveCandidate]:
    """The candidates to offer to a person: all but those that were used and are still strong."""
    return [one for one in candidates if one.strength < WEAK or not one.resident.signals.used]


def goes_by_itself(candidate: ArchiveCandidate, *, archives_superseded: bool) -> bool:
    """Whether a reflect cycle archives a candidate without asking; it never does so with an unused memory."""
    if candidate.reason is Reason.SUPERSEDED:
        return archives_superseded and candidate.resident.restored is None
    return candidate.reason in {Reason.FADED, Reason.UNSUPPORTED}


def archive_page(page: str) -> str:
    """The page in the archive for a page of the bank; both relative to the workspace."""
    return "archive/" + page.removeprefix("bank/")


def restore_place(was: MemoryLines, pages: Mapping[str, Page]) -> tuple[str, tuple[str, ...]]:
    """The page and headings to which a memory goes back; after a split, those of the part that holds its place now.

    `was` tells where it stood. The part is found by the neighbours of the memory, else by its heading. Without either it is
    the old page, which is made again if it is gone.
    """
    folder = was.page.removesuffix(".md") + "/"  # the parts of a split page `full.md` are in the folder `full/`
    paths = [was.page, *(part for part in sorted(pages) if part.startswith(folder))]
    places = [pages[path] for path in paths if path in pages]
    for neighbour in (*was.after, *was.before):
        for place in places:
            if any(entry.memory.id == neighbour for entry in place.entries):
                return place.path, _heading_in(place, was.heading)
    for place in places:
        if was.heading and (heading := _heading_in(place, was.heading)):
            return place.path, heading
    return was.page, was.heading


def _heading_in(place: Page, heading: tuple[str, ...]) -> tuple[str, ...]:
    """The same heading on a page: the one with this path, else the first with this title, else none."""
    paths = [here.path for here in place.headings]
    if heading in paths:
        return heading
    return next((path for path in paths if heading and path[-1] == heading[-1]), ())


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that leaves the archive, or that a person had deleted: its lines there, and as and where they will be."""

    id: str
    stored: MemoryLines
    place: MemoryLines
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """How links to it were written before it went, by their file and their present text."""

    @property
    def is_archived(self) -> bool:
        """Whether it comes from the archive; else a person had deleted it."""
        return self.stored.page.startswith(ARCHIVE)

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Into the bank first, then out of the archive."""
        back = put_back(self.id, self.place, self.place.heading)
        gone = Remove(self.stored.page, (Piece(self.id, unix_text(self.stored.text)),), self.place.page)
        return (back, gone) if self.is_archived else (back,)


def put_back(id_: str, was: MemoryLines, heading: tuple[str, ...]) -> Append:
    """Put a memory with these lines under a heading of its page, among its old neighbours."""
    there, title = Piece(id_, unix_text(was.text)), was.heading[0] if was.heading else ""
    return Append(was.page, _under(heading)[0], (there,), title, was.after, was.before, was.is_apart)


def _under(path: tuple[str, ...]) -> tuple[str, str]:
    """The heading at the end of a path, empty for the top of a page, and the title of the page."""
    return path[-1] if len(path) > 1 else "", path[0] if path else ""


def plan_restoring(
    id_: str,
    lines: MemoryLines,
    tombstone: Event | None,
    pages: Mapping[str, Page],
    name_now: Callable[[str], str] = str,
) -> Restored:
    """Plan the way back of a memory; without a tombstone it goes to the page that its page in the archive stands for.

    `name_now` gives the present path of the page it was on.
    """
    said = tombstone or {}
    was = lines_told(said)
    if not was.page:
        was = replace(was, page="bank/" + lines.page.removeprefix("archive/"), heading=lines.heading)
    was = replace(was, page=name_now(was.page), text=lines.text)
    page, heading = restore_place(was, pages)
    return Restored(id_, lines, replace(was, page=page, heading=heading), written_links(said))


def lines_told(said: Event) -> MemoryLines:
    """The place and the lines of a memory by an event that tells them; empty where it has none."""
    gaps = said.get("is_apart")
    is_apart = (bool(gaps[0]), bool(gaps[1])) if isinstance(gaps, list | tuple) and len(gaps) == 2 else None
    heading = tuple(str(title) for title in said.get("heading") or ())
    after, before = _ids(said.get("after")), _ids(said.get("before"))
    page, text = str(said.get("page") or ""), str(said.get("text") or "")
    entries = read_page("", encode_text(text.lstrip())).entries
    return MemoryLines(page, text, heading, after, entries[0].end if entries else 1, before, is_apart=is_apart)


def written_links(tombstone: Event) -> dict[tuple[str, str], str]:
    """How the links to an archived memory were written before it went, by their file and their present text."""
    links = tombstone.get("links")
    rows = [row for row in links if len(row) == 3] if isinstance(links, list | tuple) else []
    parted = ((str(page), *str(was).partition(" ")[::2], str(now)) for page, was, now in rows)
    return {(page, f"{kind} {now}"): words for page, kind, words, now in parted}


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


ALWAYS_ALLOWED = 20
"""Memories that may go in one run however small the bank is."""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory on a page: the page's path in the workspace, its 1-based line, and its id, which one written by hand may lack.

    Its tag and written confidence are there where they were asked for.
    """

    path: str
    line: int
    id: str | None
    tag: str | None = None
    confidence: Confidence | None = None


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory that goes to the archive: its lines in the bank, and why it goes."""

    id: str
    lines: MemoryLines
    reason: str
    archive: str = ""
    """The existing page of the archive, if its name differs from the page's name only in case; else empty."""

    def within(self, names: Names) -> Archived:
        """The move, into an existing page of the archive whose name differs only in case: on some systems that is one file."""
        return replace(self, archive=names.file(archive_page(self.lines.page)) or "")

    @property
    def operations(self) -> tuple[Operation, Operation]:
        """Into the archive first, then out of the bank."""
        page, target = self.lines.page, self.archive or archive_page(self.lines.page)
        return move_piece(self.id, self.lines.text, page, target, *_under(self.lines.heading))

    @property
    def tombstone(self) -> dict[str, object]:
        """What the event log keeps about it."""
        was = self.lines
        return {
            "memory": self.id,
            "page": was.page,
            "heading": list(was.heading),
            "after": list(was.after),
            "before": list(was.before),
            "is_apart": list(was.is_apart) if was.is_apart else None,
            "reason": self.reason,
        }


def find_departures(residents: Iterable[Resident], today: date, fading: Fading) -> list[tuple[Resident, date]]:
    """The memories that will fade away within the time of notice, but not today, each with its day, soonest first."""
    days = [(resident, fades_away_on(resident, today, fading)) for resident in residents]
    soon = [(resident, day) for resident, day in days if day and today < day <= today + NOTICE]
    return sorted(soon, key=lambda one: (one[1], one[0].page, statement_of(one[0].memory)))


def allowed_removals(held: int, budget: BudgetPolicy) -> int:
    """How many memories one run may take out without asking."""
    return max(ALWAYS_ALLOWED, held * budget.max_removed_percent // 100)


def find_fallen(opinions: Iterable[HeldMemory], today: date, fading: Fading) -> list[HeldMemory]:
    """The opinions whose confidence is below the floor today."""
    return [o for o in opinions if o.confidence and value_on(o.confidence, today, fading, o.path) < fading.floor]


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


def give_id(lines: MemoryLines) -> Replace:
    """Give a memory of the user an id, made from its page and text."""
    id_ = memory_id(lines.page, statement_of(parse_memory(MARKER.sub("", lines.text))), 0)
    rows = lines.text.split("\n")
    rows[lines.own - 1] = f"{rows[lines.own - 1].rstrip()} ^{id_}"
    return Replace(lines.page, block_key(lines.text), lines.text, "\n".join(rows))


def too_many(going: int, held: int, budget: BudgetPolicy) -> str | None:
    """The warning when more memories would go in one run than may without a person's word; else None."""
    if going <= allowed_removals(held, budget):
        return None
    return (
        f"{going} of {held} memories would go to the archive at once, more than "
        f"budget.max_removed_percent = {budget.max_removed_percent} allows; nothing was archived. If the clock is right, "
        "run bankctl cycle reflect --force"
    )


_TAIL = re.compile(r"(?:[ \t]+<!-- also[^>\n]*-->)?(?P<gap>[ \t\n]+)\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")


@dataclass(frozen=True, slots=True)
class Merged:
    """How the memory that stays is reworded, and the memories that are merged into it."""

    change: Replace
    sources: tuple[Archived, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """Name the sources, then move them to the archive."""
        return (self.change, *(operation for source in self.sources for operation in source.operations))


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
        rows[: lines.own] = [_TAIL.sub(rf"{sources}\g<gap>^{id_}", "\n".join(rows[: lines.own]))]
        out = tuple(Archived(one, held[one], f"superseded: {id_} says all of it") for one in others)
        mergers.append(Merged(Replace(lines.page, id_, text, "\n".join(rows)), out))
    return tuple(mergers)


LIVED = ("experience/", "world/events.md", "world/events/")
"""The pages and folders for events, relative to the bank; a split page has its parts in a folder."""


def find_promotable(residents: Iterable[Resident], today: date, declined: Container[str]) -> list[Resident]:
    """Events that were learned a week ago or earlier and used on three days, unless declined; the most used first."""
    offered = [one for one in residents if one.id not in declined and _is_promotable(one, today)]
    return sorted(offered, key=lambda one: (-len(set(one.signals.used)), one.page, one.id))


def _is_promotable(one: Resident, today: date) -> bool:
    if one.kept is None or one.superseded_by or not one.page.removeprefix("bank/").startswith(LIVED):
        return False
    return one.kept <= today - timedelta(PROMOTED_AFTER) and len(set(one.signals.used)) >= PROMOTED_USES
