"""What is found beside the bank, in its logs and its archive: whether it is asked about, and whether it says more."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from bankd.core.ranking.query import GROUPS, Filters
from bankd.core.ranking.weighing import Weights

MOST_BESIDE = 3
"""Answers of each group beside those of the bank, when nobody asked for the group."""
MOST_OF_PASSAGE = 2
"""Lines of one passage that are shown, so that it leaves room for others."""
AS_MUCH = 0.5
"""The share of what the best answer of the bank has of the words of a question that one beside it must have.

A second line of a passage must have this share of the question itself."""
_SAID = 0.8
"""The share of its words that an answer of the bank has of what says nothing more."""


def is_said(terms: Iterable[str], said: Iterable[frozenset[str]]) -> bool:
    """Whether one of these answers says nearly all of it, and every number."""
    own = frozenset(terms)
    return any(
        len(own & other) >= _SAID * len(own) and not any(term[:1].isdigit() for term in own - other) for other in said
    )


def share_asked(terms: Collection[str], weights: Weights) -> float:
    """The share of the words of a question, as the bank weighs them, that something has."""
    total = sum(weights.terms.values()) or 1.0
    return sum(weight for term, weight in weights.terms.items() if term in terms) / total


def filters_within(filters: Filters, group: str) -> Filters | None:
    """The filters as a group knows its pages; None when all pages that were named are of other groups.

    A page without a folder of the workspace before it is one of the bank.
    """
    if not filters.nodes:
        return filters
    nodes = [node.split("/", 1) if _names_folder(node) else ["bank", node] for node in filters.nodes]
    own = [rest for folder, *rest in nodes if folder == GROUPS[group]]
    if not own:
        return None
    return filters._replace(nodes=() if [] in own else tuple(path for (path,) in own))


def _names_folder(node: str) -> bool:
    return node.partition("/")[0] in GROUPS.values()
