"""What the stories need from the outside, in their own words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol, TypeAlias

from bankd.core.edits.layout import Layout
from bankd.core.edits.transaction import Transaction
from bankd.core.language.analysis import Analysis
from bankd.core.language.lexicon import Lexicon
from bankd.core.language.wording import Wording
from bankd.core.lifecycle.copies import Copied
from bankd.core.lifecycle.events import Ledger
from bankd.core.lifecycle.follow import PagePart
from bankd.core.lifecycle.retain import LogReading
from bankd.core.lifecycle.retiring import Opinion
from bankd.core.links.linking import Link, Stray
from bankd.core.links.points import LinkScene
from bankd.core.links.relink import Source
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import Names
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.plan.held_back import HeldBack
from bankd.core.plan.judging import Neighbour
from bankd.core.plan.plan import Deferred, Undated
from bankd.core.ranking.indexable import IndexAnalyses
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.scoring import Candidate, Corpus, Vocabulary, Weights

Clock: TypeAlias = Callable[[], datetime]
"""Gives the present moment, aware, in the zone of the workspace."""


class IndexView(Protocol):
    """One state of the search index, to be read."""

    @property
    def generation(self) -> int:
        """A number that grows with every change."""

    @property
    def corpus(self) -> Corpus:
        """What scoring has to know of the whole."""

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term of this kind (`terms`, `bigrams`, `heading`) occurs."""

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin so, common ones first."""

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the bank; None when it was never seen."""

    def find(self, weights: Weights, filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories that match best by a first, rough count, best first."""

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        """What scoring looks at of these memories, in any order; those that are gone are left out."""

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        """What is shown of these memories, in any order; those that are gone are left out."""

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages."""

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages, relative to the bank."""


class QueryReader(Protocol):
    """Reads queries."""

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        """Give the terms of a query, at once."""


class PageSource(Protocol):
    """The pages of a bank, as the index reads them."""

    def scan(self, paths: Collection[str] | None = None) -> Mapping[str, str]:
        """Every page, or those of these paths that are there, with a stamp that changes when its file does; opens none."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a page; None when it cannot be read."""


class TextAnalyser(Protocol):
    """Reads texts for the index."""

    @property
    def version(self) -> str:
        """The version of the morphological analyser; empty without one."""

    @property
    def is_warm(self) -> bool:
        """Whether texts would be analysed thoroughly now."""

    def analyse_for_index(self, texts: Collection[str], lexicon: Lexicon) -> IndexAnalyses:
        """Read texts: thoroughly when that is possible now, else provisionally."""


class Wordings(Protocol):
    """Takes texts apart, for comparing what they say."""

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text."""


class Logs(Protocol):
    """The raw logs of a workspace; they are read and never written."""

    def present(self) -> frozenset[str]:
        """The names of all logs, read or not."""

    def unread(self) -> tuple[Sequence[LogReading], Sequence[Deferred]]:
        """The logs that changed since they were last marked as read, and those that have to wait."""

    def note_held_back(self, lines: Mapping[str, Sequence[HeldBack]]) -> None:
        """Remember, by log, the lines that were not taken in and wait for a person."""

    def mark_read(self, readings: Iterable[LogReading]) -> None:
        """Remember that these logs were read whole, as they were then."""


class Recalls(Protocol):
    """The answers that were given a short while ago."""

    def recalled(self) -> Mapping[str, date]:
        """By the ids of the memories in them, the last day on which each was asked for."""


class MemoryCatalog(Protocol):
    """What the bank and its archive hold, without reading every page again."""

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Bring it up to date with the pages; gives the pages that could not be read now, and why."""

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """For each id that is held: the pages that hold it, relative to the workspace."""

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        """For each text key that a page of the bank holds: the id, or place, of that memory."""

    def copied(self) -> Sequence[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""

    def undated(self) -> Sequence[Undated]:
        """The confidences that the user wrote without their day, on pages that can be written now."""

    def lines_of(self, ids: Iterable[str]) -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank that can be written now, by id."""

    def all_lines(self) -> Mapping[str, MemoryLines]:
        """The same of every memory of the bank that has an id."""

    def opinions(self) -> Sequence[Opinion]:
        """The opinions with a confidence on pages of the bank that can be written now."""

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        """The same of memories without an id, by page and line."""

    def count(self) -> int:
        """How many memories the bank holds."""

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""


class Transactions(Protocol):
    """The one layer that writes under bank/, archive/ and events/."""

    def ledger(self) -> Ledger:
        """The fold of the event log."""

    def closed(self, paths: Collection[str]) -> Mapping[str, str]:
        """Those of these files, there or not yet, that cannot be written now, and why."""

    def commit(self, transaction: Transaction) -> Sequence[str]:
        """Apply a transaction, all of it, now or at the next start; gives what was left as the user had it."""


class Index(Protocol):
    """What search reads, as a run knows it."""

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, read from their pages."""

    def refresh(self, now: datetime) -> Sequence[str]:
        """Bring index and tree up to date with the bank; gives what a person should know of it."""


class Graph(Protocol):
    """Which files there are, and which refer to which."""

    @property
    def routing(self) -> str:
        """The file of routing rules, relative to the workspace."""

    @property
    def names(self) -> Names:
        """The files that a link may lead to."""

    @property
    def scene(self) -> LinkScene:
        """The files with the places in them, for asking how far references lead."""

    def links_into(self, pages: Collection[str]) -> Sequence[Link]:
        """The references to a place inside one of these pages, from the pages themselves too."""

    def strays(self) -> Sequence[Stray]:
        """The references that led to a block which is not there any more."""

    def links_named(self, pages: Collection[str]) -> Sequence[Link]:
        """The references that may mean these pages, as far as their last word tells."""

    def links_of(self, page: str) -> Sequence[Link]:
        """The references that stand in a page."""

    def refresh(self) -> None:
        """Bring it up to date with the files that changed."""

    def sizes(self) -> Mapping[str, int]:
        """The bytes of every page of the bank."""

    def moved(self) -> Mapping[str, str]:
        """The pages that the user has moved and that links wait to follow, old path to new."""

    def read(self, path: str) -> Source:
        """A file with its references, as it is now."""

    def is_name_taken(self, path: str) -> bool:
        """Whether a new page may not have this name."""

    def is_hub(self, path: str) -> bool:
        """Whether a page may have parts."""

    def view(self, path: str) -> PagePart | None:
        """What decides whether a memory fits a page; None when there is no such page."""

    def sources_for(self, layout: Layout, names: Names) -> dict[str, Source]:
        """The pages of a layout and the files with a reference that it touches."""
