"""Where a memory belongs by what it is like: the pages of the most similar memories decide, when they agree clearly.

They are asked after the rules and before the inbox. So bankd learns from where the user moves things: what was moved to a
page speaks for that page. Chosen on one half of 150 everyday lines and reported on the other (tests.bench.routing).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from bankd.core.markdown.own_pages import is_own

NEAREST = 3
"""So many memories are asked."""
_LEAST = 0.12
"""The score that one memory of the page must have: below, what two lines share are words of no subject."""
_AGREEMENT = 0.5
"""The share of the votes that a page needs."""
_OTHER_TAG = 0.5
"""What a memory of another tag weighs: a habit and a fact about the same thing stand on different pages."""


class Similar(NamedTuple):
    """A memory of the bank that is like a new one: its page relative to bank/, and how alike they are, 0 to 1."""

    name: str
    page: str
    tag: str | None
    text: str
    score: float


def choose_page(tag: str | None, similar: Sequence[Similar]) -> tuple[str, Sequence[Similar]] | None:
    """The page that the most similar memories agree on and those of them that stand there; None when they do not."""
    asked = [one for one in similar if not is_own(one.page)][:NEAREST]
    votes: dict[str, float] = defaultdict(float)
    for one in asked:
        votes[one.page] += one.score * (1 if one.tag == tag else _OTHER_TAG)
    page, most = max(votes.items(), key=lambda vote: vote[1], default=("", 0.0))
    witnesses = [one for one in asked if one.page == page]
    is_clear = most >= _AGREEMENT * sum(votes.values()) and any(one.score >= _LEAST for one in witnesses)
    return (page, witnesses) if is_clear else None
