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
    left: dict[_Thing, list[int]] = defaultdict(list)
    for number, thing in reversed(list(enumerate(before))):
        left[thing].append(number)
    found = [same.pop() if (same := left.get(thing)) else None for thing in now]
    return Matches(found, sorted(number for rest in left.values() for number in rest))
