"""What goes into the search index: pages, rows and terms on their way; only a writer imports this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from bankd.core.language.analysis import AnalysisText
from bankd.core.ranking.indexable import IndexableEntry


class NewRow(NamedTuple):
    """A memory on its way into the index, and where it stands."""

    entry: IndexableEntry
    analysis: AnalysisText
    heading: AnalysisText


class NewPage(NamedTuple):
    """A page on its way into the index; `provisional` when something on it was read with the lexicon only."""

    path: str
    stamp: str
    hash: str
    provisional: bool
    title: str
    headings: tuple[tuple[str, ...], ...]
    rows: tuple[NewRow, ...]
    terms: frozenset[str]
    """All that is said on it, and in the headings over it."""


class Fingerprint(NamedTuple):
    """How a page was when the index read it; `hash` is empty when a crash left it half read."""

    stamp: str
    hash: str
    provisional: bool


class TermDocument(NamedTuple):
    """What is indexed of a memory; white space is between terms, and between bigrams."""

    row: int
    path: str
    terms: str
    bigrams: str
    heading: str
    nodes: Sequence[str]
    tag: str | None
    entities: Sequence[str]
    day: int | None
    """The day as a number such as 20261121."""
