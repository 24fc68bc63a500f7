"""A first, cheap look at whether two texts can be alike at all, before they are taken apart into morphemes."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import lru_cache
from itertools import count
from operator import add
from typing import NamedTuple

_LETTERS = re.compile(r"[\W_]+")

LEAST = 0.15
"""The share of common letter pairs (Dice) below which hardly a pair of data/pairs was found to be the same or changed."""


class Pairs(NamedTuple):
    """The pairs of neighbouring letters of a text, a bit for each, and how many they are."""

    bits: int
    many: int

    def may_be_alike(self, other: Pairs) -> bool:
        """Whether two texts share enough pairs to be worth a close look."""
        return 2 * (self.bits & other.bits).bit_count() >= LEAST * (self.many + other.many)


class LetterPairs:
    """Finds the pairs of texts: what two texts share is counted in one step."""

    def __init__(self) -> None:
        self._numbers: defaultdict[str, int] = defaultdict(count().__next__)
        self.of = lru_cache(maxsize=10_000)(self._of)  # the same memories are found for many lines of a run

    def _of(self, text: str) -> Pairs:
        """The pairs of a text, without spaces and punctuation; of a single letter that letter."""
        letters = _LETTERS.sub("", text.casefold())
        numbers = [*map(self._numbers.__getitem__, {*map(add, letters, letters[1:])} or {letters})]
        octets = bytearray(max(numbers) // 8 + 1)
        for number in numbers:
            octets[number >> 3] |= 1 << (number & 7)
        return Pairs(int.from_bytes(octets, "little"), len(numbers))
