"""What rules and use cases need of the outside, where a test has a fake of it or two things give it.

What has one implementation is named by its class, imported for type checking only.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from bankd.edits.operations import Rewrite
    from bankd.edits.transaction import Applied, Transaction
    from bankd.health.health import Copied
    from bankd.layouts.links import Link, LinkScene, Stray
    from bankd.layouts.merge import Layout
    from bankd.layouts.relink import Source
    from bankd.memory.judge import Neighbour
    from bankd.memory.ledger import CorruptLine, Ledger
    from bankd.memory.new_lines import PastLine
    from bankd.memory.plan import Deferred, HeldBack, Undated
    from bankd.memory.retain import LogReading
    from bankd.memory.retire import Opinion
    from bankd.memory.route import PagePart, Similar
    from bankd.night.asking import Prompt, Reply, Unanswered
    from bankd.night.enrich import Enrichment, UnaskedStatement
    from bankd.pages.memory import Memory
    from bankd.pages.names import Names
    from bankd.pages.page import MemoryLines, Page
    from bankd.pages.scanner import Document
    from bankd.same.pairs import Pairs
    from bankd.search.indexable import IndexablePage, IndexAnalyses, MemoryDates, NewQuestions
    from bankd.search.meaning import CosineBounds
    from bankd.search.request import Filters, FoundRow
    from bankd.search.score import Candidate, Corpus, Usage, Vocabulary
    from bankd.search.suppression import KeptAnswer
    from bankd.storage.journals import Journals
    from bankd.words.analysis import Analysis, Lexicon
    from bankd.words.days import Span
    from bankd.words.statement import Wording


class MemoryCatalog(Protocol):
    """What the bank and its archive hold, without reading every page again."""

    resting: Mapping[str, datetime]
    """The pages that a run leaves alone until then, because something changes them back."""

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Bring it up to date with the pages; gives the pages that could not be read now, and why."""

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """For each id that is held: the pages that hold it, relative to the workspace."""

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        """Of ids that no page holds: where one ends a line all the same, as in a code block, `page:line`."""

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        """For each text key that a page of the bank holds: the id, or place, of that memory."""

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        """The memories of the bank that are new, or say something else than when they were compared, with their text keys.

        All are after a look by another threshold. What was found of these, or of memories that are gone, is forgotten.
        """

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""

    def unmatched(self, most: int) -> Mapping[str, str]:
        """Up to so many memories that were compared by the rules alone, the last added first, with their text keys."""

    def surely_alike(self, id_: str) -> Sequence[tuple[str, str]]:
        """The pairs of a memory, older and newer, that were found to say the same, or a newer value."""

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found; other pairs stay as they are."""

    def known_pairs(self) -> Pairs:
        """Which memories look alike, and what they are to each other."""

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other, in whatever order they stand."""

    def compare_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""

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

    def unsettled(self, now: datetime) -> Mapping[str, str]:
        """The pages of the bank that are left alone for now, each with why; not those that we wrote last ourselves."""

    def count(self) -> int:
        """How many memories the bank holds."""

    def sizes(self) -> Mapping[str, int]:
        """How many memories each page of the bank holds, of those that hold any."""

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""


class Index(Protocol):
    """What search reads, as a run knows it."""

    def neighbours_of(self, memories: Mapping[str, Memory]) -> Mapping[str, Sequence[Neighbour]]:
        """For each new memory, by id: the memories of the bank that look like it, read from their pages."""

    def nearest(self, text: str) -> Sequence[str]:
        """The ids of the memories of the bank that share words with a text, those that share most first."""

    @property
    def has_more(self) -> bool:
        """Whether the last refresh left memories without a sentence vector that will get one."""

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are, as far as both have sentence vectors."""

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

    def pages_with(self, block: str) -> Sequence[str]:
        """The files in which a block of this id stands."""

    def links_to(self, path: str) -> Sequence[Link]:
        """The references that lead to a file or folder."""

    def broken(self) -> Iterable[tuple[Link, bool]]:
        """The references that lead nowhere, and whether each led somewhere once."""

    def settle(self, moved: Iterable[str]) -> None:
        """Count these pages, by their old paths, as moved no longer."""

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


Patience: TypeAlias = Literal["never", "if warm", "wait"]
"""How long the index waits for the analyser: not at all, when it is there already, or until it has loaded."""


class QueryReader(Protocol):
    """Reads queries."""

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        """Give the terms of a query, at once."""


class PageSource(Protocol):
    """The pages of a bank, as the index reads them."""

    def too_large(self) -> Sequence[str]:
        """The files that are not read for their size, named from the workspace on, as the last full scan saw them."""

    def scan(self, paths: Collection[str] | None = None) -> Mapping[str, str]:
        """Every page, or those of these paths that are there, with a stamp that changes when its file does; opens none."""

    def read(self, path: str) -> bytes | None:
        """The bytes of a page; None when it cannot be read."""

    def dates_since(self, seen: str) -> MemoryDates:
        """The days of memories that were noted since an earlier look, which gave `seen`; empty for all."""

    def questions_since(self, seen: str) -> NewQuestions:
        """The questions that memories answer, noted since an earlier look, which gave `seen`; empty for all."""

    def enriched_since(self, seen: str) -> NewQuestions:
        """The same of what a model wrote for statements, by their keys."""

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

    def expect(self, texts: Iterable[str]) -> None:
        """Get ready to take these apart, without waiting."""

    def take_apart(self, texts: Iterable[str]) -> Mapping[str, Wording]:
        """The wording of each text."""


class Vectors(Protocol):
    """Sentence vectors, kept by the key of a text: derived, optional, and never waited for beyond a moment."""

    @property
    def identity(self) -> str:
        """A name of this set of vectors, another one when another model made them; empty when there are none."""

    def bounds_for(self, *, in_hangul: bool) -> CosineBounds | None:
        """From which cosines on to a question this model says that something answers it; None when nobody measured it."""

    @property
    def problem(self) -> str:
        """Why they did not answer when last asked; empty when they did."""

    def near(self, text: str, keys: Sequence[int], most: int) -> Mapping[int, float] | None:
        """Cosines to a question, by key, of the nearest texts and of these; None when they cannot be computed now."""

    def embed(self, texts: Sequence[str]) -> Sequence[int] | None:
        """See that texts have vectors; gives their keys, `NO_VECTOR` of what the model refuses, None when it cannot be done now."""

    def cosines(self, pairs: Sequence[tuple[str, str]]) -> Sequence[float | None]:
        """How near the two texts of each pair are; None of those without a vector, and of all where it cannot be done now."""

    def end_if_idle(self) -> None:
        """Give back what they hold when nobody asked for long."""

    def close(self) -> None:
        """Let go of everything."""


class Models(Protocol):
    """A language model that the user named."""

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """Answer each prompt, in their order; never raise for what a model does."""
        ...


class UnaskedMemories(Protocol):
    """The memories of the bank of which nobody wrote what they answer."""

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Up to this many, the last added first: text, entities, and the headings above."""
        ...


class Enrichments(Protocol):
    """What was written for statements, by this machine and others."""

    def of(self, key: str) -> Enrichment | None:
        """What was written for a statement; None when nobody asked yet."""
        ...

    def keep(self, statement: UnaskedStatement, enrichment: Enrichment, at: datetime) -> None:
        """Keep what was written for a statement; StorageError when the disk does not take that."""
        ...


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

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        """What a ranking asks of the use of these memories, of those that were used at all."""

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


class Transactions(Protocol):
    """The one layer that writes under bank/, archive/ and events/."""

    @property
    def journals(self) -> Journals:
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
        """Stop naming the lines with this key."""

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


class ProseLogs(Protocol):
    """The logs as prose, and where lines that were made of it are put."""

    def settled(self, now: datetime) -> Sequence[str]:
        """The names of the logs at rest, oldest first."""

    def text(self, log: str) -> str:
        """The text of a log; empty when there is none."""

    def read(self, log: str) -> LogReading | None:
        """What a log says; None when there is none."""

    def append(self, log: str, text: str) -> None:
        """Put a text at the end of a log in a folder, made when missing; StorageError when the disk does not take it."""

    def take_back(self, log: str, text: str) -> bool:
        """Take a text that was put there off the end of a log; False, and nothing is done, where it does not end it."""


class Recalls(Protocol):
    """The answers that were given a short while ago."""

    def answers(self) -> Sequence[KeptAnswer]:
        """These, oldest first."""
