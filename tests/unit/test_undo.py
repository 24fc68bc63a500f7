"""A run taken back: to the byte where nobody was there since, piece by piece where somebody was."""

from __future__ import annotations

from collections.abc import Mapping

from bankd.core.markdown import encode
from bankd.core.operations import Append, Create, Drop, Piece, Remove, Replace, Restore
from bankd.core.transaction import Transaction, replay
from bankd.core.undo import Undoing, undo

ONE = Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa")
TWO = Piece("m-bbbbbbbbbbbb", "- W: two ^m-bbbbbbbbbbbb")
PAGE = f"# A\n\n{ONE.text}\n"


def undone(transaction: Transaction, before: Mapping[str, str | None], now: Mapping[str, str]) -> Undoing:
    """How a transaction is taken back, given its pages from before it and now; without a page now, as it left it."""
    old = {path: None if text is None else encode(text) for path, text in before.items()}
    after = replay(transaction, old, lambda _: None)
    there = {**after, **{path: encode(text) for path, text in now.items()}}
    return undo(transaction, old, after, there.get)


def run(*operations: Append | Replace | Remove | Create) -> Transaction:
    return Transaction("run", "2026-06-10", operations)


ADDED = run(Append("a.md", "", (TWO,)))


def test_pages_that_nobody_touched_since_get_their_bytes_back() -> None:
    found = undone(ADDED, {"a.md": PAGE}, {})

    assert [type(operation) for operation in found.operations] == [Restore]
    assert found.taken_out == {TWO.key}
    assert found.stays == []


def test_a_page_that_the_run_made_goes_again() -> None:
    found = undone(ADDED, {"a.md": None}, {})

    assert [type(operation) for operation in found.operations] == [Drop]


def test_beside_a_hands_edit_only_what_the_run_added_is_taken_out() -> None:
    found = undone(ADDED, {"a.md": PAGE}, {"a.md": f"{PAGE}{TWO.text}\n\nBy hand.\n"})

    assert found.operations == [Remove("a.md", (TWO,))]
    assert found.taken_out == {TWO.key}


def test_what_a_hand_has_reworded_or_taken_out_since_stays_as_it_is_and_is_named() -> None:
    reworded = undone(ADDED, {"a.md": PAGE}, {"a.md": f"{PAGE}- W: two, or three ^{TWO.key}\n"})
    gone = undone(ADDED, {"a.md": PAGE}, {"a.md": f"{PAGE}\nBy hand.\n"})

    assert (reworded.operations, reworded.taken_out) == ([], set())
    assert reworded.stays == [f"a.md: {TWO.key} was reworded since; it stays as it is now"]
    assert (gone.operations, gone.stays) == ([], [f"a.md: {TWO.key} is not there any more"])


def test_a_new_wording_is_taken_back_while_it_stands() -> None:
    renewed = run(Replace("a.md", ONE.key, ONE.text, f"- W: uno ^{ONE.key}"))
    by_hand = PAGE.replace("one", "eins")

    found = undone(renewed, {"a.md": PAGE}, {"a.md": PAGE.replace("one", "uno") + "\nBy hand.\n"})
    assert found.operations == [Replace("a.md", ONE.key, f"- W: uno ^{ONE.key}", ONE.text)]
    assert undone(renewed, {"a.md": PAGE}, {"a.md": by_hand}).operations == []


def test_what_was_moved_comes_back_unless_a_hand_has_changed_it_there() -> None:
    moved = run(Append("b.md", "", (ONE,)), Remove("a.md", (ONE,), "b.md"))
    before = {"a.md": PAGE, "b.md": "# B\n"}

    back = undone(moved, before, {"a.md": "# A\n\nBy hand.\n"})
    assert back.operations == [Append("a.md", "", (ONE,)), Remove("b.md", (ONE,), "a.md")]
    assert back.taken_out == set()
    assert undone(moved, before, {"b.md": f"# B\n\n- W: eins ^{ONE.key}\n"}).operations == []


def test_a_page_that_the_run_made_and_a_hand_has_changed_stays() -> None:
    found = undone(run(Create("c.md", "# C\n")), {"c.md": None}, {"c.md": "# C\n\nBy hand.\n"})

    assert (found.operations, found.stays) == ([], ["c.md: changed since the run made it; it stays"])
