"""What lost where another memory of the same answer was used steps back when nearly the same is asked again.

Retrieval-induced forgetting, off unless the settings ask for it: `bench.suppressing` has the table of what it brings.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import NamedTuple

from bankd.core.use.policy import SAME_NEED, SUPPRESSION


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
