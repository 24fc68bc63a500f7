"""What two texts share is counted exactly, whichever texts were seen before."""

from __future__ import annotations

import pytest

from bankd.memory.new_lines import letter_pairs, share_of


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [("abcd", "a-b c!d", 3), ("Anna", "anana", 2), ("가나다", "나다라", 1), ("x", "X.", 1), ("x", "y", 0)],
)
def test_the_pairs_that_two_texts_share(one: str, other: str, shared: int) -> None:
    pairs, others = letter_pairs(one), letter_pairs(other)

    assert len(pairs & others) == shared
    assert share_of(pairs, others) == 2 * shared / (len(pairs) + len(others))
