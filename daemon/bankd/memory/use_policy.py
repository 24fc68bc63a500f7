"""The constants of use, each with its source: how memories grow weak, and what use adds to search and to related memories.

"Design section 17" is a published design; "ours" is a choice of this project without a measurement behind it.
"""

from __future__ import annotations

import math

FIRST_STABILITY = 30.0
"""Days in which the strength of a memory that nobody has used falls to 1/e: it is weak after 90, as design section 17 asks."""
WEAK = math.exp(-3)
"""Below this a memory may be offered for the archive: three times its stability has passed."""
GROWTH = 2.0
"""A use on another day multiplies the stability by this: ours, the smallest factor that studies of spacing report."""
REPEATEDLY = 3
"""After this many days of being ignored, with no use between, stability shrinks: once may be the fault of the question."""
SHORTEST_STABILITY, LONGEST_STABILITY = 10.0, 3650.0
"""Days. So no memory is offered within a month, and none is held for more than thirty years."""

PRIOR_CAP = 0.02
"""The most by which all priors together move a score of 0 to 1, up or down: less than one word of a query."""
CONFIDENCE_PRIOR, PINNED_PRIOR, RECENCY_PRIOR = 0.01, 0.01, 0.005
"""Ours: the most that a sure memory, a pinned one and a new one gain; a doubtful one loses as much as a sure one gains."""
HALF_LIFE_DAYS = 30
"""Days in which the gain for new or lately used memories falls to half: design section 17."""
USE_PRIOR, IMPORTANCE_PRIOR = 0.01, 0.01
"""Ours: the gain of a memory that is fully used, by ln(1 + n) days, and of one with importance 10. The gain is small on
purpose: where a counter weighed more than the words of a query, ranking fell from .76 to .10."""

SHOWN_SHARE = 0.1
"""How much a day on which a memory was only shown counts, beside a day of use: ours. A search shows five answers, of which
one or none is right; counted in full, 1,000 questions cost .005 of MRR (`bench.use`)."""

LEAST_IMPORTANT, MOST_IMPORTANT = 1, 10
"""The range of importance: design section 17."""

LEARNING_RATE = 0.1
"""Hebb's rule: each response that uses two memories closes this share of the gap between their tie and its limit."""
MOST_RESPONSES = 50
"""The last responses that count: after this many a tie has 99.5 % of its limit."""

USE_WORTH, IMPORTANCE_WORTH = 0.1, 0.05
"""The most that use and importance add to how near something is: ours. Together they lift nothing inferred above what
somebody wrote (0.6 * 1.15 < 0.7)."""
FULLY_USED = 50
"""Days of use beyond this many add nothing: ours."""

RAREST, RAREST_SHARE = 20, 0.01
"""A rare word is in at most this many memories; in a small bank in at most this share of them, but at least two: ours."""
SHARED_WORDS = 2
"""The fewest rare words that two memories must share: ours. One alone is chance in a bank of a few hundred memories."""

PROMOTED_AFTER, PROMOTED_USES = 7, 3
"""An event is offered as lasting knowledge this many days after it was learned, if used on this many days: design section 17."""
