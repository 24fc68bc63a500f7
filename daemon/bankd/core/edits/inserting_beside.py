"""A place for a piece beside a memory that it stood next to before, spaced as the memories there are.

Where no neighbour is left, `inserting` finds a place in the section.
"""

from __future__ import annotations

from collections.abc import Iterator

from bankd.core.edits.spans import LineSpan, block_shape, find_all, is_item, majority_ending, page_of
from bankd.core.markdown.scanner import Block, BlockKind, Document, scan_text

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
