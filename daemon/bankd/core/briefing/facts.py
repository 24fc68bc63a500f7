"""What briefings choose from: the memories of a bank with their days, and what happened to them."""

# No postponed annotations here: a NamedTuple would compile each of them again, and a session waits for its start.
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple


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

    def of(self, key: str) -> "KnownMemory | None":
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
