"""What speaks for a memory beside its words: how sure it is, how new, and whether somebody pinned it.

A memory without such signals gets nothing. All together stay below what one word of a query is worth, so that they
only order near-ties: a ranking that lets its counters grow sinks within a hundred of its own answers. Of two of which
one supersedes the other, the newer comes first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

CAP = 0.02
_CONFIDENCE = 0.01
_RECENCY = 0.005
_PINNED = 0.01
_HALF_LIFE_DAYS = 30

T = TypeVar("T")


def prior_of(confidence: float | None, age_days: int | None, *, is_pinned: bool) -> float:
    """The sum of the signals of a memory; `confidence` in hundredths as it is worth today, 50 being neutral."""
    sure = _CONFIDENCE * (min(max(confidence, 0.0), 100.0) - 50) / 50 if confidence is not None else 0.0
    new = _RECENCY * 0.5 ** (max(age_days, 0) / _HALF_LIFE_DAYS) if age_days is not None else 0.0
    return max(-CAP, min(sure + new + (_PINNED if is_pinned else 0.0), CAP))


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
