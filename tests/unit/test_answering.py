"""Which of the memories that were ranked are answers: by words, by meaning, and of several banks."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from bankd.index.search_index import SearchIndex
from bankd.search.find import (
    NEAREST_SHOWN,
    WITNESS,
    WORDS_FLOOR,
    Found,
    Ranked,
    RankingOptions,
    above_floor,
    evidence_of,
    find_answers,
    share_asked,
    with_floors,
)
from bankd.search.meaning import Near
from bankd.search.request import Filters, FoundRow, Query
from bankd.search.score import Candidate, Corpus, Weights
from bankd.wiring.banks import merge_answers
from tests.fake_vectors import FakeVectors
from tests.fakes import index_of

ASKED = Weights({"paint": 1.0, "lake": 1.0, "of": 0.5}, {}, frozenset(), 2.2, 1.0)
ROW = FoundRow(0, "a.md", 1, None, "W", None, None, (), (), "paint")


def ranked(score: float, *terms: str) -> Ranked:
    return Ranked(ROW, Candidate(0, 1, 0, (terms,), (), frozenset(), denies=False), {"score": score})


def nearness(cosine: float) -> Near:
    """Of the one memory, in whose place strangers would have .8."""
    return Near({ROW.row: cosine}, {ROW.row: 0.8}, {ROW.row: cosine - 0.8})


def answers(*found: Ranked, near: Near | None = None, query: Query = Query("")) -> list[float]:  # noqa: B008
    return [one.parts["score"] for one in above_floor(with_floors(found, ASKED, near, Corpus(3, 7)), query)]


def test_without_vectors_a_share_of_the_words_makes_an_answer_and_words_that_ask_make_none() -> None:
    assert answers(ranked(0.5, "paint")) == [0.5]
    assert answers(ranked(0.5, "of")) == answers(ranked(0.5)) == answers() == []
    assert answers(ranked(0.5, "paint"), ranked(0.4, "of")) == [0.5], "beside an answer neither"
    assert share_asked({"of", "paint"}, ASKED) > share_asked({"paint"}, ASKED)
    assert share_asked({"of"}, ASKED._replace(terms={"of": 0.5})) == 1, "a question of such words is about them"
    assert evidence_of(WORDS_FLOOR, None, 0.8, Corpus(9, 25)) == evidence_of(WORDS_FLOOR, 0.9, None, Corpus(9, 25)) == 1


@pytest.mark.parametrize(
    ("cosine", "terms", "is_answer"),
    [
        (0.82, (), True), (0.8, (), False), (0.8, ("paint", "lake", "of"), True),
        (0.8 - WITNESS, ("paint", "lake", "of"), False),
    ],
)  # fmt: skip
def test_with_vectors_a_memory_must_be_nearer_than_strangers_are_and_words_are_a_witness(
    cosine: float, terms: tuple[str, ...], *, is_answer: bool
) -> None:
    assert bool(answers(ranked(0.5, *terms), near=nearness(cosine))) is is_answer


def test_the_longer_and_the_more_memories_are_the_more_must_speak_for_an_answer() -> None:
    for nearest in (None, 0.8):
        facts, notes, books = (evidence_of(0.2, nearest, 0.8, Corpus(9, terms)) for terms in (7, 120, 9_000))
        assert facts > notes == books
    assert evidence_of(0.2, 0.8, 0.8, Corpus(9, 7)) > evidence_of(0.2, 0.8, 0.8, Corpus(900, 7)), (
        "some are near by chance"
    )


def test_below_half_of_the_best_nothing_is_shown_but_for_who_wants_so_many() -> None:
    found = [ranked(score, "paint") for score in (0.5, 0.25, 0.24)]
    assert answers(*found) == [0.5, 0.25]
    assert answers(*found, query=Query("", is_limited=True)) == [0.5, 0.25, 0.24]
    assert answers(*found, ranked(0.1, *ASKED.terms)) == [0.5, 0.25, 0.1], "it has every word asked: a name alone, say"


@pytest.mark.parametrize(
    ("terms", "cosine", "is_told"),
    [(("paint",), None, True), ((), 0.82, False), (("paint",), 0.82, True), (("paint",), 0.74, False), ((), 0.9, True)],
)
def test_what_nobody_asked_for_needs_words_or_to_be_much_nearer(
    terms: tuple[str, ...], cosine: float | None, *, is_told: bool
) -> None:
    near = nearness(cosine) if cosine else None
    assert bool(answers(ranked(0.5, *terms), near=near, query=Query("", margin=1.25))) is is_told


TODAY = date(2026, 5, 4)
PAGES = {
    "home.md": "# Home\n\n- W: 자동차는 지하 2층에 세운다.\n- W: The lamp in the hall is broken.\n- W: The kitten sleeps a lot.\n",
    "work.md": "# Work\n\n- W: We keep the figures in Postgres.\n- W: Lunch is at noon.\n",
}
EVERYTHING = Filters()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[SearchIndex]:
    with index_of(PAGES, tmp_path) as made:
        yield made


def embed(index: SearchIndex, vectors: FakeVectors, word: str = "") -> None:
    """Make vectors of the memories that have this word."""
    texts = {row: text for row, text in index.without_vectors(vectors.identity, 9) if word in text}
    keys = vectors.embed([*texts.values()]) or ()
    index.note_vectors(vectors.identity, {row: (key,) for row, key in zip(texts, keys, strict=True)})


def asked(
    index: SearchIndex,
    text: str,
    vectors: FakeVectors | None = None,
    *,
    filters: Filters = EVERYTHING,
    everything: bool = True,
    margin: float = 1.0,
) -> Found:
    query = Query(text, 5, filters, everything, today=TODAY, margin=margin)
    return find_answers(query, index, TODAY, RankingOptions(vectors=vectors))


def texts(found: Found) -> list[str]:
    return [one.row.text for one in found.ranked]


def test_what_shares_no_word_is_found_by_meaning_only(index: SearchIndex) -> None:
    vectors = FakeVectors()
    embed(index, vectors)

    assert not texts(asked(index, "vehicle"))
    assert texts(asked(index, "vehicle", vectors))[0].startswith("자동차는")
    found = texts(asked(index, "vehicle", vectors, filters=Filters(nodes=("work.md",))))
    assert found
    assert not any("자동차" in text for text in found), "filters hold"


def test_what_is_found_by_both_says_its_cosine(index: SearchIndex) -> None:
    vectors = FakeVectors()
    embed(index, vectors)

    assert asked(index, "kitten", vectors).ranked[0].parts["meaning"] > 0.9
    assert "meaning" not in asked(index, "kitten").ranked[0].parts


def test_vectors_that_do_not_answer_leave_what_the_words_say(index: SearchIndex) -> None:
    silent = FakeVectors()
    asked(index, "lamp", silent)
    assert silent.asked == 0, "an index without vectors asks nobody"
    embed(index, silent)
    silent.problem = "it hangs"

    assert texts(asked(index, "lamp hall", silent)) == texts(asked(index, "lamp hall"))
    assert silent.asked == 1


def test_in_another_script_meaning_alone_is_a_witness(index: SearchIndex) -> None:
    vectors = FakeVectors()
    embed(index, vectors)

    assert not texts(asked(index, "vehicle", vectors, everything=False)), "nobody knows what is near"
    vectors.usual = 0.9
    assert texts(asked(index, "vehicle", vectors, everything=False))[0] == "자동차는 지하 2층에 세운다."
    assert not texts(asked(index, "espresso", vectors, everything=False)), "that is far from all of them"
    assert not texts(asked(index, "vehicle", vectors, everything=False, margin=2.0)), "nobody asked"


def test_what_is_near_to_every_question_of_a_script_stands_behind_what_is_near_to_this_one(index: SearchIndex) -> None:
    vectors = FakeVectors()
    embed(index, vectors)
    vectors.usual_of = {"자동차는 지하 2층에 세운다.": 10.0}

    assert texts(asked(index, "vehicle", vectors))[0] == "The lamp in the hall is broken."
    assert texts(asked(index, "vehicle", vectors))[-1] == "자동차는 지하 2층에 세운다."


def test_a_text_with_many_vectors_must_be_nearer_since_one_of_them_is_near_by_chance(index: SearchIndex) -> None:
    vectors = FakeVectors()
    embed(index, vectors)
    vectors.usual = 0.98
    found = asked(index, "vehicle", vectors, everything=False).ranked[0].row
    keys = vectors.embed([found.text, *map("Nothing {}".format, range(9))]) or ()
    index.note_vectors(vectors.identity, {found.row: keys})

    assert not texts(asked(index, "vehicle", vectors, everything=False))


def test_a_memory_without_a_vector_is_judged_by_its_words_and_one_that_has_one_by_its_vector(
    index: SearchIndex,
) -> None:
    vectors = FakeVectors()
    embed(index, vectors, "Lunch")

    assert texts(asked(index, "lamp hall", vectors, everything=False))[0] == "The lamp in the hall is broken."
    assert not texts(asked(index, "lunch noon", vectors, everything=False)), "it is no nearer than strangers are"
    embed(index, vectors)
    assert not texts(asked(index, "lamp hall", vectors, everything=False))


FRESH = {"pending": 0, "updated": None, "daemon": False, "provisional": 0, "note": "", "meaning": "off"}


def answer(hits: list[float], nearest: list[float]) -> dict[str, Any]:
    found = [[{"group": "bank", "score": score} for score in scores] for scores in (hits, nearest)]
    return {"hits": found[0], "nearest": found[1], "see_also": [], "left_off": 0, "fresh": FRESH}


def test_what_is_nearest_is_shown_where_no_bank_has_an_answer_the_best_of_all() -> None:
    home, work = answer([], [0.06, 0.05, 0.04, 0.03]), answer([], [0.055, 0.01])

    nearest = merge_answers({"home": home, "work": work}, {})["nearest"]

    assert [one["score"] for one in nearest] == [0.06, 0.055, 0.05, 0.04, 0.03]
    assert len(nearest) == NEAREST_SHOWN
    assert nearest[1]["bank"] == "work"
    assert len(merge_answers({"home": home, "work": work}, {"limit": 2})["nearest"]) == 2


def test_where_one_bank_has_an_answer_nothing_is_only_nearest() -> None:
    merged = merge_answers({"home": answer([], [0.06]), "work": answer([0.4], [])}, {})

    assert ([hit["bank"] for hit in merged["hits"]], merged["nearest"]) == (["work"], [])
