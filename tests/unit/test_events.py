"""What the event log comes to when it is folded."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta

import pytest

from bankd.memory.ledger import (
    ARCHIVED,
    DELETED,
    DUPLICATE,
    FORGOTTEN,
    KEPT,
    RENAMED,
    RESTORED,
    SUPERSEDED,
    UNDONE,
    Ledger,
    changes_relations,
    fold_events,
    in_order_told,
    make_event,
)
from bankd.memory.use import RECALLED

START = datetime(2026, 5, 4, 3, tzinfo=UTC)
ONE, TWO = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"


def after(*kinds: str, **facts: object) -> Ledger:
    """The fold of events of these kinds about one memory, a day apart."""
    said = [
        make_event(kind, f"{ONE}@{n}", START + timedelta(n), memory=ONE, log="a.md", **facts)
        for n, kind in enumerate(kinds)
    ]
    return fold_events(reversed(said))


@pytest.mark.parametrize("kind", [DELETED, FORGOTTEN, ARCHIVED, UNDONE])
def test_what_took_a_memory_out_keeps_it_out_until_it_is_restored(kind: str) -> None:
    assert after(KEPT, kind).gone[ONE]["type"] == kind
    assert after(KEPT, kind, RESTORED).gone == {}
    assert after(KEPT, kind, RESTORED).restored == {ONE: date(2026, 5, 6)}
    assert after(KEPT, kind, RESTORED, kind).gone[ONE]["type"] == kind


def test_what_was_archived_has_its_tombstone_for_ever() -> None:
    assert after(KEPT, ARCHIVED, RESTORED, page="bank/a.md").tombstones[ONE]["page"] == "bank/a.md"
    assert after(KEPT, DELETED).tombstones == {}


def test_only_what_a_person_forgot_is_known_by_its_words() -> None:
    assert after(KEPT, FORGOTTEN, key="k").forgotten_keys == {"k"}
    assert after(KEPT, DELETED, key="k").forgotten_keys == set()


def test_the_first_word_on_a_line_holds_but_for_one_that_a_person_let_in() -> None:
    assert after(KEPT, DUPLICATE, of=TWO).consumed[ONE]["type"] == KEPT
    let_in = after(DUPLICATE, KEPT, of=TWO)

    assert let_in.consumed[ONE]["type"] == KEPT
    assert let_in.allowed[ONE]["type"] == DUPLICATE
    assert let_in.confirmed == {TWO: date(2026, 5, 4)}


def test_the_same_event_twice_is_one_and_the_order_of_files_does_not_matter() -> None:
    kept, gone = make_event(KEPT, ONE, START, memory=ONE), make_event(DELETED, ONE, START, memory=ONE)

    assert fold_events([gone, kept, gone]) == fold_events([kept, gone])


def test_a_newer_memory_that_was_taken_back_supersedes_nothing() -> None:
    newer = make_event(SUPERSEDED, ONE, START, memory=ONE, by=TWO)

    assert fold_events([newer]).successors() == {ONE: TWO}
    assert fold_events([newer, make_event(DELETED, TWO, START, memory=TWO)]).successors() == {}
    assert fold_events([newer, make_event(ARCHIVED, TWO, START, memory=TWO)]).successors() == {ONE: TWO}


def test_what_changes_the_successors_is_told_by_the_kinds_of_events() -> None:
    newer = make_event(SUPERSEDED, ONE, START, memory=ONE, by=TWO)
    taken_back = make_event(DELETED, TWO, START, memory=TWO)
    kept = make_event(KEPT, TWO, START, memory=TWO)

    assert changes_relations([kept, newer], Ledger())
    assert changes_relations([taken_back], Ledger())
    assert changes_relations([make_event(RESTORED, TWO, START, memory=TWO)], Ledger())
    assert not changes_relations([kept], Ledger())
    assert fold_events([newer, kept]).successors() == fold_events([newer]).successors()


def test_a_recall_counts_on_its_day_and_a_log_by_its_first_name() -> None:
    recalls = [make_event(RECALLED, f"{ONE}@{day}", START, memory=ONE, day=day) for day in ("2026-05-03", "2026-05-01")]
    renamed = [
        make_event(KEPT, ONE, START, memory=ONE, log="b.md"),
        make_event(RENAMED, "b.md", START, log="b.md", was="a.md"),
    ]

    assert fold_events(recalls).last_use_of(ONE) == date(2026, 5, 3)
    assert fold_events(renamed).read == {"a.md": {ONE}}


def test_what_an_unknown_event_means_is_not_guessed() -> None:
    assert fold_events([make_event("painted", ONE, START, memory=ONE)]) == Ledger()


def told(*said: tuple[str, str, str]) -> dict[str, object]:
    """What took memories out, by the fold of what one writer told: kind, second, run."""
    events = [
        make_event(kind, f"m@{run}", START.replace(second=int(at)), memory="m", run=run) for kind, at, run in said
    ]
    return {id_: item["run"] for id_, item in fold_events(in_order_told(events)).gone.items()}


def test_what_one_writer_tells_later_holds_in_the_same_second_and_by_a_clock_put_back() -> None:
    assert told((RESTORED, "9", "1"), (DELETED, "9", "2")) == {"m": "2"}
    assert told((RESTORED, "9", "1"), (DELETED, "3", "2")) == {"m": "2"}
    assert told((DELETED, "9", "1"), (RESTORED, "3", "2"), (UNDONE, "5", "3")) == {"m": "3"}
    assert told((DELETED, "9", "1"), (UNDONE, "3", "2"), (RESTORED, "5", "3")) == {}
    assert told((DELETED, "3", "1"), (RESTORED, "9", "2")) == {}
