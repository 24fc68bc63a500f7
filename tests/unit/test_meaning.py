"""Meaning in the story of a query: what takes part, what passes the floor, and that nothing depends on it."""

from __future__ import annotations

from datetime import date

import pytest
from tests.fake_vectors import FakeVectors
from tests.fakes import FakeAnalyser, FakeIndex

from bankd.core.ranking.floor import CosineBounds, witness_factor
from bankd.core.ranking.query import Filters, Query
from bankd.search.finding import Found, find_answers
from bankd.search.ranking_options import RankingOptions

TODAY = date(2026, 5, 4)
PAGES = {
    "home.md": "# Home\n\n- W: 자동차는 지하 2층에 세운다.\n- W: The lamp in the hall is broken.\n- W: The kitten sleeps a lot.\n",
    "work.md": "# Work\n\n- W: We keep the figures in Postgres.\n- W: Lunch is at noon.\n",
}
EVERYTHING = Filters()
BOUNDS = CosineBounds(near=0.8, across=0.9)


def asked(
    text: str,
    vectors: FakeVectors | None,
    *,
    filters: Filters = EVERYTHING,
    everything: bool = True,
    margin: float = 1.0,
) -> Found:
    index = FakeIndex(PAGES)
    if vectors is not None:
        said = [row.text for row in index.rows(range(5))]
        index.vectors = dict(enumerate(vectors.embed(said) or []))
    query = Query(text, 5, filters, everything, today=TODAY, margin=margin)
    return find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=vectors))


def texts(found: Found) -> list[str]:
    return [one.row.text for one in found.ranked]


def test_what_shares_no_word_is_found_by_meaning_only() -> None:
    assert not texts(asked("vehicle", None))
    assert texts(asked("vehicle", FakeVectors()))[0].startswith("자동차는")


def test_what_is_found_by_both_says_its_cosine() -> None:
    parts = asked("kitten", FakeVectors()).ranked[0].parts
    assert parts["meaning"] > 0.9
    assert "meaning" not in asked("kitten", None).ranked[0].parts


def test_filters_hold() -> None:
    found = texts(asked("vehicle", FakeVectors(), filters=Filters(nodes=("work.md",))))
    assert found
    assert not any("자동차" in text for text in found)


def test_vectors_that_do_not_answer_leave_what_the_words_say() -> None:
    silent = FakeVectors()
    index = FakeIndex(PAGES)
    index.vectors = {0: 0}
    silent.texts, silent.problem = ["자동차"], "it hangs"
    query = Query("lamp hall", 5, everything=True, today=TODAY)
    found = find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=silent))
    assert texts(found) == texts(asked("lamp hall", None))
    assert silent.asked == 1


def test_an_index_without_vectors_asks_nobody() -> None:
    vectors = FakeVectors()
    vectors.identity = ""
    asked("lamp", vectors)
    assert vectors.asked == 0


def test_in_another_script_meaning_alone_is_a_witness() -> None:
    vectors = FakeVectors()
    assert not texts(asked("vehicle", vectors, everything=False)), "nobody measured the model"
    vectors.bounds = BOUNDS
    assert texts(asked("vehicle", vectors, everything=False)) == ["자동차는 지하 2층에 세운다."]
    assert not texts(asked("espresso", vectors, everything=False)), "that is far from all of them"
    assert not texts(asked("vehicle", vectors, everything=False, margin=2.0)), "nobody asked"
    assert not texts(asked("pet", vectors, everything=False)), "in the same script words are to meet"


@pytest.mark.parametrize(("nearest", "factor"), [(None, 1), (0.95, 1), (0.8, 1), (0.3, 4)])
def test_the_floor_rises_where_even_the_nearest_is_far_and_never_falls(nearest: float | None, factor: float) -> None:
    assert witness_factor(nearest, BOUNDS) == factor
    assert witness_factor(nearest, None) == 1
    assert 1 < witness_factor(0.77, BOUNDS) < 2
