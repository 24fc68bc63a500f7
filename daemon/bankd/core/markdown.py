"""Where the blocks of a Markdown text are: a lossless line scanner after CommonMark 0.31 and GFM tables.

It owns line ranges only. What a block means (a memory, a link, a page's title) is decided elsewhere, and no byte
is ever rendered from here: joining `Document.lines` gives the text back.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias


class Kind(StrEnum):
    """The kinds of block that the rules of bankd tell apart."""

    FRONT_MATTER = "front_matter"
    HEADING = "heading"
    FENCE = "fence"
    CODE = "code"
    COMMENT = "comment"
    HTML = "html"
    TABLE = "table"
    ITEM = "item"
    PARAGRAPH = "paragraph"
    QUOTE = "quote"
    REFERENCE = "reference"
    FOOTNOTE = "footnote"
    RULE = "rule"
    BLANK = "blank"


@dataclass(frozen=True, slots=True)
class Block:
    """A block's lines, 0-based and half open; `whole_end` includes what is nested in a list item."""

    kind: Kind
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


Lines: TypeAlias = tuple[str, ...]
Recogniser: TypeAlias = Callable[[Lines, int, int], int | None]

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
_MARKER = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)")
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_FOOTNOTE = re.compile(r" {0,3}\[\^[^\]\s]+\]:")
_REFERENCE = re.compile(r" {0,3}\[(?!\^)(?:[^\[\]\\]|\\.)+\]:")
_REFERENCE_TITLE = re.compile(r"[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\))[ \t]*$")
_RAW_HTML = re.compile(r" {0,3}<(script|pre|style|textarea)(?:[\s>]|$)", re.IGNORECASE)
_BLOCK_HTML = re.compile(
    r" {0,3}</?(?:address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|"
    r"div|dl|dt|fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|"
    r"main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|"
    r"title|tr|track|ul)(?:[\s/>]|$)",
    re.IGNORECASE,
)  # the tag names of CommonMark's HTML block, condition 6


def decode(data: bytes) -> str:
    """Decode UTF-8 so that `encode` gives the same bytes back, whatever they were."""
    return data.decode("utf-8", "surrogateescape")


def encode(text: str) -> bytes:
    """Encode what `decode` decoded."""
    return text.encode("utf-8", "surrogateescape")


def split_lines(text: str) -> Lines:
    r"""Split at "\n" only: NEL, LS, PS and a lone CR are characters of a line, not its end."""
    parts = text.split("\n")
    ended = [part + "\n" for part in parts[:-1]]
    return tuple([*ended, parts[-1]] if parts[-1] else ended)


def scan(text: str) -> Document:
    """Find the blocks of a text."""
    lines = split_lines(text)
    return Document(lines, tuple(_Scanner(lines).blocks()))


def indent_of(line: str) -> int:
    """Columns of white space before the first other character; a tab reaches the next multiple of four."""
    columns = 0
    for character in line:
        if character == "\t":
            columns += 4 - columns % 4
        elif character == " ":
            columns += 1
        else:
            break
    return columns


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def _bare(line: str) -> str:
    return line.rstrip("\r\n")


def _front_matter_end(lines: Lines) -> int | None:
    if not lines or _bare(lines[0]).removeprefix("\ufeff").rstrip(" \t") != "---":
        return None
    closers = (n for n in range(1, len(lines)) if _bare(lines[n]).rstrip(" \t") in {"---", "..."})
    return next((n + 1 for n in closers), None)


def _fence_end(lines: Lines, start: int, base: int) -> int | None:
    opened = _FENCE.match(_bare(lines[start]))
    if opened is None or indent_of(lines[start]) - base > 3:
        return None
    mark = opened[1] or opened[2]
    for n in range(start + 1, len(lines)):
        stripped = lines[n].strip()
        if base and not _is_blank(lines[n]) and indent_of(lines[n]) < base:
            return n  # a fence in a list item ends with the item, closed or not
        if len(stripped) >= len(mark) and set(stripped) == {mark[0]} and indent_of(lines[n]) - base <= 3:
            return n + 1
    return len(lines)


def _until(lines: Lines, start: int, closer: str) -> int:
    return next((n + 1 for n in range(start, len(lines)) if closer in lines[n].lower()), len(lines))


def _comment_end(lines: Lines, start: int, base: int) -> int | None:
    opened = lines[start].lstrip(" \t").startswith("<!--") and indent_of(lines[start]) - base <= 3
    return _until(lines, start, "-->") if opened else None


def _html_end(lines: Lines, start: int, base: int) -> int | None:
    line = lines[start][_prefix(lines[start], base) :]
    if raw := _RAW_HTML.match(line):
        return _until(lines, start, f"</{raw[1].lower()}>")
    if not _BLOCK_HTML.match(line):
        return None
    return next((n for n in range(start, len(lines)) if _is_blank(lines[n])), len(lines))


def _prefix(line: str, columns: int) -> int:
    """How many characters of white space make up at most so many columns."""
    count = 0
    while count < len(line) and line[count] in " \t" and indent_of(line[: count + 1]) <= columns:
        count += 1
    return count


def _heading_end(lines: Lines, start: int, base: int) -> int | None:
    return start + 1 if _ATX.match(_bare(lines[start])[_prefix(lines[start], base) :]) else None


def _rule_end(lines: Lines, start: int, base: int) -> int | None:
    return start + 1 if _RULE.match(_bare(lines[start])[_prefix(lines[start], base) :]) else None


def _quote_end(lines: Lines, start: int, base: int) -> int | None:
    if not lines[start].lstrip(" \t").startswith(">") or indent_of(lines[start]) - base > 3:
        return None
    inner = (n for n in range(start + 1, len(lines)) if not lines[n].lstrip(" \t").startswith(">"))
    return next((n for n in inner if _is_blank(lines[n]) or _starts_block(lines, n, base)), len(lines))


def _table_end(lines: Lines, start: int, base: int) -> int | None:
    if start + 1 >= len(lines) or "|" not in lines[start]:
        return None
    row = _bare(lines[start + 1])[_prefix(lines[start + 1], base) :]
    if "-" not in row or not _DELIMITER_ROW.match(row) or ("|" not in row and ":" not in row):
        return None
    return next((n for n in range(start + 2, len(lines)) if _ends_table(lines, n, base)), len(lines))


def _ends_table(lines: Lines, n: int, base: int) -> bool:
    return _is_blank(lines[n]) or indent_of(lines[n]) < base or _starts_block(lines, n, base)


def _footnote_end(lines: Lines, start: int, base: int) -> int | None:
    if not _FOOTNOTE.match(lines[start][_prefix(lines[start], base) :]):
        return None
    end = start + 1
    for n in range(start + 1, len(lines)):
        if _is_blank(lines[n]):
            continue
        if indent_of(lines[n]) - base < 4 and (n > end or _starts_block(lines, n, base)):
            break
        end = n + 1
    return end


def _reference_end(lines: Lines, start: int, base: int) -> int | None:
    found = _REFERENCE.match(lines[start][_prefix(lines[start], base) :])
    if found is None:
        return None
    rest = lines[start][_prefix(lines[start], base) + found.end() :]
    end = start + 1
    if _is_blank(rest) and end < len(lines) and not _is_blank(lines[end]):
        end += 1  # the target may stand on the next line
    if end < len(lines) and _REFERENCE_TITLE.match(_bare(lines[end])):
        end += 1  # so may the title
    return end


# Order matters: a rule `* * *` would be taken for an item, a comment for other HTML.
_RECOGNISERS: tuple[tuple[Kind, Recogniser], ...] = (
    (Kind.FENCE, _fence_end),
    (Kind.COMMENT, _comment_end),
    (Kind.HTML, _html_end),
    (Kind.HEADING, _heading_end),
    (Kind.RULE, _rule_end),
    (Kind.QUOTE, _quote_end),
    (Kind.TABLE, _table_end),
    (Kind.FOOTNOTE, _footnote_end),
    (Kind.REFERENCE, _reference_end),
)
_STARTERS = re.compile(r"[ \t]*(?:[`~]{3}|<|#|[-*_+>|\[]|\d|.*\|)")


def _recognise(lines: Lines, start: int, base: int) -> tuple[Kind, int] | None:
    if not _STARTERS.match(lines[start]):
        return None  # most lines are plain text: one look instead of nine
    for kind, recogniser in _RECOGNISERS:
        if (end := recogniser(lines, start, base)) is not None:
            return kind, end
    return None


def _starts_block(lines: Lines, n: int, base: int) -> bool:
    found = _recognise(lines, n, base)
    return bool(found and found[0] is not Kind.REFERENCE) or _MARKER.match(_bare(lines[n])) is not None


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
        n = _front_matter_end(self._lines) or 0
        if n:
            self._add(Kind.FRONT_MATTER, 0, n)
        while n < len(self._lines):
            n = self._step(n)
        self._close_to(-1)
        return iter(self._blocks)

    def _step(self, n: int) -> int:
        line = self._lines[n]
        if _is_blank(line):
            return self._add(Kind.BLANK, n, n + 1)
        self._close_to(indent_of(line))
        base = self._open[-1].content if self._open else 0
        if found := _recognise(self._lines, n, base):
            return self._add(found[0], n, found[1])
        marker = _MARKER.match(_bare(line))
        if marker and (self._open or indent_of(line) <= 3):
            return self._add_item(n, marker)
        if indent_of(line) - base >= 4:
            return self._add(Kind.CODE, n, self._code_end(n, base))
        return self._add_paragraph(n, base)

    def _close_to(self, indent: int) -> None:
        while self._open and indent < self._open[-1].content:
            item = self._open.pop()
            block = self._blocks[item.index]
            whole_end = max(block.end, item.end)
            self._blocks[item.index] = Block(block.kind, block.start, block.end, whole_end, block.depth)
            if self._open:
                self._open[-1].end = max(self._open[-1].end, whole_end)

    def _add(self, kind: Kind, start: int, end: int, level: int = 0) -> int:
        if kind is Kind.HEADING and not level:
            level = self._lines[start].lstrip(" \t").split(None, 1)[0].count("#")
        self._blocks.append(Block(kind, start, end, end, len(self._open), level))
        if self._open and kind is not Kind.BLANK:
            self._open[-1].end = end
        return end

    def _add_item(self, n: int, marker: re.Match[str]) -> int:
        content = indent_of(marker[1]) + len(marker[2]) + (len(marker[3]) if marker[3] and len(marker[3]) < 5 else 1)
        end = self._text_end(n, content) if marker[3] else n + 1
        self._add(Kind.ITEM, n, end)
        self._open.append(_OpenItem(len(self._blocks) - 1, content, end))
        return end

    def _add_paragraph(self, n: int, base: int) -> int:
        end = self._text_end(n, base)
        if end < len(self._lines) and (under := _SETEXT.match(_bare(self._lines[end])[base:])):
            return self._add(Kind.HEADING, n, end + 1, 1 if "=" in under[1] else 2)
        return self._add(Kind.PARAGRAPH, n, end)

    def _text_end(self, n: int, base: int) -> int:
        """Where the text that begins on this line ends: at a blank line or where another block begins."""
        end = n + 1
        while end < len(self._lines) and not _is_blank(self._lines[end]):
            under = indent_of(self._lines[end]) >= base and _SETEXT.match(_bare(self._lines[end])[base:])
            if under or _starts_block(self._lines, end, base):
                break
            end += 1
        return end

    def _code_end(self, n: int, base: int) -> int:
        end = n + 1
        for m in range(n + 1, len(self._lines)):
            if _is_blank(self._lines[m]):
                continue
            if indent_of(self._lines[m]) - base < 4:
                break
            end = m + 1
        return end
