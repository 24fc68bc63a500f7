"""A first, cheap look at whether two texts can be alike at all, before they are taken apart into morphemes."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import count
from operator import add

_LETTERS = re.compile(r"[\W_]+")

LEAST = 0.15
"""The share of common letter pairs (Dice) below which hardly a pair of data/pairs was found to be the same or changed."""


class LetterPairs:
    """The pairs of neighbouring letters of texts, a bit for each: what two texts share is counted in one step."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.of = lru_cache(maxsize=10_000)(self._of)  # the same memories are found for many lines of a run

    def _of(self, text: str) -> int:
        """The pairs of a text, without spaces and punctuation; of a single letter that letter."""
        letters, bits = _LETTERS.sub("", text.casefold()), 0
        for pair in {*map(add, letters, letters[1:])} or {letters}:
            bits |= 1 << self._numbers[pair]
        return bits


def may_be_alike(one: int, other: int) -> bool:
    """Whether two texts, by their pairs, share enough of them to be worth a close look."""
    return 2 * (one & other).bit_count() >= LEAST * (one.bit_count() + other.bit_count())
