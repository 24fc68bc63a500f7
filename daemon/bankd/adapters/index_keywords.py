"""The keywords of pages: what tree-index.json says of each."""

from __future__ import annotations

from collections.abc import Mapping

from bankd.adapters.index_terms import Terms
from bankd.core.scoring import idf

_KEYWORDS = 100
"""Keywords of a page: its terms by frequency and rarity, at most so many."""
_MANY_PAGES = 20
"""For more pages the frequencies of all terms are read at once."""


class KeywordChooser:
    """Chooses the keywords of pages by frequency in the page and rarity in the bank."""

    def __init__(self, terms: Terms, memories: int, pages: int) -> None:
        self._terms = terms
        self._memories = memories
        self._rarities = (
            {term: idf(memories, count) for term, count in terms.all_frequencies()} if pages > _MANY_PAGES else {}
        )

    def of(self, counts: Mapping[str, int]) -> list[str]:
        """The keywords of a page that says its terms so often."""
        best = sorted([(-count * self._rarity(term), term) for term, count in counts.items()])
        return [term for _, term in best[:_KEYWORDS]]

    def _rarity(self, term: str) -> float:
        if term not in self._rarities:
            self._rarities[term] = idf(self._memories, self._terms.frequency("terms", term))
        return self._rarities[term]
