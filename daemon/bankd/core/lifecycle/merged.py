"""A memory into which near-copies are merged: it names them in a comment, and they go to the archive."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bankd.core.edits.operations import Operation, Replace
from bankd.core.edits.spans import unix_text
from bankd.core.lifecycle.consolidate import Merger
from bankd.core.lifecycle.retiring import Archived, moved_out
from bankd.core.markdown.memory import render_sources
from bankd.core.markdown.page_lines import MemoryLines, with_confidence

_TAIL = re.compile(r"(?:[ \t]+<!-- also[^>\n]*-->)?[ \t]+\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that stays, its lines as they are and as they will be, and the memories that are merged into it."""

    id: str
    page: str
    text: str
    merged: str
    sources: tuple[Archived, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The sources are named first, then they go to the archive."""
        named = Replace(self.page, self.id, self.text, self.merged)
        return (named, *(operation for source in self.sources for operation in source.operations))


def merged_of(merger: Merger, held: Mapping[str, MemoryLines]) -> Merged | None:
    """What a merger does to the pages; None when one of its memories cannot be moved now."""
    keeper, *others = merger.sources
    if any(id_ not in held for id_ in merger.sources) or any(held[id_].inside for id_ in others):
        return None
    sources = tuple(moved_out(id_, held[id_], f"superseded: {keeper} says all of it") for id_ in others)
    lines = held[keeper]
    known = tuple(dict.fromkeys((*merger.keeper.memory.sources, *others)))
    return Merged(keeper, lines.page, unix_text(lines.text), _named(merger, lines, known), sources)


def _named(merger: Merger, lines: MemoryLines, sources: tuple[str, ...]) -> str:
    """The keeper's lines with the comment that names its sources, and the highest confidence of all."""
    text = unix_text(lines.text)
    confidence = merger.merged.confidence
    if confidence is not None and merger.keeper.memory.confidence is not None:
        text = with_confidence(text, confidence)
    rows = text.split("\n")
    last = rows[lines.own - 1]
    rows[lines.own - 1] = _TAIL.sub(f"{render_sources(sources)} ^{merger.keeper.id}", last)
    return "\n".join(rows)
