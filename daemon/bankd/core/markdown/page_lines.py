"""A memory as it stands in its page: its exact lines, and what is around them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import takewhile

from bankd.core.markdown.memory import Confidence
from bankd.core.markdown.pages import Entry, Page
from bankd.core.markdown.utf8 import MARK

MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")
"""The marker of a list item, which is not part of what it says."""
_NEAREST = 8
"""Neighbours on either side that are remembered: some of them may have gone by the time when one is asked for."""
_CONFIDENCE = re.compile(r"\([ \t]*c[ \t]*=[^()\n]*\)")


@dataclass(frozen=True, slots=True)
class MemoryLines:
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


class PageLines:
    """The memories of a page as they stand there; each is put together when it is asked for, with all nested in it."""

    def __init__(self, page: Page) -> None:
        """Note who stands beside whom."""
        self._page = page
        self._depths = {block.start: block.depth for block in page.document.blocks}
        self._numbers = {entry.start: number for number, entry in enumerate(page.entries)}
        self._siblings: dict[object, list[str]] = {}
        self._places: list[int] = []
        for entry in page.entries:
            kin = self._kin(entry)
            self._places.append(len(kin))
            if entry.memory.id:
                kin.append(entry.memory.id)

    def _kin(self, entry: Entry) -> list[str]:
        return self._siblings.setdefault((entry.heading, self._depths.get(entry.start)), [])

    def of(self, entry: Entry) -> MemoryLines:
        """One memory of the page."""
        page, number = self._page, self._numbers[entry.start]
        kin, before = self._kin(entry), self._places[number]
        after = before + bool(entry.memory.id)
        following = (page.entries[n] for n in range(number + 1, len(page.entries)))
        nested = takewhile(lambda other: other.start < entry.whole_end, following)
        return MemoryLines(
            page.path,
            "".join(page.document.lines[entry.start : entry.whole_end]).removeprefix(MARK).rstrip("\r\n"),
            entry.heading,
            tuple(reversed(kin[max(0, before - _NEAREST) : before])),
            entry.end - entry.start,
            tuple(kin[after : after + _NEAREST]),
            tuple(other.memory.id for other in nested if other.memory.id),
            (_is_blank(page, entry.start - 1), _is_blank(page, entry.whole_end)),
        )


def _is_blank(page: Page, n: int) -> bool:
    lines = page.document.lines
    return 0 <= n < len(lines) and not lines[n].strip()


def with_confidence(text: str, confidence: Confidence) -> str:
    """The lines of a memory with another confidence in the place of theirs."""
    return _CONFIDENCE.sub(f"({confidence})", text, count=1)
