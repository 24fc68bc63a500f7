"""The words that ask, request, or say whose: they stand in a question and seldom in its answer, so they weigh less.

None is removed.

That includes what a yes-or-no question is about (있다, 좋아하다): the answer may well say the opposite.

How many of them a question in English has says how well it must be matched; in Hangul nothing shows what a name is.
Who types three keywords is glad of a memory that has one of them. Who asks for Caroline gets no answer from one who
never heard of her: what matches the rest of the question is about others.

A query, ready to be compared: what each of its words, bigrams and neighbours weighs.

Rare words weigh more, those that only ask less, and what no memory has half. The values were chosen as those of `scoring`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias

from bankd.words.analysis import Analysis, Known, bigrams_of, fold_text, is_hangul, stem_word

ASKING_WEIGHT = 0.5

Phrasing: TypeAlias = Literal["keywords", "sentence", "of strangers"]
_ASKING = 2
"""The most words that ask in one sentence: what does, where is, did he."""

_ENGLISH = """
a about am an and any are as at be been but by can could did do does for from had has have how i if in is it its me my
of on or our shall should so some than that the their them there these they this those to was we were what when where
which who whom whose why will with would you your
"""
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
"""How a word ends by which somebody is asked to do something: 알려줘, 정리해 주세요."""
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
"""They stand before what they ask for and have no particle, so that nothing else shows where they end."""

_TERMS = frozenset(stem_word(word) for word in _ENGLISH.split()) | frozenset(_KOREAN_TERMS.split())


def term_weight(term: str) -> float:
    """What a term of a query counts for: less when it only asks."""
    return ASKING_WEIGHT if term in _TERMS else 1.0


def requesting_terms(terms: Iterable[str], runs: Iterable[str]) -> frozenset[str]:
    """The terms of a query that only say what is to be done with the answer: 정리 in 정리해줘."""
    requests = [run for run in runs if run.endswith(_REQUESTS)]
    if not requests:
        return frozenset()
    return frozenset(term for term in terms if is_hangul(term) and any(run.startswith(term) for run in requests))


def starts_asking(run: str) -> bool:
    """Whether a run of Hangul begins with a word that asks."""
    return run.startswith(_KOREAN_STARTS)


def asking_bigrams(runs: Iterable[str]) -> frozenset[str]:
    """The bigrams of the Hangul runs that only ask, request or say whose, such as 무엇인가, 알려줘 and 우리."""
    return frozenset(bigrams_of(filter(_only_asks, runs)))


def does_ask(terms: Iterable[str], runs: Iterable[str]) -> bool:
    """Whether a query asks or requests, and does not only name what it is about, as a title and key words do."""
    return any(term_weight(term) < 1 for term in terms) or any(map(_only_asks, runs))


@lru_cache(maxsize=50_000)
def _only_asks(run: str) -> bool:
    return is_hangul(run) and (starts_asking(run) or run in _OWN or run.endswith(_REQUESTS))


def phrasing_of(text: str, terms: Collection[str], known: Known) -> Phrasing:
    """How a question of these terms is put; `known` says whether a memory, or what is over it, has one."""
    if sum(term_weight(term) < 1 for term in terms) < _ASKING:
        return "keywords"
    return "of strangers" if _names_strangers(text, terms, known) else "sentence"


def _names_strangers(text: str, terms: Collection[str], known: Known) -> bool:
    """Whether a term is written as a name and nobody has it; one that was mistyped and mended is no term any more."""
    if text.isupper():
        return False
    names = {stem_word(name) for name in _written_as_names(text)}
    return any(not known(name) for name in names.intersection(terms))


def _written_as_names(text: str) -> Iterator[str]:
    """The words with a capital that do not begin a sentence, and are not `I`."""
    is_inside = False
    for written in text.split():
        word = written.strip("\"'()[]{}<>*_,;:.!?")
        if is_inside and word[:1].isupper() and word.isascii() and word != "I" and not word.startswith("I'"):
            yield fold_text(word).removesuffix("'s")
        is_inside = written[-1] not in ".!?"


# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


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
