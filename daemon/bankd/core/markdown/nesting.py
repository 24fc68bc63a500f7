"""The blocks inside quotes and footnotes, however deep: each with where its lines stand in the text around it.

A person nests three or four; what is deeper than any of them would is left as the one block that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from bankd.core.markdown.scanner import Block, BlockKind, Document, Lines, scan_text

DEEPEST = 32
"""Every layer is scanned by itself: without an end, a line of 64 KB would be scanned 32,000 times."""

QUOTE_MARK = re.compile(r"[ \t]*>[ ]?")
"""What makes a line one of a quote."""

Marks: TypeAlias = tuple[re.Pattern[str], re.Pattern[str]]
"""What stands before the first line of such a block, and before each of its others."""


@dataclass(frozen=True, slots=True)
class NestedLines:
    """The lines inside a block without what stands before them: line `n` is `first + n` of the text, from `columns[n]` on."""

    lines: Lines
    first: int
    columns: tuple[int, ...]
    depth: int


def walk_blocks(document: Document, marks: Mapping[BlockKind, Marks]) -> Iterator[tuple[Block, NestedLines]]:
    """The blocks of a text in the order of their lines, those inside a block of these kinds in its place."""
    outermost = NestedLines(document.lines, 0, (0,) * len(document.lines), 0)
    open_ = [(iter(document.blocks), outermost)]
    while open_:
        blocks, layer = open_[-1]
        block = next(blocks, None)
        if block is None:
            open_.pop()
        elif block.kind in marks and layer.depth < DEEPEST:
            inner = _inside(layer, block, marks[block.kind])
            open_.append((iter(scan_text("".join(inner.lines)).blocks), inner))
        else:
            yield block, layer


def _inside(layer: NestedLines, block: Block, marks: Marks) -> NestedLines:
    first, rest = marks
    lines = layer.lines[block.start : block.end]
    found = [first.match(lines[0]), *(rest.match(line) for line in lines[1:])]
    widths = [mark.end() if mark else 0 for mark in found]
    around = layer.columns[block.start : block.end]
    return NestedLines(
        tuple(line[width:] for line, width in zip(lines, widths, strict=True)),
        layer.first + block.start,
        tuple(before + width for before, width in zip(around, widths, strict=True)),
        layer.depth + 1,
    )
