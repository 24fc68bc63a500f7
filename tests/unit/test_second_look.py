"""What a run still asks for when it is looked at again, and what later decisions keep it from asking."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from bankd.edits.inserting import keys_in
from bankd.edits.operations import (
    Append,
    Carry,
    Drop,
    Moved,
    Operation,
    Piece,
    Recast,
    Remove,
    Replace,
    Restore,
    digest_of,
)
from bankd.edits.second_look import second_look
from bankd.edits.transaction import Transaction
from bankd.pages.scanner import encode_text

ONE = Piece("m-1", "- W: one ^m-1")


def look_again(
    pages: Mapping[str, str], operations: tuple[Operation, ...], *later: tuple[Operation, ...]
) -> tuple[Operation, ...]:
    """A second look at a bank of these pages, after these later transactions."""

    def look(path: str) -> bytes | None:
        return encode_text(pages[path]) if path in pages else None

    def locate(keys: Collection[str]) -> Mapping[str, Collection[str]]:
        return {key: {path for path in pages if keys_in(look(path), [key])} for key in keys}

    since = [Transaction("later", "2026-06-10", done) for done in later]
    return second_look(Transaction("run", "2026-06-10", operations), look, locate, {"a.md", "b.md"}, since)


def test_a_memory_that_is_nowhere_is_added_again() -> None:
    added = (Append("a.md", "", (ONE,)),)

    assert look_again({"a.md": "# A\n"}, added) == added


def test_one_that_a_hand_moved_elsewhere_is_left_there() -> None:
    assert look_again({"a.md": "# A\n", "b.md": "- W: one ^m-1\n"}, (Append("a.md", "", (ONE,)),)) == ()


def test_one_that_is_back_here_and_also_elsewhere_is_taken_out_here() -> None:
    moved = (Append("b.md", "", (ONE,)), Remove("a.md", (ONE,), "b.md"))
    both = {"a.md": "- W: one ^m-1\n", "b.md": "- W: one ^m-1\n"}

    assert look_again(both, moved) == (Remove("a.md", (ONE,), "b.md"),)
    assert look_again({"a.md": "- W: one ^m-1\n"}, moved[1:]) == ()


def test_one_that_was_moved_on_is_taken_out_here_all_the_same() -> None:
    moved = (Remove("a.md", (ONE,), "b.md"),)
    moved_on = (Append("c.md", "", (ONE,)), Remove("b.md", (ONE,), "c.md"))
    both = {"a.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}

    assert look_again(both, moved, moved_on) == (Remove("a.md", (ONE,), "c.md"),)


def test_a_copy_from_an_old_buffer_that_a_later_run_took_on_is_taken_out_there() -> None:
    moved = (Append("b.md", "", (ONE,)), Remove("a.md", (ONE,), "b.md"))
    taken_on = (Append("c.md", "", (ONE,)), Remove("a.md", (ONE,), "c.md"))
    both = {"a.md": "# A\n", "b.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}

    assert look_again(both, moved, taken_on) == (Remove("c.md", (ONE,), "b.md"),)
    assert look_again({"a.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}, moved, taken_on) == (
        Remove("a.md", (ONE,), "c.md"),
    )


def test_what_was_brought_back_before_it_was_taken_on_or_was_named_again_since_stays() -> None:
    moved = (Append("b.md", "", (ONE,)), Remove("a.md", (ONE,), "b.md"))
    taken_on = (Append("c.md", "", (ONE,)), Remove("a.md", (ONE,), "c.md"))
    back, kept = (Append("a.md", "", (ONE,)),), (Replace("c.md", "m-1", ONE.text, ONE.text),)
    both = {"a.md": "# A\n", "b.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}

    assert look_again(both, moved, back, taken_on) == ()
    assert look_again(both, moved, taken_on, kept) == ()


def test_a_copy_that_a_split_took_on_is_taken_out_of_the_part() -> None:
    one = Piece("m-abcdefghijkl", "- W: one ^m-abcdefghijkl")
    moved = (Append("b.md", "", (one,)), Remove("a.md", (one,), "b.md"))
    split = (Recast("a.md", f"# A\n\n{one.text}\n", "# A\n", (Moved("a/1.md", 2, 3, ()),)),)
    both = {"a.md": "# A\n", "b.md": f"{one.text}\n", "a/1.md": f"{one.text}\n"}

    assert [(op.path, op.elsewhere) for op in look_again(both, moved, split) if isinstance(op, Remove)] == [
        ("a/1.md", "b.md")
    ]


def test_one_that_was_moved_back_stays() -> None:
    moved = (Remove("a.md", (ONE,), "b.md"),)
    back = (Append("a.md", "", (ONE,)), Remove("b.md", (ONE,), "a.md"))

    assert look_again({"a.md": "- W: one ^m-1\n", "b.md": "- W: one ^m-1\n"}, moved, back) == ()


def test_what_was_forgotten_or_undone_since_is_not_asked_for_again() -> None:
    added = (Append("a.md", "", (ONE,)),)

    assert look_again({"a.md": "# A\n"}, added, (Remove("a.md", (ONE,)),)) == ()
    assert look_again({"a.md": "# A\n"}, added, (Restore("a.md", digest_of(b"x"), "# A\n"),)) == ()
    assert look_again({}, added, (Drop("a.md", "# A\n\n- W: one ^m-1\n"),)) == ()


def test_a_wording_that_is_old_again_is_renewed_unless_it_was_changed_since() -> None:
    renewed = (Replace("a.md", "m-1", ONE.text, "- W: other ^m-1"),)

    assert look_again({"a.md": "- W: one ^m-1\n"}, renewed) == renewed
    assert look_again({"a.md": "- W: one ^m-1\n"}, renewed, (Replace("a.md", "m-1", "- W: other ^m-1", "x"),)) == ()


def test_a_page_saved_right_after_a_second_look_is_healed_again_and_one_saved_later_is_not() -> None:
    added = (Append("a.md", "", (ONE,)),)
    healed = [Transaction("run~again", "2026-06-10", added, kind="second look")]
    run = Transaction("run", "2026-06-10", added)

    def again(hurried: set[str]) -> tuple[Operation, ...]:
        return second_look(run, lambda _: b"# A\n", lambda _: {}, {"a.md"}, healed, hurried)

    assert again({"a.md"}) == added
    assert again(set()) == ()


def test_what_an_editor_wrote_late_is_not_brought_to_a_page_that_was_merged_away_since() -> None:
    late = (Carry("b.md", "# B\n", "# B\n\n- late\n"),)
    merged = (Recast("b.md", "# B\n\n- late\n", None),)

    assert look_again({"a.md": "# A\n\n- late\n"}, late, merged) == ()
    assert look_again({"a.md": "# A\n", "b.md": "# B\n"}, late) == late
    assert look_again({"a.md": "# A\n", "b.md": "# B\n"}, late, merged) == ()


def test_what_an_editor_wrote_late_makes_no_page_anew_that_was_renamed_since() -> None:
    late = (Carry("b.md", "# B\n", "# B\n\n- late\n"),)

    assert look_again({"c.md": "# B\n\n- late\n"}, late) == ()


def test_a_line_whose_link_was_turned_since_is_not_taken_for_another() -> None:
    after = "# A\n\n- W: one ^m-1\n- W: two ^m-2\n\n- see [[old/x]]\n- see [[y]]\n- see [[gone]]\n"
    now = "# A\n\n- see [[new/x]]\n- see [[y]]\n"

    (again,) = look_again({"a.md": now}, (Recast("a.md", "# A\n\n- [1](a/1.md): 2 items\n", after),))
    assert isinstance(again, Recast)
    assert again.after == after.replace("old/x", "new/x")


def test_a_line_that_a_hand_deletes_from_a_merged_page_stays_out_and_what_it_moved_elsewhere_too() -> None:
    three = "- W: three ^m-3"
    merged = (
        Recast("a.md", f"# A\n\n- [1](a/1.md): 2 items\n{three}\n", f"# A\n\n{ONE.text}\n- W: two ^m-2\n{three}\n"),
    )

    assert look_again({"a.md": f"# A\n\n{ONE.text}\n{three}\n"}, merged) == ()
    assert len(look_again({"a.md": f"# A\n\n- [1](a/1.md): two items\n{three}\n"}, merged)) == 1
