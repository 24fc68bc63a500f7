"""A query, ready to be compared: what each of its words, bigrams and neighbours weighs.

Rare words weigh more, those that only ask less, and what no memory has half. The values were chosen as those of `scoring`.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from bankd.core.language.analysis import Analysis
from bankd.core.ranking.question_words import WEIGHT as ASKING_WEIGHT
from bankd.core.ranking.question_words import Phrasing, asking_bigrams, requesting_terms, term_weight

K1 = 1.2
"""Robertson's BM25: how often a word must be said to count twice."""
UNKNOWN_WEIGHT = 0.5
"""What no memory has tells none from another, so it weighs less; not nothing, for the floor: the bank may not answer."""

Pair: TypeAlias = tuple[str, str]
"""Two terms in the order in which they stand."""


class Weights(NamedTuple):
    """A query, ready to be compared: the weight of each term and bigram, and the words that may name somebody."""

    terms: Mapping[str, float]
    bigrams: Mapping[str, float]
    pairs: Mapping[Pair, float]
    names: frozenset[str]
    denies: bool
    total: float
    bigram_total: float
    pair_total: float
    """What a memory would have that has every term as often as one likes, every bigram, every pair; never 0."""
    phrasing: Phrasing = "sentence"
    hangul_share: float = 1.0
    """The weight of all terms but Latin words, as a share: bigrams say nothing of these, and count no more than that."""
    asks: bool = True
    """Whether it asks; what only names its subject, as a title does, is of the whole of a memory, and no sentence answers it."""
    brevity: float = 1.0
    """What bigrams and order count: a long note has those of many subjects, so that they tell little of what it is about."""


@lru_cache(maxsize=4_096)
def idf(memories: int, frequency: int) -> float:
    """Robertson's inverse document frequency, never negative.

    A frequency may be above the number of memories: it counts those that are gone until they are swept out.
    """
    known = min(frequency, memories)
    return math.log(1 + (memories - known + 0.5) / (known + 0.5))


def _rarity(memories: int, frequency: int) -> float:
    return idf(memories, frequency) * (1.0 if frequency else UNKNOWN_WEIGHT)


def weigh_query(query: Analysis, runs: Sequence[str], memories: int, frequency: Callable[[str, str], int]) -> Weights:
    """Weigh the terms of a query; `frequency(kind, term)` counts the memories with a term, kind `terms` or `bigrams`."""
    terms: dict[str, float] = {}
    requesting = requesting_terms(query.terms, runs)
    for term in query.terms:
        worth = ASKING_WEIGHT if term in requesting else term_weight(term)
        terms[term] = terms.get(term, 0.0) + _rarity(memories, frequency("terms", term)) * worth
    asking = asking_bigrams(runs)
    bigrams: dict[str, float] = {}
    all_terms = " ".join(terms)
    for gram in query.bigrams:
        count = frequency("bigrams", gram)
        if not count and _is_seam(gram, all_terms):
            continue
        weight = ASKING_WEIGHT if gram in asking else 1.0
        bigrams[gram] = bigrams.get(gram, 0.0) + _rarity(memories, count) * weight
    names = frozenset(run.removesuffix("'s") for run in runs)
    pairs = pairs_of(query.terms, terms)
    of_terms, of_bigrams, of_pairs = (sum(weights.values()) or 1.0 for weights in (terms, bigrams, pairs))
    latin = sum(weight for term, weight in terms.items() if term.isascii() and term.isalpha()) / of_terms
    return Weights(
        terms, bigrams, pairs, names, query.denies, of_terms * (K1 + 1), of_bigrams, of_pairs, hangul_share=1 - latin
    )  # fmt: skip


def _is_seam(gram: str, terms: str) -> bool:
    """Whether two syllables meet only where a word meets its particle, its ending or the next word."""
    return len(gram) > 1 and gram not in terms


def pairs_of(terms: Sequence[str], weights: Mapping[str, float]) -> dict[Pair, float]:
    """The neighbours in a query; a pair weighs as much as its two words do in the geometric mean."""
    return {(one, next_): math.sqrt(weights[one] * weights[next_]) for one, next_ in pairwise(terms) if one != next_}
