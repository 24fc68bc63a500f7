"""Which of the memories that were ranked are answers."""

from __future__ import annotations

import pytest

from bankd.search.find import Ranked
from bankd.search.floor import WITNESS, WORDS_FLOOR, above_floor, evidence_of, share_asked, with_floors
from bankd.search.meaning import Near
from bankd.search.request import FoundRow, Query
from bankd.search.score import Candidate
from bankd.search.weigh import Weights

ASKED = Weights({"paint": 1.0, "lake": 1.0, "of": 0.5}, {}, frozenset(), 2.2, 1.0)
ROW = FoundRow(0, 1, 1, None, "W", None, None, (), (), "paint")
USUAL = Near({}, 0.8)


def ranked(score: float, *terms: str, cosine: float | None = None) -> Ranked:
    parts = {"score": score} if cosine is None else {"score": score, "meaning": cosine}
    return Ranked("a.md", ROW, Candidate(0, 1, 0, (terms,), (), frozenset(), denies=False), parts)


def answers(*found: Ranked, near: Near | None = None, query: Query = Query("")) -> list[float]:  # noqa: B008
    return [one.parts["score"] for one in above_floor(with_floors(found, ASKED, near, 7), query)]


def test_without_vectors_a_share_of_the_words_makes_an_answer_and_words_that_ask_make_none() -> None:
    assert answers(ranked(0.5, "paint")) == [0.5]
    assert answers(ranked(0.5, "of")) == answers(ranked(0.5)) == answers() == []
    assert share_asked({"of", "paint"}, ASKED) > share_asked({"paint"}, ASKED)
    assert share_asked({"of"}, ASKED._replace(terms={"of": 0.5})) == 1, "a question of such words is about them"
    assert evidence_of(WORDS_FLOOR, None, 0.8, 25) == evidence_of(WORDS_FLOOR, 0.9, None, 25) == 1


@pytest.mark.parametrize(
    ("cosine", "terms", "is_answer"),
    [
        (0.8, (), True), (0.79, (), False), (0.79, ("paint", "lake", "of"), True),
        (0.79 - WITNESS, ("paint", "lake", "of"), False),
    ],
)  # fmt: skip
def test_with_vectors_the_nearest_must_be_nearer_than_to_strangers_and_words_are_a_witness(
    cosine: float, terms: tuple[str, ...], *, is_answer: bool
) -> None:
    assert bool(answers(ranked(0.5, *terms, cosine=cosine), near=USUAL)) is is_answer


def test_the_longer_memories_are_the_more_must_speak_for_an_answer() -> None:
    for nearest in (None, 0.8):
        facts, notes, books = (evidence_of(0.2, nearest, 0.8, terms) for terms in (7, 120, 9_000))
        assert facts > notes == books
    assert evidence_of(0.0, 0.799, 0.8, 3) < 1, (
        "however short memories are, the nearest must be as near as to strangers"
    )


def test_below_half_of_the_best_nothing_is_shown_but_for_who_wants_so_many() -> None:
    found = [ranked(score, "paint") for score in (0.5, 0.25, 0.24)]
    assert answers(*found) == [0.5, 0.25]
    assert answers(*found, query=Query("", is_limited=True)) == [0.5, 0.25, 0.24]


def test_what_nobody_asked_for_needs_its_own_words_and_a_margin() -> None:
    query = Query("", margin=1.25)
    assert answers(ranked(0.5, "paint", cosine=0.9), ranked(0.5, cosine=0.9), near=USUAL, query=query) == [0.5]
    assert answers(ranked(0.5, "paint", cosine=0.74), near=USUAL, query=query) == []
