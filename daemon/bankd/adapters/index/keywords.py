"""The keywords of pages: what tree-index.json says of each."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from operator import mul

from bankd.adapters.index.terms import Terms
from bankd.core.ranking.weighing import idf

_KEYWORDS = 100
"""Keywords of a page: its terms by frequency and rarity, at most this many."""
_FEW_TERMS = 1_000
"""Exact counts a page at most: this many take a few milliseconds."""
_MANY_PAGES = 20
"""For more pages the frequencies of all terms are read at once."""


class KeywordChooser:
    """Chooses the keywords of pages by frequency in the page and rarity in the bank."""

    def __init__(self, terms: Terms, memories: int, pages: int) -> None:
        self._terms = terms
        self._memories = memories
        frequencies = terms.all_frequencies() if pages > _MANY_PAGES else []
        rarity_of = {count: idf(memories, count) for _, count in frequencies}
        self._rarities = {term: rarity_of[count] for term, count in frequencies}

    def of(self, counts: Mapping[str, int]) -> list[str]:
        """The keywords of a page that says its terms so often."""
        if not counts.keys() <= self._rarities.keys():
            self._learn(counts)
        worth = list(map(mul, counts.values(), map(self._rarities.__getitem__, counts)))
        least = sorted(worth, reverse=True)[:_KEYWORDS][-1] if worth else 0.0
        best = [(-own, term) for own, term in zip(worth, counts, strict=True) if own >= least]
        return [term for _, term in sorted(best)[:_KEYWORDS]]

    def _learn(self, terms: Iterable[str]) -> None:
        new = [term for term in terms if term not in self._rarities]
        # What is taken out of a page counts on in `frequency` for a while; few terms are worth the exact number.
        count = self._terms.count if len(new) <= _FEW_TERMS else partial(self._terms.frequency, "terms")
        self._rarities |= {term: idf(self._memories, count(term)) for term in new}
