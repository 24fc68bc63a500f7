"""The search index of a workspace in `.bankd/index/`: disposable, rebuilt by itself, read by many, written by one.

    index/current          the name of the folder that answers
    index/<number>/        terms (tantivy) and rows.sqlite3 of one build

A change goes rows → terms → rows again; a crash between them leaves its pages without a hash, so the next refresh
reads them again. A rebuild goes to a new folder while the old one answers. Damage and another version make it rebuild.
"""

from __future__ import annotations

import fcntl
import hashlib
import shutil
import sqlite3
import unicodedata
import zlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bankd.adapters.disk import storage_told
from bankd.adapters.index_rows import NewPage, NewRow, Rows
from bankd.adapters.index_terms import TermDocument, Terms
from bankd.core.analysis import Analysis
from bankd.core.indexable import IndexableEntry, entries_of, nodes_of
from bankd.core.pages import read_page
from bankd.core.query import Filters, FoundRow
from bankd.core.scoring import Corpus, Vocabulary, Weights, idf

if TYPE_CHECKING:
    from bankd.ports import PageSource, TextAnalyser

FORMAT = "4"
"""Changes whenever an index of the version before could not be read."""

_BATCH_PAGES = 2_000
_KEYWORDS = 100
"""Keywords of a page: its terms by frequency and rarity, at most so many."""


class IndexDamaged(Exception):  # noqa: N818 -- it is what was found
    """The index cannot be read, or is of another version; `refresh` builds a new one."""


class Refreshed(NamedTuple):
    """What a refresh did; `why_rebuilt` is empty when it was not a rebuild."""

    read: int
    removed: int
    provisional: int
    why_rebuilt: str = ""


class SearchIndex:
    """One workspace's index."""

    def __init__(self, folder: Path, pages: PageSource, analyser: TextAnalyser) -> None:
        """Keep the index in this folder, of these pages, read with this analyser."""
        self._folder = folder
        self._pages = pages
        self._analyser = analyser
        self._rows: Rows | None = None
        self._terms: Terms | None = None
        self._opened_folder = folder
        self._name = ""
        self._seen = ""

    # --- reading ---------------------------------------------------------------------------------------------------

    def open(self) -> bool:
        """See the newest state; False when there is no index yet. Raises IndexDamaged."""
        name = self._current()
        if name is None:
            return False
        with _damage_told():
            if name != self._name or self._rows is None or self._terms is None:
                self._attach(name)
            generation = self._opened.state("generation", "0")
            if generation != self._seen and self._terms is not None:
                self._terms.reload()
                self._seen = generation
                self._corpus = self._opened.corpus()
        return True

    def close(self) -> None:
        """Let go of all files."""
        if self._rows is not None:
            self._rows.close()
        self._rows = self._terms = None
        self._name = self._seen = ""

    @property
    def generation(self) -> int:
        """A number that grows with every change."""
        return int(self._seen or 0)

    @property
    def updated(self) -> str | None:
        """When it last took in a change, ISO 8601."""
        return self._opened.state("updated") or None

    @property
    def provisional(self) -> int:
        """Pages read with the lexicon only."""
        return self._opened.count_provisional()

    @property
    def corpus(self) -> Corpus:
        """What scoring has to know of the whole."""
        return self._corpus

    def pending(self) -> int:
        """How many pages changed since they were read; looks at their stamps only."""
        stamps = {path: fingerprint.stamp for path, fingerprint in self._opened.fingerprints().items()}
        scan = self._pages.scan()
        changed = sum(1 for path, stamp in scan.items() if stamps.get(path) != stamp)
        return changed + sum(1 for path in stamps if path not in scan)

    def unchanged(self) -> frozenset[str]:
        """The pages that are as they were when they were read, by their stamps; opens none."""
        stamps = {path: fingerprint.stamp for path, fingerprint in self._opened.fingerprints().items()}
        return frozenset(path for path, stamp in self._pages.scan().items() if stamps.get(path) == stamp)

    def frequency(self, kind: str, term: str) -> int:
        """In how many memories a term occurs."""
        return self._finder.frequency(kind, term)

    def terms_with(self, beginning: str) -> Sequence[str]:
        """The terms that begin so, common ones first."""
        return [term for term, _ in self._finder.all_frequencies(beginning)]

    def reading(self, run: str) -> Sequence[str] | None:
        """How a run of Hangul was read in the bank."""
        return self._opened.reading(run)

    def find(self, weights: Weights, filters: Filters, limit: int) -> list[FoundRow]:
        """The memories that match best by a first, rough count."""
        with _damage_told():
            return self._opened.rows(self._finder.find(weights, filters, limit))

    def vocabularies(self, pages: Iterable[int]) -> Mapping[int, Vocabulary]:
        """The terms of pages; tree-index.json shows the best of them as keywords."""
        return self._opened.vocabularies(pages)

    def paths(self, pages: Iterable[int]) -> Mapping[int, str]:
        """The paths of pages."""
        return self._opened.paths(pages)

    def nodes(self) -> Iterator[tuple[str, str, list[tuple[str, ...]], list[str], int]]:
        """Each page with its title, heading paths, keywords and number of memories, for the tree."""
        return self._opened.nodes()

    def all_frequencies(self) -> list[tuple[str, int]]:
        """All terms with the number of memories they occur in, for the tree."""
        return self._finder.all_frequencies()

    # --- writing ---------------------------------------------------------------------------------------------------

    def refresh(self, now: datetime, paths: Collection[str] | None = None) -> Refreshed:
        """Bring the index up to date with the pages, or with these alone; reads only pages whose stamp changed.

        `paths` are names as they are on the disk.
        """
        with storage_told(self._folder), self._writer_lock():
            why = self._why_unusable()
            if why:
                return self._build(now, why)
            return self._update(now, paths)

    def rebuild(self, now: datetime, why: str = "asked for") -> Refreshed:
        """Build the index anew beside the old one, which answers until the new one is whole."""
        with storage_told(self._folder), self._writer_lock():
            return self._build(now, why)

    def verify(self) -> None:
        """Check every file of the index against the checksum it had when it was written; raises IndexDamaged."""
        name = self._current()
        if name is None:
            return
        with _damage_told():
            self._attach(name)
            for file, _, checksum in self._recorded_files():
                if not file.is_file() or _checksum(file) != checksum:
                    raise IndexDamaged(f"{file.name} is not what was written")

    def _why_unusable(self) -> str:
        """Why the index has to be built anew; empty when it can be used."""
        try:
            if not self.open():
                return "there was none"
            self._check_presence()
        except IndexDamaged as damage:
            return str(damage)
        if self._opened.state("analyser") not in {"", self._analyser.version} and self._analyser.version:
            return "the morphological analyser is another version"
        return ""

    def _check_presence(self) -> None:
        """Only under the writer's lock: a writer that is at work takes files away before it says so."""
        for file, _, _ in self._recorded_files():
            if not file.is_file():
                raise IndexDamaged(f"{file.name} is missing")

    def _check_sizes(self) -> None:
        """Before tantivy maps a file that was cut short, which ends in a panic."""
        for file, size, _ in self._recorded_files():
            if file.is_file() and file.stat().st_size != size:
                raise IndexDamaged(f"{file.name} is not as long as it was written")

    def _recorded_files(self) -> Iterator[tuple[Path, int, str]]:
        """The files of the terms as they were when they were written: path, size, checksum."""
        folder = self._opened_folder / "terms"
        for line in self._opened.state("files").splitlines():
            name, size, checksum = line.split(" ")
            yield folder / name, int(size), checksum

    def _update(self, now: datetime, paths: Collection[str] | None) -> Refreshed:
        scan = self._pages.scan(paths)
        known = self._opened.fingerprints(None if paths is None else {unicodedata.normalize("NFC", p) for p in paths})
        gone = [path for path in known if path not in scan]
        can_upgrade = self._analyser.is_warm
        dirty = [
            path
            for path, stamp in scan.items()
            if path not in known or known[path].stamp != stamp or (can_upgrade and known[path].provisional)
        ]
        hashes = {
            path: "" if fingerprint.provisional and can_upgrade else fingerprint.hash
            for path, fingerprint in known.items()
        }
        read = self._take_in(dirty, gone, scan, hashes, now)
        return Refreshed(read, len(gone), self._opened.count_provisional())

    def _take_in(
        self,
        dirty: Sequence[str],
        gone: Sequence[str],
        scan: Mapping[str, str],
        hashes: Mapping[str, str],
        now: datetime,
    ) -> int:
        read = 0
        for at in range(0, max(len(dirty), 1 if gone else 0), _BATCH_PAGES):
            pages = self._read_pages(dirty[at : at + _BATCH_PAGES], scan, hashes)
            if pages or gone:
                self._write(pages, gone, now)
            read += len(pages)
            gone = []
        return read

    def _build(self, now: datetime, why: str) -> Refreshed:
        self.close()
        name = str(1 + max((int(entry.name) for entry in self._folder.iterdir() if entry.name.isdigit()), default=0))
        generation = self._last_generation()
        (self._folder / name / "terms").mkdir(parents=True)
        rows = Rows(self._folder / name / "rows.sqlite3", create=True)
        rows.set_state("format", FORMAT)
        rows.set_state("generation", str(generation))
        rows.close()
        self._attach(name)
        scan = self._pages.scan()
        read = self._take_in(sorted(scan), (), scan, {}, now)
        self._publish(name)
        return Refreshed(read, 0, self._opened.count_provisional(), why)

    def _last_generation(self) -> int:
        """The generation of the index that answers now, so that numbers never repeat; 0 when it cannot be read."""
        name = self._current()
        try:
            rows = Rows(self._folder / (name or "none") / "rows.sqlite3")
            generation = int(rows.state("generation", "0"))
            rows.close()
        except (sqlite3.Error, ValueError):
            return 0
        return generation

    def _read_pages(self, paths: Sequence[str], scan: Mapping[str, str], hashes: Mapping[str, str]) -> list[NewPage]:
        """Read and analyse pages; those whose content is the same only get their new stamp."""
        contents: dict[str, tuple[bytes, str]] = {}
        for path in paths:
            data = self._pages.read(path)
            if data is None:
                continue
            digest = hashlib.sha256(data).hexdigest()[:32]
            if hashes.get(path) == digest:
                self._opened.touch(path, scan[path])
            else:
                contents[path] = (data, digest)
        return self._analyse_pages(contents, scan)

    def _analyse_pages(self, contents: Mapping[str, tuple[bytes, str]], scan: Mapping[str, str]) -> list[NewPage]:
        read = {path: read_page(path, data) for path, (data, _) in contents.items()}
        entries = {path: tuple(entries_of(page)) for path, page in read.items()}
        texts = {text for found in entries.values() for entry in found for text in (entry.text, entry.context)}
        analyses = self._analyser.analyse_for_index(texts, self._opened.reading, self._is_known)
        self._opened.add_readings(analyses.readings)
        pages = []
        for path, (_, digest) in contents.items():
            provisional = any({entry.text, entry.context} & analyses.provisional for entry in entries[path])
            rows = tuple(_new_row(entry, analyses.of) for entry in entries[path])
            headings = tuple(heading.path for heading in read[path].headings)
            pages.append(NewPage(path, scan[path], digest, provisional, read[path].title, headings, rows))
        return pages

    def _is_known(self, term: str) -> bool:
        return self._finder.frequency("terms", term) > 0

    def _write(self, pages: Sequence[NewPage], gone: Sequence[str], now: datetime) -> None:
        """Rows first, then terms, then believe the rows: a crash between leaves pages that are read again."""
        rows, epoch = self._opened, int(self._opened.state("generation", "0")) + 1
        with self._transaction():
            numbers = [rows.put_page(page, epoch) for page in pages]
        documents = [
            _term_document(number, page.path, row)
            for page, found in zip(pages, numbers, strict=True)
            for number, row in zip(found, page.rows, strict=True)
        ]
        self._finder.replace([*(page.path for page in pages), *gone], documents, is_build=len(pages) > 100)
        keywords = _KeywordChooser(self._finder, rows.corpus().memories + len(documents), len(pages))
        with self._transaction():
            for page in pages:
                rows.finish_page(page, epoch, keywords.of(page))
            for path in gone:
                rows.remove_page(path)
            self._note_state(epoch, now)
        self._seen = str(epoch)
        self._corpus = rows.corpus()

    def _note_state(self, epoch: int, now: datetime) -> None:
        folder = self._folder / self._name / "terms"
        files = sorted(path for path in folder.iterdir() if path.suffix not in (".lock", ".json"))
        recorded = (f"{path.name} {path.stat().st_size} {_checksum(path)}" for path in files)
        self._opened.set_state("files", "\n".join(recorded))
        self._opened.set_state("generation", str(epoch))
        self._opened.set_state("updated", now.isoformat(timespec="seconds"))
        if self._analyser.version:
            self._opened.set_state("analyser", self._analyser.version)

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._opened.begin()
        try:
            yield
        except BaseException:
            self._opened.rollback()
            raise
        self._opened.commit()

    # --- the folder ------------------------------------------------------------------------------------------------

    @property
    def _opened(self) -> Rows:
        if self._rows is None:
            raise IndexDamaged("it is not open")
        return self._rows

    @property
    def _finder(self) -> Terms:
        if self._terms is None:
            raise IndexDamaged("it is not open")
        return self._terms

    def _current(self) -> str | None:
        try:
            return (self._folder / "current").read_text().strip() or None
        except FileNotFoundError:
            return None

    def _attach(self, name: str) -> None:
        self.close()
        with _damage_told():
            folder = self._folder / name
            if not (folder / "rows.sqlite3").is_file():
                raise IndexDamaged("its rows are missing")
            self._rows = Rows(folder / "rows.sqlite3")
            if self._rows.state("format") != FORMAT:
                raise IndexDamaged("it is of another version")
            self._opened_folder = folder
            self._check_sizes()
            self._terms = Terms(folder / "terms")
            self._corpus = self._rows.corpus()
            self._seen = self._rows.state("generation", "0")
            self._name = name

    def _publish(self, name: str) -> None:
        staged = self._folder / "current.new"
        staged.write_text(name)
        staged.replace(self._folder / "current")
        for entry in self._folder.iterdir():
            if entry.name.isdigit() and entry.name != name:
                shutil.rmtree(entry, ignore_errors=True)

    @contextmanager
    def _writer_lock(self) -> Iterator[None]:
        self._folder.mkdir(parents=True, exist_ok=True)
        with (self._folder / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


class _KeywordChooser:
    """Chooses the keywords of pages by frequency in the page and rarity in the bank."""

    def __init__(self, terms: Terms, memories: int, pages: int) -> None:
        self._terms = terms
        self._memories = memories
        self._all = dict(terms.all_frequencies()) if pages > 20 else None

    def of(self, page: NewPage) -> list[str]:
        counts: dict[str, int] = {}
        for row in page.rows:
            for term in row.analysis.terms:
                counts[term] = counts.get(term, 0) + 1
        for term in {term for row in page.rows for term in row.heading_terms}:
            counts[term] = counts.get(term, 0) + 2
        return sorted(counts, key=lambda term: (-counts[term] * idf(self._memories, self._frequency(term)), term))[
            :_KEYWORDS
        ]

    def _frequency(self, term: str) -> int:
        return self._all.get(term, 0) if self._all is not None else self._terms.frequency("terms", term)


@contextmanager
def _damage_told() -> Iterator[None]:
    """Translate what a broken file makes SQLite and tantivy raise."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        raise IndexDamaged(f"its rows cannot be read ({error})") from error
    except ValueError as error:
        raise IndexDamaged(f"its terms cannot be read ({error})") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # what tantivy raises on bytes that it never wrote
            raise IndexDamaged(f"its terms cannot be read ({error})") from error
        raise


def _new_row(entry: IndexableEntry, analyses: Mapping[str, Analysis]) -> NewRow:
    heading = tuple(analyses[entry.context].terms)
    analysis = analyses[entry.text]
    return NewRow(
        entry.line, entry.id, entry.tag, entry.hundredths, entry.day, entry.entities, entry.heading, entry.text,
        analysis, heading,
    )  # fmt: skip


def _term_document(number: int, path: str, row: NewRow) -> TermDocument:
    day = int(row.day.strftime("%Y%m%d")) if row.day else None
    nodes = nodes_of(path, row.heading)
    return TermDocument(
        number, path, row.analysis.terms, row.analysis.bigrams, row.heading_terms, nodes, row.tag, row.entities, day
    )


def _checksum(path: Path) -> str:
    return f"{zlib.crc32(path.read_bytes()):08x}"
