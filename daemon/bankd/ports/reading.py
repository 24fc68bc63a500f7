"""What makes an index: pages to read, and who takes their texts and queries apart."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

from bankd.core.language.analysis import Analysis
from bankd.core.language.lexicon import Lexicon
from bankd.core.language.wording import Wording
from bankd.core.ranking.fusion import CosineBounds
from bankd.core.ranking.indexable import IndexablePage, IndexAnalyses, MemoryDates, NewQuestions

Patience: TypeAlias = Literal["never", "if warm", "wait"]
"""How long the index waits for the analyser: not at all, when it is there already, or until it has loaded."""


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
