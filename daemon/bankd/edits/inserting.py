"""The pieces of a page: where they stand, the page without them, and where new ones go.

A piece is named by a key: the block id of a memory, or `sha:…` of the exact lines of another block. The lines of an
item include what is nested in it: they move together. A page that is changed here reads as before, but for the pieces;
if that is not possible, it is not changed.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from bankd.pages import scanner
from bankd.pages.memory import normalise_text, split_id
from bankd.pages.page import ITEM_MARKER, Page, read_page
from bankd.pages.text import MARK

_BLOCK_ID = re.compile(rb"\^([A-Za-z0-9-]+)")
_LINE = "line:"
BlockShape: TypeAlias = tuple[str, int, int, tuple[str, ...]]
"""What a block is to a reader: its kind, depth, level and lines."""


@dataclass(frozen=True, slots=True, order=True)
class LineSpan:
    """Lines of a page, 0-based and half open."""

    start: int
    end: int


def unix_text(text: str) -> str:
    """Lines joined by line feeds, without a final one: so pieces are kept and compared."""
    return text.replace("\r\n", "\n").removesuffix("\n")


def block_key(text: str) -> str:
    """Name a block that has no id by its exact lines: 96 bits of SHA-256."""
    return "sha:" + hashlib.sha256(scanner.encode_text(unix_text(text))).hexdigest()[:24]


def outdent_lines(text: str) -> str:
    """Lines for a place outside a list: without the indent of four columns or more that would make code of them there."""
    first, *_ = lines = text.split("\n")
    columns = scanner.indent_of(first)
    return (
        "\n".join(scanner.without_indent(line, columns) for line in lines) if columns >= scanner.CODE_INDENT else text
    )


def split_bom(data: bytes) -> tuple[str, str]:
    """The byte order mark of a file, if it has one, and its text without it."""
    text = scanner.decode_text(data)
    return (MARK, text[1:]) if text.startswith(MARK) else ("", text)


def majority_ending(text: str) -> str:
    """The line ending that most lines of a text have."""
    return "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"


def is_item(text: str) -> bool:
    """Whether a piece begins with a list marker."""
    return ITEM_MARKER.match(text) is not None


def text_of(document: scanner.Document, span: LineSpan) -> str:
    """The lines of a span, in the form in which pieces are compared."""
    return unix_text("".join(document.lines[span.start : span.end]))


@lru_cache(maxsize=32)
def page_of(text: str) -> Page:
    """Read a text as a page, and keep the result: one transaction reads the same few pages again and again."""
    return read_page("", scanner.encode_text(text))


def find_all(page: Page, keys: Iterable[str]) -> dict[str, list[LineSpan]]:
    """The places of some pieces, by key, in one pass."""
    found: dict[str, list[LineSpan]] = {key: [] for key in keys}
    for entry in page.entries:
        if entry.memory.id in found:
            found[entry.memory.id].append(LineSpan(entry.start, entry.whole_end))
    if any(key.startswith("sha:") for key in found):
        filled = (block for block in page.document.blocks if block.kind is not scanner.BlockKind.BLANK)
        for span in dict.fromkeys(LineSpan(block.start, max(block.end, block.whole_end)) for block in filled):
            if (key := block_key(text_of(page.document, span))) in found:
                found[key].append(span)
    return found


@lru_cache(maxsize=32)
def ids_in(data: bytes) -> frozenset[str]:
    """All that may be an id in this page: one search instead of one for each of ten thousand ids."""
    return frozenset(word.decode("ascii") for word in _BLOCK_ID.findall(data))


def keys_that_may_stand(data: bytes, keys: Iterable[str]) -> list[str]:
    """The keys whose piece may be in this page: ids that it names, and all blocks without id."""
    ids = ids_in(data)
    return [key for key in keys if key.startswith("sha:") or key in ids]


def keys_in(data: bytes | None, keys: Iterable[str]) -> set[str]:
    """The keys whose piece stands in this page."""
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
    """The key of a line that has lost its id: its text."""
    return _LINE + bare_line(text)


def bare_lines_in(data: bytes | None, keys: Collection[str]) -> set[str]:
    """The keys by `line_key` whose line stands in this page without an id."""
    wanted = {key for key in keys if key.startswith(_LINE)}
    if data is None or not wanted:
        return set()
    return wanted & {_LINE + line.strip() for line in scanner.decode_text(data).split("\n")}


def lines_named(data: bytes | None, keys: Collection[str]) -> dict[str, int]:
    """The keys that end a line of this page, with its number from 1; the line need not be a memory.

    The user may have written more right below it, or may have put it into a code block.
    """
    if data is None or ids_in(data).isdisjoint(keys):
        return {}
    lines = enumerate(scanner.decode_text(data).split("\n"), 1)
    ends = ((split_id(line.rstrip())[1], number) for number, line in lines)
    return {id_: number for id_, number in ends if id_ and id_ in keys}


def block_shape(document: scanner.Document, is_wanted: Callable[[int], bool] = lambda _: True) -> list[BlockShape]:
    """How a page reads: its blocks that begin in the wanted lines, with these lines, whatever their endings."""
    return [
        (b.kind, b.depth, b.level, tuple(line.rstrip("\r\n") for line in document.lines[b.start : b.end]))
        for b in document.blocks
        if b.kind is not scanner.BlockKind.BLANK and is_wanted(b.start)
    ]


def cut_spans(text: str, spans: list[LineSpan]) -> tuple[str, list[LineSpan]]:
    """Take spans out of a text; give the rest, and the spans that could go without changing how the rest reads."""
    document = page_of(text).document
    want = block_shape(document, lambda line: not any(span.start <= line < span.end for span in spans))
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


def _without(document: scanner.Document, spans: list[LineSpan], widened: bool) -> str:
    """The text without these lines. With `widened` a blank line next to them goes too, else one stays in their place."""
    lines: list[str | None] = list(document.lines)

    def line_before(n: int) -> int:
        """The nearest line above this one that stays, or -1."""
        return next((m for m in range(n - 1, -1, -1) if lines[m] is not None), -1)

    def is_blank(n: int) -> bool:
        """Whether a line is blank; places before the start and after the end of a file count as blank."""
        line = lines[n] if 0 <= n < len(lines) else ""
        return line is not None and not line.strip()

    for span in sorted(spans):
        lines[span.start : span.end] = [None] * (span.end - span.start)
        if not widened:
            lines[span.start] = majority_ending(document.text)
        elif is_blank(line_before(span.start)) and is_blank(span.end):
            at = span.end if span.end < len(lines) else line_before(span.start)
            if 0 <= at < len(lines):
                lines[at] = None
    return "".join(line for line in lines if line is not None)


def replace_span(text: str, span: LineSpan, new: str) -> str:
    """Put other lines in the place of a span, with the page's own line ending."""
    lines = list(scanner.split_lines(text))
    ending = majority_ending(text)
    last_has_ending = lines[span.end - 1].endswith("\n")
    fresh = [line + ending for line in new.split("\n")]
    if not last_has_ending:
        fresh[-1] = fresh[-1].removesuffix(ending)
    return "".join([*lines[: span.start], *fresh, *lines[span.end :]])


def insert_pieces(text: str, heading: str, pieces: list[str]) -> str | None:
    """Put pieces under a heading ("" is the page's own), after its last item; None when no place reads as it should."""
    page = page_of(text)
    results = (_spliced(page.document, [place]) for place in _places(page, heading, pieces))
    return next((result for result in results if result is not None), None)


def insert_at_once(text: str, additions: Sequence[tuple[str, list[str]]]) -> str | None:
    """Put pieces under several headings, each at the first place of `insert_pieces`; None when the page reads wrong then.

    The page is read twice, however many headings there are.
    """
    page = page_of(text)
    sections = [section for heading, _ in additions if (section := _section(page, heading))]
    if len(set(sections)) < len(sections) or not page.headings:  # one addition changes the place of another
        return None
    placed = [(*next(_places(page, heading, pieces)), not _section(page, heading)) for heading, pieces in additions]
    placed.sort(key=lambda place: (place[0], place[2]))  # a new heading after what belongs above it
    return _spliced(page.document, [(at, lines) for at, lines, _ in placed])


def insert_beside(
    text: str,
    after: tuple[str, ...],
    before: tuple[str, ...],
    pieces: list[str],
    is_apart: tuple[bool, bool] | None = None,
) -> str | None:
    """Put pieces after the first of some memories that is there, else before the first of others; None if none reads well.

    `is_apart`: whether they had a blank line above and below before.
    """
    document = page_of(text).document
    found = find_all(page_of(text), (*after, *before))
    for key, is_after in (*((key, True) for key in after), *((key, False) for key in before)):
        for anchor in found.get(key, ()):
            at = anchor.end if is_after else anchor.start
            for lines in _spacings(document, at, pieces, is_apart):
                result = _spliced(document, [(at, lines)], any_depth=True)
                if result is not None:
                    return result
    return None


def _spliced(
    document: scanner.Document, additions: Sequence[tuple[int, list[str]]], *, any_depth: bool = False
) -> str | None:
    """A page with lines added before some of its own, in their order.

    None if the rest would read differently, or the new lines would read differently than alone; `any_depth`: they may be deeper
    in a list.
    """
    lines, new, done, ending = list[str](), set[int](), 0, majority_ending(document.text)
    for at, added in additions:
        lines += document.lines[done:at]
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += ending
        new |= set(range(len(lines), len(lines) + len(added)))
        lines += (line + ending for line in added)
        done = at
    result = "".join([*lines, *document.lines[done:]])
    after = page_of(result).document
    if block_shape(after, lambda line: line not in new) != block_shape(document):
        return None
    own = [
        shape
        for _, added in additions
        for shape in block_shape(scanner.scan_text("".join(f"{one}\n" for one in added)))
    ]
    shapes = block_shape(after, new.__contains__)
    if any_depth:
        least = min((depth for _, depth, _, _ in shapes), default=0)
        shapes = [(kind, depth - least, level, said) for kind, depth, level, said in shapes]
    return result if shapes == own else None


def _places(page: Page, heading: str, pieces: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Places for new lines, the best first; the later ones are for pages whose end swallows what follows."""
    lines, blocks = page.document.lines, [b for b in page.document.blocks if not b.depth]
    body = _spaced(pieces)

    def closed(at: int) -> list[str]:
        blank_follows = at >= len(lines) or not lines[at].strip()
        return body if blank_follows or (is_item(pieces[-1]) and is_item(lines[at])) else [*body, ""]

    def opened(at: int, new: list[str]) -> list[str]:
        return ["", *new] if at else new

    section = _section(page, heading)
    if section is not None:
        items = [b for b in blocks if b.kind is scanner.BlockKind.ITEM and section.start <= b.start < section.end]
        if items and is_item(pieces[0]):
            yield items[-1].whole_end, closed(items[-1].whole_end)
        at = _content_end(lines, section)
        yield at, opened(at, closed(at))
    named = [f"## {heading}", "", *body] if heading else body
    end = _content_end(lines, LineSpan(0, len(lines)))
    yield end, opened(end, named)
    front = _front_end(page)
    starts = [b.start for b in blocks if b.kind is not scanner.BlockKind.BLANK and b.start >= front]
    for at in (*reversed(starts), front):
        yield at, [*opened(at, named), ""]


def _spaced(pieces: list[str]) -> list[str]:
    """The lines of pieces, with a blank line between two unless both are items."""
    lines: list[str] = []
    for n, piece in enumerate(pieces):
        if n and not (is_item(piece) and is_item(pieces[n - 1])):
            lines.append("")
        lines += piece.split("\n")
    return lines


def _front_end(page: Page) -> int:
    return next((b.end for b in page.document.blocks if b.kind is scanner.BlockKind.FRONT_MATTER), 0)


def _section(page: Page, heading: str) -> LineSpan | None:
    """The lines right under a heading, up to the next heading of any level."""
    if not page.headings and not heading:
        return LineSpan(_front_end(page), len(page.document.lines))
    starts = [h.start for h in page.headings] + [len(page.document.lines)]
    for n, found in enumerate(page.headings):
        if not heading or normalise_text(found.title) == normalise_text(heading):
            return LineSpan(found.end, starts[n + 1])
    return None


def _content_end(lines: tuple[str, ...], section: LineSpan) -> int:
    """The line after the last one that is not blank."""
    end = section.end
    while end > section.start and not lines[end - 1].strip():
        end -= 1
    return end


def _spacings(
    document: scanner.Document, at: int, pieces: list[str], is_apart: tuple[bool, bool] | None
) -> Iterator[list[str]]:
    """The lines to insert: spaced as they were, then in the other ways."""
    body = [line for piece in pieces for line in piece.split("\n")]
    for above, below in (is_apart or (False, False), (True, True), (False, False)):
        opening = [""] if above and at and document.lines[at - 1].strip() else []
        closing = [""] if below and at < len(document.lines) and document.lines[at].strip() else []
        yield [*opening, *body, *closing]
