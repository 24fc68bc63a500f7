"""A Latin word that the bank does not have, read as the one it has that is a slip of the finger away, or that it begins.

Hangul needs none of this: a wrong syllable leaves the other bigrams of its word.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

_SHORTEST = 4
_SHORTENED = 6
"""Letters from which on a word may stand for a longer one: postgres for PostgreSQL."""

Known = Callable[[str], bool]
Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


def mend_typos(terms: Sequence[str], known: Known, beginning: Beginning) -> list[str]:
    """The terms of a query, each unknown Latin one replaced by the most common one that is one slip away, or longer."""
    return [_mended(term, beginning) if _is_unknown(term, known) else term for term in terms]


def _is_unknown(term: str, known: Known) -> bool:
    return len(term) >= _SHORTEST and term.isascii() and term.isalpha() and not known(term)


def _mended(term: str, beginning: Beginning) -> str:
    """A first letter is seldom mistyped, and it keeps the search short."""
    length, middle = len(term), len(term) // 2
    head, tail = term[:middle], term[middle + 1 :]  # one slip leaves one of them as it is
    near = [other for other in beginning(term[0]) if -1 <= len(other) - length <= 1]
    near = [other for other in near if other.startswith(head) or other.endswith(tail)]
    slip = next((other for other in near if is_one_slip(term, other)), "")
    return slip or (length >= _SHORTENED and next(iter(beginning(term)), "")) or term


def is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter left out, added or replaced, or two neighbours swapped."""
    if len(one) > len(other):
        one, other = other, one
    at = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    is_swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or is_swapped
