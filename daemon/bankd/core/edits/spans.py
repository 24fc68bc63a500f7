"""Where a piece of a page stands, and the page without it, which reads as before.

A piece is named by a key: the block id of a memory, or `sha:…` of the exact lines of any other block. An item's
lines include what is nested in it: they move and go as one.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from bankd.core.markdown.blocks import CODE_INDENT, indent_of, without_indent
from bankd.core.markdown.memory import split_id
from bankd.core.markdown.pages import Page, read_page
from bankd.core.markdown.scanner import Block, BlockKind, Document, decode_text, encode_text, split_lines

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])(?:[ \t]|$)")
_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)")
_LINE = "line:"
BOM = "\ufeff"
BlockShape: TypeAlias = tuple[str, int, int, tuple[str, ...]]
"""How a block reads: its kind, depth, level and lines."""


@dataclass(frozen=True, slots=True, order=True)
class LineSpan:
    """Lines of a page, 0-based and half open."""

    start: int
    end: int


def unix_text(text: str) -> str:
    """Lines joined by a bare line feed, without a final one: the form in which pieces are kept and compared."""
    return text.replace("\r\n", "\n").removesuffix("\n")


def block_key(text: str) -> str:
    """Name a block that has no id by its exact lines: 96 bits of SHA-256."""
    return "sha:" + hashlib.sha256(encode_text(unix_text(text))).hexdigest()[:24]


def outdent_lines(text: str) -> str:
    """Lines for a place where nothing is around them: indented by four columns they would be code there."""
    first, *_ = lines = text.split("\n")
    columns = indent_of(first)
    return "\n".join(without_indent(line, columns) for line in lines) if columns >= CODE_INDENT else text


def split_bom(data: bytes) -> tuple[str, str]:
    """Take a byte order mark off, so that the first line reads like any other."""
    text = decode_text(data)
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def majority_ending(text: str) -> str:
    """The line ending that most lines of a text have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def is_item(text: str) -> bool:
    """Whether a piece begins with a list marker."""
    return _ITEM.match(text) is not None


def text_of(document: Document, span: LineSpan) -> str:
    """The lines of a span in the form in which pieces are compared."""
    return unix_text("".join(document.lines[span.start : span.end]))


@lru_cache(maxsize=32)
def page_of(text: str) -> Page:
    """Read a text as a page; the same few pages are read again and again while one transaction is worked out."""
    return read_page("", encode_text(text))


def find_all(page: Page, keys: Iterable[str]) -> dict[str, list[LineSpan]]:
    """The places of many pieces, in one pass."""
    found: dict[str, list[LineSpan]] = {key: [] for key in keys}
    for entry in page.entries:
        if entry.memory.id in found:
            found[entry.memory.id].append(LineSpan(entry.start, entry.whole_end))
    if any(key.startswith("sha:") for key in found):
        for span in _block_spans(page.document):
            if (key := block_key(text_of(page.document, span))) in found:
                found[key].append(span)
    return found


@lru_cache(maxsize=32)
def ids_in(data: bytes) -> frozenset[str]:
    """What may be an id in this page, found in one search instead of one search for each of ten thousand ids."""
    return frozenset(word.decode("ascii") for word in _BLOCK_ID.findall(data))


def keys_that_may_stand(data: bytes, keys: Iterable[str]) -> list[str]:
    """Those of the keys whose piece may be in this page: ids that it names, and blocks, which have to be read."""
    ids = ids_in(data)
    return [key for key in keys if key.startswith("sha:") or key in ids]


def keys_in(data: bytes | None, keys: Iterable[str]) -> set[str]:
    """Those of the keys whose piece stands in this page."""
    if data is None:
        return set()
    wanted = keys_that_may_stand(data, keys)
    if not wanted:
        return set()
    _, text = split_bom(data)
    return {key for key, spans in find_all(page_of(text), wanted).items() if spans}


def bare_line(text: str) -> str:
    """The first line of a text without its indent and its id."""
    return split_id(text.partition("\n")[0].strip())[0]


def line_key(text: str) -> str:
    """The key of a line that has lost its id: what it says."""
    return _LINE + bare_line(text)


def bare_lines_in(data: bytes | None, keys: Collection[str]) -> set[str]:
    """Those of the keys by `line_key` whose line stands in this page, without an id."""
    wanted = {key for key in keys if key.startswith(_LINE)}
    if data is None or not wanted:
        return set()
    return wanted & {_LINE + line.strip() for line in decode_text(data).split("\n")}


def lines_named(data: bytes | None, keys: Collection[str]) -> dict[str, int]:
    """Those of the keys that end a line of this page, be it a memory or not, with its number from 1.

    The user may have written on right below it, or put it into a code block.
    """
    if data is None or ids_in(data).isdisjoint(keys):
        return {}
    ends = ((split_id(line.rstrip())[1], number) for number, line in enumerate(decode_text(data).split("\n"), 1))
    return {id_: number for id_, number in ends if id_ and id_ in keys}


def _block_spans(document: Document) -> Iterator[LineSpan]:
    seen = set()
    for block in document.blocks:
        span = LineSpan(block.start, max(block.end, block.whole_end))
        if block.kind is not BlockKind.BLANK and span not in seen:
            seen.add(span)
            yield span


def block_shape(document: Document, *without: LineSpan) -> list[BlockShape]:
    """How a page reads: its blocks with their lines, except those that begin in the given spans."""
    return [
        shape_of_block(document, block)
        for block in filled_blocks(document)
        if not any(span.start <= block.start < span.end for span in without)
    ]


def filled_blocks(document: Document) -> Iterator[Block]:
    """The blocks of a page that are not blank."""
    return (block for block in document.blocks if block.kind is not BlockKind.BLANK)


def shape_of_block(document: Document, block: Block) -> BlockShape:
    """How a block reads, whatever its line endings."""
    lines = tuple(line.rstrip("\r\n") for line in document.lines[block.start : block.end])
    return block.kind, block.depth, block.level, lines


def cut_spans(text: str, spans: list[LineSpan]) -> tuple[str, list[LineSpan]]:
    """Take spans out of a text; give the rest and those that could go without changing how the rest reads."""
    document = page_of(text).document
    want = block_shape(document, *spans)
    for widened in (True, False):
        rest = _without(document, spans, widened)
        if block_shape(page_of(rest).document) == want:
            return rest, spans
    if len(spans) == 1:
        return text, []
    gone: list[LineSpan] = []
    for span in sorted(spans, reverse=True):  # one by one from the end, so that earlier spans keep their lines
        text, cut_out = cut_spans(text, [span])
        gone += cut_out
    return text, gone


def _without(document: Document, spans: list[LineSpan], widened: bool) -> str:
    """Drop the lines; widened, with one of the blank lines on both sides, else with a blank line left in place."""
    lines: list[str | None] = list(document.lines)
    ending = majority_ending(document.text)
    for span in sorted(spans):
        lines[span.start : span.end] = [None] * (span.end - span.start)
        if not widened:
            lines[span.start] = ending
        elif _is_blank(lines, _before(lines, span.start)) and _is_blank(lines, span.end):
            at = span.end if span.end < len(lines) else _before(lines, span.start)
            if 0 <= at < len(lines):
                lines[at] = None
    return "".join(line for line in lines if line is not None)


def _before(lines: list[str | None], n: int) -> int:
    """The last line before this one that is still there, or -1."""
    return next((m for m in range(n - 1, -1, -1) if lines[m] is not None), -1)


def _is_blank(lines: list[str | None], n: int) -> bool:
    """Both ends of a file count as blank."""
    line = lines[n] if 0 <= n < len(lines) else ""
    return line is not None and not line.strip()


def replace_span(text: str, span: LineSpan, new: str) -> str:
    """Put other lines in the place of a span, with the page's own line ending."""
    lines = list(split_lines(text))
    ending = majority_ending(text)
    last_has_ending = lines[span.end - 1].endswith("\n")
    fresh = [line + ending for line in new.split("\n")]
    if not last_has_ending:
        fresh[-1] = fresh[-1].removesuffix(ending)
    return "".join([*lines[: span.start], *fresh, *lines[span.end :]])
