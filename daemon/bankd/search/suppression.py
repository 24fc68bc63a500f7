"""Memories that were beaten when nearly the same was asked step back.

What lost where another memory of the same answer was used steps back when nearly the same is asked again.

Retrieval-induced forgetting, off unless the settings ask for it: the last table of `bench/choices.md` has what it brings.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from bankd.memory.use_policy import SAME_NEED, SUPPRESSION
from bankd.search.find import LossesOf, Ranked, in_order
from bankd.search.read import read_query
from bankd.search.request import Query
from bankd.search.weigh import Weights

if TYPE_CHECKING:
    from bankd.ports import IndexView, QueryReader

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


def suppress_beaten(
    ranked: list[Ranked], weights: Weights, losses_of: LossesOf, index: IndexView, reader: QueryReader
) -> list[Ranked]:
    """Ranked memories, those last that lost at such a question; none of them is taken away."""
    losses = losses_of([one.row.id for one in ranked if one.row.id])
    if not losses:
        return ranked

    questions = {question for asked in losses.values() for question in asked}
    words = {question: read_query(Query(question), index, reader).terms.keys() for question in questions}
    lost = {id_: suppression_of(weights.terms, [words[one] for one in asked]) for id_, asked in losses.items()}
    return in_order(_lowered(one, lost.get(one.row.id or "", 0.0)) for one in ranked)


def _lowered(one: Ranked, lost: float) -> Ranked:
    """A ranked memory with so much less; still an answer, so that nothing disappears by being ignored."""
    score = max(one.parts["score"] - lost, min(one.parts["score"], _LEAST))
    return one._replace(parts={**one.parts, "score": score, "beaten": -lost}) if lost else one


_LEAST = 0.001


class KeptAnswer(NamedTuple):
    """An answer that was given a short while ago: the question, its day, and the ids of the memories, best first."""

    question: str
    day: date
    memories: Sequence[str]


def question_lost(memory: str, used: Collection[str], answers: Sequence[KeptAnswer]) -> str | None:
    """The last question whose answer had a memory and one of those that were used; None where they never met."""
    met = (
        answer.question
        for answer in reversed(answers)
        if memory in answer.memories and any(id_ in answer.memories for id_ in used)
    )
    return next(met, None)


def suppression_of(asked: Mapping[str, float], lost: Collection[Collection[str]]) -> float:
    """What a memory loses of its score, 0 to `SUPPRESSION`.

    Args:
        asked: the words of the question and their weights.
        lost: the words of each question at which the memory was ignored
            while another of the same answer was used.
    """
    times = sum(_share_of(asked, words) >= SAME_NEED for words in lost)
    return SUPPRESSION * (1 - 0.5**times)


def _share_of(asked: Mapping[str, float], words: Collection[str]) -> float:
    """The share of the weight of a question that another has too, of the words of both."""
    both = sum(weight for word, weight in asked.items() if word in words)
    others = sum(word not in asked for word in words)
    all_ = sum(asked.values()) + others * sum(asked.values()) / max(len(asked), 1)
    return both / all_ if all_ else 0.0
