"""Where a piece of a page stands, and the page without it, which reads as before.

A piece is named by a key: the block id of a memory, or `sha:…` of the exact lines of any other block. An item's
lines include what is nested in it: they move and go as one.

Where new memories go in a page, and the page that they begin.

A place for a piece beside a memory that it stood next to before, spaced as the memories there are.

Where no neighbour is left, `inserting` finds a place in the section.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from bankd.pages.blocks import CODE_INDENT, indent_of, without_indent
from bankd.pages.memory import normalise_text, split_id
from bankd.pages.page import Page, read_page
from bankd.pages.scanner import Block, BlockKind, Document, decode_text, encode_text, scan_text, split_lines

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


def insert_pieces(text: str, heading: str, pieces: list[str]) -> str | None:
    """Put pieces under a heading ("" is the page's own), after its last item; None when no place reads as it should."""
    document = page_of(text).document
    page = page_of(text)
    ending = majority_ending(text)
    want = block_shape(document)
    for at, lines in _places(page, heading, pieces):
        head = list(document.lines[:at])
        if head and not head[-1].endswith("\n"):
            head[-1] += ending
        result = "".join([*head, *(line + ending for line in lines), *document.lines[at:]])
        after = page_of(result).document
        new = LineSpan(at, at + len(lines))
        if block_shape(after, new) == want and _reads_alone(after, new):
            return result
    return None


def insert_at_once(text: str, additions: Sequence[tuple[str, list[str]]]) -> str | None:
    """Put pieces under several headings, each where `insert_pieces` first would; None when the page then reads otherwise.

    The page is read twice, however many headings there are.
    """
    page = page_of(text)
    sections = [section for heading, _ in additions if (section := _section(page, heading))]
    if len(set(sections)) < len(sections) or not page.headings:  # one changes where another belongs
        return None
    placed = [(*next(_places(page, heading, pieces)), not _section(page, heading)) for heading, pieces in additions]
    placed.sort(key=lambda place: (place[0], place[2]))  # a new heading after what belongs above it
    result, new = _spliced_all(page.document, [(at, lines) for at, lines, _ in placed])
    after = page_of(result).document
    own = [shape for _, lines, _ in placed for shape in block_shape(scan_text("".join(f"{line}\n" for line in lines)))]
    is_well = _shape_where(after, new, inside=False) == block_shape(page.document)
    return result if is_well and _shape_where(after, new, inside=True) == own else None


def _spliced_all(document: Document, additions: Iterable[tuple[int, list[str]]]) -> tuple[str, set[int]]:
    """A page with lines added before some of its own, in their order, and the numbers of the new ones."""
    lines, new, done, ending = list[str](), set[int](), 0, majority_ending(document.text)
    for at, added in additions:
        lines += document.lines[done:at]
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += ending
        new |= set(range(len(lines), len(lines) + len(added)))
        lines += (line + ending for line in added)
        done = at
    return "".join([*lines, *document.lines[done:]]), new


def _shape_where(document: Document, lines: Set[int], *, inside: bool) -> list[BlockShape]:
    """The shape of the blocks that begin in these lines, or of the others."""
    return [shape_of_block(document, block) for block in filled_blocks(document) if (block.start in lines) is inside]


def _reads_alone(document: Document, new: LineSpan) -> bool:
    """Whether the new lines form the same blocks as they would by themselves."""
    own = scan_text("".join(document.lines[new.start : new.end]))
    around = LineSpan(0, new.start), LineSpan(new.end, len(document.lines))
    return block_shape(own) == block_shape(document, *around)


def _places(page: Page, heading: str, pieces: list[str]) -> Iterator[tuple[int, list[str]]]:
    """Places for new lines, the best first; the later ones are for pages whose end swallows what follows."""
    lines = page.document.lines
    body = _spaced(pieces)
    section = _section(page, heading)
    if section is not None:
        items = [
            b
            for b in page.document.blocks
            if b.kind is BlockKind.ITEM and not b.depth and section.start <= b.start < section.end
        ]
        if items and is_item(pieces[0]):
            yield items[-1].whole_end, _closed(body, pieces, lines, items[-1].whole_end)
        at = _content_end(lines, section)
        yield at, _opened(_closed(body, pieces, lines, at), at)
    named = [f"## {heading}", "", *body] if heading else body
    end = _content_end(lines, LineSpan(0, len(lines)))
    yield end, _opened(named, end)
    front = next((b.end for b in page.document.blocks if b.kind is BlockKind.FRONT_MATTER), 0)
    starts = [
        b.start for b in page.document.blocks if not b.depth and b.kind is not BlockKind.BLANK and b.start >= front
    ]
    for at in (*reversed(starts), front):
        yield at, [*_opened(named, at), ""]


def _spaced(pieces: list[str]) -> list[str]:
    lines: list[str] = []
    for n, piece in enumerate(pieces):
        if n and not (is_item(piece) and is_item(pieces[n - 1])):
            lines.append("")
        lines += piece.split("\n")
    return lines


def _opened(body: list[str], at: int) -> list[str]:
    return ["", *body] if at else body


def _closed(body: list[str], pieces: list[str], lines: tuple[str, ...], at: int) -> list[str]:
    blank_follows = at >= len(lines) or not lines[at].strip()
    return body if blank_follows or (is_item(pieces[-1]) and is_item(lines[at])) else [*body, ""]


def _section(page: Page, heading: str) -> LineSpan | None:
    """The lines right under a heading, up to the next heading of any level."""
    starts = [h.start for h in page.headings] + [len(page.document.lines)]
    if not page.headings and not heading:
        front = next((b.end for b in page.document.blocks if b.kind is BlockKind.FRONT_MATTER), 0)
        return LineSpan(front, len(page.document.lines))
    for n, found in enumerate(page.headings):
        if not heading or normalise_text(found.title) == normalise_text(heading):
            return LineSpan(found.end, starts[n + 1])
    return None


def _content_end(lines: tuple[str, ...], section: LineSpan) -> int:
    end = section.end
    while end > section.start and not lines[end - 1].strip():
        end -= 1
    return end


def new_page(title: str, heading: str, pieces: list[str]) -> str:
    """A page of its own for the pieces."""
    head = [f"# {title}", ""] + ([f"## {heading}", ""] if heading else [])
    return "\n".join([*head, *_spaced(pieces)]) + "\n"


_READABLE = frozenset({BlockKind.ITEM, BlockKind.PARAGRAPH})


def insert_beside(
    text: str,
    after: tuple[str, ...],
    before: tuple[str, ...],
    pieces: list[str],
    is_apart: tuple[bool, bool] | None = None,
) -> str | None:
    """Put pieces right after the first of some memories that is there, else right before one; None when that reads wrong."""
    page = page_of(text)
    found = find_all(page, (*after, *before))
    for key, is_after in (*((key, True) for key in after), *((key, False) for key in before)):
        for anchor in found.get(key, ()):
            at = anchor.end if is_after else anchor.start
            for lines in _spacings(page.document, anchor, at, pieces, is_apart):
                result = _spliced(text, at, lines)
                if _reads_well(page.document, result, LineSpan(at, at + len(lines))):
                    return result
    return None


def _spacings(
    document: Document, anchor: LineSpan, at: int, pieces: list[str], is_apart: tuple[bool, bool] | None
) -> Iterator[list[str]]:
    """The lines to insert: spaced as they were or as their neighbours are, then in the other way."""
    body = [line for piece in pieces for line in piece.split("\n")]
    loose = _is_loose(document, anchor, pieces)
    for above, below in (is_apart or (loose, loose), (True, True), (False, False)):
        opening = [""] if above and at and document.lines[at - 1].strip() else []
        closing = [""] if below and at < len(document.lines) and document.lines[at].strip() else []
        yield [*opening, *body, *closing]


def _is_loose(document: Document, anchor: LineSpan, pieces: list[str]) -> bool:
    """Whether blank lines stand between the memories around the anchor, as between paragraphs they always do."""
    own = _block_at(document, anchor.start)
    if own is None or own.kind is not BlockKind.ITEM or not is_item(pieces[0]):
        return True
    siblings = [b for b in document.blocks if b.kind is BlockKind.ITEM and b.depth == own.depth]
    n = siblings.index(own)
    pairs = zip(siblings[max(0, n - 1) : n + 1], siblings[max(0, n - 1) + 1 : n + 2], strict=False)
    gaps = [document.lines[one.whole_end : other.start] for one, other in pairs]
    return any(gap and all(not line.strip() for line in gap) for gap in gaps)


def _block_at(document: Document, line: int) -> Block | None:
    return next((b for b in document.blocks if b.start == line and b.kind in _READABLE), None)


def _spliced(text: str, at: int, new: list[str]) -> str:
    lines = page_of(text).document.lines
    ending = majority_ending(text)
    head = list(lines[:at])
    if head and not head[-1].endswith("\n"):
        head[-1] += ending
    return "".join([*head, *(line + ending for line in new), *lines[at:]])


def _reads_well(document: Document, result: str, new: LineSpan) -> bool:
    """Whether the rest reads as before, and the new lines as by themselves, if perhaps deeper in a list."""
    after = page_of(result).document
    if block_shape(after, new) != block_shape(document):
        return False
    own = scan_text("".join(after.lines[new.start : new.end]))
    around = LineSpan(0, new.start), LineSpan(new.end, len(after.lines))
    return _from_its_own_depth(block_shape(own)) == _from_its_own_depth(block_shape(after, *around))


def _from_its_own_depth(
    blocks: list[tuple[str, int, int, tuple[str, ...]]],
) -> list[tuple[str, int, int, tuple[str, ...]]]:
    least = min((depth for _, depth, _, _ in blocks), default=0)
    return [(kind, depth - least, level, lines) for kind, depth, level, lines in blocks]
