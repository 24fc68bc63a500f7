"""The facts that briefings choose from: memories with their days, and what happened to them; put together from what was read."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from itertools import starmap
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from bankd.memory.archive import fades_away_on, resident_of
from bankd.memory.ledger import DUPLICATE, KEPT, SUPERSEDED, Event, Ledger, day_said, fold_events
from bankd.memory.use import FADING_TAG, Fading, value_on
from bankd.pages.names import day_in
from bankd.pages.page import Entry, Page
from bankd.words.days import read_iso_moment

if TYPE_CHECKING:
    from bankd.settings import DecayPolicy

# No postponed annotations here: a NamedTuple would compile each of them again, and a session waits for its start.


class KnownMemory(NamedTuple):
    """A memory of the bank. `value` is its confidence today in hundredths, None without one."""

    key: str
    """Its id, or page and line if it has none."""
    path: str
    line: int
    text: str
    tag: str | None = None
    value: int | None = None
    entities: tuple[str, ...] = ()
    heading: tuple[str, ...] = ()
    is_pinned: bool = False
    learned: date | None = None
    used: date | None = None
    """The last day on which it was learned, said again or found by a search."""
    said: tuple[date, ...] = ()
    """The days on which it was said, oldest first."""
    links: int = 0
    """How many other memories name its id or are about the same."""
    fades_on: date | None = None
    """The day on which it goes to the archive unless it is said again."""
    projects: tuple[str, ...] = ()
    """The folders of its projects; empty if it holds everywhere."""

    @property
    def who(self) -> str:
        """Whom it is about, as `@Slug`s: those that it names, else the one whose page it is on."""
        page = self.path.removeprefix("bank/entities/")
        own = [page.removesuffix(".md")] if page != self.path and "/" not in page else []
        return " ".join(f"@{slug}" for slug in self.entities or own)

    @property
    def place(self) -> str:
        """Its place, as Obsidian and editors open it."""
        return f"{self.path}#^{self.key}" if self.key.startswith("m-") else f"{self.path}:{self.line}"


class Happened(NamedTuple):
    """Something that a run did: `kept`, `duplicate`, `superseded`, or what removed a memory. `by` is the other memory."""

    kind: str
    at: datetime
    key: str
    by: str = ""
    place: str = ""


class OpenLine(NamedTuple):
    """A line of a log that is no memory, such as `- [ ] call the bank`."""

    day: date
    text: str
    place: str


class BriefFacts(NamedTuple):
    """All that briefings look at."""

    memories: Sequence[KnownMemory]
    happened: Sequence[Happened] = ()
    """Oldest first."""
    newer: Mapping[str, str] = MappingProxyType({})
    """The key of the newer memory, by the key of the one that it supersedes."""
    log_lines: Sequence[OpenLine] = ()

    def within(self, project: str) -> BriefFacts:
        """The memories that hold in a project; all if no project is known."""
        if not project:
            return self
        return self._replace(memories=[m for m in self.memories if not m.projects or project in m.projects])

    def of(self, key: str) -> KnownMemory | None:
        """The memory with a key."""
        return next((memory for memory in self.memories if memory.key == key), None)


class Occasion(NamedTuple):
    """When a briefing is made, about what, which keys its reader saw today, and when the reader was last seen."""

    now: datetime
    subjects: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    last_here: datetime | None = None
    project: str = ""
    """The folder of the project that the reader works in."""

    @property
    def today(self) -> date:
        """The local day."""
        return self.now.date()


class Item(NamedTuple):
    """One thing that a briefing says. `key` and `text` tell whether it was said before."""

    key: str
    text: str
    place: str
    day: date | None = None
    who: str = ""
    """Whom it is about, as `@Slug`s."""

    @property
    def line(self) -> str:
        """The printed line: whom it is about, the text, the day, and the id (or the place, if it has none)."""
        day = f"said {self.day.isoformat()}" if self.day else ""
        place = self.place.partition("#^")[2] or self.place
        return "- " + " · ".join(filter(None, (self.who, " ".join(self.text.split()), day, place)))


_TOLD = frozenset({KEPT, DUPLICATE, SUPERSEDED, "archived", "deleted", "forgotten"})
_OPEN_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?P<text>\[[ xX]\].*|(?![WBOS][ \t]*[(:@]).*\bTODO\b.*)")


def assemble_facts(
    pages: Iterable[Page], events: Sequence[Event], logs: Mapping[str, str], today: date, decay: DecayPolicy
) -> BriefFacts:
    """Put the facts together. `logs` has the texts of recent logs by name."""
    from bankd.memory.route import RenamedPages  # noqa: PLC0415 -- a session waits for its start

    ledger = fold_events(events)
    entries = [(page, entry) for page in pages for entry in page.entries if entry.memory.text.strip()]
    said, links = _said_days(ledger), _links_of(entries)
    pages_of = {entry.memory.id: (page.path,) for page, entry in entries if entry.memory.id}
    renamed = RenamedPages(ledger, lambda ids: {id_: pages_of[id_] for id_ in ids if id_ in pages_of})
    fading = Fading.of(decay, renamed.name_now)

    def known(page: Page, entry: Entry) -> KnownMemory:
        memory = entry.memory
        key = memory.id or f"{page.path}:{entry.line}"
        days = tuple(sorted(said.get(key, ())))
        learned = days[0] if days else (memory.confidence.day if memory.confidence else None)
        used = max(filter(None, (*days, ledger.last_use_of(key), learned)), default=None)
        about_same = sum(links.get(f"@{slug.casefold()}", 1) - 1 for slug in set(memory.entities))
        value = memory.confidence.hundredths if memory.confidence else None
        if memory.confidence and memory.tag == FADING_TAG:  # only opinions fade
            value = value_on(memory.confidence, today, fading, page.path, ledger.signals_of(key).used)
        fades_on = fades_away_on(resident_of(key, page.path, memory, ledger), today, fading)
        return KnownMemory(
            key, page.path, entry.line, memory.text, memory.tag, value, memory.entities, entry.heading,
            memory.is_pinned, learned, used, days, links.get(key, 0) + about_same, fades_on, tuple(sorted(of.get(key, ()))),
        )  # fmt: skip

    of = ledger.projects()
    happened = tuple(sorted(_happened(events), key=lambda one: (one.at, one.kind, one.key)))
    open_lines = (
        OpenLine(day, line["text"], f"memory/{name}:{number}")
        for name, text in logs.items()
        if (day := day_in(name))
        for number, said in enumerate(text.split("\n"), 1)
        if (line := _OPEN_LINE.fullmatch(said))
    )
    return BriefFacts(tuple(starmap(known, entries)), happened, ledger.successors(), tuple(open_lines))


def _said_days(ledger: Ledger) -> dict[str, list[date]]:
    """The days of the logs in which each memory was said, first or again, by memory."""
    days: dict[str, list[date]] = {}
    for id_, fact in ledger.consumed.items():
        said = str(fact.get("of")) if fact["type"] == DUPLICATE else id_
        if day := day_said(fact):
            days.setdefault(said, []).append(day)
    return days


def _links_of(entries: Iterable[tuple[Page, Entry]]) -> Counter[str]:
    """How many memories name each id, and how many are about each entity."""
    named: Counter[str] = Counter()
    for _, entry in entries:
        named.update(set(re.findall(r"\^(m-[a-z2-7]{12})", entry.memory.text)))
        named.update(f"@{slug.casefold()}" for slug in set(entry.memory.entities))
    return named


def _happened(events: Iterable[Event]) -> Iterator[Happened]:
    for one in {str(event["id"]): event for event in events}.values():
        at = read_iso_moment(str(one.get("at")))
        if one.get("type") in _TOLD and at and at.tzinfo:
            by = str(one.get("by") or one.get("of") or "")
            place = f"memory/{one['log']}:{one.get('line')}" if one.get("log") else str(one.get("page", ""))
            yield Happened(str(one["type"]), at, str(one.get("memory")), by, place)
