"""How the confidence of an opinion fades: a function of its written value, its written day and today, in hundredths.

Nothing is written daily, so a run that was missed, doubled or late changes nothing; days are local dates, so neither
do daylight saving time and zones. Whether the clock may be believed is for `clock`; what is archived, for `archive`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import TYPE_CHECKING

from bankd.core.markdown.memory import Confidence, Memory

if TYPE_CHECKING:
    from bankd.core.markdown.policy import DecayPolicy

NOTICE = timedelta(days=7)
"""How long before it goes a fading memory is announced, and the least time that it stays after it was taken in: a year of
old opinions may have faded by the time that they are imported."""


FADING_TAG = "O"
CERTAIN = 100

CONFIRMATION = 5
"""Hundredths that saying an opinion again adds: it then keeps its value when it is said every two or three days, and
one that is never said again is gone after five weeks."""


@dataclass(frozen=True, slots=True)
class Fading:
    """What an opinion loses a day, and the value strictly below which it is archived; both in hundredths."""

    per_day: int
    floor: int

    @classmethod
    def of(cls, policy: DecayPolicy) -> Fading:
        """Read the settings, which are whole hundredths written as fractions."""
        return cls(round(policy.per_day * 100), round(policy.floor * 100))


@dataclass(frozen=True, slots=True)
class Fall:
    """The day on which a memory will be below the floor, and its value on the day of the forecast."""

    day: date
    id: str
    value: int
    memory: Memory


def value_on(written: Confidence, today: date, fading: Fading) -> int:
    """The confidence of today in hundredths; a value without its day is of today, and no day lies in the past of none."""
    days = max(0, (today - written.day).days) if written.day else 0
    return max(0, written.hundredths - fading.per_day * days)


def falls_on(written: Confidence, fading: Fading) -> date | None:
    """The first day on which a dated value is strictly below the floor; None when that day never comes."""
    if written.day is None:
        return None
    above = written.hundredths - fading.floor
    if above < 0:
        return written.day
    if not fading.per_day or not fading.floor:
        return None
    days = above // fading.per_day + 1
    return written.day + timedelta(days) if days <= (date.max - written.day).days else None


def is_fading(memory: Memory) -> bool:
    """Say whether a memory fades at all: an opinion with a confidence that nobody pinned."""
    return memory.tag == FADING_TAG and memory.confidence is not None and not memory.is_pinned


def is_faded(memory: Memory, today: date, fading: Fading) -> bool:
    """Say whether a memory is strictly below the floor today."""
    if memory.confidence is None or not is_fading(memory):
        return False
    return value_on(memory.confidence, today, fading) < fading.floor


def raise_confidence(written: Confidence, today: date, fading: Fading) -> Confidence:
    """The confidence of an opinion that was said again today: a small step up from today's value, at most certain."""
    return Confidence(min(CERTAIN, value_on(written, today, fading) + CONFIRMATION), today)


def forecast_falls(memories: Iterable[tuple[str, Memory]], today: date, days: int, fading: Fading) -> list[Fall]:
    """What falls below the floor from today to this many days ahead, soonest first; memories come with their ids."""
    return sorted(_falls(memories, today, today + timedelta(days), fading), key=lambda fall: (fall.day, fall.id))


def _falls(memories: Iterable[tuple[str, Memory]], today: date, last: date, fading: Fading) -> Iterator[Fall]:
    for id_, memory in memories:
        if memory.confidence is None or not is_fading(memory):
            continue
        written = Confidence(memory.confidence.hundredths, memory.confidence.day or today)
        day = falls_on(written, fading)
        if day is not None and day <= last:
            yield Fall(max(day, today), id_, value_on(written, today, fading), memory)
