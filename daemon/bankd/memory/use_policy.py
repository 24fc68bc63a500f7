"""The constants of use, each with its source: how memories fade, and what use adds to how near two of them are.

Design section 17 gives most of them; those marked as ours were not measured by anybody.
"""

from __future__ import annotations

import math

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

PRIOR_CAP = 0.02
"""The most that all priors together move a score of 0 to 1, either way: less than one word of a query is worth."""
CONFIDENCE_PRIOR, PINNED_PRIOR, RECENCY_PRIOR = 0.01, 0.01, 0.005
"""Ours: what a sure memory, a pinned one, and one of today get at most; a doubtful one loses as much as a sure one gets."""
HALF_LIFE_DAYS = 30
"""Days in which what being new or lately used is worth falls to half: design section 17."""
USE_PRIOR, IMPORTANCE_PRIOR = 0.01, 0.01
"""Ours, of the size of the others: what a memory gets that is fully used, by ln(1 + n) days, and one of importance 10.
What was only shown counts far less: SHOWN_SHARE. A competitor's counter had more to say than the words of a query, and its ranking fell from .76 to .10."""

SHOWN_SHARE = 0.1
"""What a day on which a memory only answered a search counts beside one on which it was of use: ours. Whoever asks is shown
five answers, of which one or none is right; counted in full, 1,000 questions cost .005 of MRR (`bench.use`)."""

LEAST_IMPORTANT, MOST_IMPORTANT = 1, 10
"""What people and agents may call a memory: design section 17."""

LEARNING_RATE = 0.1
"""Hebb's rule: by this share of what is left to the bound, each response that uses both brings two memories nearer."""
MOST_RESPONSES = 50
"""The number of last responses that count: after that many a tie has 99.5 % of its bound."""

USE_WORTH, IMPORTANCE_WORTH = 0.1, 0.05
"""The most that use and importance add to how near something is: ours. Together they bring nothing inferred above what
somebody wrote (0.6 * 1.15 < 0.7), so that they only order what is about equally near."""
FULLY_USED = 50
"""Days of use from which on another adds nothing: ours."""

RAREST, RAREST_SHARE = 20, 0.01
"""The most memories that a rare word is in, and the largest share of them in a small bank, but two at least: our choice."""
SHARED_WORDS = 2
"""Rare words that two memories must share: ours. One alone is chance in a bank of a few hundred."""

PROMOTED_AFTER, PROMOTED_USES = 7, 3
"""Days since something lived was learned, and days on which it was of use, from which it is offered as lasting knowledge:
design section 17."""

SAME_NEED = 0.7
"""Two questions that share so much of the weight of their words are of one cluster: ours, by the last table of `bench/choices.md`."""
SUPPRESSION = 0.05
"""The most that being beaten in a cluster takes of a score of 0 to 1; half of it after once: ours, chosen there too."""
