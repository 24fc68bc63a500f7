"""What speaks for a memory beside its words: how sure it is, how new or lately used, how often it was, how important, and pins.

A memory without such signals gets nothing. All together stay below what one word of a query is worth, so that they
only order near-ties: a ranking that lets its counters grow sinks within a hundred of its own answers. Of two of which
one supersedes the other, the newer comes first. All constants are in `core.use.policy`.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import NamedTuple, TypeVar

from bankd.core.use.policy import (
    CONFIDENCE_PRIOR,
    FULLY_USED,
    HALF_LIFE_DAYS,
    IMPORTANCE_PRIOR,
    PINNED_PRIOR,
    PRIOR_CAP,
    RECENCY_PRIOR,
    SHOWN_SHARE,
    USE_PRIOR,
)

_MOST_IMPORTANT = 10

T = TypeVar("T")


class Usage(NamedTuple):
    """What a ranking asks of a memory: on how many days it was of use, the last of them, its importance, and on how many it was shown."""

    days: int = 0
    last: date | None = None
    importance: int | None = None
    shown: int = 0


NOT_USED = Usage()


def prior_of(
    confidence: float | None, day: date | None, today: date, *, is_pinned: bool, usage: Usage = NOT_USED
) -> float:
    """The sum of the signals of a memory of this day; `confidence` in hundredths as it is worth today, 50 being neutral."""
    sure = CONFIDENCE_PRIOR * (min(max(confidence, 0.0), 100.0) - 50) / 50 if confidence is not None else 0.0
    pinned = PINNED_PRIOR if is_pinned else 0.0
    return max(-PRIOR_CAP, min(sure + pinned + _recency(day, today, usage) + _use(usage), PRIOR_CAP))


def _recency(day: date | None, today: date, usage: Usage) -> float:
    last = max(day, usage.last) if day and usage.last else day or usage.last
    return RECENCY_PRIOR * 0.5 ** (max((today - last).days, 0) / HALF_LIFE_DAYS) if last else 0.0


def _use(usage: Usage) -> float:
    if usage is NOT_USED:  # nearly all are
        return 0.0
    days = min(usage.days + SHOWN_SHARE * usage.shown, FULLY_USED)
    often = math.log1p(days) / math.log1p(FULLY_USED) if days else 0.0
    return USE_PRIOR * often + IMPORTANCE_PRIOR * (usage.importance or 0) / _MOST_IMPORTANT


def newest_first(ranked: Sequence[T], id_of: Callable[[T], str | None], newer: Mapping[str, str]) -> list[T]:
    """Put each newer answer where the older one stands, and the older one right after it; the others keep their order."""
    result = list(ranked)
    place = {id_: n for n, one in enumerate(result) if (id_ := id_of(one))}
    for old in sorted(place, key=place.__getitem__):
        new = _newest(old, newer, place)
        here = [id_of(one) for one in result]
        if new and here.index(new) > here.index(old):
            result.insert(here.index(old), result.pop(here.index(new)))
    return result


def _newest(old: str, newer: Mapping[str, str], place: Mapping[str, int]) -> str | None:
    """The last memory in the chain of those that supersede this one, as far as it was found."""
    seen, found = {old}, None
    while (old := newer.get(old, "")) and old not in seen:
        seen.add(old)
        found = old if old in place else found
    return found
