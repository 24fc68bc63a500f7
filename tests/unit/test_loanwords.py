"""A word that Korean writes by its sound is found as it is spelt in Latin letters, when the bank has it."""

import pytest

from bankd.words.analysis import stem_word
from bankd.words.loanwords import spelt_in_latin
from tests.examples import examples

WORDS = """
airflow batch cache client cloud commit container database django docker framework issue james jihoon kubernetes login maven
melanie message migration minji monitoring notion platform project release review rollback schedule session staging taxi
template token version even only name check
"""
TERMS = sorted(map(stem_word, WORDS.split()))


def beginning(start: str) -> list[str]:
    return [term for term in TERMS if term.startswith(start)]


@pytest.mark.parametrize(("heard", "spelt"), examples("loanwords", "heard"))
def test_a_loanword_is_found_by_its_sound(heard: str, spelt: str) -> None:
    assert spelt_in_latin(heard, beginning) == [stem_word(spelt)]


def test_what_follows_a_loanword_is_a_particle_or_another_one() -> None:
    assert spelt_in_latin("커밋을", beginning) == ["commit"]
    assert spelt_in_latin("커밋메시지는", beginning) == ["commit", "messag"]


@pytest.mark.parametrize("heard", ["오늘", "이름", "회의", "결정", "사람", "무엇", "팀", "ㅋㅋ", "책", "도커", "캐시"])
def test_a_word_that_no_term_sounds_like_stays_and_so_does_one_of_two_consonants(heard: str) -> None:
    assert spelt_in_latin(heard, beginning) == []


def test_of_two_the_one_of_more_syllables_is_meant() -> None:
    assert spelt_in_latin("데이터베이스", lambda start: ["data", "databas"] if start == "d" else []) == ["databas"]


def test_a_run_as_long_as_a_request_is_no_word() -> None:
    assert spelt_in_latin("가나다라마바사아자차카타파하" * 10_000, beginning) == []
