"""Which of the memories found are an answer; "nothing relevant" is a result too.

By words, the best memory must have a share of the weight of the question's words, more where memories are long and have many
words of any question, and one word that does not only ask.
Where sentence vectors take part, a memory must be nearer than two strangers usually are: between how near it is to
questions that have nothing to do with a workspace, and how near the question is to the nearest of these (`workers.vector_worker`).
So the floor knows which memories and questions are near to everything, and in which languages they are, whatever model made the vectors.
The longer and the more the memories of a bank are, the nearer one must be: a paragraph that answers stands out more than a
fact, and among many some are near by chance. A memory that shares all words may be farther away.

`bench/floor.py` shows how many true answers this costs and how many false ones it stops, in banks of several sizes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import chain
from math import log10
from typing import TYPE_CHECKING

from bankd.search.weigh import term_weight

if TYPE_CHECKING:
    from bankd.search.find import Ranked
    from bankd.search.meaning import Near
    from bankd.search.request import Query
    from bankd.search.score import Candidate, Corpus
    from bankd.search.weigh import Weights
    from bankd.words.day_questions import AskedTime

WORDS_FLOOR = 0.14
"""The share of the weight of a question's words that one memory must have, where memories have 25 terms."""
_WORDS_FOR_LENGTH = 0.05
"""Added to it where memories have ten times as many terms."""
WITNESS = 0.1
"""The value of sharing all words of a question, as a cosine."""
_FOR_LENGTH, _FOR_SIZE = 0.01, 0.005
"""A memory must be this much nearer in a bank whose memories have ten times as many terms, and in one of ten times as many memories."""
_UNASKED = 0.12
"""The share of the words for one floor of an answer that nobody asked for; the margin of the hooks was chosen with it."""
STEP = 0.02
"""A cosine this much above the floor counts as one floor more, for questions with a margin."""
_LINE, _LONG = 25, 120
"""Terms of a memory: at the first `WORDS_FLOOR` holds; more than the second count as it."""
_TAIL = 0.5
"""Other answers must reach this share of the best score."""
NEAREST_SHOWN = 5
"""The number of nearest memories shown if nothing is an answer (`python -m bench.sets short` measures it)."""


def evidence_of(words: float, cosine: float | None, usual: float | None, corpus: Corpus) -> float:
    """The evidence of shared words and nearness together, in floors; from 1 on it is an answer.

    `usual` is the cosine that strangers would have in the place of question and memory; None if words alone decide.
    """
    length = log10(min(max(corpus.words, 1.0), _LONG))
    if cosine is None or usual is None:
        return words / (WORDS_FLOOR + _WORDS_FOR_LENGTH * (length - log10(_LINE)))
    least = usual + _FOR_LENGTH * length + _FOR_SIZE * log10(max(corpus.memories, 1))
    return 1 + (cosine + WITNESS * words - least) / STEP


def share_asked(terms: Collection[str], weights: Weights) -> float:
    """The share of a question's words that a memory has; 0 if it has only words that ask."""
    if shares_subject(terms, weights):
        total = sum(weights.terms.values()) or 1.0
        return sum(weight for term, weight in weights.terms.items() if term in terms) / total
    return 0.0


def shares_subject(terms: Collection[str], weights: Weights) -> bool:
    """Whether a memory shares more with a question than asking words: "of" does not tell a capital from a disk.

    In a question that has only asking words, these count.
    """
    subjects = _subjects_of(tuple(weights.terms))
    return not subjects or not subjects.isdisjoint(terms)


@lru_cache(maxsize=16)  # every memory of an answer needs the same
def _subjects_of(terms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for term in terms if term_weight(term) == 1)


def answering_terms(candidate: Candidate) -> frozenset[str]:
    """The words by which a memory may answer: its own, its heading's, its subject's, and those of questions it answers."""
    return frozenset(chain.from_iterable((*candidate.sentences, candidate.heading, *candidate.asked)))


def answers_among(best: Sequence[Ranked], asked: AskedTime, query: Query) -> Sequence[Ranked]:
    """The best memories that are an answer; if none from the asked days is one, all memories of these days."""
    answers = above_floor(best, query)
    if query.margin > 1 or not asked.windows or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)]


def with_floors(ranked: Sequence[Ranked], weights: Weights, near: Near | None, corpus: Corpus) -> list[Ranked]:
    """The memories with two more parts: `floors`, the evidence for each, and `asked`, its share of the question's words."""
    found = []
    for one in ranked:
        share = share_asked(answering_terms(one.candidate), weights)
        usual = near.usual.get(one.row.row) if near else None
        floors = evidence_of(share, one.parts.get("meaning"), usual, corpus)
        found.append(one._replace(parts={**one.parts, "asked": share, "floors": floors}))
    return found


def above_floor(ranked: Sequence[Ranked], query: Query) -> Sequence[Ranked]:
    """No memory if none reaches the floor; else all with half the best score, or as many as are asked for.

    A margin above 1 is a factor on the floor, for words too. `ranked` must have its floors.
    """
    if query.margin > 1:
        return [one for one in ranked if min(one.parts["floors"], one.parts["asked"] / _UNASKED) >= query.margin]
    if max((one.parts["floors"] for one in ranked), default=0.0) < 1:
        return []
    if query.is_limited:
        return ranked
    scores = [one.parts["score"] - one.parts.get("time", 0.0) for one in ranked]
    return [one for one, score in zip(ranked, scores, strict=True) if score >= _TAIL * max(scores)]


def nearest_among(best: Sequence[Ranked], weights: Weights) -> Sequence[Ranked]:
    """The nearest memories if nothing is an answer: those that share a telling word with the question, or may share its meaning."""
    return [one for one in best if "meaning" in one.parts or shares_subject(answering_terms(one.candidate), weights)]


def _is_of_days(one: Ranked) -> bool:
    from bankd.search.days import TELLING, TIME_WEIGHT  # noqa: PLC0415 -- most questions name no day

    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT
