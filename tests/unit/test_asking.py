"""The words that ask."""

from __future__ import annotations

import pytest

from bankd.search.weigh import ASKING_WEIGHT as WEIGHT
from bankd.search.weigh import term_weight, weigh_query
from bankd.words.analysis import analyse_text, runs_of


def test_a_word_that_asks_weighs_less_in_the_form_that_a_query_has() -> None:
    terms = [*analyse_text("why does any of it have a, and who was where").terms, "무엇"]

    assert {term: term_weight(term) for term in terms} == dict.fromkeys(terms, WEIGHT)


def test_a_word_that_tells_weighs_whole() -> None:
    assert term_weight("marrakech") == 1.0


@pytest.mark.parametrize(
    "text", ["가치관이 뭐야?", "회의록 정리해줘", "우리 와이파이 비밀번호", "where is the hall key"]
)
def test_a_question_or_a_request_asks(text: str) -> None:
    assert weigh_query(analyse_text(text).terms, runs_of(text), 9, 9, lambda _: 1).asks


@pytest.mark.parametrize("text", ["컴포넌트 등록 방법", "Continuous integration", "배포 자동화"])
def test_a_title_only_names_its_subject(text: str) -> None:
    assert not weigh_query(analyse_text(text).terms, runs_of(text), 9, 9, lambda _: 1).asks
