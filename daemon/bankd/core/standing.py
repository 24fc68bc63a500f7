"""A memory as it stands in its page: its exact lines, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bankd.core.memory import Confidence
from bankd.core.pages import Entry, Page

MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""
_CONFIDENCE = re.compile(r"\([ \t]*c[ \t]*=[^()\n]*\)")


@dataclass(frozen=True, slots=True)
class Lines:
    """The exact lines of a memory, the page that holds them, and the ids of its neighbours under the same heading."""

    page: str
    text: str
    heading: tuple[str, ...] = ()
    after: str | None = None
    own: int = 1
    """How many of the lines are its own; the rest is nested in it."""
    before: str | None = None
    inside: tuple[str, ...] = ()
    """The ids of the memories nested in it, which go where it goes."""


def lines_of(page: Page, entry: Entry) -> Lines:
    """A memory of a page as it stands there."""
    depths = {block.start: block.depth for block in page.document.blocks}
    siblings = [
        other
        for other in page.entries
        if other.heading == entry.heading and depths.get(other.start) == depths.get(entry.start) and other.memory.id
    ]
    after = [other.memory.id for other in siblings if other.start < entry.start]
    before = [other.memory.id for other in siblings if other.start > entry.start]
    inside = tuple(o.memory.id for o in page.entries if entry.start < o.start < entry.whole_end and o.memory.id)
    text = "".join(page.document.lines[entry.start : entry.whole_end]).rstrip("\r\n")
    return Lines(
        page.path,
        text,
        entry.heading,
        after[-1] if after else None,
        entry.end - entry.start,
        before[0] if before else None,
        inside,
    )


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in the place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)
