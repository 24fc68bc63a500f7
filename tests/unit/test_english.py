"""Stems of English words."""

from __future__ import annotations

import pytest

from bankd.words.analysis import stem_word

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


@pytest.mark.parametrize("word", ["", "a", "is", "정직", "mp3", "naïve"])
def test_what_has_no_stem_stays_as_it_is(word: str) -> None:
    assert stem_word(word) == word
