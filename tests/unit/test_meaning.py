"""Meaning in the story of a query: what takes part, what passes the floor, and that nothing depends on it."""

from __future__ import annotations

from datetime import date

import pytest

from bankd.search import meaning as fusion
from bankd.search.find import Found, RankingOptions, find_answers
from bankd.search.floor import answers_across, evidence_of
from bankd.search.meaning import CosineBounds
from bankd.search.request import Filters, Query
from tests.fake_vectors import FakeVectors
from tests.fakes import FakeAnalyser, FakeIndex

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


def test_among_long_notes_meaning_moves_a_title_and_no_question(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = (" ".join(f"{word}{number}" for number in range(200)) for word in ("one", "other"))
    said, meant = f"The hall lamp door wall roof yard {one}.", f"자동차 {other}."
    index, vectors = (
        FakeIndex({"said.md": f"# Said\n\n- W: {said}\n", "meant.md": f"# Meant\n\n- W: {meant}\n"}),
        FakeVectors(),
    )
    index.vectors = dict(enumerate(vectors.embed([row.text for row in index.rows(range(2))]) or []))

    def first(text: str) -> str:
        query = Query(text, 5, everything=True, today=TODAY)
        return find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=vectors)).ranked[0].path

    title = "hall lamp door wall roof yard vehicle"
    question = "where are the hall, the lamp, the door, the wall, the roof and the yard of the vehicle?"
    found = []
    for share in (fusion.LEAST_SHARE, 1.0):
        monkeypatch.setattr(fusion, "OF_NOTES", share)
        found.append((first(title), first(question)))
    assert found == [("said.md", "said.md"), ("meant.md", "said.md")]


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
    assert texts(asked("vehicle", vectors, everything=False))[0] == "자동차는 지하 2층에 세운다."
    assert not texts(asked("espresso", vectors, everything=False)), "that is far from all of them"
    assert not texts(asked("vehicle", vectors, everything=False, margin=2.0)), "nobody asked"


def test_a_question_is_judged_by_the_bounds_of_its_own_script() -> None:
    vectors = FakeVectors()
    vectors.bounds = vectors.bounds_of_hangul = BOUNDS
    assert texts(asked("고양이", vectors, everything=False))[0] == "The kitten sleeps a lot."
    vectors.bounds_of_hangul = CosineBounds(near=5.0, across=5.0)
    assert not texts(asked("고양이", vectors, everything=False))
    assert texts(asked("vehicle", vectors, everything=False))


def test_while_most_memories_have_no_vector_the_words_alone_say_what_is_an_answer() -> None:
    vectors, index = FakeVectors(), FakeIndex(PAGES)
    vectors.bounds = BOUNDS
    index.vectors = dict(enumerate(vectors.embed([index.rows([4])[0].text]) or [], start=4))
    query = Query("lamp hall", 5, today=TODAY)
    found = find_answers(query, index, FakeAnalyser(), TODAY, RankingOptions(vectors=vectors))
    assert texts(found)[0] == "The lamp in the hall is broken.", "the one memory with a vector is far"


def test_the_nearer_a_memory_and_the_more_it_stands_out_the_fewer_words_are_needed() -> None:
    far, near, alone = (evidence_of(1.0, *seen, BOUNDS) for seen in ((0.7, 0.02), (0.85, 0.02), (0.85, 0.04)))
    assert far < 1 < near < alone
    assert evidence_of(0.6, 0.85, 0.04, BOUNDS) > 1, "words below the floor, and a witness"
    assert evidence_of(0.0, 0.84, 0.02, BOUNDS) < 1, "near to everybody is no witness"


@pytest.mark.parametrize(("nearest", "bounds"), [(None, BOUNDS), (0.9, None)])
def test_without_a_measured_cosine_the_words_alone_say(nearest: float | None, bounds: CosineBounds | None) -> None:
    assert evidence_of(0.7, nearest, 0.1, bounds) == 0.7


def test_too_few_memories_to_stand_out_from_say_nothing_of_that() -> None:
    assert evidence_of(0.9, 0.8, None, BOUNDS) == 0.9


def test_the_bound_for_other_scripts_is_for_other_scripts() -> None:
    hangul, latin = (asked(text, None) for text in ("자동차", "lamp"))
    (car, *_), (lamp, *_) = hangul.ranked, latin.ranked
    assert answers_across(car.candidate, latin.weights, 0.9, 0.02, BOUNDS)
    assert not answers_across(car.candidate, latin.weights, 0.85, 0.02, BOUNDS)
    assert not answers_across(lamp.candidate, latin.weights, 0.99, 0.05, BOUNDS)
