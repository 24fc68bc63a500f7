"""Texts as search sees them: words, stems, Korean by morphemes and by the lexicon, and loanwords."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from pathlib import Path

import pytest

from bankd.words import tables
from bankd.words.analysis import (
    analyse_by_lexicon,
    analyse_text,
    has_hangul,
    lexicon_of,
    readings_of,
    runs_of,
    stem_word,
    terms_of_run,
)
from bankd.words.tables import meanings_in, table_rows, words_in
from bankd.words.thesaurus import spelt_in_latin
from tests.examples import examples


def test_words_are_cut_where_scripts_meet() -> None:
    assert runs_of("MongoDB를 v4.2로, Notion에") == ["mongodb", "를", "v", "4.2", "로", "notion", "에"]


def test_full_width_and_decomposed_letters_are_the_same_words() -> None:
    assert runs_of("ＡＩ가 ４２") == runs_of("AI가 42")
    assert runs_of(unicodedata.normalize("NFD", "가치관이 뭐야")) == ["가치관이", "뭐야"]


def test_english_needs_no_morphemes() -> None:
    analysis = analyse_text("Peter painted a sunrise. He didn't sell it.")

    assert analysis.sentences == (("peter", "paint", "a", "sunris"), ("he", "didnt", "sell", "it"))
    assert analysis.denies


@pytest.mark.parametrize(
    ("morphemes", "terms", "denies"),
    [
        ([("커피", "NNG", 0), ("안", "MAG", 3), ("마시", "VV", 5), ("어", "EF", 6)], ["커피", "마시"], True),
        ([("대출", "NNG", 0), ("은", "JX", 2), ("없", "VA", 4), ("어", "EF", 5)], ["대출", "있"], True),
        ([("싫", "VA", 0), ("어", "EC", 1), ("하", "VX", 2)], ["좋아하", "하"], True),
        ([("책상", "NNG", 0), ("이", "VCP", 2), ("아니", "VCN", 4)], ["책상", "아니"], False),
    ],
)
def test_a_denied_word_is_found_by_its_positive_form(
    morphemes: list[tuple[str, str, int]], terms: list[str], denies: bool
) -> None:
    analysis = analyse_text("....................", morphemes)

    assert analysis.terms == terms
    assert analysis.denies is denies


def test_readings_tell_how_each_run_was_read() -> None:
    morphemes = [("가치관", "NNG", 0), ("이", "JKS", 3), ("뭐", "NP", 5), ("이", "VCP", 6), ("야", "EF", 6)]

    assert readings_of("가치관이 뭐야?", morphemes) == {"가치관이": ["가치관"], "뭐야": ["뭐"]}


def test_hangul_is_told_from_every_other_letter() -> None:
    letters = [chr(number) for number in range(0x20000)]

    assert [one for one in letters if has_hangul(one)] == re.findall("[가-힣ᄀ-ᇿ]", "".join(letters))
    assert has_hangul("it’s 가")
    assert not has_hangul("it’s ㄱ")


FORMS = (
    "paint paints painted painting, go went gone goes going, child children, happi happy happiness, organ organs, "
    "organiz organize organizing organization, add added adding, run running ran, hope hoped hoping, hop hopped hopping, "
    "ration rational, relat relational related, peter peter's, die dying, sky skies"
)
"""Stems, each before its forms."""


@pytest.mark.parametrize("row", FORMS.split(", "))
def test_forms_of_a_word_have_one_stem(row: str) -> None:
    stem, *forms = row.split()

    assert {stem_word(form) for form in forms} == {stem}


@pytest.mark.parametrize(("one", "other"), [("hope", "hop"), ("news", "new"), ("university", "unit")])
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert stem_word(one) != stem_word(other)


@pytest.mark.parametrize("word", ["", "a", "is", "정직", "mp3", "ガラス", "straße"])
def test_what_has_no_stem_stays_as_it_is(word: str) -> None:
    assert stem_word(word) == word


@pytest.mark.parametrize(("typed", "written"), [("guimaraes", "guimarães"), ("cafes", "cafés"), ("naive", "naïve")])
def test_accents_may_be_left_out(typed: str, written: str) -> None:
    assert stem_word(typed) == stem_word(written)


KNOWN = {"가치관", "가치", "회의", "정직", "데이터", "데이터베이스", "책", "마시"}
READINGS = {"책은": ["책"], "마셔": ["마시"]}
LEXICON = lexicon_of(READINGS.get, KNOWN.__contains__)


def terms(run: str) -> list[str]:
    return list(terms_of_run(run, READINGS.get, KNOWN.__contains__))


@pytest.mark.parametrize(("run", "expected"), examples("spacing", "runs"))
def test_a_run_is_read_by_the_longest_words_known(run: str, expected: str) -> None:
    assert terms(run) == expected.split()


def test_a_word_that_ends_like_a_particle_stays_whole() -> None:
    assert terms("회의") == ["회의"]


def test_an_unknown_run_is_its_own_term_and_its_first_syllable_when_that_is_a_word() -> None:
    assert terms("설악산") == ["설악산"]
    assert terms("책장") == ["책장", "책"]


def test_denials_are_seen_without_an_analyser() -> None:
    assert analyse_by_lexicon("커피는 안 마셔", LEXICON).denies
    assert analyse_by_lexicon("I never drink", LEXICON).denies
    assert not analyse_by_lexicon("안녕 책은", LEXICON).denies


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


FILES = [one for one in Path(tables.__file__).parent.glob("*.tsv") if one.stem not in {"thesaurus", "holidays"}]


def test_a_list_has_its_words_and_a_form_its_meaning() -> None:
    assert "the" in words_in("english", "empty_words")
    assert words_in("english", "no such list") == frozenset()
    assert meanings_in("english_irregular", "past")["went"] == "go"
    assert meanings_in("units", "units")["킬로미터"] == "km"
    assert ["에디터 편집기", "editor"] in table_rows("thesaurus")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_form_stands_in_a_list_with_two_meanings(file: Path) -> None:
    rows = list(table_rows(file.stem))
    assert all(len(row) == 3 and row[0] and row[2] for row in rows)
    told = {(row[0], form, row[1]) for row in rows for form in row[2].split()}
    twice = Counter((name, form) for name, form, _ in told)
    assert not [one for one, times in twice.items() if times > 1]
