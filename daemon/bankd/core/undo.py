"""The reverse of a run, as a transaction of its own: what people changed since stays, and is named.

Where the files are still exactly as the run left them they get their bytes from before back; else piece by piece.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain

from bankd.core.markdown import decode, encode
from bankd.core.operations import (
    Append,
    Create,
    Drop,
    Move,
    Operation,
    Piece,
    Recast,
    Relink,
    Remove,
    Replace,
    Restore,
    digest,
    pieces_of,
)
from bankd.core.recasting import removals
from bankd.core.spans import Span, find_all, page_of, split_bom, text_of, unix
from bankd.core.transaction import Look, Transaction

Files = Mapping[str, bytes | None]


@dataclass(slots=True)
class Undoing:
    """The operations that take a run back, the pieces that they take out, and what stays as people have it now."""

    operations: list[Operation] = field(default_factory=list)
    taken_out: set[str] = field(default_factory=set)
    stays: list[str] = field(default_factory=list)


def undo(transaction: Transaction, before: Files, after: Files, look: Look) -> Undoing:
    """Work out how to take a transaction back, given its files from before, as it left them, and now."""
    if all(digest(look(path)) == digest(after[path]) for path in before):
        return _undo_exactly(transaction, before, after)
    return _Reverser(transaction, before, look).undoing


def _undo_exactly(transaction: Transaction, before: Files, after: Files) -> Undoing:
    undoing = Undoing(taken_out=_added(transaction))
    sources = {r.elsewhere: r for r in _removals(transaction) if r.elsewhere}
    for path, data in before.items():
        left = after[path]
        if data is not None:
            undoing.operations.append(Restore(path, digest(left), decode(data)))
        elif left is not None:
            moved = sources.get(path)
            pieces, home = (moved.pieces, moved.path) if moved else ((), "")
            undoing.operations.append(Drop(path, decode(left), pieces, home))
    return undoing


def _removals(transaction: Transaction) -> list[Remove]:
    found: list[Remove] = []
    for operation in transaction.operations:
        if isinstance(operation, Remove):
            found.append(operation)
        elif isinstance(operation, Recast):
            found += removals(operation)
        elif isinstance(operation, Drop):
            found.append(Remove(operation.path, operation.pieces, operation.elsewhere))
    return found


def _added(transaction: Transaction) -> set[str]:
    """The pieces that a run brought into the bank, other than by moving them."""
    moved = {piece.key for removal in _removals(transaction) for piece in removal.pieces}
    added = {piece.key for op in transaction.operations if isinstance(op, Append) for piece in pieces_of(op)}
    return added - moved


class _Reverser:
    """Takes a transaction back piece by piece."""

    def __init__(self, transaction: Transaction, before: Files, look: Look) -> None:
        self._before = before
        self._look = look
        self._removals = _removals(transaction)
        self._moved = {piece.key for removal in self._removals for piece in removal.pieces}
        self.undoing = Undoing()
        for removal in self._removals:
            self._bring_back(removal)
        for operation in transaction.operations:
            self._reverse(operation)

    def _reverse(self, operation: Operation) -> None:
        match operation:
            case Append(path, _, pieces):
                self._take_out(path, tuple(piece for piece in pieces if piece.key not in self._moved))
            case Replace(path, key, old, new):
                if self._unchanged(path, (Piece(key, new),)):
                    self.undoing.operations.append(Replace(path, key, new, old))
            case Relink(path, moves):
                self.undoing.operations.append(Relink(path, tuple(self._turned(move, path) for move in moves)))
            case _:
                self._reverse_file(operation)

    def _reverse_file(self, operation: Operation) -> None:
        match operation:
            case Create(path, text):
                self._drop_or_keep(path, text)
            case Drop(path, text):
                self.undoing.operations.append(Create(path, text))
            case Restore(path):
                self.undoing.stays.append(f"{path}: changed since; it stays as it is now")
            case _:
                pass  # moved pieces are brought back already; what an editor wrote late is his

    def _bring_back(self, removal: Remove) -> None:
        for piece in removal.pieces:
            if not removal.elsewhere or self._unchanged(removal.elsewhere, (piece,)):
                heading = self._heading_of(removal.path, piece.key)
                self.undoing.operations.append(Append(removal.path, heading, (piece,)))
                if removal.elsewhere:
                    self.undoing.operations.append(Remove(removal.elsewhere, (piece,), removal.path))

    def _take_out(self, path: str, pieces: tuple[Piece, ...]) -> None:
        gone = self._unchanged(path, pieces)
        if gone:
            self.undoing.operations.append(Remove(path, gone))
            self.undoing.taken_out |= {piece.key for piece in gone}

    def _drop_or_keep(self, path: str, text: str) -> None:
        if self._look(path) == encode(text):
            self.undoing.operations.append(Drop(path, text))
        else:
            self.undoing.stays.append(f"{path}: changed since the run made it; it stays")

    def _unchanged(self, path: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        """Those pieces that still read as the run left them; the others are named."""
        _, text = split_bom(self._look(path) or b"")
        page = page_of(text)
        found = find_all(page, [piece.key for piece in pieces])
        same = []
        for piece in pieces:
            if any(text_of(page.document, span) == unix(piece.text) for span in found[piece.key]):
                same.append(piece)
            else:
                what = "was reworded since; it stays as it is now" if found[piece.key] else "is not there any more"
                self.undoing.stays.append(f"{path}: {piece.key} {what}")
        return tuple(same)

    def _heading_of(self, path: str, key: str) -> str:
        """The heading under which a piece stood before the run."""
        _, text = split_bom(self._before.get(path) or b"")
        page = page_of(text)
        span: Span | None = next(iter(find_all(page, [key])[key]), None)
        above = [heading for heading in page.headings if span is not None and heading.start < span.start]
        return above[-1].title if len(above) > 1 else ""

    def _turned(self, move: Move, path: str) -> Move:
        key = move.was or move.key
        held = (r.path for r in self._removals if key in {piece.key for piece in r.pieces})
        sent = (r.path for r in self._removals if r.elsewhere == move.target)
        return Move(move.new, move.old, next(chain(held, sent), path), key)
