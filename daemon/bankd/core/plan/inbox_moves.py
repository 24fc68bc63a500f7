"""Memories that move from one page to another: out of the inbox, by a person's word or by rules that have changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from bankd.core.edits.operations import Append, Operation, Piece, Remove
from bankd.core.lifecycle.routing import Destination
from bankd.core.markdown.own_pages import INBOX
from bankd.core.plan.plan import title_of


@dataclass(frozen=True, slots=True)
class InboxMemory:
    """A memory in the inbox: its id, exact lines, 1-based line, and the log that it came from."""

    id: str
    text: str
    line: int
    source: str


def out_of_inbox(moves: Iterable[tuple[InboxMemory, Destination]]) -> tuple[Operation, ...]:
    """The operations that take memories out of the inbox and put them where they belong, added before removed."""
    operations: list[Operation] = []
    for waiting, destination in moves:
        page, piece = f"bank/{destination.page}", Piece(waiting.id, waiting.text)
        operations.append(Append(page, destination.heading or "", (piece,), title_of(destination.page)))
        operations.append(Remove(f"bank/{INBOX}", (piece,), page))
    return tuple(operations)
