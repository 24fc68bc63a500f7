"""Slips of the finger in Latin words."""

from __future__ import annotations

import pytest

from bankd.search.read import is_one_slip, mend_typos

BANK = {"educ": 5, "educat": 9, "marrakech": 1, "paint": 3}


def mend(*terms: str) -> list[str]:
    common = sorted(BANK, key=lambda term: -BANK[term])
    return mend_typos(
        terms, lambda term: BANK.get(term, 0), lambda start: [term for term in common if term.startswith(start)]
    )


@pytest.mark.parametrize("typo", ["marakech", "marrrakech", "marraekch", "marrakexh", "marrakec"])
def test_one_slip_is_mended(typo: str) -> None:
    assert mend(typo) == ["marrakech"]


def test_a_beginning_of_six_letters_stands_for_the_whole_word() -> None:
    assert mend("marrak", "marra") == ["marrakech", "marra"]


@pytest.mark.parametrize("term", ["marrakesq", "pin", "정직하", "paint", "x1234", "arrakech"])
def test_what_is_known_short_or_further_away_stays(term: str) -> None:
    assert mend(term) == [term]


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("abcd", "abcd", True), ("abcd", "abdc", True), ("abcd", "badc", False), ("abc", "abcde", False), ("", "a", True)],
)
def test_a_slip_is_one_letter_or_two_swapped(one: str, other: str, *, expected: bool) -> None:
    assert is_one_slip(one, other) is expected
    assert is_one_slip(other, one) is expected


@pytest.mark.parametrize("word", ["fence", "pottery", "marrakech"])
def test_a_slip_anywhere_behind_the_first_letter_is_mended(word: str) -> None:
    left_out = {word[:at] + word[at + 1 :] for at in range(1, len(word))}
    added = {f"{word[:at]}x{word[at:]}" for at in range(1, len(word) + 1)}
    replaced = {f"{word[:at]}x{word[at + 1 :]}" for at in range(1, len(word))}
    swapped = {word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)}
    slips = sorted((left_out | added | replaced | swapped) - {word})

    read = mend_typos(slips, {word}.__contains__, lambda start: [word] if word.startswith(start) else [])

    assert {slip: term for slip, term in zip(slips, read, strict=True) if term != word} == {}
