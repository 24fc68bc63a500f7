"""What search reads: the index of the bank or the logs, open to read, to write and to mend."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date, datetime
from typing import Protocol, TypeVar

from bankd.core.daemon.health import IndexFacts
from bankd.core.language.dates.spans import Span
from bankd.core.markdown.names import Names
from bankd.core.ranking.indexable import Refreshed
from bankd.core.ranking.priors import Usage
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.scoring import Candidate, Corpus, Vocabulary
from bankd.core.use.associations import StoredTie
from bankd.core.use.signals import UseSignals

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


class AssociatedIndex(IndexView, Protocol):
    """One state of the search index, to be asked what belongs to a memory or page."""

    def with_ids(self, ids: Sequence[str]) -> Mapping[str, int]:
        """The numbers of these memories, by id."""

    @property
    def names(self) -> Names:
        """The pages as links find them, by their paths in the workspace."""

    def mentioning(self, words: Sequence[str], limit: int) -> Sequence[int]:
        """The numbers of the memories that link to something by these words (`core.links.mentions.words_of`)."""

    def signals_of(self, ids: Sequence[str]) -> Mapping[str, UseSignals]:
        """What is known of the use of these memories, of those that were used at all."""

    def used_with(self, ids: Sequence[str], responses: int, most: int) -> Sequence[tuple[str, int]]:
        """The memories that responses used together with one of these, and in how many of the last `responses`."""


class FoundTies(Protocol):
    """What runs found that ties two memories."""

    def ties_of(self, ids: Collection[str]) -> Sequence[StoredTie]:
        """Which memories superseded these or were superseded by them, and which contradict them."""

    def close(self) -> None:
        """Let go of it, until somebody asks again."""


class WorkspaceIndex(AssociatedIndex, Protocol):
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
        """The files that are not searched for their size, as the last check of all files found them."""

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

    def unasked(self, most: int) -> Sequence[tuple[str, tuple[str, ...], tuple[str, ...]]]:
        """Memories without a question that they answer, the last added first: text, entities, and headings above."""

    def count_refused(self, identity: str) -> int:
        """How many memories are left to the words, since the model of these sentence vectors refuses them."""

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
