"""What may leave the bank for the archive and why, and where something that comes back belongs.

Nothing here removes anything: the plan does, with a tombstone in the event log for each.

What comes back from the archive: only what a person asks for, to the place it came from, to the byte.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from enum import StrEnum

from bankd.edits.inserting import unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove
from bankd.memory.ledger import Event
from bankd.memory.use import NOTHING, NOTICE, Fading, UseSignals, falls_on, is_faded, is_fading, strength_on
from bankd.memory.use_policy import WEAK
from bankd.pages.memory import Memory
from bankd.pages.page import MemoryLines, Page

RESTED = timedelta(days=30)
"""How long a memory that a person brought back stays whatever its confidence says: its lines come back to the byte, so
the value in them is the old one; a month is time to confirm it, to write another `c=`, or to pin it."""


class Reason(StrEnum):
    """Why a memory may go, in the order in which they are checked."""

    SUPERSEDED = "superseded"
    FADED = "faded"
    UNUSED = "unused"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True)
class Resident:
    """A memory of the bank with what is known of its life; None for what no event tells."""

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
        """How strong it is, 0 to 1; one of whose life nobody knows anything does not grow weak."""
        last = max((day for day in (self.kept, self.used) if day), default=today)
        return strength_on(today, last, self.signals, is_pinned=self.memory.is_pinned)


@dataclass(frozen=True, slots=True)
class ArchiveCandidate:
    """A memory that may be archived, why, as a word and as a sentence for people, and its strength, 0 to 1."""

    resident: Resident
    reason: Reason
    detail: str
    strength: float


@dataclass(frozen=True, slots=True)
class Tombstone:
    """Where an archived memory stood: its page and headings then, and its neighbours there, the nearest first."""

    page: str
    heading: tuple[str, ...]
    after: tuple[str, ...] = ()
    before: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageContents:
    """A page as it is now: its headings as paths, and the ids of its memories in order."""

    page: str
    headings: tuple[tuple[str, ...], ...]
    ids: tuple[str, ...]


def find_archivable(
    residents: Iterable[Resident], today: date, fading: Fading, *, clock_frozen: bool
) -> list[ArchiveCandidate]:
    """Everything that may go, with the first reason that holds; by age nothing goes while the clock is frozen."""
    return [found for resident in residents if (found := _candidate(resident, today, fading, clock_frozen))]


def _candidate(resident: Resident, today: date, fading: Fading, clock_frozen: bool) -> ArchiveCandidate | None:
    if resident.memory.is_pinned or today < stays_until(resident.restored):
        return None
    strength = resident.strength(today)
    if resident.superseded_by:
        return ArchiveCandidate(resident, Reason.SUPERSEDED, f"{resident.superseded_by} says it newer", strength)
    if clock_frozen:
        return None
    if is_faded(resident.memory, today, fading) and today >= noticed_until(resident.kept, resident.signals):
        return ArchiveCandidate(resident, Reason.FADED, f"its confidence is below {fading.floor / 100:.2f}", strength)
    last = max((day for day in (resident.kept, resident.used) if day), default=None)
    if last is not None and strength < WEAK:
        return ArchiveCandidate(resident, Reason.UNUSED, f"nobody asked for it since {last.isoformat()}", strength)
    return None


def stays_until(restored: date | None) -> date:
    """The first day on which a memory that a person brought back may go again; long past for one that never was."""
    return restored + RESTED if restored else date.min


def noticed_until(kept: date | None, signals: UseSignals = NOTHING) -> date:
    """The first day on which a memory that was taken in then, and used since, may fade away; long past without either."""
    last = max((day for day in (kept, signals.last_used()) if day), default=None)
    return last + NOTICE if last else date.min


def fades_away_on(
    memory: Memory, kept: date | None, restored: date | None, today: date, fading: Fading, signals: UseSignals = NOTHING
) -> date | None:
    """The day on which a memory goes to the archive because it has faded; None when it never does."""
    if memory.confidence is None or not is_fading(memory):
        return None
    falls = falls_on(memory.confidence, fading)
    return max(falls, today, stays_until(restored), noticed_until(kept, signals)) if falls else None


def unsupported(resident: Resident, lost: str, today: date) -> ArchiveCandidate:
    """An insight one of whose memories does not stand any more."""
    return ArchiveCandidate(resident, Reason.UNSUPPORTED, f"it was derived from {lost} too", resident.strength(today))


def offered_among(candidates: Iterable[ArchiveCandidate]) -> list[ArchiveCandidate]:
    """Those that are offered to a person: none that somebody used and that is still strong, whatever its reason."""
    return [one for one in candidates if one.strength < WEAK or not one.resident.signals.used]


def goes_by_itself(candidate: ArchiveCandidate, *, archives_superseded: bool) -> bool:
    """Say whether a reflect cycle archives a candidate unasked: what faded does, what nobody asked for never does."""
    if candidate.reason is Reason.SUPERSEDED:
        return archives_superseded and candidate.resident.restored is None
    return candidate.reason in {Reason.FADED, Reason.UNSUPPORTED}


def archive_page(page: str) -> str:
    """The page of the archive that mirrors one of the bank; both relative to the workspace."""
    return "archive/" + page.removeprefix("bank/")


def restore_place(tombstone: Tombstone, contents: Mapping[str, PageContents]) -> tuple[str, tuple[str, ...]]:
    """Where a memory goes back to: its page and headings, or after a split the part that took them over.

    A part is known by the memories that stood before and after this one, else by the heading; with neither it is the old
    page, which is made again when it is gone.
    """
    places = list(_heirs(tombstone.page, contents))
    for neighbour in (*tombstone.after, *tombstone.before):
        for place in places:
            if neighbour in place.ids:
                return place.page, _heading_in(place, tombstone.heading)
    for place in places:
        if tombstone.heading and _heading_in(place, tombstone.heading):
            return place.page, _heading_in(place, tombstone.heading)
    return tombstone.page, tombstone.heading


def _heirs(page: str, contents: Mapping[str, PageContents]) -> Iterator[PageContents]:
    """The page itself, then its parts: a split page `full.md` has them in the folder `full/`."""
    if page in contents:
        yield contents[page]
    folder = page.removesuffix(".md") + "/"
    yield from (contents[part] for part in sorted(contents) if part.startswith(folder))


def _heading_in(place: PageContents, heading: Sequence[str]) -> tuple[str, ...]:
    """The heading of a page that is meant: the same path, else the only or first one with its title; else none."""
    if tuple(heading) in place.headings:
        return tuple(heading)
    return next((path for path in place.headings if heading and path[-1] == heading[-1]), ())


@dataclass(frozen=True, slots=True)
class Restored:
    """A memory that leaves the archive: its page there, its exact lines, and where they go.

    `placed` has the lines as the page has to have them, where that is not as they were.
    """

    id: str
    archive: str
    text: str
    page: str
    heading: tuple[str, ...]
    after: tuple[str, ...]
    before: tuple[str, ...]
    is_apart: tuple[bool, bool] | None = None
    links: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """How links to it were written before it went: by their file and their present words."""
    placed: str = ""

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
    """A memory on its way back; without a tombstone it goes where the place in the archive points.

    `name_now` gives the present path of the page it was on.
    """
    stone = _tombstone(id_, lines, tombstone)
    stone = replace(stone, page=name_now(stone.page))
    page, heading = restore_place(stone, contents)
    gaps = tombstone.get("is_apart") if tombstone else None
    is_apart = (bool(gaps[0]), bool(gaps[1])) if isinstance(gaps, list | tuple) and len(gaps) == 2 else None
    links = written_links(tombstone or {})
    return Restored(id_, lines.page, lines.text, page, heading, stone.after, stone.before, is_apart, links)


def _tombstone(id_: str, lines: MemoryLines, event: Event | None) -> Tombstone:
    if event is None or not event.get("page"):
        return Tombstone("bank/" + lines.page.removeprefix("archive/"), lines.heading)
    heading = tuple(str(title) for title in event.get("heading") or ())
    return Tombstone(str(event["page"]), heading, _ids(event.get("after")), _ids(event.get("before")))


def written_links(tombstone: Event) -> dict[tuple[str, str], str]:
    """How the links were written that led to an archived memory: by their file and their present words."""
    links = tombstone.get("links")
    rows = [row for row in links if len(row) == 3] if isinstance(links, list | tuple) else []
    parted = ((str(page), *str(was).partition(" ")[::2], str(now)) for page, was, now in rows)
    return {(page, f"{kind} {now}"): words for page, kind, words, now in parted}


def _ids(value: object) -> tuple[str, ...]:
    return tuple(map(str, value)) if isinstance(value, list | tuple) else (str(value),) if value else ()


def read_contents(page: Page) -> PageContents:
    """A page as restoring sees it."""
    ids = tuple(entry.memory.id for entry in page.entries if entry.memory.id)
    return PageContents(page.path, tuple(heading.path for heading in page.headings), ids)
