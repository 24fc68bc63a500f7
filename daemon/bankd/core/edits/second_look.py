"""A transaction once more, in its global form: add what is nowhere, remove what is back here and also elsewhere.

It heals an editor that saved a page from a buffer older than the run. What a later transaction decided stands.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from bankd.core.edits.merge3 import carry_lines
from bankd.core.edits.operations import (
    Append,
    Carry,
    Create,
    Drop,
    Operation,
    Piece,
    Recast,
    Relink,
    Remove,
    Replace,
    Restore,
)
from bankd.core.edits.recasting import pieces_of_page, recast_removals
from bankd.core.edits.spans import keys_in
from bankd.core.edits.transaction import HEALING, Look, Transaction, keys_of
from bankd.core.markdown.inline import without_targets
from bankd.core.markdown.memory import split_id
from bankd.core.markdown.scanner import decode_text, encode_text

Locate: TypeAlias = Callable[[Collection[str]], Mapping[str, Collection[str]]]
"""Keys -> for each the files of bank/ and archive/ that hold its piece now."""


def second_look(
    transaction: Transaction,
    look: Look,
    locate: Locate,
    paths: Collection[str],
    later: Sequence[Transaction],
    hurried: Collection[str] = (),
) -> tuple[Operation, ...]:
    """What a transaction still asks for on these paths, after those that came later.

    `hurried` are pages saved so soon after an earlier second look that whoever saved them cannot have read it.
    """
    looker = _Looker(look, locate, later, hurried)
    taken_back = {op.path for other in later for op in other.operations if isinstance(op, Restore | Drop)}
    wanted = [op for op in transaction.operations if op.path in paths and op.path not in taken_back]
    return tuple(again for op in wanted for again in looker.once_more(_without_turned_back(op, later)))


def _without_turned_back(operation: Operation, later: Sequence[Transaction]) -> Operation:
    """An operation without the links that a later transaction has written as they were before."""
    if not isinstance(operation, Relink):
        return operation
    links = (op for transaction in later for op in transaction.operations if isinstance(op, Relink))
    back = {move.new for op in links if op.path == operation.path for move in op.moves}
    return replace(operation, moves=tuple(m for m in operation.moves if m.old.partition(" ")[2] not in back))


def describe_changes(operations: Iterable[Operation], changed: Collection[str], run: str) -> list[str]:
    """What a second look changed, for people, memory by memory."""
    found = []
    for operation in operations:
        if operation.path not in changed:
            continue
        match operation:
            case Append(path, pieces=pieces):
                why = f"all that {run} wrote there was gone; delete it again to be rid of it"
                found += [f"{path}: put back, for {why}: {_words(piece)}" for piece in pieces]
            case Remove(path, pieces, elsewhere):
                where = f"it stands in {elsewhere} now" if elsewhere else f"{run} had taken it out"
                found += [f"{path}: taken out again, for {where}: {_words(piece)}" for piece in pieces]
            case _:
                found.append(f"{operation.path}: an older copy of it was saved; it is again as {run} left it")
    return found


def _words(piece: Piece) -> str:
    return piece.text.strip().partition("\n")[0]


@dataclass(frozen=True, slots=True)
class _Looker:
    look: Look
    locate: Locate
    later: Sequence[Transaction]
    hurried: Collection[str]

    def once_more(self, operation: Operation) -> Iterable[Operation]:
        match operation:
            case Append(path, pieces=pieces):
                nowhere = self._nowhere(path, pieces)
                return [replace(operation, pieces=nowhere)] if nowhere else []
            case Remove(path, pieces, elsewhere) | Drop(path, _, pieces, elsewhere):
                copies = self._taken_on(operation) if elsewhere else ()
                return [*self._removals(path, self._back(operation, pieces), elsewhere), *copies]
            case Recast():
                return self._recast_again(operation)
            case Replace(key=key):
                return [] if key in self._decided() else [operation]
            case Relink() | Carry() if isinstance(operation, Relink) or self._takes_late_lines(operation.path):
                return [operation]
            case _:
                return []

    def _takes_late_lines(self, path: str) -> bool:
        """Whether a page is as it was written on; from one that is gone the lines went along, or were deleted with it."""
        return self.look(path) is not None and not self._is_planned_anew(path)

    def _decided(self, *, but_healing: bool = False) -> set[str]:
        """The pieces that a later transaction named: it, not this one, says what should become of them."""
        later = (other for other in self.later if not (but_healing and other.kind in HEALING))
        return {key for transaction in later for key in keys_of(transaction)}

    def _nowhere(self, path: str, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        decided = self._decided(but_healing=path in self.hurried)
        settled = keys_in(self.look(path), _keys(pieces)) | decided
        lacking = [piece for piece in pieces if piece.key not in settled]
        held = self.locate(_keys(lacking)) if lacking else {}
        return tuple(piece for piece in lacking if not held.get(piece.key))

    def _back(self, own: Operation, pieces: tuple[Piece, ...]) -> tuple[Piece, ...]:
        """The pieces that are here again, unless a later transaction brought them here; this very one, done again, did not."""
        back = keys_in(self.look(own.path), _keys(pieces))
        later = (op for transaction in self.later for op in transaction.operations)
        brought = [op for op in later if op.path == own.path and op != own]
        if any(isinstance(operation, Recast) for operation in brought):
            return ()
        back -= {piece.key for op in brought if isinstance(op, Append) for piece in op.pieces}
        return tuple(piece for piece in pieces if piece.key in back)

    def _taken_on(self, own: Remove | Drop) -> Iterator[Remove]:
        """Copies that an old buffer had brought back here, and that a later run took on from here before they were seen.

        Only those that no other transaction has named: it might have brought them here, or say where they belong.
        """
        plans = [other for other in self.later if other.kind not in HEALING]
        for number, plan in enumerate(plans):
            for removal in _removals_from(plan, own.path):
                if removal.elsewhere:
                    named = (keys_of(other) for other in (*plans[:number], *plans[number + 1 :]))
                    copied = _keys(own.pieces).difference(*named) & _keys(removal.pieces)
                    here = keys_in(self.look(removal.elsewhere), {key for key in copied if not key.startswith("sha:")})
                    pieces = tuple(piece for piece in removal.pieces if piece.key in here)
                    yield from self._removals(removal.elsewhere, pieces, own.elsewhere, own.path)

    def _recast_again(self, operation: Recast) -> list[Operation]:
        """The page again when its old form is back; after a merge, the memories that an old form of it has swallowed."""
        if self._is_planned_anew(operation.path):
            return []
        data = self.look(operation.path)
        moved = tuple(piece for removal in recast_removals(operation) for piece in removal.pieces)
        if data == encode_text(operation.before) or self._back(operation, moved):
            return [operation]
        if operation.after is None or operation.moved or data is None:
            return []
        text = decode_text(data)
        after = _as_written_in(text, operation.after)
        pieces = tuple(piece for piece in pieces_of_page(after) if not piece.key.startswith("sha:"))
        brought = _keys(pieces) - keys_in(encode_text(operation.before), _keys(pieces))
        if keys_in(data, brought) or not self._nowhere(operation.path, pieces):
            return []  # who left some of what the merge brought had read the page as it is since
        return [
            Recast(
                operation.path, text, carry_lines(after, operation.before, text), (), operation.phase, operation.needs
            )
        ]

    def _is_planned_anew(self, path: str) -> bool:
        """Whether a later transaction gave the page another form: then that is no old form that is back."""
        plans = (other for other in self.later if other.kind not in HEALING)
        return any(op.path == path and isinstance(op, Create | Recast) for other in plans for op in other.operations)

    def _removals(self, path: str, pieces: tuple[Piece, ...], elsewhere: str, source: str = "") -> list[Remove]:
        """Removals of what stands in another place than here too, and than its `source`, which may lose it as well."""
        if not elsewhere:
            return [Remove(path, pieces)] if pieces else []
        by_place: dict[str, list[Piece]] = {}
        places = self.locate(_keys(pieces)) if pieces else {}
        for piece in pieces:
            others = sorted(
                set(places.get(piece.key, ())) - {path, source}, key=lambda place: (place != elsewhere, place)
            )
            if others:
                by_place.setdefault(others[0], []).append(piece)
        return [Remove(path, tuple(held), place) for place, held in by_place.items()]


def _removals_from(transaction: Transaction, page: str) -> Iterator[Remove]:
    for operation in (op for op in transaction.operations if op.path == page):
        match operation:
            case Remove():
                yield operation
            case Drop(pieces=pieces, elsewhere=elsewhere):
                yield Remove(page, pieces, elsewhere)
            case Recast():
                yield from recast_removals(operation)
            case _:
                pass


def _as_written_in(text: str, page: str) -> str:
    """A page with its lines as they are in the text: without ids that the user has taken off, with links that were rewritten since."""
    there, planned = ({line.rstrip("\r") for line in one.split("\n")} for one in (text, page))
    turned = {without_targets(line): line for line in there - planned}

    def as_there(line: str) -> str:
        said, end = line.rstrip("\r"), line[len(line.rstrip("\r")) :]
        if said in there:
            return line
        bare = split_id(said)[0]
        return (bare if bare in there else turned.pop(without_targets(said), said)) + end

    return "\n".join(map(as_there, page.split("\n")))


def _keys(pieces: Iterable[Piece]) -> set[str]:
    return {piece.key for piece in pieces}
