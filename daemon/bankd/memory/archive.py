"""Which memories may go to the archive and why, and where a memory that comes back belongs.

This module only decides. The plan moves the memories and writes a tombstone for each into the event log. A memory comes
back only when a person asks for it: to the place it came from, byte for byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import StrEnum

from bankd.edits.inserting import unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove
from bankd.memory.ledger import Event, Ledger, day_of
from bankd.memory.use import NOTICE, Fading, UseSignals, falls_on, is_fading, strength_on
from bankd.memory.use_policy import WEAK
from bankd.pages.memory import Memory
from bankd.pages.page import MemoryLines, Page

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


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Where an archived memory stood: its page and headings, and the ids of its neighbours there, nearest first."""

    page: str
    heading: tuple[str, ...]
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageContents:
    """A page as it is now: the paths of its headings, and the ids of its memories in order."""

    page: str
    headings: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]


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


def unsupported(resident: Resident, lost: str, today: date) -> ArchiveCandidate:
    """An insight that was derived from a memory which is gone."""
    return ArchiveCandidate(resident, Reason.UNSUPPORTED, f"it was derived from {lost} too", resident.strength(today))


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


def restore_place(tombstone: Tombstone, contents: Mapping[str, PageContents]) -> tuple[str, tuple[str, ...]]:
    """The page and headings to which a memory goes back; after a split, those of the part that holds its place now.

    The part is found by the neighbours of the memory, else by its heading. Without either it is the old page, which is
    made again if it is gone.
    """
    folder = tombstone.page.removesuffix(".md") + "/"  # the parts of a split page `full.md` are in the folder `full/`
    paths = [tombstone.page, *(part for part in sorted(contents) if part.startswith(folder))]
    places = [contents[path] for path in paths if path in contents]
    for neighbour in (*tombstone.after, *tombstone.before):
        for place in places:
            if neighbour in place.ids:
                return place.page, _heading_in(place, tombstone.heading)
    for place in places:
        if tombstone.heading and _heading_in(place, tombstone.heading):
            return place.page, _heading_in(place, tombstone.heading)
    return tombstone.page, tombstone.heading


def _heading_in(place: PageContents, heading: tuple[str, ...]) -> tuple[str, ...]:
    """The same heading on a page: the one with this path, else the first with this title, else none."""
    if heading in place.headings:
        return heading
    return next((path for path in place.headings if heading and path[-1] == heading[-1]), ())


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that leaves the archive: its page there, its exact lines, and where they go."""

    id: str
    archive: str
    text: str
    page: str
    heading: tuple[str, ...]
    after: tuple[str, ...]
    before: tuple[str, ...]
    is_apart: tuple[bool, bool] | None = None
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """How links to it were written before it went, by their file and their present text."""
    placed: str = ""
    """Its lines with links that are right on the new page; empty when they stay as they are."""

    @property
    def operations(self) -> tuple[Operation, Operation]:
        """Into the bank first, then out of the archive."""
        piece = Piece(self.id, unix_text(self.text))
        heading = self.heading[-1] if len(self.heading) > 1 else ""
        title = self.heading[0] if self.heading else ""
        there = Piece(self.id, unix_text(self.placed or self.text))
        back = Append(self.page, heading, (there,), title, self.after, self.before, self.is_apart)
        return back, Remove(self.archive, (piece,), self.page)


def plan_restoring(
    id_: str,
    lines: MemoryLines,
    tombstone: Event | None,
    contents: Mapping[str, PageContents],
    name_now: Callable[[str], str] = str,
) -> Restored:
    """Plan the way back of a memory; without a tombstone it goes to the page that its page in the archive stands for.

    `name_now` gives the present path of the page it was on.
    """
    said = tombstone or {}
    if said.get("page"):
        heading = tuple(str(title) for title in said.get("heading") or ())
        stone = Tombstone(name_now(str(said["page"])), heading, _ids(said.get("after")), _ids(said.get("before")))
    else:
        stone = Tombstone(name_now("bank/" + lines.page.removeprefix("archive/")), lines.heading)
    page, heading = restore_place(stone, contents)
    gaps = said.get("is_apart")
    is_apart = (bool(gaps[0]), bool(gaps[1])) if isinstance(gaps, list | tuple) and len(gaps) == 2 else None
    links = written_links(said)
    return Restored(id_, lines.page, lines.text, page, heading, stone.after, stone.before, is_apart, links)


def written_links(tombstone: Event) -> dict[tuple[str, str], str]:
    """How the links to an archived memory were written before it went, by their file and their present text."""
    links = tombstone.get("links")
    rows = [row for row in links if len(row) == 3] if isinstance(links, list | tuple) else []
    parted = ((str(page), *str(was).partition(" ")[::2], str(now)) for page, was, now in rows)
    return {(page, f"{kind} {now}"): words for page, kind, words, now in parted}


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


def read_contents(page: Page) -> PageContents:
    """Read the headings and ids of a page."""
    ids = tuple(entry.memory.id for entry in page.entries if entry.memory.id)
    return PageContents(page.path, tuple(heading.path for heading in page.headings), ids)
