"""How good a ranking is: reciprocal rank, recall and discounted gain."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple


class Quality(NamedTuple):
    """The figures of one query, or their means."""

    mrr_10: float
    recall_1: float
    recall_5: float
    recall_10: float
    ndcg_10: float


def quality_of(ranking: Sequence[str], relevant: Mapping[str, int]) -> Quality:
    """Judge one ranking of documents against grades; a document that comes twice counts once."""
    ranks = {document: rank for rank, document in reversed(list(enumerate(ranking, start=1)))}
    wanted = {document: grade for document, grade in relevant.items() if grade > 0}
    places = sorted(ranks[document] for document in wanted if document in ranks)
    gain = sum(
        wanted[document] / math.log2(rank + 1) for document, rank in ranks.items() if document in wanted and rank <= 10
    )
    ideal = sum(
        grade / math.log2(rank + 1) for rank, grade in enumerate(sorted(wanted.values(), reverse=True)[:10], start=1)
    )
    at_1, at_5, at_10 = (sum(1 for place in places if place <= depth) / len(wanted) for depth in (1, 5, 10))
    first = 1 / places[0] if places and places[0] <= 10 else 0.0
    return Quality(first, at_1, at_5, at_10, gain / ideal if ideal else 0.0)


def mean_of(figures: Sequence[Quality]) -> Quality:
    """The means over queries."""
    return Quality(*(sum(column) / len(figures) for column in zip(*figures, strict=True)))
