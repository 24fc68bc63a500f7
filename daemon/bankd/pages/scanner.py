"""Where the blocks of a Markdown text are: a scanner of lines that loses nothing, after CommonMark 0.31 and GFM tables.

It knows ranges of lines only. What a block means (a memory, a link, the title of a page) is decided in other modules.
Nothing is ever rendered from here: joining `Document.lines` gives the text back, byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple, TypeAlias

from bankd.pages.text import MARK


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


class Block(NamedTuple):
    """The lines of a block, 0-based and half open; `whole_end` includes what is nested in a list item."""

    kind: BlockKind
    start: int
    end: int
    whole_end: int
    depth: int = 0
    level: int = 0


@dataclass(frozen=True, slots=True)
class Document:
    """A text as lines that keep their endings, and its blocks in the order of their first lines."""

    lines: Lines
    blocks: tuple[Block, ...]

    @property
    def text(self) -> str:
        """The text, exactly as it was scanned."""
        return "".join(self.lines)


def decode_text(data: bytes) -> str:
    """Decode UTF-8; `encode_text` gives the same bytes back, also those that are not UTF-8."""
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
    """Find the blocks of a text. The id of a memory ends it: what is written directly below is another paragraph."""
    lines = split_lines(text)

    def end_of(block: Block) -> int:
        may_end = block.kind in {BlockKind.ITEM, BlockKind.PARAGRAPH}
        own = range(block.start, block.end - 1) if may_end else ()
        return next((n + 1 for n in own if "^m-" in lines[n] and _ENDED.search(lines[n])), block.end)

    blocks = _Scanner(split_lines(text.removeprefix(MARK))).blocks()
    return Document(lines, tuple(cut_blocks(blocks, end_of, lines)))


_ENDED = re.compile(r"[ \t]\^m-[a-z2-7]{12}[ \t\r]*$")


def cut_blocks(blocks: Iterable[Block], end_of: Callable[[Block], int], lines: Lines) -> Iterator[Block]:
    """The blocks, each ended where `end_of` says; its other lines are a paragraph, nested in it only if indented."""
    for found in blocks:
        block = found
        while (at := end_of(block)) < block.end:
            is_nested = indent_of(lines[at]) > indent_of(lines[block.start])
            is_whole = is_nested or block.whole_end > block.end
            yield block._replace(end=at, whole_end=block.whole_end if is_whole else at)
            block = Block(BlockKind.PARAGRAPH, at, block.end, block.end, block.depth + is_nested)
        yield block


@lru_cache(maxsize=8)
def document_of(text: str) -> Document:
    """Find the blocks of a page, and cache the result: several steps of a run read a changed page."""
    return scan_text(text)


_TAB = 4
"""Columns: a tab reaches the next multiple of it."""
CODE_INDENT = 4
"""Columns: text that is indented this much more than its surroundings is code."""


def indent_of(line: str) -> int:
    """The columns of white space before the first other character; a tab reaches the next multiple of four."""
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(_TAB))


def without_indent(line: str, columns: int) -> str:
    """A line without the white space in its first `columns` columns."""
    count = reached = 0
    while count < len(line) and line[count] in " \t":
        reached += _TAB - reached % _TAB if line[count] == "\t" else 1
        if reached > columns:
            break
        count += 1
    return line[count:]


def _is_blank(line: str) -> bool:
    return not line.strip(" \t\r\n")


def _bare(line: str, base: int = 0) -> str:
    """A line without its end, and without the indent of the item that it stands in."""
    line = line.rstrip("\r\n")
    return without_indent(line, base) if base else line


# How each kind of block is recognised: a function of the lines, the line where the block may begin, and the column
# where the text around it begins; it gives the line after the block, or None.
_Recogniser: TypeAlias = Callable[[Lines, int, int], int | None]
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*$")
_FENCE = re.compile(r"[ \t]*(?:(`{3,})[^`]*|(~{3,}).*)$")
_MARKER = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?:([ \t]+)(?=\S)|[ \t]*$)")
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


def _one_line(pattern: str) -> _Recogniser:
    compiled = re.compile(pattern)
    return lambda lines, start, base: start + 1 if compiled.match(_bare(lines[start], base)) else None


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
    line = lines[start].lstrip(" \t")
    if not line.startswith(("<!--", "%%")) or indent_of(lines[start]) - base > 3:
        return None
    if line[0] == "<":
        return _until(lines, start, "-->")
    return start + 1 if "%%" in line[2:] else _until(lines, start + 1, "%%")  # Obsidian's comment


def is_open_comment(document: Document, block: Block) -> bool:
    """Whether a comment is never closed, so that it hides all that comes after it."""
    first, *more = (line.strip() for line in document.lines[block.start : block.end])
    closer = "-->" if first.startswith("<") else "%%"
    return block.end == len(document.lines) and closer not in (more[-1] if more else first[2:])


_SPAN_OR_COMMENT = re.compile(r"(`+)(?!`)(?:.*?[^`])?\1(?!`)|%%.*?%%", re.DOTALL)


def without_hidden(text: str) -> str:
    """A text without what stands between `%%` and `%%` in its lines, but for code spans."""
    return _SPAN_OR_COMMENT.sub(lambda found: found[0] if found[1] else "", text) if "%%" in text else text


def _html_end(lines: Lines, start: int, base: int) -> int | None:
    line = without_indent(lines[start], base)
    if raw := _RAW_HTML.match(line):
        return _until(lines, start, f"</{raw[1].lower()}>")
    if not _BLOCK_HTML.match(line):
        return None
    return next((n for n in range(start, len(lines)) if _is_blank(lines[n])), len(lines))


def _quote_end(lines: Lines, start: int, base: int) -> int | None:
    if not lines[start].lstrip(" \t").startswith(">") or indent_of(lines[start]) - base > 3:
        return None
    outside = (n for n in range(start + 1, len(lines)) if not lines[n].lstrip(" \t").startswith(">"))
    return next((n for n in outside if _is_blank(lines[n]) or _starts_block(lines, n, base)), len(lines))


def _table_end(lines: Lines, start: int, base: int) -> int | None:
    if start + 1 >= len(lines) or "|" not in lines[start]:
        return None
    row = _bare(lines[start + 1], base)
    if "-" not in row or not _DELIMITER_ROW.match(row) or ("|" not in row and ":" not in row):
        return None

    def ends(line: int) -> bool:
        return _is_blank(lines[line]) or indent_of(lines[line]) < base or _starts_block(lines, line, base)

    return next((n for n in range(start + 2, len(lines)) if ends(n)), len(lines))


def _footnote_end(lines: Lines, start: int, base: int) -> int | None:
    if not _FOOTNOTE.match(without_indent(lines[start], base)):
        return None
    end = start + 1
    for n in range(start + 1, len(lines)):
        if not _is_blank(lines[n]):
            if indent_of(lines[n]) - base < 4 and (n > end or _starts_block(lines, n, base)):
                break
            end = n + 1
    return end


def _reference_end(lines: Lines, start: int, base: int) -> int | None:
    line = without_indent(lines[start], base)
    found = _REFERENCE.match(line)
    if found is None:
        return None
    end = start + 1
    if _is_blank(line[found.end() :]) and end < len(lines) and not _is_blank(lines[end]):
        end += 1  # the target may stand on the next line
    return end + 1 if end < len(lines) and _REFERENCE_TITLE.match(_bare(lines[end])) else end  # and the title too


# The first characters of each kind; a table may begin with any. The order matters: a rule `* * *` would be taken for
# an item, a comment for other HTML.
_RECOGNISERS: tuple[tuple[str, BlockKind, _Recogniser], ...] = (
    ("<=|>", BlockKind.RULE, _one_line(r"<{7} |>{7} |\|{7}(?: |$)|={7}$")),  # the markers of a merge are no text
    ("`~", BlockKind.FENCE, _fence_end),
    ("<%", BlockKind.COMMENT, _comment_end),
    ("<", BlockKind.HTML, _html_end),
    ("#", BlockKind.HEADING, _one_line(r" {0,3}(#{1,6})(?:[ \t]|$)")),
    ("-*_", BlockKind.RULE, _one_line(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*$")),
    (">", BlockKind.QUOTE, _quote_end),
    ("", BlockKind.TABLE, _table_end),
    ("[", BlockKind.FOOTNOTE, _footnote_end),
    ("[", BlockKind.REFERENCE, _reference_end),
)
_BY_FIRST = {
    one: [(kind, end) for firsts, kind, end in _RECOGNISERS if not firsts or one in firsts] for one in "`~<%#-*_>[=|"
}
_OF_TEXT = [(BlockKind.TABLE, _table_end)]


def _recognise_block(lines: Lines, start: int, base: int) -> tuple[BlockKind, int] | None:
    """The kind of block that begins on a line, and the line after it; None for text, items and indented code."""
    first = lines[start].lstrip(" \t")[:1]
    for kind, recogniser in _BY_FIRST.get(first, _OF_TEXT):  # one test or two instead of nine
        if (end := recogniser(lines, start, base)) is not None:
            return kind, end
    return None


def _starts_block(lines: Lines, n: int, base: int) -> bool:
    """Whether a line ends the paragraph before it; a reference definition does not."""
    if _MARKER.match(_bare(lines[n])):
        return True
    found = _recognise_block(lines[n : n + 2], 0, base)  # two lines tell what begins; where it ends may be far below
    return found is not None and found[0] is not BlockKind.REFERENCE


PROPERTY = re.compile(r"(\"[^\"\n]*\"|'[^'\n]*'|[^\s#:\-\"'\[\]{},][^:\n]*?)[ \t]*:(?:[ \t]+|[ \t]*$)", re.MULTILINE)
"""The key of a property at the start of a line of front matter."""


def _front_matter_end(lines: Lines) -> int:
    """The line after the front matter, which is a mapping in YAML between two fences; 0 when the text has none.

    Agents put rules (`---`) between their sessions, also before the first: text between two of them is not front matter.
    """
    if not lines or lines[0].rstrip(" \t\r\n") != "---":
        return 0
    has_key = may_have_list = is_other = False
    for n, line in enumerate(lines[1:], 1):
        said = line.rstrip(" \t\r\n")
        if said in {"---", "..."}:
            return n + 1 if has_key or not is_other else 0
        if found := PROPERTY.match(line):
            has_key, may_have_list = True, not line[found.end() :].strip()
        elif said.startswith("#"):
            is_other = True
        elif said and not (has_key and (said[0] in " \t]}" or (may_have_list and said.startswith("-")))):
            return 0
    return 0


_PLAIN_ITEM = re.compile(r"[-*+] {1,4}[^\W_]")
"""A line that is certainly a list item, and ends the text above it: its text begins with a letter or digit."""


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

    def blocks(self) -> list[Block]:
        n = _front_matter_end(self._lines)
        if n:
            self._add(BlockKind.FRONT_MATTER, 0, n)
        while n < len(self._lines):
            n = self._step(n)
        self._close_to(-1)
        return self._blocks

    def _step(self, n: int) -> int:
        """Add the block, or the plain items, that begin on a line; give the line after them."""
        line = self._lines[n]
        if _is_blank(line):
            return self._add(BlockKind.BLANK, n, n + 1)
        indent = indent_of(line)
        self._close_to(indent)
        end = n  # items of one line each that have another such item below: most of a large page
        while end < len(self._lines) and _PLAIN_ITEM.match(self._lines[end]):
            end += 1
        if end - 1 > n:
            self._blocks += [Block(BlockKind.ITEM, m, m + 1, m + 1) for m in range(n, end - 1)]
            return end - 1
        base = self._open[-1].content if self._open else 0
        if found := _recognise_block(self._lines, n, base):
            level = line.lstrip(" \t").split(None, 1)[0].count("#") if found[0] is BlockKind.HEADING else 0
            return self._add(found[0], n, found[1], level)
        marker = _MARKER.match(_bare(line))
        if marker and (self._open or indent <= 3):
            content = (
                indent_of(marker[1]) + len(marker[2]) + (len(marker[3]) if marker[3] and len(marker[3]) < 5 else 1)
            )
            end = self._add(BlockKind.ITEM, n, self._text_end(n, content) if marker[3] else n + 1)
            self._open.append(_OpenItem(len(self._blocks) - 1, content, end))
            return end
        if indent - base >= CODE_INDENT:
            return self._add(BlockKind.CODE, n, self._code_end(n, base))
        return self._add_text(n, base)

    def _add_text(self, n: int, base: int) -> int:
        """Add a paragraph, or the heading that it is when it has a line of `=` or `-` below it."""
        end = self._text_end(n, base)
        if end < len(self._lines) and (under := _SETEXT.match(_bare(self._lines[end])[base:])):
            return self._add(BlockKind.HEADING, n, end + 1, 1 if "=" in under[1] else 2)
        return self._add(BlockKind.PARAGRAPH, n, end)

    def _close_to(self, indent: int) -> None:
        """Close the items whose content begins further right."""
        while self._open and indent < self._open[-1].content:
            item = self._open.pop()
            block = self._blocks[item.index]
            whole_end = max(block.end, item.end)
            self._blocks[item.index] = block._replace(whole_end=whole_end)
            if self._open:
                self._open[-1].end = max(self._open[-1].end, whole_end)

    def _add(self, kind: BlockKind, start: int, end: int, level: int = 0) -> int:
        self._blocks.append(Block(kind, start, end, end, len(self._open), level))
        if self._open and kind is not BlockKind.BLANK:
            self._open[-1].end = end
        return end

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
            if not _is_blank(self._lines[m]):
                if indent_of(self._lines[m]) - base < CODE_INDENT:
                    break
                end = m + 1
        return end


_DEEPEST = 32
"""People nest three or four layers; deeper ones stay one block.

Each layer is scanned by itself: without a limit, a line of 64 KB would be scanned 32,000 times.
"""

QUOTE_MARK = re.compile(r"[ \t]*>[ ]?")
"""What makes a line part of a quote."""

Marks: TypeAlias = tuple[re.Pattern[str], re.Pattern[str]]
"""What stands before the first line of such a block, and before each other line of it."""


@dataclass(frozen=True, slots=True)
class NestedLines:
    """The lines inside a block without their marks: line `n` is line `first + n` of the text, from `columns[n]` on."""

    lines: Lines
    first: int
    columns: tuple[int, ...]
    depth: int


def walk_blocks(document: Document, marks: Mapping[BlockKind, Marks]) -> Iterator[tuple[Block, NestedLines]]:
    """The blocks of a text in the order of their lines; in the place of a block of these kinds, the blocks inside it."""
    open_ = [(iter(document.blocks), NestedLines(document.lines, 0, (0,) * len(document.lines), 0))]
    while open_:
        blocks, layer = open_[-1]
        block = next(blocks, None)
        if block is None:
            open_.pop()
        elif block.kind in marks and layer.depth < _DEEPEST:
            inner = _inside(layer, block, marks[block.kind])
            open_.append((iter(scan_text("".join(inner.lines)).blocks), inner))
        else:
            yield block, layer


def _inside(layer: NestedLines, block: Block, marks: Marks) -> NestedLines:
    lines = layer.lines[block.start : block.end]
    widths = [mark.end() if (mark := marks[n > 0].match(line)) else 0 for n, line in enumerate(lines)]
    around = layer.columns[block.start : block.end]
    return NestedLines(
        tuple(line[width:] for line, width in zip(lines, widths, strict=True)),
        layer.first + block.start,
        tuple(before + width for before, width in zip(around, widths, strict=True)),
        layer.depth + 1,
    )
