"""Where the blocks of a Markdown text are: a lossless line scanner.

It owns line ranges only. What a block means (a memory, a link, a page's title) is decided elsewhere, and no byte
is ever rendered from here: joining `Document.lines` gives the text back.

The blocks inside quotes and footnotes, however deep: each with where its lines stand in the text around it.

A person nests three or four; what is deeper than any of them would is left as the one block that it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from bankd.pages.blocks import (
    CODE_INDENT,
    MARKER,
    SETEXT,
    BlockKind,
    Lines,
    front_matter_end,
    indent_of,
    is_blank,
    recognise_block,
    starts_block,
    strip_ending,
)
from bankd.pages.text import MARK

__all__ = [
    "Block",
    "BlockKind",
    "Document",
    "Lines",
    "decode_text",
    "document_of",
    "encode_text",
    "indent_of",
    "scan_text",
    "split_lines",
]


class Block(NamedTuple):
    """A block's lines, 0-based and half open; `whole_end` includes what is nested in a list item."""

    kind: BlockKind
    start: int
    end: int
    whole_end: int
    depth: int = 0
    level: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A text as lines that keep their endings, and its blocks in the order of their first lines."""

    lines: tuple[str, ...]
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The text, exactly as it was scanned."""
        return "".join(self.lines)


def decode_text(data: bytes) -> str:
    """Decode UTF-8 so that `encode_text` gives the same bytes back, whatever they were."""
    return data.decode("utf-8", "surrogateescape")


def encode_text(text: str) -> bytes:
    """Encode what `decode_text` decoded."""
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> Lines:
    r"""Split at "\n" only: NEL, LS, PS and a lone CR are characters of a line, not its end."""
    parts = text.split("\n")
    ended = [part + "\n" for part in parts[:-1]]
    return tuple([*ended, parts[-1]] if parts[-1] else ended)


def scan_text(text: str) -> Document:
    """Find the blocks of a text."""
    lines = split_lines(text)
    return Document(lines, tuple(_Scanner(split_lines(text.removeprefix(MARK))).blocks()))


@lru_cache(maxsize=8)
def document_of(text: str) -> Document:
    """Find the blocks of a page, once: several steps of a run look at a page that changed."""
    return scan_text(text)


_PLAIN_ITEM = re.compile(r"[-*+] {1,4}[^\W_]")
"""An item that can be nothing else, and ends the text above it: its text begins with a letter or digit."""


@dataclass(slots=True)
class _OpenItem:
    index: int  # of its block
    content: int  # column where its content begins
    end: int  # last non-blank line so far, half open


class _Scanner:
    """One pass over the lines, with the list items that are open at the current line."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._blocks: list[Block] = []
        self._open: list[_OpenItem] = []

    def blocks(self) -> Iterator[Block]:
        """Scan all lines."""
        n = front_matter_end(self._lines) or 0
        if n:
            self._add(BlockKind.FRONT_MATTER, 0, n)
        while n < len(self._lines):
            n = self._step(n)
        self._close_to(-1)
        return iter(self._blocks)

    def _step(self, n: int) -> int:
        line = self._lines[n]
        if is_blank(line):
            return self._add(BlockKind.BLANK, n, n + 1)
        self._close_to(indent_of(line))
        if (end := self._plain_items_end(n)) > n:
            self._blocks += [Block(BlockKind.ITEM, m, m + 1, m + 1) for m in range(n, end)]
            return end
        base = self._open[-1].content if self._open else 0
        if found := recognise_block(self._lines, n, base):
            return self._add(found[0], n, found[1])
        marker = MARKER.match(strip_ending(line))
        if marker and (self._open or indent_of(line) <= 3):
            return self._add_item(n, marker)
        if indent_of(line) - base >= CODE_INDENT:
            return self._add(BlockKind.CODE, n, self._code_end(n, base))
        return self._add_paragraph(n, base)

    def _plain_items_end(self, n: int) -> int:
        """Where the items end that are one line each and have another such item below: most of a large page."""
        end = n
        while end < len(self._lines) and _PLAIN_ITEM.match(self._lines[end]):
            end += 1
        return end - 1

    def _close_to(self, indent: int) -> None:
        while self._open and indent < self._open[-1].content:
            item = self._open.pop()
            block = self._blocks[item.index]
            whole_end = max(block.end, item.end)
            self._blocks[item.index] = Block(block.kind, block.start, block.end, whole_end, block.depth)
            if self._open:
                self._open[-1].end = max(self._open[-1].end, whole_end)

    def _add(self, kind: BlockKind, start: int, end: int, level: int = 0) -> int:
        if kind is BlockKind.HEADING and not level:
            level = self._lines[start].lstrip(" \t").split(None, 1)[0].count("#")
        self._blocks.append(Block(kind, start, end, end, len(self._open), level))
        if self._open and kind is not BlockKind.BLANK:
            self._open[-1].end = end
        return end

    def _add_item(self, n: int, marker: re.Match[str]) -> int:
        content = indent_of(marker[1]) + len(marker[2]) + (len(marker[3]) if marker[3] and len(marker[3]) < 5 else 1)
        end = self._text_end(n, content) if marker[3] else n + 1
        self._add(BlockKind.ITEM, n, end)
        self._open.append(_OpenItem(len(self._blocks) - 1, content, end))
        return end

    def _add_paragraph(self, n: int, base: int) -> int:
        end = self._text_end(n, base)
        if end < len(self._lines) and (under := SETEXT.match(strip_ending(self._lines[end])[base:])):
            return self._add(BlockKind.HEADING, n, end + 1, 1 if "=" in under[1] else 2)
        return self._add(BlockKind.PARAGRAPH, n, end)

    def _text_end(self, n: int, base: int) -> int:
        """Where the text that begins on this line ends: at a blank line or where another block begins."""
        end = n + 1
        while end < len(self._lines) and not is_blank(self._lines[end]):
            under = indent_of(self._lines[end]) >= base and SETEXT.match(strip_ending(self._lines[end])[base:])
            if under or starts_block(self._lines, end, base):
                break
            end += 1
        return end

    def _code_end(self, n: int, base: int) -> int:
        end = n + 1
        for m in range(n + 1, len(self._lines)):
            if is_blank(self._lines[m]):
                continue
            if indent_of(self._lines[m]) - base < CODE_INDENT:
                break
            end = m + 1
        return end


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
