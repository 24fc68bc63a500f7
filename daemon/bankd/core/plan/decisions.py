"""What a run decided of one line or one memory; a plan is made of these."""

from __future__ import annotations

from dataclasses import dataclass

from bankd.core.lifecycle.retain import RetainLine
from bankd.core.lifecycle.routing import Destination


@dataclass(frozen=True, slots=True)
class Placement:
    """A new memory and the page it goes to."""

    line: RetainLine
    destination: Destination


@dataclass(frozen=True, slots=True)
class Blocked:
    """A line that says nothing new, the memory that says it already, and why we think so."""

    line: RetainLine
    twin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Update:
    """A new memory that says another value of the same thing, the memory that it supersedes, and what differs."""

    line: RetainLine
    old: str
    reason: str


@dataclass(frozen=True, slots=True)
class Revised:
    """A line that was edited and the memory that follows it: its id and page, its lines as they are and as they will be."""

    line: RetainLine
    id: str
    page: str
    text: str
    reworded: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An opinion that was said again: its page and key, and its lines as they are and as they will be."""

    page: str
    key: str
    text: str
    stronger: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """A line with a credential: where it stands, what it looks like, and the line with the secret masked."""

    line: RetainLine
    kind: str
    masked: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """A line whose memory the bank holds although the event log does not know it."""

    line: RetainLine
    page: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """What waits for the next run, and for what; `needs_person` when it may wait for ever otherwise.

    `hides_nothing`: it is a page on which nothing can stand that is gone from another.
    """

    what: str
    reason: str
    needs_person: bool = False
    hides_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Undated:
    """A confidence that the user wrote without its day: the page, the key and the exact lines of its memory."""

    page: str
    key: str
    text: str
