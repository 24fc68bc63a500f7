"""What goes into the search index: pages, rows and terms on their way; only a writer imports this."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from typing import NamedTuple, TypeAlias

from bankd.adapters.index.rows import SEPARATOR
from bankd.core.edits.matching import match_equal
from bankd.core.language.analysis import AnalysisText, join_analyses
from bankd.core.language.dates.memory_days import days_spoken_of
from bankd.core.language.dates.spans import Span
from bankd.core.links.mentions import words_of
from bankd.core.ranking.indexable import IndexableEntry, IndexAnalyses, nodes_of

_LONG, _IN_A_MONTH = 731, 14
"""In days."""

Said: TypeAlias = tuple[str | int | None, ...]
"""What a memory says and how it is shown, wherever on its page it stands."""


class StoredRow(NamedTuple):
    """A row that the index has of a page; `said` is empty when it is not to be kept."""

    row: int
    line: int
    place: int
    said: Said


class PageDifference(NamedTuple):
    """How the memories of a page differ from its rows: those to add, by place, rows with another line and place, and rows to drop."""

    added: Sequence[tuple[int, IndexableEntry]]
    moved: Sequence[tuple[int, int, int]]
    gone: Sequence[int]


def compare(entries: Iterable[IndexableEntry], rows: Iterable[StoredRow]) -> PageDifference:
    """Give every memory the row that says the same, the first in the order of the page, if there is one left."""
    entries, rows = list(entries), sorted(rows, key=lambda row: row.place)
    matches = match_equal(map(said_by, entries), (row.said for row in rows))
    pairs = [(place, entry, same) for place, (entry, same) in enumerate(zip(entries, matches.before, strict=True))]
    added = [(place, entry) for place, entry, same in pairs if same is None]
    kept = [(place, entry, rows[same]) for place, entry, same in pairs if same is not None]
    moved = [(entry.line, place, row.row) for place, entry, row in kept if (row.line, row.place) != (entry.line, place)]
    return PageDifference(added, moved, [rows[number].row for number in matches.gone])


def said_by(entry: IndexableEntry) -> Said:
    """What a memory says and how it is shown, as it is stored."""
    day = entry.day.isoformat() if entry.day else None
    entities, heading = " ".join(entry.entities), SEPARATOR.join(entry.heading)
    learned = entry.learned.isoformat() if entry.learned else None
    questions, mentions = "\n".join(entry.questions), "\n".join(entry.mentions)
    return (
        entry.id,
        entry.tag,
        entry.hundredths,
        day,
        learned,
        entities,
        heading,
        entry.text,
        int(entry.is_text),
        questions,
        mentions,
    )


class IndexedRow(NamedTuple):
    """A memory on its way into the index, and where it stands; `provisional` when it was read with the lexicon only."""

    entry: IndexableEntry
    place: int
    analysis: AnalysisText
    heading: AnalysisText
    provisional: bool
    about: Sequence[Span] = ()
    """The days that it speaks of."""
    asked: AnalysisText | None = None
    """The questions that it answers."""


class IndexedPage(NamedTuple):
    """A page on its way into the index: what is known of it, and how its rows change."""

    path: str
    stamp: str
    hash: str
    title: str
    headings: tuple[tuple[str, ...], ...]
    rows: tuple[IndexedRow, ...]
    moved: Sequence[tuple[int, int, int]]
    gone: Sequence[int]


class PageFingerprint(NamedTuple):
    """How a page was when the index read it; `hash` is empty when a crash left it half read."""

    stamp: str
    hash: str
    provisional: bool


class TermDocument(NamedTuple):
    """What is indexed of a memory; white space is between terms, and between bigrams."""

    row: int
    terms: str
    bigrams: str
    heading: str
    nodes: Sequence[str]
    tag: str | None
    entities: Sequence[str]
    asked: str
    """The terms of the questions that it answers."""
    asked_bigrams: str
    days: Sequence[int]
    """The days that it is found by, as ordinals."""
    learned: int | None
    mentions: Iterable[str] = ()
    """The words by which it is found as one that links to a page or memory."""


def new_row(place: int, entry: IndexableEntry, analyses: IndexAnalyses) -> IndexedRow:
    """A memory with what was read of it."""
    provisional = not analyses.provisional.isdisjoint((*entry.texts, *entry.questions, entry.context))
    about = days_spoken_of(entry.text, entry.learned, entry.tag)
    said = join_analyses([analyses.of[text] for text in entry.texts])
    asked = join_analyses([analyses.of[text] for text in entry.questions]) if entry.questions else None
    return IndexedRow(entry, place, said, analyses.of[entry.context], provisional, about, asked)


def page_terms(page: IndexedPage) -> set[str]:
    """All that is said in the new rows of a page, and in the headings over them."""
    said = [row.analysis.sentences for row in page.rows]
    return {*" ".join(said).split(), *" ".join({row.heading.sentences for row in page.rows}).split()}


def changed_terms(before: Iterable[str], now: Iterable[str], *, any_of_them: bool = False) -> set[str]:
    """The terms that more or fewer memories have now; any of them where a crash left rows that nobody believed."""
    old, new = (Counter(term for said in texts for term in set(said.split())) for texts in (before, now))
    return {term for term in old.keys() | new.keys() if any_of_them or old[term] != new[term]}


def documents_of(page: IndexedPage, numbers: Sequence[int]) -> Iterator[TermDocument]:
    """What is indexed of the new rows of a page."""
    for number, row in zip(numbers, page.rows, strict=True):
        yield _term_document(number, page.path, row)


def _term_document(number: int, path: str, row: IndexedRow) -> TermDocument:
    entry, analysis = row.entry, row.analysis
    learned = entry.learned.toordinal() if entry.learned else None
    days = days_found_by(row.about, entry.learned)
    nodes = nodes_of(path, entry.heading)
    said, above = analysis.sentences, row.heading.sentences
    asked, bigrams = (row.asked.sentences, row.asked.bigrams) if row.asked else ("", "")
    return TermDocument(
        number, said, analysis.bigrams, above, nodes, entry.tag, entry.entities, asked, bigrams, days, learned,
        words_of(f"bank/{path}", entry.mentions),
    )  # fmt: skip


def days_found_by(about: Iterable[Span], learned: date | None) -> Sequence[int]:
    """The days that a memory is found by, as ordinals: those that it speaks of, else the one on which it was learned."""
    return list(_days_of(about)) or ([learned.toordinal()] if learned else [])


def _days_of(about: Iterable[Span]) -> Iterator[int]:
    """Each day of some spans once; of a long one the last and some in every month, since what it is of is no day."""
    found = set()
    for first, last in about:
        step = 1 if (last - first).days <= _LONG else _IN_A_MONTH
        found |= {*range(first.toordinal(), last.toordinal() + 1, step), last.toordinal()}
    return iter(sorted(found))
