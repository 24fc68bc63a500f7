"""How a question is put."""

from __future__ import annotations

import pytest

from bankd.search.weigh import Phrasing, phrasing_of
from bankd.words.analysis import analyse_text

KNOWN = frozenset(("peter", "like", "slack", "trip"))


def phrasing(text: str) -> Phrasing:
    return phrasing_of(text, analyse_text(text).terms, KNOWN.__contains__)


@pytest.mark.parametrize(
    "question",
    ["What does Caroline like?", "What is Caroline's trip to?", "Where is (Yosemite)?", "was it 'Bob' or Peter?"],
)
def test_a_sentence_about_a_name_that_nobody_knows_is_of_strangers(question: str) -> None:
    assert phrasing(question) == "of strangers"


@pytest.mark.parametrize(
    "question",
    [
        "What does Peter like?",
        "what does caroline like?",  # nothing shows that it is a name
        "Caroline is at it",  # every sentence begins with a capital
        "He left. Where is it? Did Peter?",
        "WHAT DOES CAROLINE LIKE",
        "Do I like what I'm doing, and what I've done?",
        "Is it what the Éclair was?",  # as in the bank, only words without accents are stems of English
    ],
)
def test_other_sentences_are_just_sentences(question: str) -> None:
    assert phrasing(question) == "sentence"


@pytest.mark.parametrize("question", ["Kubernetes Helm Charts", "trip Yosemite", "What Caroline", "", "   "])
def test_of_keywords_any_may_be_unknown(question: str) -> None:
    assert phrasing(question) == "keywords"


def test_a_name_that_was_mended_is_no_stranger() -> None:
    assert phrasing_of("What does Peterr like?", ["what", "doe", "peter", "like"], KNOWN.__contains__) == "sentence"
