"""Words that stand together."""

from __future__ import annotations

import pytest

from bankd.search.score import pairs_in
from bankd.search.weigh import weigh_query


def test_a_pair_weighs_as_its_words_do_and_a_word_makes_no_pair_with_itself() -> None:
    weights = weigh_query(["x", "y", "y"], [], 100, 8, lambda term: 1 if term == "x" else 9)
    assert weights.pairs == {("x", "y"): pytest.approx((weights.terms["x"] * weights.terms["y"]) ** 0.5)}


@pytest.mark.parametrize(
    ("sentence", "is_found"),
    [("a b", True), ("a x x b", True), ("a x x x b", False), ("b a", False), ("b a a b", True)],
)
def test_a_pair_is_found_in_its_order_and_at_most_three_places_on(sentence: str, *, is_found: bool) -> None:
    assert (("a", "b") in pairs_in([sentence.split()], {"a", "b"})) == is_found


def test_a_pair_does_not_reach_over_the_end_of_a_sentence() -> None:
    assert pairs_in([["a"], ["b"]], {"a", "b"}) == set()
