"""A first, cheap look at whether two texts can be alike at all, before they are taken apart into morphemes."""

from __future__ import annotations

import re
from operator import add

_LETTERS = re.compile(r"[\W_]+")

LEAST = 0.35
"""The share of common letter pairs (Dice) below which no pair of the calibration sets was found to be the same."""


def letter_pairs(text: str) -> frozenset[str]:
    """The pairs of neighbouring letters of a text, without spaces and punctuation."""
    letters = _LETTERS.sub("", text.casefold())
    return frozenset(map(add, letters, letters[1:])) or frozenset({letters})


def may_be_alike(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts share enough letter pairs to be worth a close look."""
    return 2 * len(one & other) >= LEAST * (len(one) + len(other))
