"""Where a memory belongs by what it is like: the pages of the most similar memories decide, when they agree clearly.

They are asked after the rules and before the inbox; the kind of a memory (`page_classifier`) stands above what is little alike. So bankd learns from where the user moves things: what was moved to a
page speaks for that page. Chosen on one half of 150 everyday lines and reported on the other (bench.routing).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import is_own

NEAREST = 3
"""So many memories are asked."""
_LEAST = 0.12
"""The score that one memory of the page, of the same tag, must have: below, what two lines share are words of no subject."""
_CLOSE = 0.2
"""The score from which it stands above the kind of a memory: below, where the two named different pages of the template, the
kind was right 24 times of 32, likeness 5 (shipped examples in a bank of 400 others, bench.routing)."""
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
    entities: tuple[str, ...] = ()


def choose_page(memory: Memory, similar: Sequence[Similar]) -> tuple[str, Sequence[Similar]] | None:
    """The page that the most similar memories agree on and those of them that stand there; None when they do not.

    What is said of somebody says nothing of a memory that does not name them, and no page claims a memory by others of
    another tag alone: an opinion on a seat is no place for where the seat is.
    """
    asked = [one for one in similar if not is_own(one.page) and set(one.entities) <= set(memory.entities)][:NEAREST]
    votes: dict[str, float] = defaultdict(float)
    for one in asked:
        votes[one.page] += one.score * (1 if one.tag == memory.tag else _OTHER_TAG)
    page, most = max(votes.items(), key=lambda vote: vote[1], default=("", 0.0))
    witnesses = [one for one in asked if one.page == page]
    is_sure = any(one.score >= _LEAST and one.tag == memory.tag for one in witnesses)
    is_clear = most >= _AGREEMENT * sum(votes.values()) and is_sure
    return (page, witnesses) if is_clear else None


def is_close(memory: Memory, witnesses: Sequence[Similar]) -> bool:
    """Whether one of these, of the same tag, is so much alike that its page is surer than what a memory is about."""
    return any(one.score >= _CLOSE and one.tag == memory.tag for one in witnesses)
