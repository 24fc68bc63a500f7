"""The facts that briefings choose from: memories with their days, and what happened to them. `assemble` makes them.

A session waits while this is imported, so nothing slow is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from datetime import date, datetime
from types import MappingProxyType
from typing import NamedTuple

from bankd.briefing.recalled import DOUBT
from bankd.pages.names import INBOX, whom_page_is_about

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
    said: tuple[date, ...] = ()
    """The days on which it was said, oldest first."""
    projects: tuple[str, ...] = ()
    """The folders of its projects; empty if it holds everywhere."""

    @property
    def who(self) -> str:
        """Whom it is about, as `@Slug`s: those that it names, else the one whose page it is on."""
        return " ".join(f"@{slug}" for slug in self.entities or whom_page_is_about(self.path))

    @property
    def place(self) -> str:
        """Its place, as Obsidian and editors open it."""
        return f"{self.path}#^{self.key}" if self.key.startswith("m-") else f"{self.path}:{self.line}"


class Happened(NamedTuple):
    """Something that a run did: `kept`, `duplicate` or `superseded`. `by` is the other memory."""

    kind: str
    at: datetime
    key: str
    by: str = ""


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
    doubted: Set[str] = frozenset()
    """The keys of memories of which what replaces them waits in the review."""

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
    was: str = ""
    """What its text said before, as `until 2026-05-11: 10:00`."""
    is_doubted: bool = False

    def line_in(self, translate: Callable[[str], str] = str) -> str:
        """The printed line: whom it is about, the text, the day, whether it waits to be filed, and the id, else the place.

        Only the words of bankd are translated.
        """
        text = " ".join([*self.text.split(), *([f"({translate(self.was)})"] if self.was else [])])
        day = translate(f"said {self.day.isoformat()}") if self.day else ""
        doubt = translate(DOUBT) if self.is_doubted else ""
        waits = translate("not filed yet") if INBOX in self.place else ""
        place = self.place.partition("#^")[2] or self.place
        return "- " + " · ".join(filter(None, (self.who, text, day, doubt, waits, place)))
