"""Opinions that were said again count a little more: once a run each, however often the run met them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from bankd.core.lifecycle.decay import Fading, is_fading, raise_confidence
from bankd.core.markdown.memory import parse_memory
from bankd.core.markdown.page_lines import MARKER, MemoryLines, with_confidence
from bankd.core.plan.plan import Blocked, Confirmed


def confirmations_of(
    blocked: Iterable[Blocked], held: Mapping[str, MemoryLines], today: date, fading: Fading
) -> Iterator[Confirmed]:
    """What becomes of the opinions that blocked lines repeat; `held` has the lines of those that can be written now."""
    for twin in sorted({item.twin for item in blocked} & held.keys()):
        lines = held[twin]
        memory = parse_memory(MARKER.sub("", lines.text))
        if memory.confidence is None or not is_fading(memory):
            continue
        stronger = with_confidence(lines.text, raise_confidence(memory.confidence, today, fading))
        if stronger != lines.text:
            yield Confirmed(lines.page, twin, lines.text, stronger)
