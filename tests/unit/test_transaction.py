"""What a transaction leaves where it is because a hand copied it, with its id, in other words."""

from __future__ import annotations

import pytest

from bankd.edits.operations import Append, Piece, Remove
from bankd.edits.transaction import HEALING, Transaction, keep_versions

PIECE = Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa")
OTHER = Piece("m-bbbbbbbbbbbb", "- W: two ^m-bbbbbbbbbbbb")
HERE, THERE = "bank/a.md", "archive/a.md"
MOVE = (Append(THERE, "", (PIECE, OTHER)), Remove(HERE, (PIECE, OTHER), THERE))
EVENTS = ({"id": "1", "memory": PIECE.key}, {"id": "2", "memory": OTHER.key})


def kept(there: str | None, kind: str = "run") -> tuple[Transaction, dict[str, str]]:
    """What is left of a move to the archive, where its page has this text already."""
    data = None if there is None else there.encode()
    return keep_versions(Transaction("r", "2026-05-04", MOVE, EVENTS, kind), lambda path: data)


def test_what_stands_there_in_other_words_stays_and_is_not_told_to_have_gone() -> None:
    rest, versions = kept("# A\n\n- W: one, by hand ^m-aaaaaaaaaaaa\n")

    assert versions == {PIECE.key: THERE}
    assert rest.operations[1] == Remove(HERE, (OTHER,), THERE)
    assert rest.events == EVENTS[1:]


@pytest.mark.parametrize("there", [None, "# A\n", f"# A\n\n{PIECE.text}\n"])
def test_what_is_not_there_or_reads_alike_goes(there: str | None) -> None:
    rest, versions = kept(there)

    assert not versions
    assert (rest.operations, rest.events) == (MOVE, EVENTS)


@pytest.mark.parametrize("kind", sorted(HEALING))
def test_what_heals_knows_what_it_takes_out(kind: str) -> None:
    assert kept("# A\n\n- W: one, by hand ^m-aaaaaaaaaaaa\n", kind)[0].operations == MOVE
