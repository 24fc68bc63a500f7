"""Opinions that were said again count a little more: once a run each, however often the run met them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from bankd.core.decay import Fading, confirmed, fades
from bankd.core.memory import parse_memory
from bankd.core.plan import Blocked, Confirmed, with_confidence

_MARKER = re.compile(r"^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+")


@dataclass(frozen=True, slots=True)
class Lines:
    """The exact lines of a memory, and the page, relative to the workspace, that holds them."""

    page: str
    text: str


def confirmations_of(
    blocked: Iterable[Blocked], held: Mapping[str, Lines], today: date, fading: Fading
) -> Iterator[Confirmed]:
    """What becomes of the opinions that blocked lines repeat; `held` has the lines of those that can be written now."""
    for twin in sorted({item.twin for item in blocked} & held.keys()):
        lines = held[twin]
        memory = parse_memory(_MARKER.sub("", lines.text))
        if memory.confidence is None or not fades(memory):
            continue
        stronger = with_confidence(lines.text, confirmed(memory.confidence, today, fading))
        if stronger != lines.text:
            yield Confirmed(lines.page, twin, lines.text, stronger)
