"""Words that stand together: the neighbours in a query that follow each other in a memory, or nearly."""

# No postponed annotations here: what a query imports is compiled once, and this module has few.
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import compress, pairwise
from typing import TypeAlias

_NEAR = 3
"""Places on, counted in terms, within which words belong together: `support group` finds `group for support` no more than it should."""

Pair: TypeAlias = tuple[str, str]
"""Two terms in the order in which they stand."""


def pairs_of(terms: Sequence[str], weights: Mapping[str, float]) -> dict[Pair, float]:
    """The neighbours in a query; a pair weighs as much as its two words do in the geometric mean."""
    return {(one, next_): math.sqrt(weights[one] * weights[next_]) for one, next_ in pairwise(terms) if one != next_}


def pairs_in(sentences: Iterable[Sequence[str]], terms: Collection[str]) -> set[Pair]:
    """The pairs of these terms that follow each other in a sentence, at most three places on."""
    found: set[Pair] = set()
    for sentence in sentences:
        places = list(compress(enumerate(sentence), map(terms.__contains__, sentence)))
        for number, (at, term) in enumerate(places):
            found.update(
                (term, other) for place, other in places[number + 1 : number + 1 + _NEAR] if place - at <= _NEAR
            )
    return found
