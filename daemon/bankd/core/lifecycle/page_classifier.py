"""Where a memory belongs by its kind: naive Bayes over lines that people would note, page by page (`config/examples.md`).

It places what no rule claims and nothing in the bank is like, from the first day on; for a word list has no end, and
what it lacks is not found. It is unsure of what shares too little with the examples, and says so by saying nothing.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import islice
from operator import add
from typing import NamedTuple, TypeAlias

from bankd.core.language.analysis import normal_form, runs_of
from bankd.core.language.english.stemming import stem_words
from bankd.core.markdown.memory import Memory

LEAST_SURE = 0.4
"""The probability that a page must have: of the examples, a fifth at a time told by the others, .13 are left (bench.routing)."""
_SMOOTHING = 0.1
"""What is added to each count (Lidstone)."""
_LEAST_WORDS, _SHOWN = 2, 3
"""So many words must speak for a page, of which so many say why: one word alone is no subject."""
_RARE = 0.01
"""The share of the examples that such a word is in at most: what anybody says of anything is no subject either."""


ExampleLine: TypeAlias = tuple[str, str, str]
"""The page that a line belongs on, relative to bank/, its tag and its text."""


class Classified(NamedTuple):
    """The page that a memory belongs on, how sure that is, 0 to 1, and the words that say so, the most telling first.

    `among` are the pages that it was chosen from.
    """

    page: str
    probability: float
    words: tuple[str, ...]
    among: Collection[str]


class PageClassifier:
    """Learns once from examples; a page is asked for by the tags that its examples have."""

    def __init__(self, examples: Iterable[ExampleLine]) -> None:
        """Count what each page's examples say."""
        texts: dict[str, list[str]] = {}
        self._pages: dict[str, dict[str, None]] = {}
        self._lines = 0
        for self._lines, (page, tag, text) in enumerate(examples, 1):
            texts.setdefault(page, []).append(text)
            self._pages.setdefault(tag, {})[page] = None
        self._counts = {page: Counter(features_in(read_words("\n".join(said)))) for page, said in texts.items()}
        self._all: Counter[str] = Counter()
        for said in self._counts.values():
            self._all.update(said)
        self._sums = {page: said.total() for page, said in self._counts.items()}
        self._total, self._unseen = self._all.total(), _SMOOTHING * len(self._all)
        self._weights = cache(self._weigh)

    def classify(self, memory: Memory) -> Classified | None:
        """The page that a memory belongs on; None where none is likely enough."""
        words = {word: features_of(word) for word in read_words(memory.text)}
        features = dict.fromkeys(feature for found in words.values() for feature in found)
        weights = [self._weights(feature) for feature in features if feature in self._all]
        if not weights:
            return None
        sums = dict(zip(self._counts, map(sum, zip(*weights, strict=True)), strict=True))
        root = math.sqrt(len(features))  # the features of a word say one thing several times
        among = self._pages.get(memory.tag or "", {})
        page, probability = _likeliest({page: sums[page] / root for page in among})
        telling = tuple(self._telling(words, page)) if probability >= LEAST_SURE else ()
        return Classified(page, probability, telling, among.keys()) if len(telling) >= _LEAST_WORDS else None

    def _weigh(self, feature: str) -> tuple[float, ...]:
        """For each page, how much more often its lines have a feature than the others', in nats."""
        return tuple(self._weight(feature, page) for page in self._counts)

    def _weight(self, feature: str, page: str) -> float:
        here, all_here = self._counts[page][feature], self._sums[page]
        there, all_there = self._all[feature] - here, self._total - all_here
        here_often = (here + _SMOOTHING) / (all_here + self._unseen)
        return math.log(here_often * (all_there + self._unseen) / (there + _SMOOTHING))

    def _telling(self, words: Mapping[str, Sequence[str]], page: str) -> Iterator[str]:
        """The words that speak for a page, the most telling first, but for those that are in many lines of all pages."""
        at = list(self._counts).index(page)
        known = {word: [one for one in features if one in self._all] for word, features in words.items()}
        worth = {word: sum(self._weights(one)[at] for one in features) for word, features in known.items() if features}
        rare = (word for word in worth if min(self._all[one] for one in known[word]) <= max(1, _RARE * self._lines))
        return islice((word for word in sorted(rare, key=lambda word: -worth[word]) if worth[word] > 0), _SHOWN)


def _likeliest(scores: Mapping[str, float]) -> tuple[str, float]:
    """The page of the highest score, and its share of the exponentials (softmax); no page where none is asked about."""
    if not scores:
        return "", 0.0
    page = max(scores, key=lambda page: scores[page])
    return page, 1 / sum(math.exp(score - scores[page]) for score in scores.values())


def read_words(text: str) -> list[str]:
    """The runs of letters and digits of a text."""
    return runs_of(normal_form(text))


@lru_cache(maxsize=20_000)
def features_of(word: str) -> Sequence[str]:
    """The features of one word."""
    return features_in([word])


def features_in(words: Iterable[str]) -> list[str]:
    """What counts of words: of a Latin one its stem, of Hangul each two syllables in a row, and how it begins; no letter alone."""
    hangul: list[str] = []
    others: list[str] = []
    for word in words:
        (hangul if word >= "가" else others).append(word)  # the last of the scripts that runs are of
    joined = " ".join(hangul)
    pairs = [pair for pair in map(add, joined, joined[1:]) if " " not in pair]
    numbers, letters = [word for word in others if word.isdigit()], [word for word in others if not word.isdigit()]
    stems = stem_words([word for word in letters if len(word) > 1])
    return [*[f"^{word[:2]}" for word in hangul], *pairs, *["0" for _ in numbers], *stems]
