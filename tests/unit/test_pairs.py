"""What memories that look alike are to each other."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from bankd.edits.settle import FileFingerprint
from bankd.same import pairs as known_pairs
from bankd.same.compare import Relation, Verdict
from bankd.same.pairs import MOST_LIKELY, Dated, Likeness, compare_pairs, likely_changes, near_groups
from bankd.same.reading import read_statement
from bankd.words.statement import Statement, plain_wording
from bankd.workspace.catalog import CatalogDatabase, ComparedTable

NEAR, SAME, NEWER = (Likeness(one) for one in (Relation.NEAR, Relation.SAME, Relation.NEWER))
SEEN = FileFingerprint(1, 1, 1)


def memory(id_: str, text: str, day: int | None = None) -> Dated:
    return Dated(id_, read_statement(plain_wording(text)), date(2026, 11, day) if day else None)


def test_the_newer_is_compared_with_the_older_each_pair_once() -> None:
    old_port, new_port = memory("m-1", "The server port is 8080", 1), memory("m-2", "The server port is 8081", 2)
    old_town, new_town = memory("m-3", "Peter lives in Seoul", 3), memory("m-4", "Peter lives in Busan", 9)
    found = compare_pairs([(new_port, old_port), (old_town, new_town), (new_town, old_town)])

    assert found.keys() == {("m-1", "m-2"), ("m-3", "m-4")}
    assert found["m-1", "m-2"] == Likeness(
        Relation.NEWER, "8080 → 8081", is_dated=True, score=found["m-1", "m-2"].score
    )


def test_rewordings_and_other_subjects_are_no_contradiction() -> None:
    pairs = [
        (memory("m-1", "The server port is 8080"), memory("m-2", "The server port is 8080.")),
        (memory("m-3", "Peter lives in Seoul"), memory("m-4", "Paul lives in Seoul")),
        (memory("m-5", "The server port is 8080"), memory("m-5", "The server port is 8081")),
    ]

    assert [one.relation for one in compare_pairs(pairs).values()] == [Relation.SAME, Relation.CLOSE]


def test_what_has_no_day_counts_as_older_and_of_two_without_nobody_knows() -> None:
    one, undated, other = (
        memory("m-1", "The server port is 8081", 1),
        memory("m-2", "The server port is 8080"),
        memory("m-3", "The server port is 80"),
    )

    found = compare_pairs([(one, undated), (undated, other)])

    assert {pair: one.is_dated for pair, one in found.items()} == {("m-2", "m-1"): True, ("m-2", "m-3"): False}


def test_a_pair_that_cannot_be_compared_is_named_and_stops_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    compare = known_pairs.compare_statements

    def fail(old: Statement, new: Statement, threshold: float, cosine: float | None) -> Verdict:
        if "Seoul" in old.text:
            raise ZeroDivisionError
        return compare(old, new, threshold, cosine)

    monkeypatch.setattr(known_pairs, "compare_statements", fail)
    odd = (memory("m-1", "Peter lives in Seoul"), memory("m-2", "Peter lives in Busan"))
    found = compare_pairs([odd, (memory("m-3", "The server port is 8080"), memory("m-4", "The server port is 8081"))])

    assert found["m-1", "m-2"] == Likeness(
        bug="m-1 and m-2 are taken for different: this is a bug in bankd (ZeroDivisionError())"
    )
    assert found["m-3", "m-4"].relation is Relation.NEWER


def test_of_two_lines_of_one_day_the_later_is_the_newer() -> None:
    first, second = (
        replace(memory(id_, text, 1), line=n) for id_, text, n in [("m-2", "Port 1", 4), ("m-1", "Port 2", 5)]
    )

    assert list(compare_pairs([(second, first)])) == [("m-2", "m-1")]


def test_vectors_are_looked_up_by_both_ids() -> None:
    one, other = memory("m-1", "Our rent is paid on the 5th", 1), memory("m-2", "We pay the rent on every 5th", 2)
    cosines = {frozenset(("m-1", "m-2")): 0.98}

    assert compare_pairs([(other, one)], cosines=cosines)["m-1", "m-2"].relation is Relation.NEAR


def test_a_person_is_asked_about_the_five_likeliest_of_the_last_seven_days() -> None:
    today = date(2026, 11, 20)
    pairs = {("old", f"m-{n}"): Likeness(Relation.LIKELY, score=float(n)) for n in range(8)}
    pairs |= {("old", "late"): Likeness(Relation.LIKELY, score=99.0), ("old", "sure"): NEWER}
    days: dict[str, date | None] = {f"m-{n}": date(2026, 11, 14) for n in range(8)}
    days |= {"late": date(2026, 11, 13), "sure": today}

    asked = likely_changes(pairs, days, today)

    assert asked == [("old", f"m-{n}") for n in (7, 6, 5, 4, 3)]
    assert len(asked) == MOST_LIKELY


def test_a_group_is_all_that_is_near_through_others() -> None:
    pairs = {("a", "b"): NEAR, ("c", "b"): SAME, ("d", "e"): NEAR, ("e", "f"): NEWER}

    assert near_groups(pairs) == [("a", "b", "c"), ("d", "e")]


@pytest.fixture
def catalog(tmp_path: Path) -> CatalogDatabase:
    return CatalogDatabase(tmp_path / "catalogue.sqlite3")


def write(catalog: CatalogDatabase, **texts: str) -> None:
    page = "".join(f"- W: {text} ^{id_}\n" for id_, text in texts.items())
    catalog.record_page("bank/a.md", SEEN, page.encode())


def test_only_what_is_new_or_says_something_else_is_compared_again(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk")
    looked = ComparedTable(catalog).changed_since_look(80, None)
    ComparedTable(catalog).record_look(looked, {("a", "b"): NEAR})
    write(catalog, c="rum", a="tea", b="Milk.")

    assert looked.keys() == {"a", "b"}
    assert ComparedTable(catalog).changed_since_look(80, None).keys() == {"c"}
    assert ComparedTable(catalog).known_pairs() == {("a", "b"): NEAR}


def test_what_was_found_of_a_memory_that_changed_or_went_is_forgotten(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk", c="rum", d="gin")
    ComparedTable(catalog).record_look(
        ComparedTable(catalog).changed_since_look(80, None), {("a", "b"): NEAR, ("d", "c"): NEWER, ("a", "d"): SAME}
    )
    write(catalog, a="tea", b="oat milk", d="gin")

    assert ComparedTable(catalog).changed_since_look(80, None).keys() == {"b"}
    assert ComparedTable(catalog).known_pairs() == {("a", "d"): SAME}


def test_what_waits_is_compared_some_at_a_time(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk", c="rum")
    for left in (2, 1, 0):
        looked = ComparedTable(catalog).changed_since_look(80, 1)
        ComparedTable(catalog).record_look(looked, {})
        assert len(looked) == 1
        assert len(ComparedTable(catalog).changed_since_look(80, None)) == left


def test_by_another_threshold_all_is_compared_again(catalog: CatalogDatabase) -> None:
    write(catalog, a="tea", b="milk")
    ComparedTable(catalog).record_look(ComparedTable(catalog).changed_since_look(80, None), {("a", "b"): NEAR})

    assert ComparedTable(catalog).changed_since_look(90, None).keys() == {"a", "b"}
    assert ComparedTable(catalog).known_pairs() == {}
