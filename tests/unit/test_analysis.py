"""Texts as search sees them."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from bankd.words.analysis import analyse_text, has_hangul, readings_of, runs_of


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
    letters = [chr(number) for number in range(sys.maxunicode + 1)]

    assert [one for one in letters if has_hangul(one)] == re.findall("[가-힣ᄀ-ᇿ]", "".join(letters))
    assert has_hangul("it’s 가")
    assert not has_hangul("it’s ㄱ")
