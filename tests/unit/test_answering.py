"""Which of the memories that were ranked are answers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bankd.search.find import Ranked
from bankd.search.floor import MOST_WITNESS, above_floor, floor_of
from bankd.search.meaning import CosineBounds
from bankd.search.request import FoundRow
from bankd.search.score import Candidate, Corpus
from bankd.search.weigh import Weights

CORPUS = Corpus(memories=1000, words=8, sentence=8, heading=2)
ASKED = Weights({"paint": 1.0}, {}, {}, frozenset(), False, 2.2, 1.0, 1.0)
MEMORY = Candidate(0, 1, 0, (("paint",),), "", (), frozenset(), False)
FLOOR = floor_of(MEMORY, ASKED, CORPUS)


def answers(*shares: float) -> Sequence[float]:
    """Of memories whose scores are these shares of the floor, those that are answers."""
    row = FoundRow(0, 1, 1, None, "W", None, None, (), (), "paint")
    ranked = [Ranked("a.md", row, MEMORY, {"score": share * FLOOR}) for share in shares]
    return [round(one.parts["score"] / FLOOR, 2) for one in above_floor(ranked, ASKED, CORPUS)]


@pytest.mark.parametrize("shares", [(), (0.99,), (0.99, 0.98, 0.5)])
def test_where_no_memory_reaches_the_floor_nothing_is_an_answer(shares: Sequence[float]) -> None:
    assert answers(*shares) == []


def test_beside_one_that_reaches_it_those_are_answers_that_reach_half_of_it() -> None:
    assert answers(1, 0.5, 0.49, 0.1) == [1, 0.5]
    assert answers(0.51, 1.2, 0.3) == [0.51, 1.2]


def test_where_even_the_nearest_memory_is_far_more_words_must_answer() -> None:
    row = FoundRow(0, 1, 1, None, "W", None, None, (), (), "paint")

    def is_answer(share: float, cosine: float) -> bool:
        ranked = Ranked("a.md", row, MEMORY, {"score": share * FLOOR, "meaning": cosine})
        return bool(above_floor([ranked], ASKED, CORPUS, bounds=CosineBounds(near=0.8, across=0.9)))

    assert is_answer(1.1, 0.8)
    assert not is_answer(1.1, 0.7)
    assert is_answer(MOST_WITNESS, 0.1)


def test_a_memory_that_shares_only_words_that_ask_is_no_answer_however_it_scores() -> None:
    row = FoundRow(0, 1, 1, None, "W", None, None, (), (), "of")
    asked = ASKED._replace(terms={"paint": 1.0, "of": 0.5})

    def is_answer(*terms: str) -> bool:
        return bool(
            above_floor([Ranked("a.md", row, MEMORY._replace(sentences=(terms,)), {"score": 1.0})], asked, CORPUS)
        )

    assert is_answer("paint")
    assert not is_answer("of")
