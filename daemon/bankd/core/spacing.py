"""A question without the spaces that its writer put inside words: `세 종대왕의` is read as the one word that the bank has.

The other way, words written together, needs no rule here: morphemes and bigrams find them.
"""

# No postponed annotations here: what a query imports is compiled once; and no pattern, which takes longer than the work.
from collections.abc import Callable, Iterable
from itertools import takewhile

from bankd.core.analysis import is_hangul

Seen = Callable[[str], bool]
"""Whether a run of Hangul occurs in the bank as it stands, between spaces or other scripts."""


def rejoin(text: str, seen: Seen) -> str:
    """A text in NFKC without the spaces in words: between two runs that the bank has as one, and not both by themselves."""
    words = text.split(" ")
    result = words[0]
    for word in words[1:]:
        left, right = _run(reversed(result))[::-1], _run(word)
        is_one = left and right and seen(left + right) and not (seen(left) and seen(right))
        result += word if is_one else f" {word}"
    return result


def _run(letters: Iterable[str]) -> str:
    return "".join(takewhile(is_hangul, letters))
