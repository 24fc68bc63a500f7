"""What of the memories found is an answer; "nothing relevant" is one too."""

from collections.abc import Sequence

from bankd.core.language.dates.question_days import AskedTime
from bankd.core.ranking.floor import CosineBounds, answers_across, floor_of, witness_factor
from bankd.core.ranking.ranked import Ranked
from bankd.core.ranking.scoring import Corpus, Weights
from bankd.core.ranking.timing import TELLING, TIME_WEIGHT

_TAIL = 0.5
"""The share of the floor that the further answers must reach, once one has reached it."""


def answers_among(
    best: Sequence[Ranked],
    asked: AskedTime,
    weights: Weights,
    corpus: Corpus,
    margin: float,
    bounds: "CosineBounds | None",
) -> Sequence[Ranked]:
    """What of the best is an answer; where nothing of the days asked about is, what there is of them."""
    answers = above_floor(best, weights, corpus, margin, bounds)
    if margin > 1 or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)] if asked.windows else answers


def _is_of_days(one: Ranked) -> bool:
    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT


def above_floor(
    ranked: Sequence[Ranked],
    weights: Weights,
    corpus: Corpus,
    margin: float = 1.0,
    bounds: "CosineBounds | None" = None,
) -> Sequence[Ranked]:
    """What is an answer: nothing when no memory reaches the floor, else all that reach half of it.

    With a margin above 1, only what is above the floor by so much; `bounds` say what cosines tell, where there are any.
    """
    factor = witness_factor(
        max((one.parts["meaning"] for one in ranked if "meaning" in one.parts), default=None), bounds
    )
    floors = [factor * floor_of(one.candidate, weights, corpus) for one in ranked]
    across = [answers_across(one.candidate, weights, one.parts.get("meaning"), bounds) for one in ranked]
    if max((_by_words(one) / floor for one, floor in zip(ranked, floors, strict=True)), default=0.0) < margin:
        return [one for one, is_answer in zip(ranked, across, strict=True) if is_answer and margin <= 1]
    reached = [
        (one.parts["score"] - one.parts.get("time", 0.0)) / floor for one, floor in zip(ranked, floors, strict=True)
    ]
    return [one for one, share in zip(ranked, reached, strict=True) if share >= (_TAIL if margin <= 1 else margin)]


def _by_words(one: Ranked) -> float:
    """What a memory scores without the days asked about, and without meaning."""
    return one.parts.get("by_words", one.parts["score"] - one.parts.get("time", 0.0))
