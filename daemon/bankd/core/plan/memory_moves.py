"""Memories that move from one page to another: out of the inbox, or from what was lived to what is known."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bankd.core.edits.operations import Append, Operation, Piece, Remove
from bankd.core.edits.spans import outdent_lines, unix_text
from bankd.core.lifecycle.routing import Destination
from bankd.core.markdown.names import INBOX
from bankd.core.plan.plan import title_of


@dataclass(frozen=True, slots=True)
class MovingMemory:
    """A memory that may move: its id, exact lines, 1-based line and page; in the inbox also the log that it came from."""

    id: str
    text: str
    line: int
    source: str = ""
    page: str = f"bank/{INBOX}"


def move_operations(moves: Iterable[tuple[MovingMemory, Destination]]) -> tuple[Operation, ...]:
    """The operations that take memories from their pages and put them where they belong, added before removed."""
    operations: list[Operation] = []
    for moving, destination in moves:
        page, piece = f"bank/{destination.page}", Piece(moving.id, unix_text(moving.text))
        there = Piece(moving.id, outdent_lines(piece.text))
        operations.append(Append(page, destination.heading or "", (there,), title_of(destination.page)))
        operations.append(Remove(moving.page, (piece,), page))
    return tuple(operations)
