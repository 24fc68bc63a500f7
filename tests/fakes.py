"""Stand-ins for the outside world, of the same shape as the adapters; each is held to the same contract."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from types import MappingProxyType

from bankd.pages.page import read_page
from bankd.search.indexable import (
    IndexablePage,
    IndexAnalyses,
    MemoryDates,
    NewQuestions,
    entries_of,
    nodes_of,
    read_bank_page,
    with_days,
)
from bankd.search.request import Filters, FoundRow
from bankd.search.score import Candidate, Corpus, Usage, Vocabulary, vocabulary_of
from bankd.words.analysis import Analysis, Lexicon, analyse_by_lexicon, analyse_text, as_text, has_hangul, lexicon_of
from bankd.words.day_mentions import days_spoken_of
from bankd.words.days import Span, on


class FakePages:
    """A bank in a dictionary."""

    def __init__(self, pages: Mapping[str, str]) -> None:
        self.pages = dict(pages)
        self.read_paths: list[str] = []
        self.learned: dict[str, date] = {}

    def scan(self, paths: Collection[str] | None = None) -> Mapping[str, str]:
        wanted = self.pages if paths is None else self.pages.keys() & set(paths)
        return {path: hashlib.sha256(self.pages[path].encode()).hexdigest() for path in wanted}

    def too_large(self) -> Sequence[str]:
        return ()

    def dates_since(self, seen: str) -> MemoryDates:
        return MemoryDates(self.learned, {}, str(len(self.learned)))

    def questions_since(self, seen: str) -> NewQuestions:
        return NewQuestions((), seen)

    def read(self, path: str) -> bytes | None:
        self.read_paths.append(path)
        return self.pages[path].encode() if path in self.pages else None

    def contents(self, path: str, data: bytes) -> IndexablePage:
        return read_bank_page(f"bank/{path}", data)


class FakeAnalyser:
    """Reads everything with the lexicon, as if that were thorough."""

    version = "fake"
    is_warm = True

    def analyse_for_index(self, texts: Iterable[str], lexicon: Lexicon) -> IndexAnalyses:
        return IndexAnalyses({text: as_text(self.analyse_query(text, lexicon)) for text in texts}, {}, frozenset())

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        return analyse_by_lexicon(text, lexicon) if has_hangul(text) else analyse_text(text)


class FakeIndex:
    """An index in memory that looks at every memory."""

    def __init__(self, pages: Mapping[str, str], learned: Mapping[str, date] = MappingProxyType({})) -> None:
        self.generation = 1
        self.vectors: dict[int, int] = {}
        self._learned = learned
        self._paths = dict(enumerate(sorted(pages), start=1))
        self._rows: list[tuple[FoundRow, Sequence[str], Analysis]] = []
        self._candidates: list[Candidate] = []
        lexicon = lexicon_of(lambda _: None, self._knows)
        for number, path in self._paths.items():
            for place, entry in enumerate(with_days(entries_of(read_page(path, pages[path].encode())), learned)):
                analysis = FakeAnalyser().analyse_query(entry.text, lexicon)
                above = FakeAnalyser().analyse_query(entry.context, lexicon)
                entities = tuple(sorted({entity.casefold() for entity in entry.entities}))
                candidate = Candidate(
                    len(self._rows), number, place, analysis.sentences, above.terms, frozenset(entities), analysis.denies,
                )  # fmt: skip
                row = FoundRow(
                    len(self._rows), number, entry.line, entry.id, entry.tag, entry.hundredths, entry.day, entities,
                    entry.heading, entry.text, entry.learned, tuple(days_spoken_of(entry.text, entry.learned, entry.tag)),
                )  # fmt: skip
                self._candidates.append(candidate)
                self._rows.append((row, nodes_of(path, entry.heading), analysis))

    @property
    def corpus(self) -> Corpus:
        count = len(self._rows) or 1
        words = sum(len(analysis.terms) for _, _, analysis in self._rows)
        return Corpus(len(self._rows), words / count)

    def _knows(self, term: str) -> bool:
        return self.frequency("terms", term) > 0

    def frequency(self, kind: str, term: str) -> int:
        if kind == "heading":
            return sum(1 for candidate in self._candidates if term in candidate.heading)
        if kind.startswith("asked"):
            return 0
        return sum(1 for _, _, analysis in self._rows if term in getattr(analysis, kind))

    def terms_with(self, beginning: str) -> Sequence[str]:
        terms = Counter(term for _, _, analysis in self._rows for term in set(analysis.terms))
        return sorted((term for term in terms if term.startswith(beginning)), key=lambda term: (-terms[term], term))

    def reading(self, run: str) -> Sequence[str] | None:
        return None

    def find(self, terms: Mapping[str, float], filters: Filters, limit: int) -> Sequence[int]:
        passing = [row.row for row, nodes, _ in self._rows if _passes(row, nodes, filters)]
        matching = [(self._matches(self._candidates[number], terms), number) for number in passing]
        return [number for count, number in sorted(matching, key=lambda pair: (-pair[0], pair[1])) if count][:limit]

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> Sequence[int]:
        passing = [row for row, nodes, _ in self._rows if _passes(row, nodes, filters)]
        learned = [(row.learned or date.min, row.row) for row in passing if window is None or _is_of(row, window)]
        return [number for _, number in sorted(learned, key=lambda pair: (-pair[0].toordinal(), pair[1]))][:limit]

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        return {id_: self._learned[id_] for id_ in ids if id_ in self._learned}

    @staticmethod
    def _matches(candidate: Candidate, terms: Iterable[str]) -> int:
        found = Counter(term for sentence in candidate.sentences for term in sentence)
        found.update(candidate.heading)
        return sum(found[term] for term in terms)

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        return [self._candidates[number] for number in numbers]

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        return [self._rows[number][0] for number in numbers]

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        return {}  # nobody has used anything

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        found: dict[int, set[str]] = {page: set() for page in pages}
        for row, _, analysis in self._rows:
            if row.page in found:
                found[row.page].update(analysis.terms, self._candidates[row.row].heading)
        return {page: vocabulary_of(terms) for page, terms in found.items()}

    def count_vectors(self, identity: str) -> int:
        return len(self.vectors) if identity else 0

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, Sequence[int]]:
        return {number: (self.vectors[number],) for number in numbers if number in self.vectors}

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, Sequence[int]]:
        passing = set(self.find_within(None, filters, len(self._rows)))
        return {row: (key,) for row, key in self.vectors.items() if key in keys and row in passing}

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        return {page: self._paths[page] for page in pages}


def _passes(row: FoundRow, nodes: Sequence[str], filters: Filters) -> bool:
    return (
        (not filters.tags or row.tag in filters.tags)
        and (not filters.nodes or any(node in nodes for node in filters.nodes))
        and (not filters.entities or any(one.casefold() in row.entities for one in filters.entities))
        and (
            (filters.since is None and filters.until is None)
            or _is_of(row, Span(filters.since or date.min, filters.until or date.max))
        )
        and (filters.known_on is None or row.learned is None or row.learned <= filters.known_on)
    )


def _is_of(row: FoundRow, window: Span) -> bool:
    """Whether a memory speaks of some days, or was learned then."""
    learned = () if row.learned is None else (on(row.learned),)
    return any(span.overlap(window) for span in (*row.about, *learned))
