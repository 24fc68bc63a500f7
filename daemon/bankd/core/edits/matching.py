"""What of a page is as it was: each thing that stands there now is matched with an equal one from before."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple, TypeVar

_Thing = TypeVar("_Thing")


class Matches(NamedTuple):
    """By number, in order: for each thing the equal one from before, None for a new one; and those from before that are gone."""

    before: list[int | None]
    gone: list[int]


def match_equal(now: Iterable[_Thing], before: Iterable[_Thing]) -> Matches:
    """Match things with equal ones, the first with the first; no thing is matched twice."""
    now, before = list(now), list(before)
    same = next((at for at, (one, other) in enumerate(zip(now, before, strict=False)) if one != other), None)
    begin = min(len(now), len(before)) if same is None else same  # most change little, and near the end
    left: dict[_Thing, list[int]] = defaultdict(list)
    for number in range(len(before) - 1, begin - 1, -1):
        left[before[number]].append(number)
    found = [equal.pop() if (equal := left.get(thing)) else None for thing in now[begin:]]
    return Matches([*range(begin), *found], sorted(number for rest in left.values() for number in rest))
