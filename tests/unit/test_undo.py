"""A run taken back: to the byte where nobody was there since, piece by piece where somebody was."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bankd.edits.operations import Append, Operation, Piece, Remove, Replace, Write
from bankd.edits.transaction import Transaction, replay_transaction
from bankd.layouts.links import Link
from bankd.memory.undo import PastRun, Present, Undoing, plan_undo
from bankd.pages.names import Names
from bankd.pages.references import LinkKind, Reference
from bankd.pages.scanner import encode_text

ONE = Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa")
TWO = Piece("m-bbbbbbbbbbbb", "- W: two ^m-bbbbbbbbbbbb")
PAGE = f"# A\n\n{ONE.text}\n"


def undone(transaction: Transaction, before: Mapping[str, str | None], now: Mapping[str, str], *links: Link) -> Undoing:
    """How a transaction is taken back, given its pages from before it and now; without a page now, as it left it."""
    old = {path: None if text is None else encode_text(text) for path, text in before.items()}
    after = replay_transaction(transaction, old, lambda _: None)
    there = {**after, **{path: encode_text(text) for path, text in now.items()}}
    names = Names(path for path, data in there.items() if data is not None)
    present = Present(names, there.get, lambda _: links, lambda *_: False)
    return plan_undo(PastRun(transaction, old, after), present)


def out_of(undoing: Undoing) -> set[str]:
    """The memories that stand nowhere afterwards."""
    return {id_ for id_, (here, there) in undoing.turned.items() if here is not None and there is None}


def run(*operations: Operation) -> Transaction:
    return Transaction("run", "2026-06-10", operations)


ADDED = run(Append("bank/a.md", "", (TWO,)))


def test_a_new_wording_is_taken_back_while_it_stands() -> None:
    renewed = run(Replace("bank/a.md", ONE.key, ONE.text, f"- W: uno ^{ONE.key}"))
    by_hand = PAGE.replace("one", "eins")

    found = undone(renewed, {"bank/a.md": PAGE}, {"bank/a.md": PAGE.replace("one", "uno") + "\nBy hand.\n"})
    assert found.operations == [Replace("bank/a.md", ONE.key, f"- W: uno ^{ONE.key}", ONE.text)]
    assert undone(renewed, {"bank/a.md": PAGE}, {"bank/a.md": by_hand}).operations == []


def test_what_was_moved_comes_back_unless_a_hand_has_changed_it_there() -> None:
    moved = run(Append("bank/b.md", "", (ONE,)), Remove("bank/a.md", (ONE,), "bank/b.md"))
    before = {"bank/a.md": PAGE, "bank/b.md": "# B\n"}

    back = undone(moved, before, {"bank/a.md": "# A\n\nBy hand.\n"})
    placed = Append("bank/a.md", "", (ONE,), "A", is_apart=(True, False))
    assert back.operations == [placed, Remove("bank/b.md", (ONE,), "bank/a.md")]
    assert out_of(back) == set()
    assert undone(moved, before, {"bank/b.md": f"# B\n\n- W: eins ^{ONE.key}\n"}).operations == []


def test_a_page_that_the_run_made_and_a_hand_has_changed_stays() -> None:
    by_hand = f"# a\n\n{TWO.text}\n\nBy hand.\n"

    found = undone(ADDED, {"bank/a.md": None}, {"bank/a.md": by_hand})

    assert found.operations == [Remove("bank/a.md", (TWO,))]
    assert found.stays == ["bank/a.md: changed since the run made it; it stays"]


SPLIT = run(
    Write("bank/a/one.md", None, f"{ONE.text}\n", phase=0, is_layout=True),
    Write("bank/a.md", PAGE, "# A\n\n- [one](a/one.md)\n", is_layout=True),
)
UNSPLIT: dict[str, str | None] = {"bank/a.md": PAGE, "bank/a/one.md": None}


def test_a_split_is_taken_back_whole_or_not_at_all() -> None:
    whole = undone(SPLIT, UNSPLIT, {})
    half = undone(SPLIT, UNSPLIT, {"bank/a/one.md": f"{ONE.text}\n\nBy hand.\n"})

    assert [type(operation) for operation in whole.operations] == [Write, Write]
    assert (half.operations, half.obstacles) == ([], ("bank/a/one.md: changed since",))


def test_a_split_is_not_taken_back_from_under_a_link_to_a_part() -> None:
    found = undone(SPLIT, UNSPLIT, {}, Link("bank/c.md", Reference(LinkKind.INLINE, 2, 0, 8, "a/one.md")))

    assert (found.operations, found.obstacles[-1]) == ([], "bank/c.md:3 refers to a/one.md, which would go")


@pytest.mark.parametrize(("source", "is_exact"), [("routing.yaml", True), ("bank/c.md", False)])
def test_a_page_that_a_run_made_goes_where_only_a_rule_names_it(source: str, *, is_exact: bool) -> None:
    found = undone(ADDED, {"bank/a.md": None}, {}, Link(source, Reference(LinkKind.INLINE, 2, 0, 4, "a.md")))

    assert [type(operation) for operation in found.operations] == [Write if is_exact else Remove]


def test_what_comes_back_does_not_stand_twice() -> None:
    taken_out = run(Remove("bank/a.md", (ONE,)))

    found = undone(taken_out, {"bank/a.md": PAGE}, {"bank/c.md": f"# C\n\n{ONE.text}\n"})

    assert (found.operations, found.stays) == ([], [f"bank/c.md: {ONE.key} stands there by now"])
