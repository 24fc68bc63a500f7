"""What rules and use cases need from outside, where more than one class provides it.

Where there is one class, its users name it, imported for type checking only.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from bankd.fleet.shared import SharedVectors
    from bankd.memory.plan import Deferred
    from bankd.memory.retain import LogReading
    from bankd.night.asking import Prompt, Reply, Unanswered
    from bankd.search.request import Filters, FoundRow
    from bankd.search.score import Candidate, Corpus, Usage, Vocabulary
    from bankd.words.analysis import Analysis, Lexicon
    from bankd.words.days import Span
    from bankd.workers.vectors import SentenceVectors


Patience: TypeAlias = Literal["never", "if warm", "wait"]
"""Whether the index uses the analyser: never, only if it is loaded already, or after waiting for it."""


class QueryReader(Protocol):
    """Reads queries."""

    def analyse_query(self, text: str, lexicon: Lexicon) -> Analysis:
        """Give the terms of a query, at once."""


Vectors: TypeAlias = "SentenceVectors | SharedVectors"
"""Sentence vectors of a bank, or of the banks of a fleet."""


class Models(Protocol):
    """A language model that the user named."""

    def answer(self, prompts: Sequence[Prompt]) -> Sequence[Reply | Unanswered]:
        """Answer each prompt, in their order; never raise for what a model does."""
        ...

    def find(self, prompt: Prompt) -> Reply | None:
        """The reply to the same prompt that was kept; nothing is asked."""
        ...


class ProseLogs(Protocol):
    """The logs as a model reads them: those of the workspace, or these plus text that is not written yet."""

    def settled(self, now: datetime) -> Sequence[str]:
        """The logs that nobody is writing at the moment, the oldest day first."""
        ...

    def read(self, log: str) -> LogReading | None:
        """The Retain lines of a log; None if it cannot be read now."""
        ...

    def text(self, log: str) -> str:
        """A log as it is now; empty if there is none."""
        ...

    def append(self, log: str, text: str) -> None:
        """Put text at the end of a log below `distilled/`; BankError if that cannot be done."""
        ...


class IndexView(Protocol):
    """One state of the search index, to be read."""

    @property
    def generation(self) -> int:
        """A number that grows with every change."""

    @property
    def corpus(self) -> Corpus:
        """The figures of the whole index that scoring needs."""

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term of this kind (`terms`, `heading`; `asked` of questions) occurs."""

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms with this beginning, common ones first."""

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the bank; None when it was never seen."""

    def find(self, terms: Mapping[str, float], filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories that match best by a first, rough count of weighed words, best first."""

    def find_within(self, window: Span | None, filters: Filters, limit: int) -> Sequence[int]:
        """The numbers of the memories about some days or learned on them (or of all memories), the last learned first."""

    def learned(self, ids: Sequence[str]) -> Mapping[str, date]:
        """The days on which these memories were learned, as far as known; they need not be in the index."""

    def candidates(self, numbers: Sequence[int]) -> Sequence[Candidate]:
        """The data to score these memories, in any order; those that are gone are left out."""

    def rows(self, numbers: Sequence[int]) -> Sequence[FoundRow]:
        """The data to show these memories, in any order; those that are gone are left out."""

    def usage_of(self, ids: Sequence[str]) -> Mapping[str, Usage]:
        """The use of these memories, for ranking; those that were never used are left out."""

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages."""

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages, relative to the bank."""

    def count_vectors(self, identity: str) -> int:
        """How many memories have one of these sentence vectors."""

    def vector_keys(self, numbers: Sequence[int]) -> Mapping[int, Sequence[int]]:
        """The keys of the sentence vectors of these memories, by number; memories without one are left out."""

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, Sequence[int]]:
        """All memories with one of these vector keys that pass the filters: number and key."""


@dataclass(frozen=True, slots=True)
class UnreadLogs:
    """The changed logs: those that were read, those that must wait, and the names of those left for a later batch."""

    readings: Sequence[LogReading]
    waiting: Sequence[Deferred] = ()
    later: Sequence[str] = ()
