"""An index and a reader that remember what they were asked, so that only the score is computed again.

Nothing is scored here: `bankd.search.find` ranks, with the very functions that answer people.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from bankd.ports import IndexView, QueryReader
from bankd.search.request import Filters, FoundRow
from bankd.search.score import Candidate, Usage, Vocabulary
from bankd.words.analysis import Analysis, Lexicon
from bankd.words.days import Span


class RememberingIndex:
    """One state of an index; a memory is read from disk once."""

    def __init__(self, index: IndexView) -> None:
        self._index = index
        self.generation, self.corpus = index.generation, index.corpus
        self._frequencies: dict[tuple[str, str], int] = {}
        self._rows: dict[int, FoundRow] = {}
        self._candidates: dict[int, Candidate] = {}
        self._found: dict[object, Sequence[int]] = {}
        self._vocabularies: dict[int, Vocabulary] = {}
        self._paths: dict[int, str] = {}

    def frequency(self, kind: str, term: str) -> int:
        if (kind, term) not in self._frequencies:
            self._frequencies[kind, term] = self._index.frequency(kind, term)
        return self._frequencies[kind, term]

    def terms_with(self, beginning: str) -> Sequence[str]:
        return self._index.terms_with(beginning)

    def reading(self, run: str) -> Sequence[str] | None:
        return self._index.reading(run)

    def find(
        self, terms: Mapping[str, float], bigrams: Mapping[str, float], filters: Filters, limit: int
    ) -> Sequence[int]:
        key = (tuple(terms), tuple(bigrams), filters, limit)
        if key not in self._found:
            self._found[key] = self._index.find(terms, bigrams, filters, limit)
        return self._found[key]

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> Sequence[int]:
        return self._index.find_within(window, filters, limit)

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        return self._index.learned(ids)

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        wanted = [number for number in numbers if number not in self._candidates]
        self._candidates.update((one.row, one) for one in self._index.candidates(wanted))
        return [self._candidates[number] for number in numbers]

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        return self._index.usage_of(ids)

    def count_vectors(self, identity: str) -> int:
        return self._index.count_vectors(identity)

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, int]:
        return self._index.vector_keys(numbers)

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, int]:
        return self._index.rows_with_vectors(keys, filters)

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        wanted = [number for number in numbers if number not in self._rows]
        self._rows.update((row.row, row) for row in self._index.rows(wanted))
        return [self._rows[number] for number in numbers]

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        wanted = set(pages)
        self._vocabularies.update(self._index.vocabularies(wanted - self._vocabularies.keys()))
        return {page: self._vocabularies[page] for page in wanted}

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        wanted = set(pages)
        self._paths.update(self._index.paths(wanted - self._paths.keys()))
        return {page: self._paths[page] for page in wanted}


class RememberingReader:
    """Reads each query once."""

    def __init__(self, reader: QueryReader) -> None:
        self._reader = reader
        self._read: dict[str, Analysis] = {}

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        if text not in self._read:
            self._read[text] = self._reader.analyse_query(text, lexicon)
        return self._read[text]
