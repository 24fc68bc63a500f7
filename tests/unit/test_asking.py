"""The words that ask."""

from __future__ import annotations

import pytest

from bankd.search.weigh import ASKING_WEIGHT as WEIGHT
from bankd.search.weigh import asking_bigrams, does_ask, term_weight
from bankd.words.analysis import analyse_text, runs_of


def test_a_word_that_asks_weighs_less_in_the_form_that_a_query_has() -> None:
    terms = [*analyse_text("why does any of it have a, and who was where").terms, "무엇"]

    assert {term: term_weight(term) for term in terms} == dict.fromkeys(terms, WEIGHT)


def test_a_word_that_tells_weighs_whole() -> None:
    assert term_weight("marrakech") == 1.0


def test_the_bigrams_of_a_run_that_asks() -> None:
    assert asking_bigrams(["무엇인가", "세종"]) == {"무엇", "엇인", "인가"}


@pytest.mark.parametrize(
    "text", ["가치관이 뭐야?", "회의록 정리해줘", "우리 와이파이 비밀번호", "where is the hall key"]
)
def test_a_question_or_a_request_asks(text: str) -> None:
    assert does_ask(analyse_text(text).terms, runs_of(text))


@pytest.mark.parametrize("text", ["컴포넌트 등록 방법", "Continuous integration", "배포 자동화"])
def test_a_title_only_names_its_subject(text: str) -> None:
    assert not does_ask(analyse_text(text).terms, runs_of(text))
