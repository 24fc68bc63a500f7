"""What an operation leaves alone because a hand was there first; the rest of what they promise is told by properties."""

from __future__ import annotations

from bankd.edits.inserting import block_key
from bankd.edits.operations import Append, Create, Operation, Piece, Remove, Replace

ONE = Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa")
REWORDED = "- W: one, by hand ^m-aaaaaaaaaaaa"


def applied(operation: Operation, text: str) -> str:
    """What a page becomes."""
    return (operation.apply(text.encode()) or b"").decode()


def test_a_piece_is_replaced_only_while_it_reads_as_planned() -> None:
    renewed = Replace("a.md", ONE.key, ONE.text, "- W: uno ^m-aaaaaaaaaaaa")

    assert applied(renewed, f"# A\n\n{ONE.text}\n") == "# A\n\n- W: uno ^m-aaaaaaaaaaaa\n"
    assert applied(renewed, f"# A\n\n{REWORDED}\n") == f"# A\n\n{REWORDED}\n"


def test_a_piece_is_removed_only_while_it_reads_as_planned() -> None:
    removed = Remove("a.md", (ONE,))

    assert ONE.key not in applied(removed, f"# A\n\n{ONE.text}\n")
    assert applied(removed, f"# A\n\n{REWORDED}\n") == f"# A\n\n{REWORDED}\n"


def test_equal_blocks_without_an_id_go_only_when_all_of_them_are_to() -> None:
    same = Piece(block_key("Same."), "Same.")
    text = "# A\n\nSame.\n\nSame.\n"

    assert applied(Remove("a.md", (same,)), text) == text
    assert applied(Remove("a.md", (same, same)), text) == "# A\n"


def test_a_piece_that_is_there_is_not_added_again_whatever_it_says_now() -> None:
    assert applied(Append("a.md", "", (ONE,)), f"# A\n\n{REWORDED}\n") == f"# A\n\n{REWORDED}\n"


def test_a_page_that_a_hand_made_meanwhile_stays() -> None:
    assert applied(Create("a.md", "# Ours\n"), "# Mine\n") == "# Mine\n"
