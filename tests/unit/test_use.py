"""Events folded, and how strong a memory is by its use."""

from __future__ import annotations

import math
from datetime import UTC, date, datetime, timedelta
from itertools import permutations

import pytest

from bankd.memory.archive import WEAK
from bankd.memory.ledger import (
    APART,
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
    find_missing,
    fold_events,
    in_order_told,
    make_event,
)
from bankd.memory.use import (
    IGNORED,
    IMPORTANCE,
    RECALLED,
    SHORTEST_STABILITY,
    TAKEN_BACK,
    USED,
    StrengthPoint,
    UseSignals,
    curve_of,
    stability_of,
    strength_on,
)

START = datetime(2026, 5, 1, 9, 0, tzinfo=UTC)
ONE, TWO, THREE = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc"
TODAY = date(2026, 11, 1)


def on_day(*days: int) -> list[date]:
    return [TODAY - timedelta(day) for day in days]


def said(kind: str, after: int, **facts: object) -> dict[str, object]:
    at = START + timedelta(days=after)
    return make_event(kind, f"{ONE}@{at}", at, memory=ONE, **facts)


def test_signals_are_a_set_whatever_the_order_of_events_and_however_often_they_are_read() -> None:
    important = said(IMPORTANCE, 3, value=4), said(IMPORTANCE, 4, value=7)
    events = [said(USED, 0), said(USED, 1), said(IGNORED, 2), *important]
    folded = fold_events(events).signals[ONE]

    assert sorted(folded.used) == [date(2026, 5, 1), date(2026, 5, 2)]
    assert folded.ignored == [date(2026, 5, 3)]
    assert folded.importance == 7
    for order in permutations(events):
        assert fold_events([*order, *order]).signals[ONE] == folded


@pytest.mark.parametrize("value", [11, "7", None, True, 7.5])
def test_an_importance_that_is_none_changes_nothing(value: object) -> None:
    assert fold_events([said(IMPORTANCE, 0, value=3), said(IMPORTANCE, 1, value=value)]).signals[ONE].importance == 3


@pytest.mark.parametrize("kind", [USED, IGNORED, IMPORTANCE, RECALLED])
def test_an_event_of_use_without_its_memory_is_corrupt(kind: str) -> None:
    assert find_missing({"id": "x", "type": kind, "at": "2026-05-01"}) == "memory"
    assert find_missing({"id": "x", "type": RENAMED, "at": "2026-05-01", "log": "b.md", "was": "a.md"}) is None


def test_a_memory_that_nobody_uses_is_weak_after_ninety_days() -> None:
    assert strength_on(TODAY, TODAY) == 1
    assert strength_on(TODAY, TODAY - timedelta(30)) == pytest.approx(1 / math.e)
    assert not strength_on(TODAY, TODAY - timedelta(90)) < WEAK
    assert strength_on(TODAY, TODAY - timedelta(91)) < WEAK
    assert strength_on(TODAY - timedelta(1), TODAY) == 1  # a clock put back


def test_each_day_of_use_doubles_the_stability_and_many_uses_of_a_day_are_one() -> None:
    assert stability_of(UseSignals(used=on_day(3))) == 60
    assert stability_of(UseSignals(used=on_day(3, 3, 3))) == 60
    assert stability_of(UseSignals(used=on_day(3, 2, 1))) == 240
    assert stability_of(UseSignals(used=on_day(*range(30)))) == 3650


def test_being_ignored_counts_when_it_is_repeated_and_no_use_comes_between() -> None:
    assert stability_of(UseSignals(ignored=on_day(2, 1))) == 30
    assert stability_of(UseSignals(ignored=on_day(3, 2, 1))) == 15
    assert stability_of(UseSignals(ignored=on_day(*range(9)))) == SHORTEST_STABILITY
    assert stability_of(UseSignals(used=on_day(2), ignored=on_day(4, 3, 2, 1))) == 60


def test_a_pin_and_importance_are_floors() -> None:
    long_ago = TODAY - timedelta(3000)

    assert strength_on(TODAY, long_ago, is_pinned=True) == 1
    assert strength_on(TODAY, long_ago, UseSignals(importance=6)) == 0.6
    assert strength_on(TODAY, TODAY, UseSignals(importance=6)) == 1


def test_the_curve_of_a_memory_falls_between_its_events_and_a_use_brings_it_back_and_lets_it_fall_slower() -> None:
    signals = UseSignals(recalled={*on_day(90)}, used=on_day(60), ignored=on_day(30, 20, 10))
    curve = curve_of(TODAY - timedelta(120), on_day(100), signals, TODAY)
    fresh = [point.what for point in curve if point.after == 1]

    assert [point.what for point in curve] == [
        "learned", "said again", "answered", "used", "ignored", "ignored", "ignored", "today"
    ]  # fmt: skip
    assert fresh == ["learned", "said again", "answered", "used"]
    assert curve[0].before == 0
    assert curve[2].before == pytest.approx(math.exp(-10 / 30))
    assert curve[4] == StrengthPoint(TODAY - timedelta(30), "ignored", math.exp(-30 / 60), math.exp(-30 / 60))
    assert (curve[6].before, curve[6].after) == pytest.approx((math.exp(-50 / 60), math.exp(-50 / 30)))
    assert curve[-1].after == strength_on(TODAY, TODAY - timedelta(60), signals) == pytest.approx(math.exp(-60 / 30))


def test_what_happens_after_today_is_not_on_the_curve_and_a_pin_holds_all_of_it_up() -> None:
    learned, tomorrow = TODAY - timedelta(120), TODAY + timedelta(1)

    assert [point.day for point in curve_of(learned, [tomorrow], UseSignals(used=[tomorrow]), TODAY)] == [
        learned,
        TODAY,
    ]
    assert [point.after for point in curve_of(learned, [], UseSignals(), TODAY, is_pinned=True)] == [1, 1]
    assert curve_of(TODAY, [], UseSignals(), TODAY)[0].what == "learned"


def test_an_importance_that_was_taken_back_is_none_any_more() -> None:
    taken_back = fold_events([said(IMPORTANCE, 0, value=3), said(IMPORTANCE, 1, value=TAKEN_BACK)])
    assert taken_back.signals[ONE].importance is None


DAWN = datetime(2026, 5, 4, 3, tzinfo=UTC)


def after(*kinds: str, **facts: object) -> Ledger:
    """The fold of events of these kinds about one memory, a day apart."""
    said = [
        make_event(kind, f"{ONE}@{n}", DAWN + timedelta(n), memory=ONE, log="a.md", **facts)
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
    assert after(KEPT, FORGOTTEN, key="k").forgotten.keys() == {"k"}
    assert after(KEPT, DELETED, key="k").forgotten == {}


def test_the_first_word_on_a_line_holds_but_for_one_that_a_person_let_in() -> None:
    assert after(KEPT, DUPLICATE, of=TWO).consumed[ONE]["type"] == KEPT
    let_in = after(DUPLICATE, KEPT, of=TWO)

    assert let_in.consumed[ONE]["type"] == KEPT
    assert let_in.allowed[ONE]["type"] == DUPLICATE
    assert let_in.confirmed == {TWO: date(2026, 5, 4)}


def test_the_same_event_twice_is_one_and_the_order_of_files_does_not_matter() -> None:
    kept, gone = make_event(KEPT, ONE, DAWN, memory=ONE), make_event(DELETED, ONE, DAWN, memory=ONE)

    assert fold_events([gone, kept, gone]) == fold_events([kept, gone])


def test_a_newer_memory_that_was_taken_back_supersedes_nothing() -> None:
    newer = make_event(SUPERSEDED, ONE, DAWN, memory=ONE, by=TWO)

    assert fold_events([newer]).successors() == {ONE: TWO}
    assert fold_events([newer, make_event(DELETED, TWO, DAWN, memory=TWO)]).successors() == {}
    assert fold_events([newer, make_event(ARCHIVED, TWO, DAWN, memory=TWO)]).successors() == {ONE: TWO}


@pytest.mark.parametrize(
    ("gone", "apart", "found"),
    [
        (DELETED, [], {ONE: THREE, TWO: THREE}),
        (UNDONE, [ONE, TWO], {ONE: THREE, TWO: THREE}),  # to undo what said TWO notes so
        (FORGOTTEN, [ONE, TWO], {TWO: THREE}),
        (DELETED, [ONE, THREE], {TWO: THREE}),
    ],
)
def test_what_replaces_one_that_is_gone_replaces_what_that_had_replaced(
    gone: str, apart: list[str], found: dict[str, str]
) -> None:
    chain = [make_event(SUPERSEDED, old, DAWN, memory=old, by=new) for old, new in ((ONE, TWO), (TWO, THREE))]
    kept = [make_event(APART, "both", DAWN, memory=apart[0], other=apart[1])] if apart else []

    assert fold_events([*chain, *kept, make_event(gone, TWO, DAWN, memory=TWO)]).successors() == found


def test_what_changes_the_successors_is_told_by_the_kinds_of_events() -> None:
    newer = make_event(SUPERSEDED, ONE, DAWN, memory=ONE, by=TWO)
    taken_back = make_event(DELETED, TWO, DAWN, memory=TWO)
    kept = make_event(KEPT, TWO, DAWN, memory=TWO)

    assert changes_relations([kept, newer], Ledger())
    assert changes_relations([taken_back], Ledger())
    assert changes_relations([make_event(RESTORED, TWO, DAWN, memory=TWO)], Ledger())
    assert not changes_relations([kept], Ledger())
    assert fold_events([newer, kept]).successors() == fold_events([newer]).successors()


def test_a_recall_counts_on_its_day_and_a_log_by_its_first_name() -> None:
    recalls = [make_event(RECALLED, f"{ONE}@{day}", DAWN, memory=ONE, day=day) for day in ("2026-05-03", "2026-05-01")]
    renamed = [
        make_event(KEPT, ONE, DAWN, memory=ONE, log="b.md"),
        make_event(RENAMED, "b.md", DAWN, log="b.md", was="a.md"),
    ]

    assert fold_events(recalls).last_use_of(ONE) == date(2026, 5, 3)
    assert fold_events(renamed).read == {"a.md": {ONE}}


def test_what_an_unknown_event_means_is_not_guessed() -> None:
    assert fold_events([make_event("painted", ONE, DAWN, memory=ONE)]) == Ledger()


def told(*said: tuple[str, str, str]) -> dict[str, object]:
    """What took memories out, by the fold of what one writer told: kind, second, run."""
    events = [make_event(kind, f"m@{run}", DAWN.replace(second=int(at)), memory="m", run=run) for kind, at, run in said]
    return {id_: item["run"] for id_, item in fold_events(in_order_told(events)).gone.items()}


def test_what_one_writer_tells_later_holds_in_the_same_second_and_by_a_clock_put_back() -> None:
    assert told((RESTORED, "9", "1"), (DELETED, "9", "2")) == {"m": "2"}
    assert told((RESTORED, "9", "1"), (DELETED, "3", "2")) == {"m": "2"}
    assert told((DELETED, "9", "1"), (RESTORED, "3", "2"), (UNDONE, "5", "3")) == {"m": "3"}
    assert told((DELETED, "9", "1"), (UNDONE, "3", "2"), (RESTORED, "5", "3")) == {}
    assert told((DELETED, "3", "1"), (RESTORED, "9", "2")) == {}
