"""A transaction once more, in its global form: add what is nowhere, remove what is back here and also elsewhere.

It heals an editor that saved a page from a buffer older than the run.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import replace
from typing import TypeAlias

from bankd.core.markdown import encode
from bankd.core.operations import (
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
from bankd.core.recasting import pieces_of_page, removals
from bankd.core.spans import keys_in
from bankd.core.transaction import Look, Transaction

Locate: TypeAlias = Callable[[Collection[str]], Mapping[str, Collection[str]]]
"""Keys -> for each the files of bank/ and archive/ that hold its piece now."""


def second_look(
    transaction: Transaction, look: Look, locate: Locate, paths: Collection[str], settled: Collection[str]
) -> tuple[Operation, ...]:
    """What a transaction still asks for on these paths; keys in `settled` were decided anew since."""
    healing: list[Operation] = []
    for operation in transaction.operations:
        if operation.path in paths:
            healing += _once_more(operation, look, locate, settled)
    return tuple(healing)


def _once_more(operation: Operation, look: Look, locate: Locate, settled: Collection[str]) -> Iterable[Operation]:
    match operation:
        case Append(path, pieces=pieces):
            there = keys_in(look(path), {piece.key for piece in pieces})
            lacking = _open(pieces, there | set(settled))
            nowhere = (
                _open(lacking, {key for key, places in locate(_keys(lacking)).items() if places}) if lacking else ()
            )
            return [replace(operation, pieces=nowhere)] if nowhere else []
        case Remove(path, pieces, elsewhere) | Drop(path, _, pieces, elsewhere):
            back = keys_in(look(path), {piece.key for piece in pieces}) - set(settled)
            again = tuple(piece for piece in pieces if piece.key in back)
            return _removals(path, again, elsewhere, locate) if again else []
        case Recast():
            return _recast_again(operation, look(operation.path), locate, settled)
        case Replace(key=key):
            return [] if key in settled else [operation]
        case Relink():
            return [operation]
        case Create() | Restore() | Carry():
            return []


def _recast_again(operation: Recast, data: bytes | None, locate: Locate, settled: Collection[str]) -> list[Operation]:
    """The page again when its old form is back; after a merge, the memories that an old form of it has swallowed."""
    back = {piece.key for removal in removals(operation) for piece in removal.pieces}
    if data == encode(operation.before) or keys_in(data, back - set(settled)):
        return [operation]
    if operation.after is None or operation.moved or data is None:
        return []
    lacking = _open(
        pieces_of_page(operation.after), keys_in(data, _keys(pieces_of_page(operation.after))) | set(settled)
    )
    places = locate(_keys(lacking)) if lacking else {}
    nowhere = tuple(piece for piece in lacking if not piece.key.startswith("sha:") and not places.get(piece.key))
    return [Append(operation.path, "", nowhere)] if nowhere else []


def _removals(path: str, pieces: tuple[Piece, ...], elsewhere: str, locate: Locate) -> list[Operation]:
    if not elsewhere:
        return [Remove(path, pieces)]
    by_place: dict[str, list[Piece]] = {}
    places = locate(_keys(pieces))
    for piece in pieces:
        others = sorted(set(places.get(piece.key, ())) - {path}, key=lambda place: (place != elsewhere, place))
        if others:
            by_place.setdefault(others[0], []).append(piece)
    return [Remove(path, tuple(held), place) for place, held in by_place.items()]


def _open(pieces: Iterable[Piece], done: Collection[str]) -> tuple[Piece, ...]:
    return tuple(piece for piece in pieces if piece.key not in done)


def _keys(pieces: Iterable[Piece]) -> set[str]:
    return {piece.key for piece in pieces}
