"""Where each kind of Markdown block ends, line by line, after CommonMark 0.31 and GFM tables.

A recogniser is asked of the lines, the line where a block may begin, and the column where the text around it begins.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import StrEnum
from typing import TypeAlias


class BlockKind(StrEnum):
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


Lines: TypeAlias = tuple[str, ...]
Recogniser: TypeAlias = Callable[[Lines, int, int], int | None]

_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]|$)")
SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")
MARKER = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)")
_DELIMITER_ROW = re.compile(r" {0,3}\|?[ \t]*:?-+:?(?:[ \t]*\|[ \t]*:?-+:?)*[ \t]*(?:\|[ \t]*)?$")
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


_TAB = 4
"""Columns; a tab reaches the next multiple of it."""
CODE_INDENT = 4
"""Columns; text that far from what is around it is code."""


def indent_of(line: str) -> int:
    """Columns of white space before the first other character; a tab reaches the next multiple of four."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(_TAB))


def without_indent(line: str, columns: int) -> str:
    """A line without the white space before it, or without its first columns of that."""
    return line[_prefix(line, columns) :]


def is_blank(line: str) -> bool:
    """Whether a line has nothing but white space."""
    return not line.strip(" \t\r\n")


def strip_ending(line: str) -> str:
    """A line without its end."""
    return line.rstrip("\r\n")


def front_matter_end(lines: Lines) -> int | None:
    """The line after the front matter; None when the text has none."""
    if not lines or strip_ending(lines[0]).removeprefix("\ufeff").rstrip(" \t") != "---":
        return None
    closers = (n for n in range(1, len(lines)) if strip_ending(lines[n]).rstrip(" \t") in {"---", "..."})
    return next((n + 1 for n in closers), None)


def _fence_end(lines: Lines, start: int, base: int) -> int | None:
    opened = _FENCE.match(strip_ending(lines[start]))
    if opened is None or indent_of(lines[start]) - base > 3:
        return None
    mark = opened[1] or opened[2]
    for n in range(start + 1, len(lines)):
        stripped = lines[n].strip()
        if base and not is_blank(lines[n]) and indent_of(lines[n]) < base:
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
    line = without_indent(lines[start], base)
    if raw := _RAW_HTML.match(line):
        return _until(lines, start, f"</{raw[1].lower()}>")
    if not _BLOCK_HTML.match(line):
        return None
    return next((n for n in range(start, len(lines)) if is_blank(lines[n])), len(lines))


def _prefix(line: str, columns: int) -> int:
    """How many characters of white space make up at most this many columns."""
    count = reached = 0
    while count < len(line) and line[count] in " \t":
        reached += _TAB - reached % _TAB if line[count] == "\t" else 1
        if reached > columns:
            break
        count += 1
    return count


def _heading_end(lines: Lines, start: int, base: int) -> int | None:
    return start + 1 if _ATX.match(without_indent(strip_ending(lines[start]), base)) else None


def _rule_end(lines: Lines, start: int, base: int) -> int | None:
    return start + 1 if _RULE.match(without_indent(strip_ending(lines[start]), base)) else None


def _quote_end(lines: Lines, start: int, base: int) -> int | None:
    if not lines[start].lstrip(" \t").startswith(">") or indent_of(lines[start]) - base > 3:
        return None
    inner = (n for n in range(start + 1, len(lines)) if not lines[n].lstrip(" \t").startswith(">"))
    return next((n for n in inner if is_blank(lines[n]) or starts_block(lines, n, base)), len(lines))


def _table_end(lines: Lines, start: int, base: int) -> int | None:
    if start + 1 >= len(lines) or "|" not in lines[start]:
        return None
    row = without_indent(strip_ending(lines[start + 1]), base)
    if "-" not in row or not _DELIMITER_ROW.match(row) or ("|" not in row and ":" not in row):
        return None
    return next((n for n in range(start + 2, len(lines)) if _ends_table(lines, n, base)), len(lines))


def _ends_table(lines: Lines, n: int, base: int) -> bool:
    return is_blank(lines[n]) or indent_of(lines[n]) < base or starts_block(lines, n, base)


def _footnote_end(lines: Lines, start: int, base: int) -> int | None:
    if not _FOOTNOTE.match(without_indent(lines[start], base)):
        return None
    end = start + 1
    for n in range(start + 1, len(lines)):
        if is_blank(lines[n]):
            continue
        if indent_of(lines[n]) - base < 4 and (n > end or starts_block(lines, n, base)):
            break
        end = n + 1
    return end


def _reference_end(lines: Lines, start: int, base: int) -> int | None:
    line = without_indent(lines[start], base)
    found = _REFERENCE.match(line)
    if found is None:
        return None
    rest = line[found.end() :]
    end = start + 1
    if is_blank(rest) and end < len(lines) and not is_blank(lines[end]):
        end += 1  # the target may stand on the next line
    if end < len(lines) and _REFERENCE_TITLE.match(strip_ending(lines[end])):
        end += 1  # so may the title
    return end


# Order matters: a rule `* * *` would be taken for an item, a comment for other HTML.
_RECOGNISERS: tuple[tuple[BlockKind, Recogniser], ...] = (
    (BlockKind.FENCE, _fence_end),
    (BlockKind.COMMENT, _comment_end),
    (BlockKind.HTML, _html_end),
    (BlockKind.HEADING, _heading_end),
    (BlockKind.RULE, _rule_end),
    (BlockKind.QUOTE, _quote_end),
    (BlockKind.TABLE, _table_end),
    (BlockKind.FOOTNOTE, _footnote_end),
    (BlockKind.REFERENCE, _reference_end),
)
_FIRSTS = {
    BlockKind.FENCE: "`~",
    BlockKind.COMMENT: "<",
    BlockKind.HTML: "<",
    BlockKind.HEADING: "#",
    BlockKind.RULE: "-*_",
    BlockKind.QUOTE: ">",
    BlockKind.FOOTNOTE: "[",
    BlockKind.REFERENCE: "[",
}
"""The first characters of each kind; a table may begin with any."""


def _may_begin_with(first: str) -> tuple[tuple[BlockKind, Recogniser], ...]:
    return tuple(pair for pair in _RECOGNISERS if first in _FIRSTS.get(pair[0], first))


_BY_FIRST = {first: _may_begin_with(first) for first in "`~<#-*_>["}
_OF_TEXT = ((BlockKind.TABLE, _table_end),)


def recognise_block(lines: Lines, start: int, base: int) -> tuple[BlockKind, int] | None:
    """The kind of block that begins on a line, and the line after it; None for text, items and indented code."""
    first = lines[start].lstrip(" \t")[:1]
    for kind, recogniser in _BY_FIRST.get(first, _OF_TEXT):  # one test or two instead of nine
        if (end := recogniser(lines, start, base)) is not None:
            return kind, end
    return None


def starts_block(lines: Lines, n: int, base: int) -> bool:
    """Whether a line ends the paragraph before it; a reference definition does not."""
    if MARKER.match(strip_ending(lines[n])):
        return True
    found = recognise_block(lines, n, base)
    return found is not None and found[0] is not BlockKind.REFERENCE
