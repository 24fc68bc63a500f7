"""What answers are to each other, and which of them stand for others."""

from __future__ import annotations

from datetime import date

import pytest

from bankd.pages.memory import Memory
from bankd.same.pairs import text_key
from bankd.search.find import Ranked, Relations, StoredPair, StoredRelations, fold_near, last_said_first, relate
from bankd.search.request import FoundRow
from bankd.search.score import Candidate

NOBODY: frozenset[str] = frozenset()


def ranked(*ids: str) -> list[Ranked]:
    """Memories that say their own id."""
    candidate = Candidate(0, 1, 0, (), "", (), frozenset(), False)
    rows = [FoundRow(number, 1, 1, id_, "W", None, None, (), (), id_) for number, id_ in enumerate(ids)]
    return [Ranked("a.md", row, candidate, {"score": 1.0}) for row in rows]


def stored(*pairs: tuple[str, str, str, bool], **superseded: str) -> StoredRelations:
    """What runs found of memories that say their own id."""
    ids = {id_ for pair in pairs for id_ in pair[:2]}
    keys = {id_: text_key(Memory(id_, "W")) for id_ in ids}
    return StoredRelations(superseded, [StoredPair(*pair) for pair in pairs], keys)


def folded(found: list[Ranked], near: set[tuple[str, str]], apart: frozenset[str] = NOBODY) -> dict[str, list[str]]:
    shown, others = fold_near(found, near, apart)
    return {str(one.row.id): [str(other.row.id) for other in others.get(one.row.row, ())] for one in shown}


def test_the_best_stands_for_those_that_are_near_to_it_itself() -> None:
    near = {("a", "b"), ("b", "a"), ("b", "c"), ("c", "b"), ("a", "d"), ("d", "a")}

    assert folded(ranked("a", "x", "b", "c", "d"), near) == {"a": ["b", "d"], "x": [], "c": []}


def test_what_is_older_or_newer_than_another_stands_for_itself() -> None:
    near = {("a", "b"), ("b", "a")}

    assert folded(ranked("a", "b"), near, frozenset({"b"})) == {"a": [], "b": []}


@pytest.mark.parametrize("relation", ["same", "near"])
def test_what_is_near_is_near_both_ways(relation: str) -> None:
    assert relate(ranked("a", "b"), stored(("a", "b", relation, True))).near == {("a", "b"), ("b", "a")}


def test_what_says_something_else_by_now_is_near_to_nothing() -> None:
    found = stored(("a", "b", "near", True), ("c", "d", "newer", True))
    changed = found._replace(keys={**found.keys, "b": "another", "c": "another", "d": "another"})

    assert relate(ranked("a", "b", "c", "d"), changed) == Relations()


def test_of_several_that_say_it_newer_the_newest_is_named() -> None:
    pairs = [("a", "b", "newer", True), ("a", "c", "newer", True), ("c", "b", "newer", True)]

    assert relate(ranked("a", "b", "c"), stored(*pairs)).newer == {"a": "b", "c": "b"}


def test_what_a_run_took_in_as_newer_is_newer() -> None:
    found = stored(("a", "b", "newer", True), b="a")

    assert relate(ranked("a", "b"), found).newer == {"b": "a"}


def test_of_what_nobody_dated_neither_is_newer() -> None:
    relations = relate(ranked("a", "b"), stored(("b", "a", "newer", False)))

    assert (relations.newer, relations.contradicts) == ({}, {"a": ("b",), "b": ("a",)})


def said_on(**days: int) -> list[Ranked]:
    """Answers, best first, with the day of this month on which each was said."""
    found = zip(ranked(*days), days.values(), strict=True)
    return [one._replace(row=one.row._replace(learned=date(2026, 11, day))) for one, day in found]


def test_of_answers_close_to_each_other_the_one_said_last_stands_first() -> None:
    close = {("a", "c"), ("c", "a"), ("c", "d"), ("d", "c")}
    order, ids = last_said_first(said_on(a=3, b=1, c=9, d=20), close)

    assert [one.row.id for one in order] == ["c", "b", "a", "d"]
    assert ids == {"a", "c"}


@pytest.mark.parametrize("relation", ["same", "near", "newer", "likely", "close"])
def test_what_runs_found_alike_is_close_both_ways(relation: str) -> None:
    assert relate(ranked("a", "b"), stored(("a", "b", relation, True))).close == {("a", "b"), ("b", "a")}
