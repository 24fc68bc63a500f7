"""Finds memories of the bank that are like a new line, for routing and for the check for duplicates.

    read | find | fetch, what many lines find once | score, for routing

Routing asks first; the result for a line is kept until the check for duplicates has asked too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from bankd.memory.route import NEAREST
from bankd.pages.names import is_own
from bankd.search.read import lexicon_within
from bankd.search.request import Filters, FoundRow
from bankd.search.score import Weights, score_memories, weigh_query
from bankd.words.analysis import analyse_by_lexicon, normal_form, runs_of

if TYPE_CHECKING:
    from bankd.ports import IndexView

_LOOK_ALIKES = 20
"""The most memories that share words with a new line and are looked at; a duplicate shares nearly all of its words."""
_KEPT, _KEPT_PAGES = 5_000, 500
"""Memories and vocabularies of pages that are cached for the next line, some megabytes: many lines need the same ones."""

T = TypeVar("T")


class LookAlike(NamedTuple):
    """A memory that shares words with a new one, and the path of its page below bank/."""

    row: FoundRow
    path: str


class Fetched(Generic[T]):
    """A cache of rows fetched by number."""

    def __init__(self, fetch: Callable[[Sequence[int]], Mapping[int, T]], most: int = _KEPT) -> None:
        """Take a function that fetches rows (it may leave out those that are gone), and how many to keep."""
        self._fetch, self._most = fetch, most
        self._kept: dict[int, T | None] = {}

    def of(self, numbers: Iterable[int]) -> dict[int, T]:
        """The rows with these numbers, in this order, without those that are gone."""
        numbers = list(numbers)
        if len(self._kept) > self._most:
            self._kept.clear()
        if missing := [number for number in numbers if number not in self._kept]:
            self._kept.update(dict.fromkeys(missing))
            self._kept.update(self._fetch(missing))
        return {number: one for number in numbers if (one := self._kept[number]) is not None}


class LookAlikes:
    """Finds look-alikes of new lines in one state of the index.

    Lines are read by the words of the bank, never by the analyser: what is decided must not depend on whether that is warm.
    """

    def __init__(self, index: IndexView) -> None:
        """Use this index, whose state must not change meanwhile."""
        self._index = index
        self._frequency, self._lexicon = cache(index.frequency), lexicon_within(index)
        self._look_alikes = Fetched(self._look_up)
        self._candidates = Fetched(lambda numbers: {one.row: one for one in index.candidates(numbers)})
        self._vocabularies = Fetched(index.vocabularies, _KEPT_PAGES)
        self._found: dict[str, Sequence[int]] = {}

    def near(self, text: str) -> list[LookAlike]:
        """The memories that share words with a text, those that share most first; its kept result is dropped afterwards."""
        numbers = self._found.pop(text, None)
        return [*self._look_alikes.of(self._find(self._weigh(text)) if numbers is None else numbers).values()]

    def similar(self, text: str) -> list[tuple[LookAlike, float]]:
        """The memories on the user's pages that share most words with a text, with scores, best first."""
        weights = self._weigh(text)
        self._found[text] = self._find(weights)
        found = self._look_alikes.of(self._found[text])
        near = list(islice(((number, one) for number, one in found.items() if not is_own(one.path)), NEAREST))
        scores = self._scores([number for number, _ in near], weights)
        scored = [(one, scores.get(number, 0.0)) for number, one in near]
        return sorted(scored, key=lambda one: (-round(one[1], 6), one[0].path, one[0].row.line))

    def _weigh(self, text: str) -> Weights:
        text, corpus = normal_form(text), self._index.corpus
        terms = analyse_by_lexicon(text, self._lexicon).terms
        return weigh_query(terms, runs_of(text), corpus.memories, corpus.words, partial(self._frequency, "terms"))

    def _find(self, weights: Weights) -> Sequence[int]:
        return self._index.find(weights.terms, Filters(), _LOOK_ALIKES)

    def _look_up(self, numbers: Sequence[int]) -> dict[int, LookAlike]:
        rows = [row for row in self._index.rows(numbers) if not row.is_text]
        paths = self._index.paths({row.page for row in rows})
        return {row.row: LookAlike(row, paths[row.page]) for row in rows if row.page in paths}

    def _scores(self, numbers: Sequence[int], weights: Weights) -> dict[int, float]:
        """The likeness scores of these memories, by number."""
        candidates = [*self._candidates.of(numbers).values()]
        vocabularies = self._vocabularies.of({one.page for one in candidates})
        scores = score_memories(candidates, vocabularies, weights, self._index.corpus)
        return {one.row: parts["score"] for one, parts in zip(candidates, scores, strict=True)}
