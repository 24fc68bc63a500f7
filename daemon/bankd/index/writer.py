"""What goes into the search index: pages, rows and terms on their way; only a writer imports this.

Writing the search index: what changed is read, analysed, and put in, so that a crash at any point costs nothing.

A change goes rows → terms → rows again; a crash between them leaves its pages without a hash, so the next refresh
reads them again. A rebuild goes to a new build while the old one answers. Damage and another version make it rebuild.

The keywords of pages: what tree-index.json says of each.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import partial
from operator import mul
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.edits.second_look import match_equal
from bankd.errors import IndexDamaged
from bankd.index.folder import Build, IndexFolder, damage_told, find_changed, record_files
from bankd.index.rows import SEPARATOR
from bankd.index.terms import Terms
from bankd.layouts.links import words_of
from bankd.pages.text import readable_bytes
from bankd.search.indexable import (
    IndexableEntry,
    IndexablePage,
    IndexAnalyses,
    Refreshed,
    nodes_of,
    with_days,
    with_questions,
)
from bankd.search.weigh import idf
from bankd.storage.disk import storage_told
from bankd.system.process import seldom_collected
from bankd.words.analysis import AnalysisText, Known, join_analyses, lexicon_of
from bankd.words.day_mentions import days_spoken_of
from bankd.words.days import Span

if TYPE_CHECKING:
    from bankd.ports import PageSource, TextAnalyser

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


_BATCH_PAGES = 2_000
_MANY_FOR_TREE = 200
THERE_WAS_NONE = "there was none"


class _Looked(NamedTuple):
    """What a look at the bank and the index gave: the stamps of pages, how those were that are in it, the terms known.

    Pages that are provisional are read `again`.
    """

    scan: Mapping[str, str]
    pages: Mapping[str, PageFingerprint]
    known: Known
    again: bool = False

    def is_same(self, path: str, digest: str) -> bool:
        """Whether a page with this content needs no reading."""
        there = self.pages.get(path)
        return there is not None and there.hash == digest and not (self.again and there.provisional)

    def is_half_read(self, path: str) -> bool:
        """Whether a crash left a page in between, so that nothing of it is believed."""
        there = self.pages.get(path)
        return there is not None and not there.hash


class IndexWriter:
    """Brings an index up to date with the pages of a bank."""

    def __init__(self, folder: IndexFolder, pages: PageSource, analyser: TextAnalyser, now: datetime) -> None:
        """Take where the index is, the pages, how they are read, and the moment that is written into it."""
        self._folder = folder
        self._pages = pages
        self._analyser = analyser
        self._now = now

    def refresh(self, paths: Collection[str] | None = None) -> Refreshed:
        """Take in what changed, of all pages or of these; reads only pages whose stamp changed."""
        with storage_told(self._folder.path), self._folder.writer_lock():
            found = self._open_usable()
            return self._build(found) if isinstance(found, str) else self._update_or_build(found, paths)

    def _update_or_build(self, build: Build, paths: Collection[str] | None) -> Refreshed:
        """Take changes in; where the build cannot take them (a kill left files that tantivy trips over), make another."""
        try:
            with damage_told(), storage_told(self._folder.path):
                return self._update(build, paths)
        except IndexDamaged as damage:
            why = str(damage)
        finally:
            build.rows.close()
        return self._build(why)

    def rebuild(self, why: str) -> Refreshed:
        """Make a new build beside the old one, which answers until the new one is whole."""
        with storage_told(self._folder.path), self._folder.writer_lock():
            return self._build(why)

    def _open_usable(self) -> Build | str:
        """The build that answers, or why it has to be made anew."""
        try:
            name = self._folder.current()
            if name is None:
                return THERE_WAS_NONE
            build = self._folder.open(name)
        except IndexDamaged as damage:
            return str(damage)
        try:
            with damage_told():
                why = self._why_unusable(build)
        except IndexDamaged as damage:
            why = str(damage)
        if why:
            build.rows.close()
        return why or build

    def _why_unusable(self, build: Build) -> str:
        changed = find_changed(build)
        if changed:
            return changed
        made_with, have = build.rows.state("analyser"), self._analyser.version
        return "the morphological analyser is another version" if have and made_with not in {"", have} else ""

    def _build(self, why: str) -> Refreshed:
        build = self._folder.make()
        try:
            scan = self._pages.scan()
            with seldom_collected():
                read = self._fill(build, scan)
            self._folder.publish(build.name)
            return Refreshed(len(read), 0, build.rows.count_provisional(), why)
        finally:
            build.rows.close()

    def _fill(self, build: Build, scan: Mapping[str, str]) -> list[str]:
        """Put all pages in; nobody reads this build before it is whole, so they need no order among rows and terms."""
        read: list[str] = []
        known: set[str] = set()
        with build.rows.unread():
            self._note_told(build)
            with build.terms.filling() as add:
                for paths in _batches(sorted(scan)):
                    pages = self._read_pages(build, paths, _Looked(scan, {}, known.__contains__))
                    with build.rows.transaction():
                        for page in pages:
                            add(documents_of(page, build.rows.put_page(page)))
                            build.rows.finish_page(page)
                    known.update(*map(page_terms, pages))
                    read += [page.path for page in pages]
            with build.rows.transaction():
                self._finish(build)
        return read

    def _note_told(self, build: Build) -> None:
        """Take in what events tell of the days of memories, and logs of what they answer, before their pages are read."""
        dates = self._pages.dates_since(seen := build.rows.state("events"))
        if dates.seen != seen:
            with build.rows.transaction():
                build.rows.note_dates(dates)
                if dates.uses:  # they change no page, and bear on what is near
                    self._note_state(build)
        questions = self._pages.questions_since(seen := build.rows.state("questions"))
        if questions.seen != seen:
            with build.rows.transaction():
                build.rows.note_questions(questions)
        enriched = self._pages.enriched_since(seen := build.rows.state("enriched"))
        if enriched.seen != seen:
            with build.rows.transaction():
                build.rows.note_questions(enriched, "enriched")

    def _update(self, build: Build, paths: Collection[str] | None) -> Refreshed:
        self._note_told(build)
        scan = self._pages.scan(paths)
        composed = None if paths is None else {unicodedata.normalize("NFC", path) for path in paths}
        known = build.rows.fingerprints(composed)
        gone = [path for path in known if path not in scan]
        again = self._analyser.is_warm
        looked = _Looked(scan, known, partial(_is_known, build.terms), again)
        dirty = [
            path
            for path, stamp in scan.items()
            if path not in known or known[path].stamp != stamp or (again and known[path].provisional)
        ]
        read = self._take_in(build, dirty, gone, looked)
        return Refreshed(read, len(gone), build.rows.count_provisional())

    def _take_in(self, build: Build, dirty: Sequence[str], gone: Sequence[str], looked: _Looked) -> int:
        read = 0
        for paths in _batches(dirty) or ([()] if gone else []):
            pages = self._read_pages(build, paths, looked)
            if pages or gone:
                self._write(build, pages, gone, looked)
            read += len(pages)
            gone = ()
        return read

    def _read_pages(self, build: Build, paths: Sequence[str], looked: _Looked) -> list[IndexedPage]:
        """Read and analyse pages; those whose content is the same only get their new stamp."""
        contents: dict[str, tuple[bytes, str]] = {}
        for path in paths:
            data = self._pages.read(path)
            if data is None:
                continue
            digest = hashlib.sha256(data).hexdigest()[:32]
            if looked.is_same(path, digest):
                build.rows.touch(path, looked.scan[path])
            else:
                contents[path] = (data, digest)
        return self._analyse_pages(build, contents, looked)

    def _analyse_pages(
        self, build: Build, contents: Mapping[str, tuple[bytes, str]], looked: _Looked
    ) -> list[IndexedPage]:
        read = {path: self._pages.contents(path, readable_bytes(data)) for path, (data, _) in contents.items()}
        changes = {path: self._compare(build, path, page, looked) for path, page in read.items()}
        added = [entry for change in changes.values() for _, entry in change.added]
        texts = {text for entry in added for text in (*entry.texts, *entry.questions, entry.context)}
        with build.rows.transaction():  # each reading by itself would take longer than all the rest
            analyses = self._analyser.analyse_for_index(texts, lexicon_of(build.rows.reading, looked.known))
            build.rows.add_readings(analyses.readings)
        pages = []
        for path, (_, digest) in contents.items():
            rows = tuple(new_row(place, entry, analyses) for place, entry in changes[path].added)
            headings = tuple(read[path].headings)
            _, moved, dropped = changes[path]
            pages.append(IndexedPage(path, looked.scan[path], digest, read[path].title, headings, rows, moved, dropped))
        return pages

    @staticmethod
    def _compare(build: Build, path: str, page: IndexablePage, looked: _Looked) -> PageDifference:
        """What of a page is not in the index as it is now: only that is analysed and written."""
        rows = build.rows.stored(path, all_anew=looked.is_half_read(path), again=looked.again)
        ids = [entry.id for entry in page.entries if entry.id]
        keys = [entry.key for entry in page.entries if entry.id]
        entries = with_questions(with_days(page.entries, build.rows.learned(ids)), build.rows.questions([*ids, *keys]))
        return compare(entries, rows if path in looked.pages else ())

    def _write(self, build: Build, pages: Sequence[IndexedPage], gone: Sequence[str], looked: _Looked) -> None:
        """Rows first, then terms, then believe the rows: a crash between leaves pages that are read again."""
        rows = build.rows
        with rows.transaction():
            numbers = [rows.put_page(page) for page in pages]
            for path in gone:
                rows.mark_unread(path)
        documents = [one for page, found in zip(pages, numbers, strict=True) for one in documents_of(page, found)]
        old = [*(row for page in pages for row in page.gone), *(row for path in gone for row in rows.rows_of(path))]
        # The new numbers are free, but where a power cut took rows whose terms are there.
        build.terms.replace([*old, *(document.row for document in documents)], documents)
        with rows.transaction():
            self._note_for_tree(build, pages, gone, looked)
            if gone or any(page.path not in looked.pages for page in pages):
                rows.set_state("names", rows.state("generation"))
            for page in pages:
                rows.finish_page(page)
            for path in gone:
                rows.remove_page(path)
            self._finish(build)

    def _finish(self, build: Build) -> None:
        """How far the build has come, once all terms are in."""
        record_files(build.folder, build.rows)
        self._note_state(build)

    @staticmethod
    def _note_for_tree(build: Build, pages: Sequence[IndexedPage], gone: Sequence[str], looked: _Looked) -> None:
        """Note what changes for the tree file, before rows are dropped; after many changes it is made whole."""
        rows = build.rows
        if len(pages) + len(gone) > _MANY_FOR_TREE:
            rows.set_state("tree", "")
        if rows.state("tree"):
            terms = {term for path in gone for term in changed_terms(rows.sentences(rows.rows_of(path)), ())}
            for page in pages:
                old, new = rows.sentences(page.gone), (row.analysis.sentences for row in page.rows)
                terms |= changed_terms(old, new, any_of_them=looked.is_half_read(page.path))
            rows.tree.touch([*(page.path for page in pages), *gone], terms)

    def _note_state(self, build: Build) -> None:
        build.rows.set_state("generation", str(int(build.rows.state("generation", "0")) + 1))
        build.rows.set_state("updated", self._now.isoformat(timespec="seconds"))
        if self._analyser.version:
            build.rows.set_state("analyser", self._analyser.version)


def _batches(paths: Sequence[str]) -> list[Sequence[str]]:
    return [paths[at : at + _BATCH_PAGES] for at in range(0, len(paths), _BATCH_PAGES)]


def _is_known(terms: Terms, term: str) -> bool:
    return terms.frequency("terms", term) > 0


_KEYWORDS = 100
"""Keywords of a page: its terms by frequency and rarity, at most this many."""
_FEW_TERMS = 1_000
"""Exact counts a page at most: this many take a few milliseconds."""
_MANY_PAGES = 20
"""For more pages the frequencies of all terms are read at once."""


class KeywordChooser:
    """Chooses the keywords of pages by frequency in the page and rarity in the bank."""

    def __init__(self, terms: Terms, memories: int, pages: int) -> None:
        self._terms = terms
        self._memories = memories
        frequencies = terms.all_frequencies() if pages > _MANY_PAGES else []
        rarity_of = {count: idf(memories, count) for _, count in frequencies}
        self._rarities = {term: rarity_of[count] for term, count in frequencies}

    def of(self, counts: Mapping[str, int]) -> list[str]:
        """The keywords of a page that says its terms so often."""
        if not counts.keys() <= self._rarities.keys():
            self._learn(counts)
        worth = list(map(mul, counts.values(), map(self._rarities.__getitem__, counts)))
        least = sorted(worth, reverse=True)[:_KEYWORDS][-1] if worth else 0.0
        best = [(-own, term) for own, term in zip(worth, counts, strict=True) if own >= least]
        return [term for _, term in sorted(best)[:_KEYWORDS]]

    def _learn(self, terms: Iterable[str]) -> None:
        new = [term for term in terms if term not in self._rarities]
        # What is taken out of a page counts on in `frequency` for a while; few terms are worth the exact number.
        count = self._terms.count if len(new) <= _FEW_TERMS else partial(self._terms.frequency, "terms")
        self._rarities |= {term: idf(self._memories, count(term)) for term in new}
