"""The story of a new memory that looks for those of the bank which are like it, for routing and for the guard alike.

    read | find | fetch, what many lines find once | score, for routing

A line is asked for once: routing asks first, and what was found for it is kept until the guard has asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol, TypeVar

from bankd.core.language.analysis import normal_form, runs_of
from bankd.core.lifecycle.similar import NEAREST
from bankd.core.markdown.own_pages import is_own
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.scoring import Weights, score_finalists, score_first, weigh_query
from bankd.search import lexicon_within

if TYPE_CHECKING:
    from bankd.ports import IndexView, QueryReader

_LOOK_ALIKES = 20
"""The most memories that share words with a new one to be looked at; a twin shares nearly all of its words."""
_SCORED = 2 * NEAREST
"""Of them so many are scored: the first count, which finds them, puts them in nearly the same order."""
_KEPT = 5_000
"""Rows that are kept for the next line, some megabytes: the lines of a run find many of the same memories."""


class LookAlike(NamedTuple):
    """A memory that shares words with a new one, and the path of its page below bank/."""

    row: FoundRow
    path: str


class _Numbered(Protocol):
    @property
    def row(self) -> int: ...


T = TypeVar("T", bound=_Numbered)


class Fetched(Generic[T]):
    """What was fetched by the numbers of memories, kept for a while."""

    def __init__(self, fetch: Callable[[Sequence[int]], Iterable[T]]) -> None:
        """Take what fetches some; it may leave out those that are gone."""
        self._fetch = fetch
        self._kept: dict[int, T | None] = {}

    def of(self, numbers: Sequence[int]) -> list[T]:
        """These, in this order, without those that are gone."""
        if len(self._kept) > _KEPT:
            self._kept.clear()
        if missing := [number for number in numbers if number not in self._kept]:
            self._kept.update(dict.fromkeys(missing))
            self._kept.update((one.row, one) for one in self._fetch(missing))
        return [one for number in numbers if (one := self._kept[number]) is not None]


class LookAlikes:
    """What is like new memories in one state of the index."""

    def __init__(self, index: IndexView, reader: QueryReader) -> None:
        """Ask this index, as long as it stays as it is."""
        self._index, self._reader = index, reader
        self._frequency, self._lexicon = cache(index.frequency), lexicon_within(index)
        self._rows, self._candidates = Fetched(index.rows), Fetched(index.candidates)
        self._paths: dict[int, str] = {}
        self._found: dict[str, Sequence[int]] = {}

    def near(self, text: str) -> list[LookAlike]:
        """The memories that share words with a text, those that share most first; the last time that it is asked for."""
        numbers = self._found.pop(text, None)
        return self._fetch(self._find(self._weigh(text)) if numbers is None else numbers)

    def similar(self, text: str) -> list[tuple[LookAlike, float]]:
        """The memories on pages of the user that are most like a text, with their score, best first."""
        weights = self._weigh(text)
        self._found[text] = self._find(weights)
        near = [one for one in self._fetch(self._found[text]) if not is_own(one.path)][:_SCORED]
        scores = self._scores([one.row.row for one in near], weights)
        scored = [(one, scores.get(one.row.row, 0.0)) for one in near]
        return sorted(scored, key=lambda one: (-round(one[1], 6), one[0].path, one[0].row.line))

    def _weigh(self, text: str) -> Weights:
        text = normal_form(text)
        analysis = self._reader.analyse_query(text, self._lexicon)
        return weigh_query(analysis, runs_of(text), self._index.corpus.memories, self._frequency)

    def _find(self, weights: Weights) -> Sequence[int]:
        return self._index.find(weights.terms, weights.bigrams, Filters(), _LOOK_ALIKES)

    def _fetch(self, numbers: Sequence[int]) -> list[LookAlike]:
        rows = [row for row in self._rows.of(numbers) if not row.is_text]
        if unknown := {row.page for row in rows} - self._paths.keys():
            self._paths.update(self._index.paths(unknown))
        return [LookAlike(row, self._paths[row.page]) for row in rows if row.page in self._paths]

    def _scores(self, numbers: Sequence[int], weights: Weights) -> dict[int, float]:
        """How alike these are, by number."""
        first = score_first(self._candidates.of(numbers), weights, self._index.corpus)
        vocabularies = self._index.vocabularies({one.candidate.page for one in first})
        scores = score_finalists(first, vocabularies, weights)
        return {one.candidate.row: parts["score"] for one, parts in zip(first, scores, strict=True)}
