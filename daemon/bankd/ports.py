"""What the stories need from the outside, in their own words."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal, Protocol, TypeAlias, TypeVar

from bankd.core.daemon.health import IndexFacts
from bankd.core.daemon.settle import Survey
from bankd.core.edits.journal import Applied, Journal
from bankd.core.edits.layout import Layout
from bankd.core.edits.operations import Rewrite
from bankd.core.edits.transaction import Transaction
from bankd.core.language.analysis import Analysis
from bankd.core.language.dates.spans import Span
from bankd.core.language.lexicon import Lexicon
from bankd.core.language.wording import Wording
from bankd.core.lifecycle.copies import Copied
from bankd.core.lifecycle.edited import PastLine
from bankd.core.lifecycle.events import CorruptLine, Ledger
from bankd.core.lifecycle.follow import PagePart
from bankd.core.lifecycle.retain import LogReading
from bankd.core.lifecycle.retiring import Opinion
from bankd.core.lifecycle.similar import Similar
from bankd.core.links.linking import Link, Stray
from bankd.core.links.points import LinkScene
from bankd.core.links.relink import Source
from bankd.core.markdown.memory import Memory
from bankd.core.markdown.names import Names
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.markdown.pages import Page
from bankd.core.markdown.scanner import Document
from bankd.core.plan.held_back import HeldBack
from bankd.core.plan.judging import Neighbour
from bankd.core.plan.plan import Deferred, Undated
from bankd.core.ranking.floor import CosineBounds
from bankd.core.ranking.indexable import IndexablePage, IndexAnalyses, MemoryDates, NewQuestions, Refreshed
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.scoring import Candidate, Corpus, Vocabulary

Clock: TypeAlias = Callable[[], datetime]
"""Gives the present moment, aware, in the zone of the workspace."""


Patience: TypeAlias = Literal["never", "if warm", "wait"]
"""How long the index waits for the analyser: not at all, when it is there already, or until it has loaded."""

_T = TypeVar("_T")


class IndexView(Protocol):
    """One state of the search index, to be read."""

    @property
    def generation(self) -> int:
        """A number that grows with every change."""

    @property
    def corpus(self) -> Corpus:
        """What scoring has to know of the whole."""

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term of this kind (`terms`, `bigrams`, `heading`; `asked`, `asked_bigrams` of questions) occurs."""

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin so, common ones first."""

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the bank; None when it was never seen."""

    def find(
        self, terms: Mapping[str, float], bigrams: Mapping[str, float], filters: Filters, limit: int
    ) -> Sequence[int]:
        """The numbers of the memories that match best by a first, rough count of weighed words, best first."""

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories that speak of some days or were learned then, or of all, the last learned first."""

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        """The days on which these memories were learned, as far as events tell; they need not be in the index."""

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        """What scoring looks at of these memories, in any order; those that are gone are left out."""

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        """What is shown of these memories, in any order; those that are gone are left out."""

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages."""

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages, relative to the bank."""

    def count_vectors(self, identity: str) -> int:
        """How many memories have one of these sentence vectors."""

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, int]:
        """By number the key of its sentence vector, of those of these memories that have one."""

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, int]:
        """By number the key, of all memories with these keys that are what was asked for."""


class WorkspaceIndex(IndexView, Protocol):
    """The search index of a workspace: read by many, written by one, mended where damage is met."""

    opened: int
    """How often a build was opened: with the generation it tells one state from another."""

    @property
    def updated(self) -> str | None:
        """When it last took in a change, ISO 8601."""

    @property
    def provisional(self) -> int:
        """Pages read with the lexicon only."""

    def open(self) -> bool:
        """See the newest state; False when there is no index yet."""

    def is_there(self) -> bool:
        """Whether there is an index at all, damaged or not."""

    def facts(self) -> IndexFacts:
        """How the newest state stands, without looking at the pages; raises IndexDamaged."""

    def pending(self) -> int:
        """How many pages changed since they were read."""

    def pages_there(self) -> int:
        """How many pages there are to be read."""

    def too_large(self) -> Sequence[str]:
        """The files that are not searched for their size, as the last look at all saw them."""

    def unchanged(self) -> frozenset[str]:
        """The pages that are as they were when they were read."""

    def whole(self, now: datetime, work: Callable[[], _T]) -> _T:
        """Do some work with the index; where damage stops it, make the index anew and do the work again."""

    def refresh(self, now: datetime) -> Refreshed:
        """Bring it up to date with the pages."""

    def take_in(self, now: datetime, paths: Collection[str]) -> Refreshed:
        """Bring it up to date with these pages; nothing is opened for reading by that."""

    def rebuild(self, now: datetime) -> Refreshed:
        """Build it anew beside the old one, which answers until the new one is whole."""

    def without_vectors(self, identity: str, most: int) -> Sequence[tuple[int, str]]:
        """Memories that have none of these sentence vectors yet, by number, with their texts; the last added first."""

    def note_vectors(self, identity: str, keys: Mapping[int, int]) -> None:
        """Note by number under which key the vector of a memory is."""

    def verify(self) -> None:
        """Check every file against the checksum it had when it was written; raises IndexDamaged."""

    def take_made_anew(self) -> Sequence[str]:
        """What there is to say of damage, once."""

    def close(self) -> None:
        """Let go of all files."""


class Vectors(Protocol):
    """Sentence vectors, kept by the key of a text: derived, optional, and never waited for beyond a moment."""

    @property
    def identity(self) -> str:
        """Which these are: other ones when another model made them, or they were taken away; empty when there are none."""

    @property
    def bounds(self) -> CosineBounds | None:
        """From which cosines on this model says that something is an answer; None when nobody measured it."""

    @property
    def problem(self) -> str:
        """Why they did not answer when last asked; empty when they did."""

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, float] | None:
        """Cosines to a question, by key, of the nearest texts and of these; None when they cannot be told now."""

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """See that texts have vectors; gives their keys, None when it cannot be done now."""

    def end_if_idle(self) -> None:
        """Give back what they hold when nobody asked for long."""

    def close(self) -> None:
        """Let go of everything."""


class QueryReader(Protocol):
    """Reads queries."""

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        """Give the terms of a query, at once."""


class TextReader(QueryReader, Protocol):
    """Reads queries and, as far as its patience goes, texts for the index."""

    patience: Patience

    def take_made_anew(self) -> Sequence[str]:
        """What there is to say of damage to what it remembers, once."""

    def close(self) -> None:
        """Let go of everything."""


class PageSource(Protocol):
    """The pages of a bank, as the index reads them."""

    def too_large(self) -> Sequence[str]:
        """The files that are not read for their size, named from the workspace on, as the last full scan saw them."""

    def scan(self, paths: Collection[str] | None = None) -> Mapping[str, str]:
        """Every page, or those of these paths that are there, with a stamp that changes when its file does; opens none."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a page; None when it cannot be read."""

    def dates_since(self, seen: str) -> MemoryDates:
        """What is told of the days of memories since an earlier look, which gave `seen`; empty for all."""

    def questions_since(self, seen: str) -> NewQuestions:
        """What is told of the questions that memories answer since an earlier look, which gave `seen`; empty for all."""

    def contents(self, path: str, data: bytes) -> IndexablePage:
        """What of a page with these bytes goes into the index."""


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


@dataclass(frozen=True, slots=True)
class UnreadLogs:
    """The logs that changed: those read, those that have to wait, and the names of those left for a later batch."""

    readings: Sequence[LogReading]
    waiting: Sequence[Deferred] = ()
    later: Sequence[str] = ()


class Logs(Protocol):
    """The raw logs of a workspace; they are read and never written."""

    def present(self) -> frozenset[str]:
        """The names of all logs, read or not."""

    def read(self, log: str) -> LogReading | None:
        """A log by its name, as it is now; None when there is none."""

    def prose(self) -> int:
        """How many lines of all logs were read and not taken in because nobody tagged them."""

    def text(self, log: str) -> str:
        """The text of a log by its name below `memory/`, without what cannot be read; empty when there is none."""

    def held_back(self) -> Sequence[HeldBack]:
        """The lines that were not taken in and wait for a person."""

    def dismiss(self, key: str) -> None:
        """Let the lines with this key be named no more."""

    def unread(self, now: datetime, start: str = "", enough: int | None = None) -> UnreadLogs:
        """Read the logs that changed since they were last marked as read, by day, from the log `start` on.

        When those read have `enough` lines to remember, the others are left for later.
        """

    def note_held_back(self, lines: Mapping[str, Sequence[HeldBack]]) -> None:
        """Remember, by log, the lines that were not taken in and wait for a person."""

    def lines_before(self, identity: str) -> Sequence[PastLine]:
        """The Retain lines of a log, by the name it was first read under, as it was last marked as read."""

    def note_questions(self, questions: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Remember, by log and memory, the questions that memories answer; of these logs no others."""

    def mark_read(self, readings: Iterable[LogReading]) -> None:
        """Remember that these logs were read whole, as they were then, and their Retain lines."""


class Recalls(Protocol):
    """The answers that were given a short while ago."""

    def recalled(self) -> Mapping[str, date]:
        """By the ids of the memories in them, the last day on which each was asked for."""


class RecallWriter(Protocol):
    """Where answers are kept for a short while."""

    def keep(self, answer: Mapping[str, Any], now: datetime) -> None:
        """Write an answer down; raises OSError."""


class MemoryCatalog(Protocol):
    """What the bank and its archive hold, without reading every page again."""

    resting: Mapping[str, datetime]
    """The pages that a run leaves alone until then, because something changes them back."""

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

    def lines_of(self, ids: Iterable[str], folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank, or the archive, that can be written now, by id."""

    def all_lines(self) -> Mapping[str, MemoryLines]:
        """The same of every memory of the bank that has an id."""

    def copies_of(self, id_: str) -> Sequence[tuple[str, str]]:
        """Wherever a memory stands, `page:line`, and its exact lines there."""

    def texts_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """Where each memory stands, `page:line`, and what it says there, wherever it is."""

    def pages(self, folder: str = "bank") -> Iterable[Page]:
        """Every page of the bank, or the archive, that holds memories."""

    def opinions(self) -> Sequence[Opinion]:
        """The opinions with a confidence on pages of the bank that can be written now."""

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        """The same of memories without an id, by page and line."""

    def memory_at(self, path: str, line: int) -> Memory | None:
        """The memory that begins on a line of a page, as the page is now."""

    def count(self) -> int:
        """How many memories the bank holds."""

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""


class KeptJournals(Protocol):
    """The transactions that are kept."""

    def all(self) -> Sequence[Journal]:
        """Every journal, oldest first."""

    def find(self, run: str) -> Sequence[Journal]:
        """The journals of a run, by its id or its number; UserError when there is none."""

    def resting(self, now: datetime) -> Mapping[str, datetime]:
        """The pages that are fought over and left alone for a while: until when."""

    def left_over(self) -> Iterable[tuple[str, str]]:
        """What a run that did not end left: its path, and what it is."""

    def take_set_aside(self) -> Sequence[str]:
        """What there is to say of journals that were set aside, once."""


class Transactions(Protocol):
    """The one layer that writes under bank/, archive/ and events/."""

    @property
    def journals(self) -> KeptJournals:
        """The transactions that are kept."""

    @property
    def rewrite(self) -> Rewrite | None:
        """The rule that rewrites links in a page."""

    @property
    def corrupt(self) -> Sequence[CorruptLine]:
        """The lines of the event log that could not be read when it was folded."""

    def ledger(self) -> Ledger:
        """The fold of the event log."""

    def look(self, path: str) -> bytes | None:
        """A file's bytes at this moment; None also for one that must be left alone."""

    def closed(self, paths: Collection[str]) -> Mapping[str, str]:
        """Those of these files, there or not yet, that cannot be written now, and why."""

    def commit(self, transaction: Transaction) -> Applied:
        """Apply a transaction, all of it, now or at the next start."""

    def publish(self, path: str, data: bytes) -> None:
        """Put a derived file in place."""

    def remove_empty_folders(self, gone: Iterable[str]) -> None:
        """Leave no folder behind that has nothing in it any more, of those above pages that are gone."""


class Files(Protocol):
    """The files of a workspace, for reading."""

    def read(self, path: str) -> bytes | None:
        """A file's bytes, None when it is gone; ConflictError when it is too large or no regular file."""

    def survey(self, folder: str, now: datetime, settle_seconds: float, *, any_content: bool = False) -> Survey:
        """The Markdown files under a folder, and which of them are at rest; `any_content` does not look into them."""

    def merging(self) -> str | None:
        """Say so when the repository around the workspace is in the middle of something."""


class Traces(Protocol):
    """Where a text may be left beside the pages: journals, events, reports, what is derived, everything else."""

    def require_room(self) -> None:
        """Raises StorageError where the largest file that may be written anew would not fit."""

    def find(self, words: tuple[str, ...]) -> Iterable[tuple[str, Callable[[], object]]]:
        """Each file or folder of ours that holds the text, and what takes it out there."""

    def drop_passages(self) -> None:
        """Take away the index of the logs, which still have the text."""

    def beyond(self, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterable[str]:
        """Where the text still is outside of what will be scrubbed, and where nobody can say."""


class Index(Protocol):
    """What search reads, as a run knows it."""

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, read from their pages."""

    def similar_to(self, memory: Memory) -> Sequence[Similar]:
        """The memories of the bank that are most like one, best first."""

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

    def links_to(self, path: str) -> Sequence[Link]:
        """The references that lead to a file or folder."""

    def broken(self) -> Iterable[tuple[Link, bool]]:
        """The references that lead nowhere, and whether each led somewhere once."""

    def settle(self, moved: Iterable[str]) -> None:
        """Take these pages, by their old paths, for moved no more."""

    def document(self, path: str) -> Document:
        """A page as it is now."""

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
