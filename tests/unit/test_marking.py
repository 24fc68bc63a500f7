"""Marks in answers."""

from __future__ import annotations

from bankd.search.find import marks_of


def marked(text: str, *terms: str) -> list[str]:
    return [text[start:end] for start, end in marks_of(text, terms)]


def test_latin_words_are_marked_whole_by_their_stem() -> None:
    assert marked("She painted, paints and repainted it", "paint") == ["painted", "paints"]


def test_in_hangul_the_part_that_matched_is_marked() -> None:
    assert marked("가치관은 정직이다", "가치관", "정직") == ["가치관", "정직"]


def test_one_syllable_is_marked_only_at_the_start_of_a_word() -> None:
    assert marked("책은 공책이 아니다", "책") == ["책"]


def test_irregular_forms_are_marked_too() -> None:
    assert marked("Went there, goes there, gone", "go") == ["Went", "goes", "gone"]


def test_the_longest_term_of_a_word_is_marked() -> None:
    assert marked("종대왕은 세종대왕이다. 세종의 세종대왕", "세종", "세종대왕", "대왕") == [
        "대왕",
        "세종대왕",
        "세종",
        "세종대왕",
    ]


def test_scripts_are_told_apart() -> None:
    assert marked("MongoDB를 painting이라 한다, ﬁxing", "mongodb", "paint", "fix") == ["MongoDB", "painting", "ﬁxing"]
