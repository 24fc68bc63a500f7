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
        rarities = self._rarities
        for term in [term for term in counts if term not in rarities]:
            rarities[term] = idf(self._memories, self._terms.frequency("terms", term))
        worth = {term: -count * rarities[term] for term, count in counts.items()}
        return sorted(sorted(worth), key=worth.__getitem__)[:_KEYWORDS]
