"""A memory as it stands in its page: its exact lines, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

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
    return all_lines_of(page)[entry.start]


def all_lines_of(page: Page) -> dict[int, Lines]:
    """Every memory of a page as it stands there, by its 0-based first line."""
    depths = {block.start: block.depth for block in page.document.blocks}
    siblings: dict[object, list[tuple[int, str]]] = {}
    place: dict[int, int] = {}
    for entry in page.entries:
        kin = siblings.setdefault((entry.heading, depths.get(entry.start)), [])
        place[entry.start] = len(kin)
        if entry.memory.id:
            kin.append((entry.start, entry.memory.id))
    found = {}
    for number, entry in enumerate(page.entries):
        kin, n = siblings[entry.heading, depths.get(entry.start)], place[entry.start]
        own = n + bool(entry.memory.id)
        after = tuple(id_ for _, id_ in reversed(kin[max(0, n - _NEAREST) : n]))
        before = tuple(id_ for _, id_ in kin[own : own + _NEAREST])
        found[entry.start] = _lines(page, entry, number, after, before)
    return found


def _lines(page: Page, entry: Entry, number: int, after: tuple[str, ...], before: tuple[str, ...]) -> Lines:
    following = (page.entries[n] for n in range(number + 1, len(page.entries)))
    nested = takewhile(lambda other: other.start < entry.whole_end, following)
    return Lines(
        page.path,
        "".join(page.document.lines[entry.start : entry.whole_end]).rstrip("\r\n"),
        entry.heading,
        after,
        entry.end - entry.start,
        before,
        tuple(other.memory.id for other in nested if other.memory.id),
        (_is_blank(page, entry.start - 1), _is_blank(page, entry.whole_end)),
    )


def _is_blank(page: Page, n: int) -> bool:
    lines = page.document.lines
    return 0 <= n < len(lines) and not lines[n].strip()


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in the place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)
