"""The words baseline: BM25 over lower-cased words, as a full-text search without a word of Korean or English does it."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

_WORD = re.compile(r"\w+")


class WordSearch:
    """Memories and their words; k1 1.2, b 0.75."""

    def __init__(self, documents: Sequence[Mapping[str, Any]]) -> None:
        self._documents = documents
        self._postings: dict[str, dict[int, int]] = defaultdict(dict)
        self._lengths = []
        for number, document in enumerate(documents):
            words = Counter(_WORD.findall(str(document["text"]).lower()))
            self._lengths.append(sum(words.values()))
            for word, count in words.items():
                self._postings[word][number] = count
        self._average = sum(self._lengths) / len(documents)

    def rank(self, query: Mapping[str, Any], group: str) -> list[str]:
        """The ten best documents of the query's group."""
        scores: dict[int, float] = defaultdict(float)
        total = len(self._documents)
        for word in _WORD.findall(str(query["text"]).lower()):
            postings = self._postings.get(word, {})
            idf = math.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            for number, count in postings.items():
                if self._documents[number].get(group) == query.get(group):
                    norm = 1.2 * (0.25 + 0.75 * self._lengths[number] / self._average)
                    scores[number] += idf * count * 2.2 / (count + norm)
        best = sorted(scores, key=lambda number: (-scores[number], number))
        return [str(self._documents[number]["id"]) for number in best[:10]]
