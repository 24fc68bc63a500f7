"""What of the memories found is an answer; "nothing relevant" is one too."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING

from bankd.core.ranking.floor import answers_across, evidence_of, floor_of, shares_subject

if TYPE_CHECKING:
    from bankd.core.language.dates.question_days import AskedTime
    from bankd.core.ranking.fusion import CosineBounds
    from bankd.core.ranking.ranked import Ranked
    from bankd.core.ranking.scoring import Corpus
    from bankd.core.ranking.weighing import Weights

_TAIL = 0.5
"""The share of the floor that the further answers must reach, once one has reached it."""
NEAREST_SHOWN = 5
"""So many are shown where nothing is an answer: `python -m bench.short_facts` says where the right one stands then."""


def answers_among(
    best: Sequence[Ranked],
    asked: AskedTime,
    weights: Weights,
    corpus: Corpus,
    margin: float,
    bounds: CosineBounds | None,
) -> Sequence[Ranked]:
    """What of the best is an answer; where nothing of the days asked about is, what there is of them."""
    answers = above_floor(best, weights, corpus, margin, bounds)
    if margin > 1 or not asked.windows or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)]


def nearest_among(best: Sequence[Ranked], weights: Weights) -> Sequence[Ranked]:
    """Where nothing is an answer, what shares a word with the question that tells something, or may share its meaning."""
    return [one for one in best if "meaning" in one.parts or shares_subject(one.candidate, weights)]


def _is_of_days(one: Ranked) -> bool:
    from bankd.core.ranking.timing import TELLING, TIME_WEIGHT  # noqa: PLC0415 -- most questions name no day

    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT


def above_floor(
    ranked: Sequence[Ranked],
    weights: Weights,
    corpus: Corpus,
    margin: float = 1.0,
    bounds: CosineBounds | None = None,
) -> Sequence[Ranked]:
    """What is an answer: nothing when no memory reaches the floor, else all that reach half of it.

    Where meaning alone says so, all that score half of what the best does.

    With a margin above 1, only what is above the floor by so much; `bounds` say what cosines tell, where there are any.
    """
    floors = [floor_of(one.candidate, weights, corpus) for one in ranked]
    by_words = [
        _by_words(one) / floor
        for one, floor in zip(ranked, floors, strict=True)
        if shares_subject(one.candidate, weights)
    ]
    words = max(by_words, default=0.0)
    reached = [
        (one.parts["score"] - one.parts.get("time", 0.0)) / floor for one, floor in zip(ranked, floors, strict=True)
    ]
    sure = _with_witness(words, ranked, bounds)
    if margin > 1:
        return [one for one, share in zip(ranked, reached, strict=True) if min(sure, words, share) >= margin]
    if sure < 1 and not any(_answers_across(one, weights, bounds) for one in ranked):
        return []
    least = _TAIL * min(1.0, max(reached))
    return [one for one, share in zip(ranked, reached, strict=True) if share >= least]


def _with_witness(words: float, ranked: Sequence[Ranked], bounds: CosineBounds | None) -> float:
    nearest = max((one.parts for one in ranked if "meaning" in one.parts), key=itemgetter("meaning"), default={})
    return evidence_of(words, nearest.get("meaning"), nearest.get("lead"), bounds)


def _answers_across(one: Ranked, weights: Weights, bounds: CosineBounds | None) -> bool:
    return answers_across(one.candidate, weights, one.parts.get("meaning"), one.parts.get("lead"), bounds)


def _by_words(one: Ranked) -> float:
    """What a memory scores without the days asked about, and without meaning."""
    return one.parts.get("by_words", one.parts["score"] - one.parts.get("time", 0.0))
