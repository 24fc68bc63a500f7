"""What becomes of a page that is to be recast when the user has changed it, or the file with the copy, meanwhile.

Then it goes piece by piece, as any other memory that moves: what the user changed stays where it is.
"""

from __future__ import annotations

from collections.abc import Callable

from bankd.core.edits.operations import Append, Piece, Recast, Remove, digest_of
from bankd.core.edits.spans import BOM, block_key, page_of, unix_text
from bankd.core.markdown.hubs import part_of_line
from bankd.core.markdown.scanner import BlockKind, encode_text, split_lines

Look = Callable[[str], bytes | None]


def can_recast(operation: Recast, data: bytes | None, look: Look) -> bool:
    """Whether the page reads as planned and every other file has its lines."""
    if data != encode_text(operation.before):
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
