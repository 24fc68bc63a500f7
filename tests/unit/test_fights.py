"""When a page is fought over, and what does not look like a fight."""

from __future__ import annotations

from datetime import datetime, timedelta

from bankd.edits.operations import Append, Carry, Operation, Piece, Recast, Remove, Replace
from bankd.edits.second_look import MOST_AGAIN, REST, find_rests
from bankd.edits.transaction import Transaction

NOON = datetime.fromisoformat("2026-06-10T12:00:00+09:00")
PAGE = "bank/a.md"
RECAST = Recast(PAGE, "long", "short")


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
