"""How a question is read with the words that the bank knows."""

from __future__ import annotations

from datetime import date

from bankd.search.find import RankingOptions, find_answers
from bankd.search.read import read_query, words_for
from bankd.search.request import Query
from tests.fakes import FakeAnalyser, FakeIndex

PAGES = {"home.md": "# Home\n\n- W: My sister never drinks coffee.\n- W: The lamp is broken.\n"}


def test_a_word_that_no_memory_has_is_read_as_one_that_says_the_same() -> None:
    assert words_for("커피", {"coffe"}.__contains__) == ["coffe"]
    assert words_for("zzyzx", {"coffe"}.__contains__) == ["zzyzx"]


def test_a_word_that_the_bank_knows_is_read_as_it_is() -> None:
    assert words_for("커피", {"커피", "coffe"}.__contains__) == ["커피"]


def test_a_question_in_the_other_language_finds_what_answers_it() -> None:
    query = Query("커피", 5, today=date(2026, 5, 4))
    found = find_answers(query, FakeIndex(PAGES), FakeAnalyser(), query.today, RankingOptions())
    assert found.ranked[0].row.text == "My sister never drinks coffee."


def test_a_loanword_finds_what_spells_it_in_latin_letters() -> None:
    pages = {"git.md": "# Git\n\n- W: A commit has one purpose.\n- W: The URI of the mirror is new.\n"}
    query = Query("커밋은 어떻게", 5, today=date(2026, 5, 4))
    found = find_answers(query, FakeIndex(pages), FakeAnalyser(), query.today, RankingOptions())
    assert [one.row.text for one in found.ranked] == ["A commit has one purpose."]


def test_a_word_that_only_asks_is_no_loanword() -> None:
    pages = {"git.md": "# Git\n\n- W: The URI of the mirror is new.\n"}
    query = Query("우리 거울", 5, today=date(2026, 5, 4))
    assert not find_answers(query, FakeIndex(pages), FakeAnalyser(), query.today, RankingOptions()).ranked


def test_a_title_names_its_subject_and_a_question_asks() -> None:
    index = FakeIndex(PAGES)

    assert read_query(Query("where is the lamp"), index, FakeAnalyser()).asks
    assert not read_query(Query("broken lamp"), index, FakeAnalyser()).asks
