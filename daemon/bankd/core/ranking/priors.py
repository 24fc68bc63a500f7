"""What speaks for a memory beside its words: how sure it is, how new, and whether somebody pinned it.

A memory without such signals gets nothing. All together stay below what one word of a query is worth, so that they
only order near-ties: a ranking that lets its counters grow sinks within a hundred of its own answers.
"""

from __future__ import annotations

CAP = 0.02
_CONFIDENCE = 0.01
_RECENCY = 0.005
_PINNED = 0.01
_HALF_LIFE_DAYS = 30


def prior_of(confidence: float | None, age_days: int | None, *, is_pinned: bool) -> float:
    """The sum of the signals of a memory; `confidence` in hundredths as it is worth today, 50 being neutral."""
    sure = _CONFIDENCE * (min(max(confidence, 0.0), 100.0) - 50) / 50 if confidence is not None else 0.0
    new = _RECENCY * 0.5 ** (max(age_days, 0) / _HALF_LIFE_DAYS) if age_days is not None else 0.0
    return max(-CAP, min(sure + new + (_PINNED if is_pinned else 0.0), CAP))
