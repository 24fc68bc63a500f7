"""The constants of use, each with its source: how memories fade, and how near two of them are to each other.

Design section 17 gives most of them; those marked as ours were not measured by anybody.
"""

from __future__ import annotations

import math
from enum import StrEnum

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

PACKED_AFTER, ARCHIVED_AFTER = 90, 365
"""Days after its last event in which a segment of the event log is packed, and put away: design section 17."""
LEAST_IMPORTANT, MOST_IMPORTANT = 1, 10
"""What people and agents may call a memory: design section 17."""


class Tie(StrEnum):
    """Why two memories, or a memory and a page, belong together; written by somebody first, then what is inferred."""

    LINK = "link"
    CONTAINED = "contained"
    DERIVED = "derived"
    SUPERSEDED = "superseded"
    CONTRADICTS = "contradicts"
    USED_TOGETHER = "used together"
    ENTITY = "entity"
    RARE_WORDS = "rare words"


WEIGHTS = {
    Tie.LINK: 1.0,
    Tie.CONTAINED: 0.9,
    Tie.DERIVED: 0.8,
    Tie.SUPERSEDED: 0.7,
    Tie.CONTRADICTS: 0.6,
    Tie.USED_TOGETHER: 0.6,
    Tie.ENTITY: 0.55,
    Tie.RARE_WORDS: 0.45,
}
"""Design section 17. Of what was used together it is the bound, so that it never reaches what somebody wrote."""
LEARNING_RATE = 0.1
"""Hebb's rule: by this share of what is left to the bound, each response that uses both brings two memories nearer."""
MOST_RESPONSES = 50
"""The last responses that count: after so many a tie has 99.5 % of its bound."""

USE_WORTH, IMPORTANCE_WORTH = 0.1, 0.05
"""The most that use and importance add to how near something is: ours. Together they bring nothing inferred above what
somebody wrote (0.6 * 1.15 < 0.7), so that they only order what is about equally near."""
FULLY_USED = 50
"""Days of use from which on another adds nothing: ours."""

RAREST, RAREST_SHARE = 20, 0.01
"""A word is rare in at most so many memories, and of a small bank in at most this share of them, but in two: ours."""
SHARED_WORDS = 2
"""Rare words that two memories must share: ours. One alone is chance in a bank of a few hundred."""
