"""What a run still asks for when it is looked at again: what hands decided since, what is left of it, and fights."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from bankd.edits.inserting import bare_lines_in, block_key, keys_in
from bankd.edits.operations import Append, Carry, Moved, Operation, Piece, Remove, Replace, Write
from bankd.edits.second_look import MOST_AGAIN, REST, Settling, find_rests, second_look, without_settled
from bankd.edits.transaction import Journal, Transaction
from bankd.pages.scanner import encode_text

ONE = Piece("m-1", "- W: one ^m-1")


def look_again(
    pages: Mapping[str, str], operations: tuple[Operation, ...], *later: tuple[Operation, ...], kind: str = "run"
) -> tuple[Operation, ...]:
    """A second look at a bank of these pages, after these later transactions."""

    def look(path: str) -> bytes | None:
        return encode_text(pages[path]) if path in pages else None

    def locate(keys: Collection[str]) -> Mapping[str, Collection[str]]:
        return {key: {path for path in pages if keys_in(look(path), [key])} for key in keys}

    since = [Transaction("later", "2026-06-10", done, kind=kind) for done in later]
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


def test_a_copy_from_an_old_buffer_is_taken_out_where_a_later_run_took_it_on_unless_it_was_brought_back_or_named_since() -> (
    None
):
    moved = (Append("b.md", "", (ONE,)), Remove("a.md", (ONE,), "b.md"))
    taken_on = (Append("c.md", "", (ONE,)), Remove("a.md", (ONE,), "c.md"))
    both = {"a.md": "# A\n", "b.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}

    assert look_again(both, moved, taken_on) == (Remove("c.md", (ONE,), "b.md"),)
    again = {"a.md": "- W: one ^m-1\n", "c.md": "- W: one ^m-1\n"}
    assert look_again(again, moved, taken_on) == (Remove("a.md", (ONE,), "c.md"),)
    back, kept = (Append("a.md", "", (ONE,)),), (Replace("c.md", "m-1", ONE.text, ONE.text),)
    assert look_again(both, moved, back, taken_on) == ()
    assert look_again(both, moved, taken_on, kept) == ()


def test_a_copy_that_a_split_took_on_is_taken_out_of_the_part() -> None:
    one = Piece("m-abcdefghijkl", "- W: one ^m-abcdefghijkl")
    moved = (Append("b.md", "", (one,)), Remove("a.md", (one,), "b.md"))
    split = (Write("a.md", f"# A\n\n{one.text}\n", "# A\n", (Moved("a/1.md", 2, 3, ()),)),)
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
    assert look_again({"a.md": "# A\n"}, added, (Write("a.md", "x", "# A\n"),), kind="undo") == ()
    assert look_again({}, added, (Write("a.md", "# A\n\n- W: one ^m-1\n", None),), kind="undo") == ()


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
    merged = (Write("b.md", "# B\n\n- late\n", None),)

    assert look_again({"a.md": "# A\n\n- late\n"}, late, merged) == ()
    assert look_again({"a.md": "# A\n", "b.md": "# B\n"}, late) == late
    assert look_again({"a.md": "# A\n", "b.md": "# B\n"}, late, merged) == ()


def test_what_an_editor_wrote_late_makes_no_page_anew_that_was_renamed_since() -> None:
    late = (Carry("b.md", "# B\n", "# B\n\n- late\n"),)

    assert look_again({"c.md": "# B\n\n- late\n"}, late) == ()


def test_a_line_whose_link_was_turned_since_is_not_taken_for_another() -> None:
    after = "# A\n\n- W: one ^m-1\n- W: two ^m-2\n\n- see [[old/x]]\n- see [[y]]\n- see [[gone]]\n"
    now = "# A\n\n- see [[new/x]]\n- see [[y]]\n"

    (again,) = look_again({"a.md": now}, (Write("a.md", "# A\n\n- [1](a/1.md): 2 items\n", after),))
    assert isinstance(again, Write)
    assert again.after == after.replace("old/x", "new/x")


def test_a_line_that_a_hand_deletes_from_a_merged_page_stays_out_and_what_it_moved_elsewhere_too() -> None:
    three = "- W: three ^m-3"
    merged = (
        Write("a.md", f"# A\n\n- [1](a/1.md): 2 items\n{three}\n", f"# A\n\n{ONE.text}\n- W: two ^m-2\n{three}\n"),
    )

    assert look_again({"a.md": f"# A\n\n{ONE.text}\n{three}\n"}, merged) == ()
    assert len(look_again({"a.md": f"# A\n\n- [1](a/1.md): two items\n{three}\n"}, merged)) == 1
    (again,) = look_again({"a.md": f"# A\n\n{three}\n", "b.md": f"{ONE.text}\n"}, merged)
    assert again == Append("a.md", "", (Piece("m-2", "- W: two ^m-2"),))


LINKED, NESTED = Piece("m-1", "- W: one [a](old.md) ^m-1"), Piece("m-2", "- W: two ^m-2\n  - nested")
BEFORE = "# A\n\n- mine\n"
RUN = Transaction("run", "2026-06-10", (Append("a.md", "", (LINKED, NESTED)),))
AFTER = f"{BEFORE}{LINKED.text}\n{NESTED.text}\n"


def settled(pages: Mapping[str, str], run: Transaction = RUN, *later: Transaction, known: str = "") -> set[str]:
    def look(path: str) -> bytes | None:
        return encode_text(pages[path]) if path in pages else None

    def locate(keys: Collection[str]) -> Mapping[str, Collection[str]]:
        return {
            key: {path for path in pages if keys_in(look(path), [key]) | bare_lines_in(look(path), [key])}
            for key in keys
        }

    journals = [Journal(n, transaction, {"a.md": AFTER}) for n, transaction in enumerate(later)]
    settling = Settling(look, locate, journals, lambda _: NOON)
    return set(settling.find(run, {"a.md": BEFORE}, set(known.split()), {"a.md"}))


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        (AFTER, ""),
        (AFTER.replace("old.md", "new/place.md"), ""),
        (AFTER.replace("- W: one", "  - W: one"), ""),
        (AFTER.replace("  - nested", "  - nested\n    - more of mine"), ""),
        (AFTER.replace("W: one", "W: 1"), "m-1"),
        (AFTER.replace(f"{LINKED.text}\n", ""), "m-1"),
        (BEFORE + LINKED.text.replace(" ^m-1", "\n"), "m-1 m-2"),
        (BEFORE, ""),
        (BEFORE + "\nA note.\n", ""),
        ("", ""),
    ],
)
def test_a_piece_is_settled_when_it_was_changed_or_alone_is_gone(now: str, expected: str) -> None:
    assert settled({"a.md": now}) == set(expected.split())


def test_a_page_that_is_gone_settles_nothing() -> None:
    assert settled({}) == set()


def test_the_blank_lines_that_a_run_put_there_tell_that_it_was_read() -> None:
    run = Transaction("run", "2026-06-10", (Append("a.md", "Part", (LINKED,)),))
    cut_out = f"{BEFORE}\n## Part\n\n"

    assert settled({"a.md": cut_out}, run) == {"m-1"}
    assert settled({"a.md": f"{BEFORE}\n## Part\n\nand more\n"}, run) == set()


def test_a_piece_that_was_moved_is_settled_only_when_it_was_changed_too() -> None:
    page = AFTER.replace(f"{LINKED.text}\n", "")

    assert settled({"a.md": page, "b.md": f"{LINKED.text}\n"}) == set()
    assert settled({"a.md": page, "b.md": "- W: 1 ^m-1\n"}) == {"m-1"}
    assert settled({"a.md": BEFORE, "b.md": "- W: 1 ^m-1\n"}) == {"m-1"}


@pytest.mark.parametrize("there", [{}, {"a.md": BEFORE}])
def test_a_line_without_its_id_on_a_page_that_has_another_name_now_is_settled(there: Mapping[str, str]) -> None:
    renamed = AFTER.replace(" ^m-2", "")

    assert settled({**there, "b.md": renamed}) == {"m-2"}
    assert settled({**there, "b.md": renamed.replace("two", "2")}) == set()


def test_what_is_known_or_was_decided_later_is_not_found_again() -> None:
    page = {"a.md": AFTER.replace(f"{LINKED.text}\n", "")}

    assert settled(page, known="m-1") == set()
    assert settled(page, RUN, Transaction("forget", "2026-06-10", (Remove("a.md", (LINKED,)),))) == set()


def test_a_wording_that_was_renewed_is_settled_when_it_is_neither_old_nor_new() -> None:
    run = Transaction("run", "2026-06-10", (Replace("a.md", "m-1", "- W: old ^m-1", "- W: new ^m-1"),))

    assert settled({"a.md": "- W: old ^m-1\n"}, run) == settled({"a.md": "- W: new ^m-1\n"}, run) == set()
    assert settled({"a.md": "- W: mine ^m-1\n"}, run) == {"m-1"}


def test_what_stood_there_when_a_later_run_wrote_what_stands_still_was_read() -> None:
    """Not when the page was changed within seconds of that run, or had the line before: then it may be an old buffer."""
    brought = Append("a.md", "", (Piece("m-3", "- W: three ^m-3"),))
    now = {"a.md": f"{BEFORE}- W: three ^m-3\n"}
    long_ago, just_now = (f"2026-06-10T{at}+09:00" for at in ("11:58:00", "11:59:58"))
    again = replace(brought, pieces=(Piece(block_key("- mine"), "- mine"),))

    assert settled(now, RUN, Transaction("run", long_ago, (brought,))) == {"m-1", "m-2"}
    assert settled(now, RUN, Transaction("run", just_now, (brought,))) == set()
    assert settled({"a.md": BEFORE}, RUN, Transaction("run", long_ago, (again,))) == set()


def test_what_is_settled_is_not_asked_for_again() -> None:
    renewed = Replace("a.md", "m-1", "x", "y")
    run = Transaction("run", "2026-06-10", (Append("a.md", "", (LINKED, NESTED)), renewed))

    assert without_settled(run, {"m-1"}).operations == (Append("a.md", "", (NESTED,)),)
    assert without_settled(run, {"m-1", "m-2"}).operations == ()
    assert without_settled(run, set()) == run


NOON = datetime.fromisoformat("2026-06-10T12:00:00+09:00")
PAGE = "bank/a.md"
RECAST = Write(PAGE, "long", "short")


def minute(n: float) -> datetime:
    return NOON + timedelta(minutes=n)


def done(at: float, operation: Operation, kind: str = "run") -> tuple[Transaction, set[str]]:
    """A transaction of that minute which changed the page of its operation."""
    return Transaction(f"at {at}", minute(at).isoformat(), (operation,), kind=kind), {operation.path}


def learned(n: int) -> Append:
    return Append(PAGE, "", (Piece(f"m-{n}", f"- W: fact {n} ^m-{n}"),))


def test_a_stream_of_new_memories_to_one_page_is_no_fight() -> None:
    assert find_rests(done(n, learned(n)) for n in range(60)) == {}


def test_a_page_that_is_given_the_same_over_and_over_rests_from_the_last_time_on() -> None:
    fought = [done(n, RECAST, "run" if not n else "second look") for n in range(MOST_AGAIN + 1)]

    assert find_rests(fought[:-1]) == {}
    assert find_rests(fought) == {PAGE: minute(MOST_AGAIN) + REST}


def test_what_comes_back_and_is_taken_out_again_is_a_fight_whatever_came_in_meanwhile() -> None:
    back = Remove(PAGE, (Piece("m-1", "- W: fact 1 ^m-1"),), "archive/a.md")
    fought = [
        done(0, back),
        *(done(n, change, "second look") for n in range(1, 4) for change in (learned(n + 5), back)),
    ]

    assert find_rests(fought) == {PAGE: minute(3) + REST}


def test_the_same_change_now_and_then_is_no_fight() -> None:
    assert find_rests(done(6 * n, RECAST) for n in range(9)) == {}


def test_ten_minutes_from_the_first_to_the_last_time_are_a_fight_and_a_second_more_is_none() -> None:
    first = [done(n, RECAST) for n in (0, 1, 6)]

    assert find_rests([*first, done(11, RECAST)]) == {PAGE: minute(11) + REST}
    assert find_rests([*first, done(11 + 1 / 60, RECAST)]) == {}


def test_many_transactions_healed_at_one_moment_count_once() -> None:
    first = [done(n, learned(n)) for n in range(9)]
    healed = [done(9, learned(n), "second look") for n in range(9)]

    assert find_rests([*first, *healed]) == {}


def test_what_a_person_asks_for_and_what_an_editor_wrote_late_are_not_counted() -> None:
    moved_about = [done(n, RECAST, "move") for n in range(9)]
    late = [done(n, Carry(PAGE, "old", "new"), "run") for n in range(9)]

    assert find_rests(moved_about) == find_rests(late) == {}


def test_another_wording_of_the_same_memory_is_not_the_same_change() -> None:
    stronger = (Replace(PAGE, "m-1", f"c=0.{n}", f"c=0.{n + 1}") for n in range(80, 90))

    assert find_rests(done(n, change) for n, change in enumerate(stronger)) == {}


def test_a_page_that_the_transaction_left_as_it_was_is_not_counted() -> None:
    assert find_rests((done(n, RECAST)[0], set()) for n in range(9)) == {}
