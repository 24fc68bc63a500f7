"""What touches a page that cannot be written is left out of a plan, whole, and everything else stays in it."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bankd.edits.operations import Piece, Remove
from bankd.edits.transaction import Step, refused_step
from bankd.memory.plan import Blocked, Deferred, Placement, Plan, Undated, Update, awaits_rest, leave_out
from bankd.memory.retain import LogPlace, RetainLine
from bankd.memory.route import Destination
from bankd.pages.memory import Memory

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
    undated=(Undated("bank/shut.md", "m-5", "- O(c=0.9): x"), Undated("bank/open.md", "m-6", "- O(c=0.9): y")),
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
