"""The weights of a query's words and neighbours: rare words weigh more, words that only ask weigh less.

Words that ask, request or say whose stand in a question and seldom in its answer, but none is removed. They include
the verb of a yes-or-no question (있다, 좋아하다), since the answer may say the opposite.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple, TypeAlias

from bankd.words.analysis import is_hangul, stem_word
from bankd.words.tables import words_in

ASKING_WEIGHT = 0.5

_KOREAN_TERMS = """
무엇 뭐 뭣 무어 누구 언제 어디 어느 어떤 어떻 어떠하 왜 몇 얼마 무슨 것 거 이 그 저 하 되 이것 그것
있 좋아하 즐기
나 내 저 제 우리 저희
"""
_KOREAN_STARTS = (
    "무엇", "뭐", "뭣", "누구", "언제", "어디", "어느", "어떤", "어떻", "어때", "왜", "몇", "얼마", "무슨", "인가", "인지",
    "있나", "있어", "했나", "하나", "했지", "했어", "좋아", "즐기", "즐겨",
)  # fmt: skip
_REQUESTS = ("줘", "줘요", "주라", "주세요", "줄래", "줄래요", "달라", "주십시오", "주시오", "다오", "드려",
    "주실", "주시기", "주시면", "주시겠어요", "바랍니다", "부탁드립니다")  # fmt: skip
"""Endings of requests: 알려줘, 정리해 주세요."""
_OWN = frozenset(
    [
        "나",
        "내",
        "나의",
        "내가",
        "나는",
        "난",
        "나도",
        "나한테",
        "저",
        "제",
        "제가",
        "저는",
        "저의",
        "우리",
        "우리가",
        "우리는",
        "우리의",
        "저희",
        "저희가",
        "저희는",
        "저희의",
    ]
)
DETERMINERS = ("어떤", "무슨", "어느")
"""Words that ask, stand before their noun and have no particle, so that only this list shows where they end."""

_TERMS = frozenset(map(stem_word, words_in("english", "function_words"))) | frozenset(_KOREAN_TERMS.split())


def term_weight(term: str) -> float:
    """The weight of a term of a query: less if it only asks."""
    return ASKING_WEIGHT if term in _TERMS else 1.0


def requesting_terms(terms: Iterable[str], runs: Iterable[str]) -> frozenset[str]:
    """The terms of a query that only say what to do with the answer: 정리 in 정리해줘."""
    requests = [run for run in runs if run.endswith(_REQUESTS)]
    if not requests:
        return frozenset()
    return frozenset(term for term in terms if is_hangul(term) and any(run.startswith(term) for run in requests))


def starts_asking(run: str) -> bool:
    """Whether a run of Hangul begins with a word that asks."""
    return run.startswith(_KOREAN_STARTS)


@lru_cache(maxsize=50_000)
def _only_asks(run: str) -> bool:
    return is_hangul(run) and (starts_asking(run) or run in _OWN or run.endswith(_REQUESTS))


# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


K1 = 1.2
"""k1 of Robertson's BM25: how fast more occurrences of a word stop counting."""
Pair: TypeAlias = tuple[str, str]
"""Two terms, in order."""


class Weights(NamedTuple):
    """A query ready for scoring: the weight of each term and each pair of neighbours, and the words that may be names."""

    terms: Mapping[str, float]
    pairs: Mapping[Pair, float]
    names: frozenset[str]
    total: float
    pair_total: float
    """The highest possible score: every term many times, and every pair; never 0."""
    asks: bool = True
    """Whether it is a question. A query like a title is about a memory as a whole, and no single sentence answers it."""
    brevity: float = 1.0
    """The weight of the order of words: less for a query like a title in a bank of notes."""


NOTE = 150
"""From this average number of terms on, memories count as notes: the order of their words says little about their subject."""


FEW = 20
"""The least number of memories used to weigh rare words: a smaller bank says little about how rare a word is."""


@lru_cache(maxsize=4_096)
def idf(memories: int, frequency: int) -> float:
    """Robertson's inverse document frequency, never negative.

    A frequency may be above the number of memories: it counts those that are gone until they are swept out.
    """
    known = min(frequency, memories)
    return math.log(1 + (memories - known + 0.5) / (known + 0.5))


def weigh_query(
    terms: Sequence[str], runs: Sequence[str], memories: int, average: float, frequency: Callable[[str], int]
) -> Weights:
    """Weigh the terms of a query, cut into these runs; `frequency` counts the memories with a term, `average` their terms."""
    weights: dict[str, float] = {}
    memories = max(memories, FEW)
    requesting = requesting_terms(terms, runs)
    for term in terms:
        worth = ASKING_WEIGHT if term in requesting else term_weight(term)
        weights[term] = weights.get(term, 0.0) + idf(memories, frequency(term)) * worth
    pairs = {(one, after): math.sqrt(weights[one] * weights[after]) for one, after in pairwise(terms) if one != after}
    names = (
        frozenset(run.removesuffix("'s") for run in runs) | weights.keys()
    )  # a Korean name has its particle in the run
    total, pair_total = (sum(values.values()) or 1.0 for values in (weights, pairs))
    asks = any(term_weight(term) < 1 for term in weights) or any(map(_only_asks, runs))
    return Weights(
        weights, pairs, names, total * (K1 + 1), pair_total, asks, 1.0 if asks or average <= NOTE else NOTE / average
    )
