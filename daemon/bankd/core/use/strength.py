"""How strong a memory is: Ebbinghaus's forgetting curve over the events of its use, between 0 and 1.

Strength orders what is offered for archiving. It deletes nothing, and no ranking asks it.
"""

from __future__ import annotations

import math
from datetime import date

from bankd.core.use.policy import (
    FIRST_STABILITY,
    GROWTH,
    LONGEST_STABILITY,
    MOST_IMPORTANT,
    REPEATEDLY,
    SHORTEST_STABILITY,
)
from bankd.core.use.signals import NOTHING, UseSignals


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
