"""Which log is which after a rename, and which memories a hand has taken out."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from bankd.memory.ledger import ARCHIVED, DUPLICATE, KEPT, RENAMED, Event, fold_events, make_event
from bankd.memory.new_lines import Renamed, find_renamed, find_vanished
from bankd.memory.retain import LogReading, read_log

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


def test_only_what_was_kept_and_not_taken_out_can_vanish() -> None:
    kept, held, archived, blocked = [taken_in("a.md", f"W: {n}")[0] for n in range(4)]
    said = [
        *(item for item in (kept, held, archived)),
        make_event(DUPLICATE, "x", AT, memory=blocked["memory"]),
        make_event(ARCHIVED, "y", AT, memory=archived["memory"]),
    ]

    assert find_vanished(fold_events(said), lambda ids: ids & {held["memory"]}) == (kept["memory"],)
