"""What an operation, and all of one plan, leaves alone because a hand was there first or a page cannot be written."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest

from bankd.edits.inserting import block_key
from bankd.edits.operations import Append, Moved, Operation, Piece, Remove, Replace, Write, from_json, operation_json
from bankd.edits.transaction import (
    HEALING,
    Step,
    Transaction,
    find_half_divided,
    keep_versions,
    refused_step,
    take_step,
)
from bankd.memory.plan import Blocked, Deferred, Placement, Plan, Update, awaits_rest, leave_out
from bankd.memory.retain import LogPlace, RetainLine
from bankd.memory.route import Destination
from bankd.pages.memory import Memory

ONE = Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa")
REWORDED = "- W: one, by hand ^m-aaaaaaaaaaaa"


def applied(operation: Operation, text: str) -> str:
    """What a page becomes."""
    return (operation.apply(text.encode()) or b"").decode()


def test_a_piece_is_replaced_and_removed_only_while_it_reads_as_planned() -> None:
    renewed, removed = Replace("a.md", ONE.key, ONE.text, "- W: uno ^m-aaaaaaaaaaaa"), Remove("a.md", (ONE,))

    assert applied(renewed, f"# A\n\n{ONE.text}\n") == "# A\n\n- W: uno ^m-aaaaaaaaaaaa\n"
    assert applied(renewed, f"# A\n\n{REWORDED}\n") == f"# A\n\n{REWORDED}\n"
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
    assert applied(Write("a.md", None, "# Ours\n"), "# Mine\n") == "# Mine\n"


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


WHOLE, HUB = "# A\n\n- one\n- two\n", "# A\n\n- [One](a/a-1.md)\n- [Two](a/a-2.md)\n"
FIRST, SECOND = Write("bank/a/a-1.md", None, "- one\n"), Write("bank/a/a-2.md", None, "- two\n")
ELSEWHERE = Write("bank/b.md", None, "# B\n")
DIVIDED = Write("bank/a.md", WHOLE, HUB, (Moved(FIRST.path, 2, 3, ()), Moved(SECOND.path, 3, 4, ())))


def halves(files: Mapping[str, str | None], divided: Write = DIVIDED) -> list[tuple[str, str, tuple[Write, ...]]]:
    """What is half done where these files are there."""
    data = {path: text.encode() for path, text in files.items() if text}
    return list(find_half_divided([FIRST, SECOND, ELSEWHERE, divided], data.get))


def test_where_a_part_is_lacking_the_others_are_named() -> None:
    files = {DIVIDED.path: WHOLE, FIRST.path: FIRST.after, ELSEWHERE.path: ELSEWHERE.after}

    assert halves(files) == [(DIVIDED.path, SECOND.path, (FIRST,))]
    assert halves({**files, SECOND.path: SECOND.after}) == []


def test_a_page_that_a_hand_changed_or_that_is_divided_already_goes_by_pieces() -> None:
    assert halves({DIVIDED.path: f"{WHOLE}- three\n", FIRST.path: FIRST.after}) == []
    assert halves({DIVIDED.path: HUB, FIRST.path: FIRST.after}) == []


def test_a_page_that_goes_away_or_gives_nothing_away_is_not_divided() -> None:
    assert halves({DIVIDED.path: WHOLE}, Write(DIVIDED.path, WHOLE, None, DIVIDED.moved)) == []
    assert halves({DIVIDED.path: WHOLE}, Write(DIVIDED.path, WHOLE, HUB)) == []


@pytest.mark.parametrize(("files", "expected"), [({"bank/c.md": "# C\n"}, "[B](c.md)\n"), ({}, "[B](b.md)\n")])
def test_links_that_are_rewritten_as_a_whole_stay_where_what_they_would_lead_to_is_not_there(
    files: Mapping[str, str], expected: str
) -> None:
    links = Write("bank/x.md", "[B](b.md)\n", "[B](c.md)\n", phase=3, needs=("bank/c.md",))
    data = {path: text.encode() for path, text in files.items()}
    read_back = from_json(json.loads(json.dumps(operation_json(links))))
    done = take_step(Step(links.path, (read_back,)), links.before.encode(), data.get)

    assert (done.data, done.stayed) == (expected.encode(), ())


def test_a_page_is_no_copy_of_itself() -> None:
    data = f"# A\n\n{ONE.text}\n".encode()
    moved = Step("bank/a.md", (Remove("bank/a.md", (ONE,), "bank/a.md"),))

    assert take_step(moved, data, {"bank/a.md": data}.get).data == data


NOW = datetime(2026, 11, 22, tzinfo=UTC)


def line(number: int) -> RetainLine:
    return RetainLine(LogPlace("a.md", number), Memory(f"text {number}", "W"), 0, f"m-{number}")


def placed(number: int, page: str) -> Placement:
    return Placement(line(number), Destination(page, None, "rule"))


PLAN = Plan(
    "run",
    NOW,
    placements=(placed(1, "shut.md"), placed(2, "open.md")),
    blocked=(Blocked(line(3), "m-1", "the same words"), Blocked(line(4), "m-2", "the same words")),
    updates=(Update(line(1), "m-old", "10 → 11"), Update(line(2), "m-older", "1 → 2")),
    dated=(Replace("bank/shut.md", "m-5", "- O(c=0.9): x", "x"), Replace("bank/open.md", "m-6", "- O(c=0.9): y", "y")),
)


@pytest.mark.parametrize(
    ("page", "why", "log", "reason", "awaits"),
    [
        ("bank/a.md", "changed less than 5 s ago", "memory/x.md:1", "waits for bank/a.md", True),
        ("bank/a.md", "changed less than 5 s ago", "memory/x.md:1", "waits for bank/b.md", False),
        ("bank/a.md", "open in an editor", "memory/x.md:1", "waits for bank/a.md", False),
        ("bank/a.md", "open in an editor", "memory/x.md", "changed less than 5 s ago", True),
    ],
)
def test_only_lines_that_wait_for_a_file_to_rest_are_worth_another_run_soon(
    page: str, why: str, log: str, reason: str, awaits: bool
) -> None:
    assert awaits_rest([Deferred(page, why), Deferred(log, reason)]) is awaits


def test_without_a_closed_page_a_plan_stays_as_it_is() -> None:
    assert leave_out(PLAN, {}) is PLAN


def test_nothing_that_is_left_touches_or_speaks_of_a_closed_page() -> None:
    left = leave_out(PLAN, {"bank/shut.md": "marked immutable"})

    assert {operation.path for operation in left.operations} == {"bank/open.md"}
    assert {event["memory"] for event in left.events} == {"m-2", "m-4", "m-older"}
    assert [update.line.id for update in left.updates] == ["m-2"]


def test_what_is_left_out_waits_and_the_page_is_named_for_a_person() -> None:
    left = leave_out(PLAN, {"bank/shut.md": "marked immutable"})
    waiting = {item.what: (item.reason, item.needs_person) for item in left.deferred}

    assert waiting["memory/a.md:1"] == ("waits for bank/shut.md", False)
    assert waiting["memory/a.md:3"][1] is False
    assert waiting["bank/shut.md"] == ("marked immutable", True)
    assert len(waiting) == 3


def test_the_copies_of_what_could_not_be_taken_out_are_taken_back() -> None:
    piece, moved = (
        Piece("m-aaaaaaaaaaaa", "- W: one ^m-aaaaaaaaaaaa"),
        Piece("m-bbbbbbbbbbbb", "- W: two ^m-bbbbbbbbbbbb"),
    )
    step = Step("bank/a.md", (Remove("bank/a.md", (piece, moved), "archive/a.md"),))

    outcome = refused_step(step, b"- W: one ^m-aaaaaaaaaaaa\n")

    assert outcome.withdrawals == (Remove("archive/a.md", (piece,), "bank/a.md"),)
    assert refused_step(step, None).withdrawals == ()
