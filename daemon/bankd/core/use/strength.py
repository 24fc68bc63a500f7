"""How strong a memory is: Ebbinghaus's forgetting curve over the events of its use, between 0 and 1.

Strength orders what is offered for archiving. It deletes nothing, and no ranking asks it.
"""

from __future__ import annotations

import math
from datetime import date

from bankd.core.use.signals import MOST_IMPORTANT, NOTHING, UseSignals

FIRST_STABILITY = 30.0
"""Days in which the strength of a memory that nobody has used falls to 1/e: it is weak after 90, as design section 17 asks."""
WEAK = math.exp(-3)
"""Below this a memory may be offered: three times its stability has gone by."""
GROWTH = 2.0
"""By how much a use on another day multiplies the stability: ours, the smallest of the factors that spacing studies report."""
REPEATEDLY = 3
"""So many days of being ignored with no use between, and stability shrinks: once may be the fault of the question."""
SHORTEST_STABILITY, LONGEST_STABILITY = 10.0, 3650.0
"""Days. No memory is offered within a month, and none is held for more than the thirty years that ten years of stability are."""


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
