"""What search is measured against, over the same documents: ripgrep by key words, BM25, and BM25 joined with cosines.

BM25 has k1 1.2 and b .75 over the same terms that bankd indexes (Kiwi's content morphemes, Snowball stems). The sixty lines
are a convex sum of it and of the cosines of the same vectors, each scaled from its least to its most over the union of
both top hundreds. ripgrep ranks by how many of the words of a question stand in a document, earlier ones first.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from bankd.search.score import term_weight
from bankd.words.analysis import analyse_text

K1, B, TOP = 1.2, 0.75, 100
_WORD = re.compile(r"\w{2,}")


class Peers:
    """The documents of a set, by number: their texts, and the terms of each."""

    def __init__(self, texts: Sequence[str], terms: Sequence[Sequence[str]]) -> None:
        self._texts = [text.casefold() for text in texts]
        self._lengths = [len(one) for one in terms]
        self._average = sum(self._lengths) / len(terms) or 1.0
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        for number, one in enumerate(terms):
            for term, times in Counter(one).items():
                self._postings[term][number] = times

    def ripgrep(self, question: str, inside: Collection[int]) -> list[int]:
        """The documents with most of the words of a question that do not only ask."""
        asked = {word for word in _WORD.findall(question.casefold()) if _tells(word)}
        found = {number: sum(word in self._texts[number] for word in asked) for number in inside}
        return sorted((number for number in found if found[number]), key=lambda number: (-found[number], number))

    def bm25(self, terms: Sequence[str], inside: Collection[int]) -> dict[int, float]:
        """The score of each document that has one of the terms."""
        scores: dict[int, float] = defaultdict(float)
        for term, asked in Counter(terms).items():
            postings = self._postings.get(term, {})
            idf = math.log(1 + (len(self._lengths) - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, times in postings.items():
                if number in inside:
                    norm = K1 * (1 - B + B * self._lengths[number] / self._average)
                    scores[number] += asked * idf * times * (K1 + 1) / (times + norm)
        return scores

    @staticmethod
    def ranked(scores: Mapping[int, float]) -> list[int]:
        """The documents, best first."""
        return sorted(scores, key=lambda number: (-scores[number], number))

    def sixty_lines(self, words: Mapping[int, float], cosines: Mapping[int, float], share: float = 0.5) -> list[int]:
        """BM25 and cosines as one order."""
        union = {*self.ranked(words)[:TOP], *self.ranked(cosines)[:TOP]}
        parts = (_scaled({number: of.get(number, 0.0) for number in union}) for of in (words, cosines))
        by_words, by_meaning = parts
        return self.ranked({one: (1 - share) * by_words[one] + share * by_meaning[one] for one in union})


def _scaled(scores: Mapping[int, float]) -> dict[int, float]:
    low, high = min(scores.values(), default=0.0), max(scores.values(), default=0.0)
    return {number: (score - low) / (high - low) if high > low else 0.0 for number, score in scores.items()}


def _tells(word: str) -> bool:
    return all(term_weight(term) == 1 for term in analyse_text(word).terms or [word])
