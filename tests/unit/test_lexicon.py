"""Korean read with the words that the bank has shown."""

from __future__ import annotations

import pytest

from bankd.words.analysis import analyse_by_lexicon, known_words, lexicon_of, terms_of_run

KNOWN = {"가치관", "가치", "회의", "정직", "데이터", "데이터베이스", "책", "마시"}
READINGS = {"책은": ["책"], "마셔": ["마시"]}
LEXICON = lexicon_of(READINGS.get, KNOWN.__contains__)


def terms(run: str) -> list[str]:
    return list(terms_of_run(run, READINGS.get, KNOWN.__contains__))


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("가치관이", ["가치관"]),
        ("책은", ["책"]),
        ("마셔", ["마시"]),
        ("정직가치관", ["정직", "가치관"]),
        ("데이터베이스에서", ["데이터베이스"]),
    ],
)
def test_a_run_is_read_by_the_longest_words_known(run: str, expected: list[str]) -> None:
    assert terms(run) == expected


def test_a_word_that_ends_like_a_particle_stays_whole() -> None:
    assert terms("회의") == ["회의"]


def test_an_unknown_run_is_its_own_term_and_its_first_syllable_when_that_is_a_word() -> None:
    assert terms("설악산") == ["설악산"]
    assert terms("책장") == ["책장", "책"]


@pytest.mark.parametrize(
    ("term", "words"),
    [
        ("정직가치관", ["정직", "가치관"]),  # an analyser took two words for one name
        ("데이터베이스", ["데이터베이스"]),
        ("가치주", ["가치주"]),  # too short to be two words
        ("postgresql", ["postgresql"]),
    ],
)
def test_a_term_that_the_bank_does_not_have_is_read_as_the_words_in_it(term: str, words: list[str]) -> None:
    assert known_words(term, KNOWN.__contains__) == words


def test_denials_are_seen_without_an_analyser() -> None:
    assert analyse_by_lexicon("커피는 안 마셔", LEXICON).denies
    assert analyse_by_lexicon("I never drink", LEXICON).denies
    assert not analyse_by_lexicon("안녕 책은", LEXICON).denies
