"""The last look before writing: one bad plan for each thing that it finds, and none for what is well."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from bankd.layouts.links import Link, Relinked
from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import Rearrangement
from bankd.memory.archive import ALWAYS_ALLOWED, Archived, allowed_removals
from bankd.memory.links import find_broken, find_excess, find_losses, foresee_pages
from bankd.memory.plan import Placement, Plan
from bankd.memory.retain import read_log
from bankd.memory.route import Destination
from bankd.pages.page import MemoryLines
from bankd.pages.references import LinkKind, Reference
from bankd.settings import BudgetPolicy
from tests.examples import examples

FACTS = "bank/world/facts.md"
ONE, TWO = "- W: one ^m-aaaaaaaaaaaa\n", "- W: two ^m-bbbbbbbbbbbb\n"


def plan_of(*lines: str) -> Plan:
    """A plan that puts these lines of a log on one page."""
    read = read_log("2026-05-04.md", "".join(f"- {line}\n" for line in lines), anywhere=True)
    placements = tuple(Placement(line, Destination("world/facts.md", None, "test")) for line in read.lines)
    return Plan("20260505T030000-micro", datetime(2026, 5, 5, 3, tzinfo=UTC), read.lines, placements)


EMPTY = plan_of()
NEW = plan_of("W: new")
ID = NEW.placements[0].line.id


def losses(plan: Plan, before: str, after: str | None, page: str = FACTS) -> list[str]:
    """What is found when a page, or part of one, changes from one text to another."""
    return find_losses(plan, {FACTS: before.encode()}, {} if after is None else {page: after.encode()})


def test_what_a_plan_does_by_itself_is_well() -> None:
    before = {FACTS: f"# Facts\n\n{ONE}\nProse without an id.\n".encode()}

    assert find_losses(NEW, before, foresee_pages(NEW.transaction, before)) == []
    assert find_losses(NEW, {}, foresee_pages(NEW.transaction, {})) == []


@pytest.mark.parametrize("after", [TWO, None])
def test_a_memory_that_would_be_lost_is_found(after: str | None) -> None:
    assert losses(EMPTY, ONE + TWO, after)[0] == ("memory m-aaaaaaaaaaaa would be lost by run 20260505T030000-micro")


def test_a_memory_may_move_to_another_page() -> None:
    assert losses(EMPTY, ONE, ONE, page="archive/world/facts.md") == []


@pytest.mark.parametrize(
    "after", ["", f"- W: other ^{ID}\n", "- W: new ^m-cccccccccccc\n", f"```\n- W: new ^{ID}\n```\n"]
)
def test_a_new_memory_that_would_not_be_read_back_is_found(after: str) -> None:
    assert losses(NEW, "", after) == ["memory/2026-05-04.md:1 would not be read back from world/facts.md"]


@pytest.mark.parametrize(("page", "is_found"), [("bank/world/facts/old.md", True), ("bank/world/factsheet.md", False)])
def test_a_new_memory_may_stand_in_a_part_of_its_page_only(page: str, is_found: bool) -> None:
    assert (losses(NEW, "", f"- W: new ^{ID}\n", page) == []) is is_found


def test_a_line_taken_from_a_hub_may_come_to_stand_for_a_part_again() -> None:
    line = "- [Part 1](facts/part-1.md): 3 items\n"

    assert losses(EMPTY, f"# Notes\n\n{line}", f"# Facts\n\n{line}") == []
    assert losses(EMPTY, "# Notes\n\n" + line.replace("facts/", "elsewhere/"), f"# Facts\n\n{line}") == []
    assert losses(EMPTY, "- [Part 2](elsewhere/part-2.md)\n", f"# Facts\n\n{line}") == [
        "a text without an id would be lost: '[Part 2]()'"
    ]


@pytest.mark.parametrize(("before", "after", "found"), examples("layouts", "changes of a page"))
def test_what_would_stand_more_often_or_be_lost_is_found_and_an_id_or_another_target_is_no_loss(
    before: str, after: str, found: str
) -> None:
    assert losses(EMPTY, before, after) == ([found] if found else [])


def test_the_findings_of_a_new_layout_are_found() -> None:
    layout = Layout(())
    broken = Rearrangement(layout, Relinked({}, (), ()), (), findings=("a.md:3: b.md would lead nowhere",))

    assert find_broken(EMPTY.with_(rearranged=broken)) == ["a.md:3: b.md would lead nowhere"]
    assert find_broken(EMPTY) == []


def test_a_link_that_a_plan_leaves_dead_is_found_unless_it_is_reported_already() -> None:
    link = Link("a.md", Reference(LinkKind.WIKI, 2, 0, 5, "b#^m-x"))
    told = Rearrangement(Layout(()), Relinked({}, (), (link,)), ())

    assert find_broken(EMPTY, [link]) == ["a.md:3: b#^m-x would lead nowhere"]
    assert find_broken(EMPTY.with_(rearranged=told), [link]) == []


def taking_out(count: int) -> Plan:
    """A plan that archives so many memories."""
    return EMPTY.with_(
        archived=tuple(Archived(f"m-{n}", MemoryLines(FACTS, f"- W: {n}"), "faded") for n in range(count))
    )


@pytest.mark.parametrize(
    ("held", "percent", "most"), [(1000, 10, 100), (1009, 10, 100), (10, 10, 20), (0, 0, 20), (201, 10, 20)]
)
def test_a_run_may_take_out_its_share_of_the_bank_and_twenty_always(held: int, percent: int, most: int) -> None:
    budget = BudgetPolicy(max_removed_percent=percent)

    assert allowed_removals(held, budget) == most >= ALWAYS_ALLOWED
    assert find_excess(taking_out(most), budget, held) is None
    excess = find_excess(taking_out(most + 1), budget, held)
    assert excess is not None
    assert f"take {most + 1} of {held} memories" in excess
