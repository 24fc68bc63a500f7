"""Stand-ins for what an index reads: pages in a dictionary, and an analyser that is there at once."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, date, datetime
from pathlib import Path

from bankd.index.search_index import SearchIndex
from bankd.search.indexable import IndexablePage, IndexAnalyses, MemoryDates, NewQuestions, read_bank_page
from bankd.words.analysis import Lexicon, analyse_query, as_text


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
    is_thorough = True

    def analyse_for_index(self, texts: Iterable[str], lexicon: Lexicon) -> IndexAnalyses:
        return IndexAnalyses({text: as_text(analyse_query(text, lexicon)) for text in texts}, {}, frozenset())


@contextmanager
def index_of(pages: Mapping[str, str], folder: Path) -> Iterator[SearchIndex]:
    """An index of these pages, with nothing else of a workspace around it."""
    with closing(SearchIndex(folder, FakePages(pages), FakeAnalyser())) as index:
        index.refresh(datetime(2026, 5, 4, tzinfo=UTC))
        yield index
