"""The words that ask."""

from __future__ import annotations

from bankd.core.language.analysis import analyse_text
from bankd.core.ranking.question_words import WEIGHT, asking_bigrams, term_weight


def test_a_word_that_asks_weighs_less_in_the_form_that_a_query_has() -> None:
    terms = [*analyse_text("why does any of it have a, and who was where").terms, "무엇"]

    assert {term: term_weight(term) for term in terms} == dict.fromkeys(terms, WEIGHT)


def test_a_word_that_tells_weighs_whole() -> None:
    assert term_weight("marrakech") == 1.0


def test_the_bigrams_of_a_run_that_asks() -> None:
    assert asking_bigrams(["무엇인가", "세종"]) == {"무엇", "엇인", "인가"}
