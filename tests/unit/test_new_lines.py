"""Which log is which after a rename, which lines of it were edited or taken out, and what becomes of their memories."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TypeAlias

import pytest

from bankd.edits.operations import Replace
from bankd.memory.judge import revise
from bankd.memory.ledger import ARCHIVED, DELETED, FORGOTTEN, KEPT, RENAMED, Event, fold_events, make_event
from bankd.memory.new_lines import Renamed, find_edited, find_renamed, letter_pairs, past_line, share_of
from bankd.memory.plan import Plan
from bankd.memory.retain import LogReading, RetainLine, read_log
from bankd.pages.page import MemoryLines

AT = datetime(2026, 5, 4, 3, tzinfo=UTC)
OLD, NEW = "2026-05-03.md", "2026-05-04.md"
LINES = tuple(f"W: line {n}" for n in range(4))


def reading(log: str, *lines: str) -> LogReading:
    return read_log(log, "".join(f"- {line}\n" for line in lines), anywhere=True)


def taken_in(log: str, *lines: str, kind: str = KEPT, at: datetime = AT) -> list[Event]:
    """What the event log says of a log that was read."""
    return [make_event(kind, line.id, at, memory=line.id, log=log) for line in reading(log, *lines).lines]


@pytest.mark.parametrize(("same", "is_known"), [(4, True), (2, True), (1, False), (0, False)])
def test_a_log_is_the_vanished_one_when_half_of_its_lines_were_read_there(same: int, is_known: bool) -> None:
    lines = [*LINES[:same], *(f"W: other {n}" for n in range(4 - same))]
    found = find_renamed([reading(NEW, *lines)], fold_events(taken_in(OLD, *LINES)), {NEW})

    assert found == ((Renamed(NEW, OLD),) if is_known else ())


@pytest.mark.parametrize(("had", "same", "is_known"), [(4, 4, True), (3, 3, True), (4, 3, False), (2, 2, False)])
def test_a_log_that_grew_by_more_than_it_had_is_the_vanished_one_when_it_has_all_of_its_lines(
    had: int, same: int, is_known: bool
) -> None:
    lines = [*LINES[:same], *(f"W: other {n}" for n in range(9))]
    found = find_renamed([reading(NEW, *lines)], fold_events(taken_in(OLD, *LINES[:had])), {NEW})

    assert found == ((Renamed(NEW, OLD),) if is_known else ())


def test_a_log_that_grew_under_its_own_name_takes_no_other() -> None:
    lines = [*LINES, *(f"W: other {n}" for n in range(9))]
    ledger = fold_events([*taken_in(NEW, *LINES), *taken_in(OLD, *LINES)])

    assert find_renamed([reading(NEW, *lines)], ledger, {NEW}) == ()


def test_a_copy_of_a_log_that_is_still_there_is_a_log_of_its_own() -> None:
    assert find_renamed([reading(NEW, *LINES)], fold_events(taken_in(OLD, *LINES)), {OLD, NEW}) == ()


def test_a_log_that_was_read_before_and_one_without_lines_are_not_recognised() -> None:
    ledger = fold_events([*taken_in(OLD, *LINES), *taken_in(NEW, *LINES)])

    assert find_renamed([reading(NEW, *LINES), reading("x.md")], ledger, {NEW, "x.md"}) == ()


def test_a_name_is_that_of_one_log_and_follows_it_from_rename_to_rename() -> None:
    ledger = fold_events([*taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD)])

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", NEW}) == ()
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md"}) == (Renamed("x.md", OLD),)


def test_a_new_log_of_the_old_name_does_not_hide_that_the_renamed_one_is_renamed_again() -> None:
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD),
        *taken_in(OLD, "W: of another day", at=AT + timedelta(hours=1)),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD}) == (Renamed("x.md", OLD, (OLD,)),)
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD, NEW}) == ()


def test_a_log_that_took_a_name_is_known_when_it_goes_on_while_the_first_of_that_name_is_there() -> None:
    later = [f"W: of another day {n}" for n in range(2)]
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD),
        *taken_in(OLD, *later, at=AT + timedelta(hours=1)),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *later)], ledger, {"x.md", NEW}) == (Renamed("x.md", OLD, (NEW,)),)


def test_a_log_that_took_a_name_in_the_run_that_saw_it_left_does_not_hide_that_the_first_is_renamed_again() -> None:
    later = [f"W: of another day {n}" for n in range(2)]
    first = fold_events(taken_in(OLD, *LINES))

    found = find_renamed([reading(NEW, *LINES), reading(OLD, *later)], first, {NEW, OLD})
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD, beside=[OLD]), *taken_in(OLD, *later),
    ])  # fmt: skip

    assert found == (Renamed(NEW, OLD, (OLD,)),)
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD}) == (Renamed("x.md", OLD, (OLD,)),)
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD, NEW}) == ()
    assert ledger.reused == {OLD}


def test_a_name_may_be_taken_a_third_time() -> None:
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD),
        *taken_in(OLD, "W: of another day", at=AT + timedelta(hours=1)),
        make_event(RENAMED, "y.md", AT + timedelta(hours=2), log="y.md", was=OLD, beside=[NEW]),
        *taken_in(OLD, "W: of a third day", at=AT + timedelta(hours=3)),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD, NEW, "y.md"}) == ()
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", OLD, "y.md"}) == (
        Renamed("x.md", OLD, (OLD, "y.md")),
    )


def test_a_name_that_a_log_had_on_its_way_does_not_make_a_copy_of_it_the_log() -> None:
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD),
        make_event(RENAMED, "z.md", AT + timedelta(hours=1), log="z.md", was=OLD),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", "z.md"}) == ()
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md"}) == (Renamed("x.md", OLD),)


def test_a_copy_of_a_line_that_was_known_with_its_log_does_not_hide_that_this_is_renamed_again() -> None:
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD, beside=["copy.md"]),
        make_event(RENAMED, "copy.md", AT, log="copy.md", was=OLD, beside=[NEW]),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", "copy.md"}) == (Renamed("x.md", OLD, ("copy.md",)),)
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", "copy.md", NEW}) == ()


def test_nor_does_it_when_the_log_was_renamed_once_more_meanwhile() -> None:
    later = AT + timedelta(hours=1)
    ledger = fold_events([
        *taken_in(OLD, *LINES), make_event(RENAMED, NEW, AT, log=NEW, was=OLD, beside=["copy.md"]),
        make_event(RENAMED, "copy.md", AT, log="copy.md", was=OLD, beside=[NEW]),
        make_event(RENAMED, "y.md", later, log="y.md", was=OLD, beside=["copy.md"]),
    ])  # fmt: skip

    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", "copy.md"}) == (Renamed("x.md", OLD, ("copy.md",)),)
    assert find_renamed([reading("x.md", *LINES)], ledger, {"x.md", "copy.md", "y.md"}) == ()


STAYED = tuple(f"W: this line {n} stays in its log" for n in range(6))
SAID, EDITED = "W: lunch with Mina is at noon", "W: lunch with Mina is at one"
FAR = "W: the server room needs a new lock"


def lines_of(*lines: str) -> tuple[RetainLine, ...]:
    return read_log("2026-05-04.md", "".join(f"- {line}\n" for line in lines), anywhere=True).lines


def edited(before: list[str], now: list[str]) -> list[tuple[str, str]]:
    """The pairs as what was said and what is said."""
    past = {past_line(line): line.memory.text for line in lines_of(*before)}
    return [(f"W: {past[old]}", f"W: {line.memory.text}") for old, line in find_edited(list(past), lines_of(*now))]


def test_a_line_in_the_place_of_another_is_that_one_when_half_of_its_letters_are_the_same() -> None:
    assert edited([*STAYED, SAID], [*STAYED, EDITED]) == [(SAID, EDITED)]
    assert edited([*STAYED, SAID], [*STAYED, "W: lunch was cold, and Jun went out"]) == []


def test_elsewhere_nearly_all_must_be_the_same() -> None:
    assert edited([SAID, *STAYED], [*STAYED, EDITED]) == [(SAID, EDITED)]
    assert edited([SAID, *STAYED], [*STAYED, "W: lunch with Jun is at half past one"]) == []
    assert edited([SAID], ["W: lunch with Jun is at half past one"]), "in its place it is enough"


def test_a_log_of_which_more_than_half_went_was_written_anew() -> None:
    three = [SAID, FAR, "W: Jun paints on Sundays"]
    rewritten = [f"{line} now" for line in three]

    assert len(edited([*STAYED, *three], [*STAYED, *rewritten])) == 3
    assert edited([*STAYED[:2], *three], [*STAYED[:2], *rewritten]) == []


def test_two_lines_of_a_short_log_may_be_edited_at_once() -> None:
    assert len(edited([SAID, FAR], [EDITED, f"{FAR} now"])) == 2


def test_the_likest_are_paired_and_each_line_is_in_one_pair() -> None:
    less = "W: supper with Mina is at six"

    assert edited([*STAYED, SAID], [*STAYED, less, EDITED]) == [(SAID, EDITED)]
    assert edited([*STAYED, less, SAID], [*STAYED, EDITED]) == [(SAID, EDITED)]


@pytest.mark.parametrize("lines", [[*STAYED, SAID], [SAID, *STAYED], [SAID, *STAYED, FAR]])
def test_what_only_moved_or_came_is_no_edit(lines: list[str]) -> None:
    assert edited([*STAYED, SAID], lines) == []


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [("abcd", "a-b c!d", 3), ("Anna", "anana", 2), ("가나다", "나다라", 1), ("x", "X.", 1), ("x", "y", 0)],
)
def test_the_pairs_that_two_texts_share(one: str, other: str, shared: int) -> None:
    pairs, others = letter_pairs(one), letter_pairs(other)

    assert len(pairs & others) == shared
    assert share_of(pairs, others) == 2 * shared / (len(pairs) + len(others))


NOW = datetime(2026, 5, 6, 3, tzinfo=UTC)
LOG, PAGE = "2026-05-04.md", "bank/world/facts.md"


def line_of(said: str) -> RetainLine:
    return read_log(LOG, f"- {said}\n", anywhere=True).lines[0]


NOON, ONE = line_of("W: lunch is at noon"), line_of("W: lunch is at one")


Standing: TypeAlias = tuple[Mapping[str, tuple[str, ...]], Mapping[str, MemoryLines]]
"""The pages of the memories, and their lines."""


def stands(text: str = "lunch is at noon", head: str = "W", below: str = "") -> Standing:
    rows = f"- {head}: {text} ^{NOON.id}{below}"
    return {NOON.id: (PAGE,)}, {NOON.id: MemoryLines(PAGE, rows)}


def revised(
    standing: Standing, *said: dict[str, object], old: RetainLine = NOON, new: RetainLine = ONE, deleted: str = ""
) -> Plan:
    """The plan of a run that reads the edited line, after these events."""
    kept = make_event(KEPT, old.id, NOW, memory=old.id, log=LOG)
    plan = Plan("r", NOW, lines=(new,), deleted=(deleted,) if deleted else ())
    return revise(plan, [(past_line(old), new)], fold_events([kept, *said]), *standing)


def test_it_says_what_the_line_says_now_and_no_other_memory_is_made() -> None:
    plan = revised(stands(below="\n  - nested by hand"))

    assert [item.change.new for item in plan.revised] == [f"- W: lunch is at one ^{NOON.id}\n  - nested by hand"]
    assert not plan.lines
    assert not plan.updates


@pytest.mark.parametrize("kind", [DELETED, FORGOTTEN])
def test_what_a_person_took_out_stays_out(kind: str) -> None:
    gone = make_event(kind, "gone", NOW, memory=NOON.id)

    for plan in (revised(stands(), gone), revised(stands(), deleted=NOON.id)):
        assert [item.twin for item in plan.overruled] == [NOON.id]
        assert not plan.revised
        assert not plan.lines


def test_what_was_archived_is_revised_where_it_is() -> None:
    assert revised(stands(), make_event(ARCHIVED, "gone", NOW, memory=NOON.id)).revised


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

    assert [update.old for update in plan.updates] == [NOON.id]
    assert not plan.revised
    assert [line.memory.text for line in plan.lines] == ["lunch is at one"]


def test_it_waits_for_its_page() -> None:
    plan = revised(({NOON.id: (PAGE,)}, {}))

    assert [item.reason for item in plan.deferred] == [f"waits for {PAGE}"]
    assert not plan.lines


def test_a_line_that_is_a_memory_of_its_own_already_changes_no_other() -> None:
    kept = [make_event(KEPT, line.id, NOW, memory=line.id, log=LOG) for line in (NOON, ONE)]
    assert not revise(Plan("r", NOW), [(past_line(NOON), ONE)], fold_events(kept), *stands()).revised


@pytest.mark.parametrize(("now", "expected"), [("0.90", "0.80@2026-05-01"), ("0.50", "0.50@2026-05-04")])
def test_only_a_confidence_that_was_edited_is_taken_over(now: str, expected: str) -> None:
    old, new = line_of("O(c=0.90): tea is best"), line_of(f"O(c={now}): green tea is best")
    rows = f"- O(c=0.80@2026-05-01): tea is best ^{old.id}"
    standing = {old.id: (PAGE,)}, {old.id: MemoryLines(PAGE, rows)}
    plan = revised(standing, old=old, new=new)

    assert [item.change.new for item in plan.revised] == [f"- O(c={expected}): green tea is best ^{old.id}"]


def test_a_memory_that_follows_its_line_needs_no_date_of_its_own() -> None:
    undated = Replace(PAGE, NOON.id, "- W: lunch is at noon", "- W: lunch is at noon.")
    plan = Plan("r", NOW, lines=(ONE,), dated=(undated, replace(undated, key="m-other")))
    kept = make_event(KEPT, NOON.id, NOW, memory=NOON.id, log=LOG)

    assert [item.key for item in revise(plan, [(past_line(NOON), ONE)], fold_events([kept]), *stands()).dated] == [
        "m-other"
    ]
