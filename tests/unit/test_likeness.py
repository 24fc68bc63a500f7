"""The first look at two texts: what they share is counted exactly, whichever texts were seen before."""

from __future__ import annotations

import pytest

from bankd.app.index import LetterPairs


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [("abcd", "a-b c!d", 3), ("Anna", "anana", 2), ("가나다", "나다라", 1), ("x", "X.", 1), ("x", "y", 0)],
)
def test_the_pairs_that_two_texts_share(one: str, other: str, shared: int) -> None:
    letters = LetterPairs()
    for seen_before in ("quite another text", "가나"):
        letters.of(seen_before)

    assert (letters.of(one).bits & letters.of(other).bits).bit_count() == shared


def test_texts_are_looked_at_from_a_sixth_of_their_pairs() -> None:
    letters = LetterPairs()
    text = letters.of("abcdefghijk")

    assert text.may_be_alike(letters.of("abc12345678"))
    assert not text.may_be_alike(letters.of("ab123456789"))
