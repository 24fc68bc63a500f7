"""A memory as it stands in its page: its exact lines, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from bankd.core.memory import Confidence
from bankd.core.pages import Entry, Page

MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""
_NEAREST = 8
"""So many neighbours on either side are remembered: some of them may have gone by the time when one is asked for."""
_CONFIDENCE = re.compile(r"\([ \t]*c[ \t]*=[^()\n]*\)")


@dataclass(frozen=True, slots=True)
class Lines:
    """The exact lines of a memory, the page that holds them, and its neighbours under the same heading, nearest first."""

    page: str
    text: str
    heading: tuple[str, ...] = ()
    after: tuple[str, ...] = ()
    own: int = 1
    """How many of the lines are its own; the rest is nested in it."""
    before: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    """The ids of the memories nested in it, which go where it goes."""
    is_apart: tuple[bool, bool] | None = None
    """Whether a blank line stands above it, and below it."""


def lines_of(page: Page, entry: Entry) -> Lines:
    """A memory of a page as it stands there."""
    depths = {block.start: block.depth for block in page.document.blocks}
    siblings = [
        (other.start, other.memory.id)
        for other in page.entries
        if other.heading == entry.heading and depths.get(other.start) == depths.get(entry.start) and other.memory.id
    ]
    after = [id_ for start, id_ in siblings if start < entry.start]
    before = [id_ for start, id_ in siblings if start > entry.start]
    inside = tuple(o.memory.id for o in page.entries if entry.start < o.start < entry.whole_end and o.memory.id)
    text = "".join(page.document.lines[entry.start : entry.whole_end]).rstrip("\r\n")
    return Lines(
        page.path,
        text,
        entry.heading,
        tuple(after[: -_NEAREST - 1 : -1]),
        entry.end - entry.start,
        tuple(before[:_NEAREST]),
        inside,
        (_is_blank(page, entry.start - 1), _is_blank(page, entry.whole_end)),
    )


def _is_blank(page: Page, n: int) -> bool:
    lines = page.document.lines
    return 0 <= n < len(lines) and not lines[n].strip()


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in the place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)
