"""What becomes of a page that is to be recast when the user has changed it, or the file with the copy, meanwhile.

Then it goes piece by piece, as any other memory that moves: what the user changed stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from bankd.core.edits.operations import Append, Create, Operation, Piece, Recast, Remove, digest_of
from bankd.core.edits.spans import BOM, block_key, page_of, unix_text
from bankd.core.markdown.hubs import part_of_line, parts_folder
from bankd.core.markdown.scanner import BlockKind, encode_text, split_lines

Look = Callable[[str], bytes | None]


def can_recast(operation: Recast, data: bytes | None, look: Look) -> bool:
    """Whether the page reads as planned, every other file has its lines, and all that it needs is there."""
    if data != encode_text(operation.before) or any(look(path) is None for path in operation.needs):
        return False
    return all(digest_of(look(moved.to)) in moved.digests for moved in operation.moved)


def recast_removals(operation: Recast) -> tuple[Remove, ...]:
    """The moved pieces, each to be taken out only while it reads as planned and its copy is there."""
    return tuple(
        Remove(operation.path, _pieces(operation.before, moved.start, moved.end), moved.to) for moved in operation.moved
    )


def recast_additions(operation: Recast, look: Look) -> tuple[Append, ...]:
    """The lines that the page would have got: a hub's lines for its parts, as far as those could be written."""
    if operation.after is None or not operation.moved:
        return ()
    old = set(split_lines(operation.before))
    new = [line.rstrip("\r\n") for line in split_lines(operation.after) if line not in old and line.strip()]
    parts = {line: part for line in new if (part := part_of_line(line, operation.path))}
    pieces = tuple(Piece(block_key(line), line) for line, part in parts.items() if look(part) is not None)
    return (Append(operation.path, "", pieces),) if pieces else ()


@dataclass(frozen=True, slots=True)
class HalfDivided:
    """A page that still has all its lines, the part that could not be made, and the parts that are there all the same."""

    page: str
    lacking: str
    made: tuple[Create, ...]


def find_half_divided(operations: Sequence[Operation], look: Look) -> Iterator[HalfDivided]:
    """The pages that were to be divided into parts of which one is not there once all should have been made.

    One that the user has changed meanwhile goes piece by piece, as far as its parts are there.
    """
    divided = (op for op in operations if isinstance(op, Recast) and op.after is not None and op.moved)
    for page in (op for op in divided if look(op.path) == encode_text(op.before)):
        folder = parts_folder(page.path) + "/"
        parts = [op for op in operations if isinstance(op, Create) and op.path.startswith(folder)]
        lacking = [part for part in parts if look(part.path) is None]
        if lacking:
            made = tuple(part for part in parts if part not in lacking)
            yield HalfDivided(page.path, lacking[0].path, made)


def pieces_of_page(text: str) -> tuple[Piece, ...]:
    """All outermost blocks of a text."""
    return _pieces(text, 0, len(split_lines(text)))


def _pieces(text: str, start: int, end: int) -> tuple[Piece, ...]:
    """The outermost blocks of some lines; a memory goes by its id."""
    page = page_of(text.removeprefix(BOM))
    ids = {entry.start: entry.memory.id for entry in page.entries if entry.memory.id}
    found = []
    for block in page.document.blocks:
        if block.depth == 0 and block.kind is not BlockKind.BLANK and start <= block.start < end:
            lines = unix_text("".join(page.document.lines[block.start : max(block.end, block.whole_end)]))
            found.append(Piece(ids.get(block.start) or block_key(lines), lines))
    return tuple(found)
