"""What briefings choose from: the memories of a bank with their days, and what happened to them.

The facts for briefings, put together from pages, events and logs as they were read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple

from bankd.memory.archive import fades_away_on
from bankd.memory.ledger import DUPLICATE, KEPT, SUPERSEDED, Event, Ledger, day_of, fold_events
from bankd.memory.use import FADING_TAG, Fading, value_on
from bankd.pages.memory import Memory
from bankd.pages.page import Entry, Page
from bankd.words.days import read_iso_moment

# No postponed annotations here: a NamedTuple would compile each of them again, and a session waits for its start.


class KnownMemory(NamedTuple):
    """A memory of the bank; `value` is its confidence today in hundredths, None for what has none."""

    key: str
    """Its id, or page and line where it has none."""
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
    """How many other memories name its id or whom it is about."""
    fades_on: date | None = None
    """The day on which it goes to the archive unless it is said again."""

    @property
    def place(self) -> str:
        """Where it stands, as Obsidian and editors open it."""
        return f"{self.path}#^{self.key}" if self.key.startswith("m-") else f"{self.path}:{self.line}"


class Happened(NamedTuple):
    """Something that a run did: `kept`, `duplicate`, `superseded` or what took a memory out; `by` is the other memory."""

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
    """By the key of what was superseded, the key of what supersedes it."""
    log_lines: Sequence[OpenLine] = ()

    def of(self, key: str) -> KnownMemory | None:
        """The memory with a key."""
        return next((memory for memory in self.memories if memory.key == key), None)


class Occasion(NamedTuple):
    """When a briefing is made, about what, and what its reader has seen: keys of today, and when it was last here."""

    now: datetime
    subjects: tuple[str, ...] = ()
    seen: frozenset[str] = frozenset()
    last_here: datetime | None = None

    @property
    def today(self) -> date:
        """The local day."""
        return self.now.date()


class Item(NamedTuple):
    """One thing that a briefing says; `key` and `text` tell whether it was said before."""

    key: str
    text: str
    place: str
    day: date | None = None

    @property
    def line(self) -> str:
        """As it is printed: date, text, place."""
        day = self.day.isoformat() if self.day else ""
        return "- " + " · ".join(filter(None, (day, " ".join(self.text.split()), self.place)))


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_TOLD = frozenset({KEPT, DUPLICATE, SUPERSEDED, "archived", "deleted", "forgotten"})
_OPEN_LINE = re.compile(r"[ \t]*[-*+][ \t]+(?P<text>\[[ xX]\].*|.*\bTODO\b.*)")


def assemble_facts(
    pages: Iterable[Page], events: Sequence[Event], logs: Mapping[str, str], today: date, fading: Fading
) -> BriefFacts:
    """Put the facts together; `logs` are the texts of recent logs by name."""
    ledger = fold_events(events)
    entries = [(page, entry) for page in pages for entry in page.entries if entry.memory.text.strip()]
    reader = _MemoryReader(ledger, _said_days(ledger), _links_of(entries), today, fading)
    memories = tuple(reader.read(page, entry) for page, entry in entries)
    happened = tuple(sorted(_happened(events), key=lambda one: (one.at, one.kind, one.key)))
    return BriefFacts(memories, happened, ledger.successors(), tuple(_open_lines(logs)))


@dataclass(frozen=True, slots=True)
class _MemoryReader:
    """Reads memories of pages with what is known of them elsewhere."""

    ledger: Ledger
    said: Mapping[str, Sequence[date]]
    links: Mapping[str, int]
    today: date
    fading: Fading

    def read(self, page: Page, entry: Entry) -> KnownMemory:
        memory = entry.memory
        key = memory.id or f"{page.path}:{entry.line}"
        days = tuple(sorted(self.said.get(key, ())))
        learned = days[0] if days else (memory.confidence.day if memory.confidence else None)
        used = max(filter(None, (*days, self.ledger.last_use_of(key), learned)), default=None)
        links = self.links.get(key, 0) + _links_to_entities(memory, self.links)
        return KnownMemory(
            key, page.path, entry.line, memory.text, memory.tag, self._value(memory), memory.entities, entry.heading,
            memory.is_pinned, learned, used, days, links, self._fades_on(key, memory),
        )  # fmt: skip

    def _fades_on(self, key: str, memory: Memory) -> date | None:
        kept = self.ledger.consumed.get(key)
        restored, signals = self.ledger.restored.get(key), self.ledger.signals_of(key)
        return fades_away_on(memory, day_of(kept) if kept else None, restored, self.today, self.fading, signals)

    def _value(self, memory: Memory) -> int | None:
        """The confidence today; only opinions fade."""
        if memory.confidence is None:
            return None
        fades = memory.tag == FADING_TAG
        return value_on(memory.confidence, self.today, self.fading) if fades else memory.confidence.hundredths


def _said_days(ledger: Ledger) -> dict[str, list[date]]:
    """The days of the logs in which each memory was said, first or again."""
    days: dict[str, list[date]] = {}
    for id_, fact in ledger.consumed.items():
        said = str(fact.get("of")) if fact["type"] == DUPLICATE else id_
        if day := day_of_log(fact):
            days.setdefault(said, []).append(day)
    return days


def day_of_log(fact: Event) -> date | None:
    """The day of the log that a line was read in, else that of the run that read it."""
    for text in (str(fact.get("log", "")), str(fact.get("at", ""))):
        for found in _DAY.findall(text):
            try:
                return date.fromisoformat(found)
            except ValueError:
                continue
    return None


def _links_of(entries: Iterable[tuple[Page, Entry]]) -> Counter[str]:
    """How often each id and each entity is named by memories."""
    named: Counter[str] = Counter()
    for _, entry in entries:
        named.update(set(re.findall(r"\^(m-[a-z2-7]{12})", entry.memory.text)))
        named.update(f"@{slug.casefold()}" for slug in set(entry.memory.entities))
    return named


def _links_to_entities(memory: Memory, links: Mapping[str, int]) -> int:
    """The other memories that are about the same."""
    return sum(links.get(f"@{slug.casefold()}", 1) - 1 for slug in set(memory.entities))


def _happened(events: Iterable[Event]) -> Iterator[Happened]:
    for one in {str(event["id"]): event for event in events}.values():
        at = read_iso_moment(str(one.get("at")))
        if one.get("type") in _TOLD and at and at.tzinfo:
            by = str(one.get("by") or one.get("of") or "")
            place = f"memory/{one['log']}:{one.get('line')}" if one.get("log") else str(one.get("page", ""))
            yield Happened(str(one["type"]), at, str(one.get("memory")), by, place)


def _open_lines(logs: Mapping[str, str]) -> Iterator[OpenLine]:
    for name, text in logs.items():
        found = _DAY.search(name)
        for number, line in enumerate(text.split("\n"), 1) if found else ():
            if matched := _OPEN_LINE.fullmatch(line):
                yield OpenLine(
                    date.fromisoformat(found[0]) if found else date.min, matched["text"], f"memory/{name}:{number}"
                )
