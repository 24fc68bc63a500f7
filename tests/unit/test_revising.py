"""What becomes of a memory whose line was edited, and when it is left as it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from bankd.memory.ledger import ARCHIVED, DELETED, FORGOTTEN, KEPT, fold_events, make_event
from bankd.memory.new_lines import past_line
from bankd.memory.plan import Plan, Standing, Undated, revise
from bankd.memory.retain import RetainLine, read_log
from bankd.pages.page import MemoryLines

NOW = datetime(2026, 5, 6, 3, tzinfo=UTC)
LOG, PAGE = "2026-05-04.md", "bank/world/facts.md"


def line_of(said: str) -> RetainLine:
    return read_log(LOG, f"- {said}\n", anywhere=True).lines[0]


OLD, NEW = line_of("W: lunch is at noon"), line_of("W: lunch is at one")


def stands(text: str = "lunch is at noon", head: str = "W", below: str = "") -> Standing:
    rows = f"- {head}: {text} ^{OLD.id}{below}"
    return Standing({OLD.id: (PAGE,)}, {OLD.id: MemoryLines(PAGE, rows)})


def revised(
    standing: Standing, *said: dict[str, object], old: RetainLine = OLD, new: RetainLine = NEW, deleted: str = ""
) -> Plan:
    """The plan of a run that reads the edited line, after these events."""
    kept = make_event(KEPT, old.id, NOW, memory=old.id, log=LOG)
    plan = Plan("r", NOW, lines=(new,), deleted=(deleted,) if deleted else ())
    return revise(plan, [(past_line(old), new)], fold_events([kept, *said]), standing)


def test_it_says_what_the_line_says_now_and_no_other_memory_is_made() -> None:
    plan = revised(stands(below="\n  - nested by hand"))

    assert [item.reworded for item in plan.revised] == [f"- W: lunch is at one ^{OLD.id}\n  - nested by hand"]
    assert not plan.lines
    assert not plan.updates


@pytest.mark.parametrize("kind", [DELETED, FORGOTTEN])
def test_what_a_person_took_out_stays_out(kind: str) -> None:
    gone = make_event(kind, "gone", NOW, memory=OLD.id)

    for plan in (revised(stands(), gone), revised(stands(), deleted=OLD.id)):
        assert [item.twin for item in plan.overruled] == [OLD.id]
        assert not plan.revised
        assert not plan.lines


def test_what_was_archived_is_revised_where_it_is() -> None:
    assert revised(stands(), make_event(ARCHIVED, "gone", NOW, memory=OLD.id)).revised


@pytest.mark.parametrize(
    ("text", "follows"), [("lunch is at noon", True), ("lunch is at one", True), ("lunch is at two", False)]
)
def test_what_a_person_changed_stays_so_unless_it_says_what_the_line_said_or_says(text: str, follows: bool) -> None:
    plan = revised(stands(text))

    assert bool(plan.revised) == follows
    assert bool(plan.overruled) != follows


@pytest.mark.parametrize("said", ["B: lunch is at one", "W @Mina: lunch is at one"])
def test_a_line_of_another_kind_or_about_somebody_else_is_a_memory_that_supersedes(said: str) -> None:
    plan = revised(stands(), new=line_of(said))

    assert [update.old for update in plan.updates] == [OLD.id]
    assert not plan.revised
    assert [line.memory.text for line in plan.lines] == ["lunch is at one"]


def test_it_waits_for_its_page() -> None:
    plan = revised(Standing({OLD.id: (PAGE,)}, {}))

    assert [item.reason for item in plan.deferred] == [f"waits for {PAGE}"]
    assert not plan.lines


def test_a_line_that_is_a_memory_of_its_own_already_changes_no_other() -> None:
    kept = [make_event(KEPT, line.id, NOW, memory=line.id, log=LOG) for line in (OLD, NEW)]
    plan = revise(Plan("r", NOW), [(past_line(OLD), NEW)], fold_events(kept), stands())

    assert not plan.revised


@pytest.mark.parametrize(("now", "expected"), [("0.90", "0.80@2026-05-01"), ("0.50", "0.50@2026-05-04")])
def test_only_a_confidence_that_was_edited_is_taken_over(now: str, expected: str) -> None:
    old, new = line_of("O(c=0.90): tea is best"), line_of(f"O(c={now}): green tea is best")
    rows = f"- O(c=0.80@2026-05-01): tea is best ^{old.id}"
    standing = Standing({old.id: (PAGE,)}, {old.id: MemoryLines(PAGE, rows)})
    plan = revised(standing, old=old, new=new)

    assert [item.reworded for item in plan.revised] == [f"- O(c={expected}): green tea is best ^{old.id}"]


def test_a_memory_that_follows_its_line_needs_no_date_of_its_own() -> None:
    undated = Undated(PAGE, OLD.id, "- W: lunch is at noon")
    plan = Plan("r", NOW, lines=(NEW,), undated=(undated, replace(undated, key="m-other")))
    kept = make_event(KEPT, OLD.id, NOW, memory=OLD.id, log=LOG)

    assert [item.key for item in revise(plan, [(past_line(OLD), NEW)], fold_events([kept]), stands()).undated] == [
        "m-other"
    ]
