"""A word that Korean writes by its sound is found as it is spelt in Latin letters, when the bank has it."""

import pytest

from bankd.words.analysis import stem_word
from bankd.words.loanwords import spelt_in_latin

WORDS = """
airflow batch cache client cloud commit container database django docker framework issue james jihoon kubernetes login maven
melanie message migration minji monitoring notion platform project release review rollback schedule session staging taxi
template token version even only name check
"""
TERMS = sorted(map(stem_word, WORDS.split()))


def beginning(start: str) -> list[str]:
    return [term for term in TERMS if term.startswith(start)]


@pytest.mark.parametrize(
    ("heard", "spelt"),
    [
        ("에어플로우", "airflow"),
        ("클라이언트", "client"),
        ("클라우드", "cloud"),
        ("커밋", "commit"),
        ("컨테이너", "container"),
        ("데이터베이스", "database"),
        ("장고", "django"),
        ("프레임워크", "framework"),
        ("지훈", "jihoon"),
        ("로그인", "login"),
        ("메이븐", "maven"),
        ("멜라니", "melanie"),
        ("메시지", "message"),
        ("마이그레이션", "migration"),
        ("민지", "minji"),
        ("모니터링", "monitoring"),
        ("노션", "notion"),
        ("플랫폼", "platform"),
        ("프로젝트", "project"),
        ("릴리스", "release"),
        ("제임스", "james"),
        ("쿠버네티스", "kubernetes"),
        ("롤백", "rollback"),
        ("스케줄", "schedule"),
        ("세션", "session"),
        ("스테이징", "staging"),
        ("템플릿", "template"),
        ("토큰", "token"),
        ("버전", "version"),
    ],
)
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
