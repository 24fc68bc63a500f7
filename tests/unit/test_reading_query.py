"""How a question is read: with the words that the bank knows, slips and spaces mended, and the words that ask."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from bankd.search.find import RankingOptions, find_answers
from bankd.search.request import Query
from bankd.search.score import ASKING_WEIGHT as WEIGHT
from bankd.search.score import mend_typos, read_query, restore_spaces, term_weight, weigh_query, words_for
from bankd.words.analysis import analyse_text, runs_of
from tests.examples import examples
from tests.fakes import index_of

PAGES = {
    "home.md": "# Home\n\n- W: My sister never drinks coffee.\n- W: The lamp is broken.\n",
    "git.md": "# Git\n\n- W: A commit has one purpose.\n- W: The URI of the mirror is new.\n",
}


def test_a_word_that_the_bank_knows_is_read_as_it_is() -> None:
    assert words_for("커피", {"커피", "coffe"}.__contains__) == ["커피"]


@pytest.mark.parametrize(
    ("question", "answers"),
    [("커피", ["My sister never drinks coffee."]), ("커밋은 어떻게", ["A commit has one purpose."]), ("우리 거울", [])],
    ids=["the other language", "a loanword", "a word that only asks is no loanword"],
)
def test_a_question_finds_what_is_spelt_otherwise(question: str, answers: list[str], tmp_path: Path) -> None:
    query = Query(question, 5, today=date(2026, 5, 4))
    with index_of(PAGES, tmp_path) as index:
        found = find_answers(query, index, query.today, RankingOptions())

    assert [one.row.text for one in found.ranked] == answers


def test_a_title_names_its_subject_and_a_question_asks(tmp_path: Path) -> None:
    with index_of(PAGES, tmp_path) as index:
        assert read_query(Query("where is the lamp"), index).asks
        assert not read_query(Query("broken lamp"), index).asks


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


WORDS = "세종대왕 업적 담배 피우 마시 차 나 대한민국 김을동 대선 클라우드 과제 개혁 새벽"
READINGS = {run: words.split() for run, words in examples("spacing", "readings")}
KNOWN = frozenset(WORDS.split())


def read(text: str) -> str:
    return restore_spaces(text, READINGS.get, KNOWN.__contains__)


@pytest.mark.parametrize(("typed", "meant"), examples("spacing", "joined"))
def test_two_runs_are_one_where_only_the_bank_has_them_so(typed: str, meant: str) -> None:
    assert read(typed) == meant


@pytest.mark.parametrize(("typed", "meant"), examples("spacing", "parted"))
def test_words_are_parted_where_the_bank_has_them(typed: str, meant: str) -> None:
    assert read(typed) == meant


@pytest.mark.parametrize("text", ["가나다" * 2_000, "담배를" * 1_000, "가 " * 3_000])
def test_no_run_is_too_long(text: str) -> None:
    asked: list[str] = []

    def known(term: str) -> bool:
        asked.append(term)
        return term in KNOWN

    restore_spaces(text, READINGS.get, known)

    assert len(asked) < 40 * len(text)
    assert max(map(len, asked), default=0) <= 12


BANK = {"educ": 5, "educat": 9, "marrakech": 1, "paint": 3}


def mend(*terms: str) -> list[str]:
    common = sorted(BANK, key=lambda term: -BANK[term])
    return mend_typos(
        terms, lambda term: BANK.get(term, 0), lambda start: [term for term in common if term.startswith(start)]
    )


def test_a_beginning_of_six_letters_stands_for_the_whole_word() -> None:
    assert mend("marrak", "marra") == ["marrakech", "marra"]


@pytest.mark.parametrize("term", ["marrakesq", "pin", "정직하", "paint", "x1234", "arrakech"])
def test_what_is_known_short_or_further_away_stays(term: str) -> None:
    assert mend(term) == [term]


@pytest.mark.parametrize("word", ["fence", "pottery", "marrakech"])
def test_a_slip_anywhere_behind_the_first_letter_is_mended(word: str) -> None:
    left_out = {word[:at] + word[at + 1 :] for at in range(1, len(word))}
    added = {f"{word[:at]}x{word[at:]}" for at in range(1, len(word) + 1)}
    replaced = {f"{word[:at]}x{word[at + 1 :]}" for at in range(1, len(word))}
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
    slips = sorted((left_out | added | replaced | swapped) - {word})

    read = mend_typos(slips, {word}.__contains__, lambda start: [word] if word.startswith(start) else [])

    assert {slip: term for slip, term in zip(slips, read, strict=True) if term != word} == {}
