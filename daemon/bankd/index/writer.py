"""Writes the search index: reads the pages that changed, analyses them, and puts them in, so that a crash costs nothing.

A change goes to the rows, then to the terms, then to the rows again. A crash between leaves its pages without a hash, and
the next refresh reads them again. A rebuild goes to a new build while the old one answers; damage, another format and
another analyser are reasons for one. Only a writer imports this module.
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import TYPE_CHECKING, NamedTuple

from bankd.edits.second_look import match_equal
from bankd.errors import IndexDamaged
from bankd.index.rows import SEPARATOR, Rows
from bankd.index.search_index import Build, IndexFolder, damage_told, find_changed, record_files
from bankd.layouts.links import words_of
from bankd.pages.names import whom_page_is_about
from bankd.pages.text import readable_bytes
from bankd.search.indexable import IndexableEntry, IndexablePage, Refreshed, nodes_of
from bankd.storage.disk import storage_told
from bankd.system.child import seldom_collected
from bankd.words.analysis import AnalysisText, Known, join_analyses, lexicon_of
from bankd.words.day_mentions import days_spoken_of
from bankd.words.days import Span

if TYPE_CHECKING:
    from bankd.index.sources import PageFiles
    from bankd.index.terms import TermDocument
    from bankd.workers.analyser import Analyser

THERE_WAS_NONE = "there was none"
_BATCH_PAGES = 2_000
_LONG_SPAN, _STEP_IN_LONG = 731, 14
"""In days."""


class PageFingerprint(NamedTuple):
    """A page as the index read it; `hash` is empty if a crash left it half read."""

    stamp: str
    hash: str
    provisional: bool


class IndexedRow(NamedTuple):
    """A memory on its way into the index, and its place on the page; `provisional` when it was read with the lexicon only."""

    entry: IndexableEntry
    place: int
    analysis: AnalysisText
    heading: AnalysisText
    provisional: bool
    about: Sequence[Span]
    """The days that it speaks of."""
    asked: AnalysisText
    """The questions that it answers."""

    def columns(self) -> tuple[object, ...]:
        """The columns of the table `memories` from `place` on."""
        *said, questions, mentions = said_by(self.entry)
        heading = self.heading.sentences.replace("\n", " ")
        about = " ".join(f"{first}/{last}" for first, last in self.about)
        return (
            self.place, self.entry.line, *said, self.analysis.sentences, heading, self.analysis.denies,
            self.provisional, about, questions, mentions, self.asked.sentences,
        )  # fmt: skip

    def document(self, number: int, path: str) -> TermDocument:
        """What tantivy indexes of it."""
        entry = self.entry
        document: TermDocument = {
            "row": number,
            "terms": self.analysis.sentences,
            "heading": self.heading.sentences,
            "node": list(nodes_of(path, entry.heading)),
            # Whom its line names, and whose page it stands on: a page that a person renames is found by its new name.
            "entity": [slug.casefold() for slug in {*entry.entities, *whom_page_is_about(path)}],
            "mention": list(words_of(f"bank/{path}", entry.mentions)),
            "day": list(days_found_by(self.about, entry.learned)),
        }
        if entry.questions:
            document["asked"] = self.asked.sentences
        if entry.tag:
            document["tag"] = entry.tag
        if entry.learned:
            document["learned"] = entry.learned.toordinal()
        return document


class IndexedPage(NamedTuple):
    """A page on its way into the index: what is known of it, its new rows, those that moved, and those to drop."""

    path: str
    stamp: str
    hash: str
    title: str
    headings: Sequence[tuple[str, ...]]
    rows: Sequence[IndexedRow]
    moved: Sequence[tuple[int, int, int]]
    """Line, place, and number."""
    gone: Sequence[int]

    def documents(self, numbers: Sequence[int]) -> Iterator[TermDocument]:
        """What tantivy indexes of the new rows, which have these numbers."""
        return (row.document(number, self.path) for number, row in zip(numbers, self.rows, strict=True))


def said_by(entry: IndexableEntry) -> tuple[str | int | None, ...]:
    """The stored form of a memory's contents, without its place on the page."""
    day, learned = (found.isoformat() if found else None for found in (entry.day, entry.learned))
    return (
        entry.id, entry.tag, entry.hundredths, day, learned, " ".join(entry.entities), SEPARATOR.join(entry.heading),
        entry.text, int(entry.is_text), "\n".join(entry.questions), "\n".join(entry.mentions),
    )  # fmt: skip


def days_found_by(about: Iterable[Span], learned: date | None) -> Sequence[int]:
    """The days that find a memory, as ordinals: those that its text names, else the one on which it was learned.

    Of a long span every 14th day and the last: a memory of years is about no single day.
    """
    found: set[int] = set()
    for first, last in about:
        step = 1 if (last - first).days <= _LONG_SPAN else _STEP_IN_LONG
        found |= {*range(first.toordinal(), last.toordinal() + 1, step), last.toordinal()}
    return sorted(found) or ([learned.toordinal()] if learned else [])


class _Looked(NamedTuple):
    """Present and indexed stamps of pages, and the terms that the index knows; with `again` provisional pages are read again."""

    scan: Mapping[str, str]
    pages: Mapping[str, PageFingerprint]
    known: Known
    again: bool = False


class IndexWriter:
    """Brings an index up to date with the pages of a bank."""

    def __init__(self, folder: IndexFolder, pages: PageFiles, analyser: Analyser, now: datetime) -> None:
        """Take where the index is, the pages, how they are read, and the moment that is written into it."""
        self._folder = folder
        self._pages = pages
        self._analyser = analyser
        self._now = now

    def refresh(self, paths: Collection[str] | None = None) -> Refreshed:
        """Take in what changed, of all pages or of these; reads only pages whose stamp changed."""
        with storage_told(self._folder.path), self._folder.writer_lock():
            found = self._open_usable()
            if isinstance(found, str):
                return self._build(found)
            try:
                with damage_told(), storage_told(self._folder.path):
                    return self._update(found, paths)
            except IndexDamaged as damage:  # a kill left files that tantivy cannot add to
                why = str(damage)
            finally:
                found.rows.close()
            return self._build(why)

    def rebuild(self, why: str) -> Refreshed:
        """Make a new build beside the old one, which answers until the new one is whole."""
        with storage_told(self._folder.path), self._folder.writer_lock():
            return self._build(why)

    def _open_usable(self) -> Build | str:
        """The build that answers, or why it has to be made anew."""
        build = None
        try:
            name = self._folder.current()
            if name is None:
                return THERE_WAS_NONE
            build = self._folder.open(name)
            with damage_told():
                why = find_changed(build)
                if not why and self._analyser.version and self._analyser.version != build.rows.state("analyser"):
                    why = build.rows.state("analyser") and "the morphological analyser is another version"
        except IndexDamaged as damage:
            why = str(damage)
        if build is not None and why:
            build.rows.close()
        return why or build or ""

    def _build(self, why: str) -> Refreshed:
        build = self._folder.make()
        try:
            with seldom_collected():
                done = self._update(build, None, is_new=True)
            self._folder.publish(build.name)
            return done._replace(why_rebuilt=why)
        finally:
            build.rows.close()

    def _note_told(self, rows: Rows) -> None:
        """Note what events tell of the days of memories, and logs of what they answer, before their pages are read."""
        dates = self._pages.dates_since(seen := rows.state("events"))
        if dates.seen != seen:
            with rows.transaction():
                rows.note_dates(dates)
                if dates.uses:  # use changes no page, and still counts in what is near
                    self._note_state(rows)
        questions = self._pages.questions_since(seen := rows.state("questions"))
        if questions.seen != seen:
            with rows.transaction():
                rows.note_questions(questions)

    def _update(self, build: Build, paths: Collection[str] | None, *, is_new: bool = False) -> Refreshed:
        """Take in what changed, of all pages or of these; a new build takes in all, and is noted as complete without any too."""
        self._note_told(build.rows)
        scan = self._pages.scan(paths)
        known = build.rows.fingerprints(
            None if paths is None else {unicodedata.normalize("NFC", path) for path in paths}
        )
        gone: Sequence[str] = [path for path in known if path not in scan]
        removed, again = len(gone), self._analyser.is_thorough
        looked = _Looked(scan, known, lambda term: build.terms.frequency("terms", term) > 0, again)
        dirty = sorted(
            path
            for path, stamp in scan.items()
            if path not in known or known[path].stamp != stamp or (again and known[path].provisional)
        )
        read = 0
        for at in range(0, len(dirty) or 1, _BATCH_PAGES):  # one empty batch where only pages went
            pages = self._read_pages(build.rows, dirty[at : at + _BATCH_PAGES], looked)
            if pages or gone or is_new:
                self._write(build, pages, gone, looked)
            read, gone = read + len(pages), ()
        return Refreshed(read, removed, build.rows.count_provisional())

    def _read_pages(self, rows: Rows, paths: Sequence[str], looked: _Looked) -> list[IndexedPage]:
        """Read and analyse pages; those whose content is the same only get their new stamp."""
        read: dict[str, tuple[str, IndexablePage]] = {}
        for path in paths:
            data = self._pages.read(path)
            if data is None:
                continue
            digest, there = hashlib.sha256(data).hexdigest()[:32], looked.pages.get(path)
            if there is not None and there.hash == digest and not (looked.again and there.provisional):
                rows.touch(path, looked.scan[path])
            else:
                read[path] = digest, self._pages.contents(path, readable_bytes(data))
        changes = {path: _compare(rows, path, page, looked) for path, (_, page) in read.items()}
        added = [entry for new, _, _ in changes.values() for _, entry in new]
        texts = {text for entry in added for text in (*entry.texts, *entry.questions, entry.context)}
        with rows.transaction():  # a transaction for each reading would take longer than all the rest
            analyses = self._analyser.analyse_for_index(texts, lexicon_of(rows.reading, looked.known))
            rows.add_readings(analyses.readings)

        def row_of(place: int, entry: IndexableEntry) -> IndexedRow:
            said = join_analyses([analyses.of[text] for text in entry.texts])
            asked = join_analyses([analyses.of[text] for text in entry.questions])
            about = days_spoken_of(entry.text, entry.learned, entry.tag)
            provisional = not analyses.provisional.isdisjoint((*entry.texts, *entry.questions, entry.context))
            return IndexedRow(entry, place, said, analyses.of[entry.context], provisional, about, asked)

        pages = []
        for path, (digest, page) in read.items():
            new, moved, gone = changes[path]
            found = [row_of(place, entry) for place, entry in new]
            pages.append(IndexedPage(path, looked.scan[path], digest, page.title, page.headings, found, moved, gone))
        return pages

    def _write(self, build: Build, pages: Sequence[IndexedPage], gone: Sequence[str], looked: _Looked) -> None:
        """Rows first, then terms, then mark the rows as read: a crash between leaves pages that are read again."""
        rows = build.rows
        with rows.transaction():
            numbers = [rows.put_page(page) for page in pages]
            for path in gone:
                rows.mark_unread(path)
        documents = [one for page, found in zip(pages, numbers, strict=True) for one in page.documents(found)]
        old = [*(row for page in pages for row in page.gone), *(row for path in gone for row in rows.rows_of(path))]
        # The new numbers are dropped too: a power cut may have taken their rows and left their terms.
        build.terms.replace([*old, *(number for found in numbers for number in found)], documents)
        with rows.transaction():
            if gone or any(page.path not in looked.pages for page in pages):
                rows.set_state("names", rows.state("generation"))
            for page in pages:
                rows.finish_page(page)
            for path in gone:
                rows.remove_page(path)
            record_files(build.folder, rows)
            self._note_state(rows)

    def _note_state(self, rows: Rows) -> None:
        rows.next_generation()
        rows.set_state("updated", self._now.isoformat(timespec="seconds"))
        if self._analyser.version:
            rows.set_state("analyser", self._analyser.version)


def _compare(
    rows: Rows, path: str, page: IndexablePage, looked: _Looked
) -> tuple[list[tuple[int, IndexableEntry]], list[tuple[int, int, int]], list[int]]:
    """The differences between a page and the index: entries to add (by place), rows that moved, numbers of rows to drop.

    Only added entries are analysed and written. An unchanged memory keeps its row.
    """
    there = looked.pages.get(path)  # without a hash a crash left it half written, and none of it is used
    stored = rows.stored(path, all_anew=not there.hash, again=looked.again) if there else []
    ids = [entry.id for entry in page.entries if entry.id]
    learned, asked = rows.learned(ids), rows.questions(ids)  # known by events and by logs, not by the page
    entries = [
        entry._replace(learned=learned.get(entry.id or "", entry.day), questions=tuple(asked.get(entry.id or "", ())))
        for entry in page.entries
    ]
    matches = match_equal(map(said_by, entries), (said for *_, said in stored))
    added, moved = [], []
    for place, (entry, same) in enumerate(zip(entries, matches.before, strict=True)):
        if same is None:
            added.append((place, entry))
        elif stored[same][1:3] != (entry.line, place):
            moved.append((entry.line, place, stored[same][0]))
    return added, moved, [stored[at][0] for at in matches.gone]
