"""How strong a memory is: Ebbinghaus's forgetting curve over the events of its use, between 0 and 1.

Strength orders what is offered for archiving. It deletes nothing, and no ranking asks it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from datetime import date
from typing import NamedTuple

from bankd.core.use.policy import (
    FIRST_STABILITY,
    GROWTH,
    LONGEST_STABILITY,
    MOST_IMPORTANT,
    REPEATEDLY,
    SHORTEST_STABILITY,
)
from bankd.core.use.signals import NOTHING, UseSignals


class StrengthPoint(NamedTuple):
    """A day on which something happened to a memory, or today: what, and its strength, 0 to 1, before and after."""

    day: date
    what: str
    before: float
    after: float


def stability_of(signals: UseSignals) -> float:
    """The days in which strength falls to 1/e: doubled by each day of use, halved by days of being ignored in a row."""
    stability, ignored = FIRST_STABILITY, 0
    for _, was_used in signals.days():
        ignored = 0 if was_used else ignored + 1
        if was_used:
            stability = min(stability * GROWTH, LONGEST_STABILITY)
        elif ignored >= REPEATEDLY:
            stability = max(stability / GROWTH, SHORTEST_STABILITY)
    return stability


def strength_on(today: date, last: date, signals: UseSignals = NOTHING, *, is_pinned: bool = False) -> float:
    """The strength of a memory that was learned, said again, asked for or used on `last`; a pin and importance are floors."""
    if is_pinned:
        return 1.0
    faded = math.exp(-max(0, (today - last).days) / stability_of(signals))
    return max(faded, (signals.importance or 0) / MOST_IMPORTANT)


def curve_of(
    learned: date, said_again: Collection[date], signals: UseSignals, today: date, *, is_pinned: bool = False
) -> list[StrengthPoint]:
    """The strength of a memory over its events, and today; between two points it falls as `strength_on` has it.

    A pin and importance are floors of the whole curve, as they are today.
    """

    def strength(day: date, until: date) -> float:
        known = _known_by(until, signals)
        met = [met for met in (learned, *said_again, *known.recalled, *known.used) if met <= until]
        return strength_on(day, max(met), known, is_pinned=is_pinned) if met else 0.0

    points, before = list[StrengthPoint](), date.min
    for day, what in _events_of(learned, said_again, signals, today):
        points.append(StrengthPoint(day, what, strength(day, before), strength(day, day)))
        before = day
    return points


def _known_by(until: date, signals: UseSignals) -> UseSignals:
    """What was known at the end of a day; of importance only the last word is kept."""
    recalled = {day for day in signals.recalled if day <= until}
    used, ignored = ([day for day in days if day <= until] for days in (signals.used, signals.ignored))
    return UseSignals(recalled, used, ignored, signals.importance)


def _events_of(
    learned: date, said_again: Collection[date], signals: UseSignals, today: date
) -> Iterator[tuple[date, str]]:
    """The days of a memory's life up to today, in order, each with what happened."""
    happened = {
        "learned": {learned},
        "said again": set(said_again),
        "answered": signals.recalled,
        "used": set(signals.used),
        "ignored": set(signals.ignored),
    }
    for day in sorted({today, *(day for days in happened.values() for day in days if day <= today)}):
        yield day, ", ".join(what for what, days in happened.items() if day in days) or "today"
