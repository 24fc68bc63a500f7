"""The search index of a workspace in `.bankd/index/`: read by many processes, written by one, made anew if it is damaged.

index/current          the number of the build that answers
index/<number>/        terms (tantivy) and rows.sqlite3 of one build
index/lock             locked by whoever writes

`bankctl search` opens it without a daemon, so what only a writer needs (`writer`, and with it Markdown) is imported late.
"""

from __future__ import annotations

import os
import sqlite3
import stat
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from bankd.errors import IndexDamaged, StorageError
from bankd.index.rows import Rows
from bankd.index.terms import Terms
from bankd.search.request import Filters
from bankd.search.score import Corpus

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.health.health import IndexFacts
    from bankd.index.sources import PageFiles
    from bankd.index.writer import IndexWriter
    from bankd.pages.names import Names
    from bankd.search.indexable import Refreshed
    from bankd.workers.analyser import Analyser

_T = TypeVar("_T")
FORMAT = "22"
"""Changes whenever an index of the version before could not be read."""
_LIST = "meta.json"
"""The list that tantivy keeps of the files of an index."""
_MOST_WORDS = 160
_NO_ROOM = ("SQLITE_FULL", "SQLITE_IOERR_SHM", "SQLITE_CANTOPEN", "SQLITE_READONLY")


class Build(NamedTuple):
    """One build of an index, open."""

    name: str
    folder: str
    rows: Rows
    terms: Terms
    inode: int
    """The inode of its rows: a build that was made anew may have the same name."""
    generation: str
    """The generation of the rows before the terms were opened, which are of this generation or newer."""


class IndexFolder:
    """Where the builds of an index are."""

    def __init__(self, folder: Path | str) -> None:
        """Take the folder, which is made by the first writer."""
        self._at = str(folder)

    @cached_property
    def path(self) -> Path:
        """Where it is."""
        from pathlib import Path  # noqa: PLC0415 -- a query has no time for it

        return Path(self._at)

    def current(self) -> str | None:
        """The build that answers; None when there is none."""
        try:
            with open(f"{self._at}/current") as file:
                name = file.read().strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, UnicodeDecodeError) as problem:
            raise IndexDamaged(f"current cannot be read: {problem}") from problem
        if not name.isdecimal():
            raise IndexDamaged("current names no build")
        return name

    def open(self, name: str) -> Build:
        """Open a build; raises IndexDamaged."""
        folder = f"{self._at}/{name}"
        file = f"{folder}/rows.sqlite3"
        with damage_told():
            for path in (file, f"{file}-wal", f"{file}-shm"):
                if os.path.exists(path) and not (os.path.isfile(path) and os.access(path, os.R_OK)):
                    raise IndexDamaged(f"{os.path.basename(path)} cannot be read")
            if not os.path.exists(file):
                raise IndexDamaged("its rows are missing")
            try:
                rows = Rows(file)
            except sqlite3.OperationalError as problem:
                if not problem.sqlite_errorname.startswith(_NO_ROOM):
                    raise
                # SQLite makes a file beside the rows to share them; a full disk has no room for it.
                rows = Rows(file, frozen=True)
            try:
                generation = rows.state("generation", "0")
                return Build(name, folder, rows, self._open_terms(folder, rows), self.inode(name), generation)
            except BaseException:
                rows.close()
                raise

    def inode(self, name: str) -> int:
        """The inode of the rows of a build; 0 when there are none."""
        try:
            return os.stat(f"{self._at}/{name}/rows.sqlite3").st_ino
        except OSError:
            return 0

    @staticmethod
    def _open_terms(folder: str, rows: Rows) -> Terms:
        if rows.state("format") != FORMAT:
            raise IndexDamaged("another version of bankd wrote it")
        recorded = _recorded_files(rows)
        if recorded and _size_of(f"{folder}/terms/{_LIST}") is None:  # tantivy would begin an empty index
            raise IndexDamaged(f"{_LIST} is missing")
        for name, size, _ in recorded:
            if _size_of(f"{folder}/terms/{name}") not in {size, None}:  # tantivy would map it and panic
                raise IndexDamaged(f"{name} is not as long as it was written")
        return Terms(f"{folder}/terms")

    def make(self) -> Build:
        """Make an empty build beside those that are there."""
        name = str(1 + max((int(entry.name) for entry in self.path.iterdir() if entry.name.isdigit()), default=0))
        generation = 0
        try:  # go on from the generation of the build that answers now, so that numbers never repeat
            before = Rows(self.path / (self.current() or "none") / "rows.sqlite3")
            generation = int(before.state("generation", "0"))
            before.close()
        except (sqlite3.Error, ValueError, IndexDamaged):
            pass  # it cannot be read
        (self.path / name / "terms").mkdir(parents=True)
        rows = Rows(self.path / name / "rows.sqlite3", create=True)
        rows.set_state("format", FORMAT)
        rows.set_state("generation", str(generation))
        rows.close()
        return self.open(name)

    def publish(self, name: str) -> None:
        """Let a build answer, and remove the others."""
        from bankd.storage.disk import clear_the_way, remove_derived  # noqa: PLC0415 -- `bankctl search` has no time for it

        staged, current = self.path / "current.new", self.path / "current"
        for path in (staged, current):
            clear_the_way(path)
        staged.write_text(name)
        staged.replace(current)
        for entry in self.path.iterdir():
            if entry.name.isdigit() and entry.name != name:
                remove_derived(entry)

    @contextmanager
    def writer_lock(self) -> Iterator[None]:
        """Be the only writer."""
        import fcntl  # noqa: PLC0415 -- same

        from bankd.storage.disk import clear_the_way, make_in_workspace, remove_derived  # noqa: PLC0415 -- same

        if self.path.is_symlink() or not self.path.is_dir():
            remove_derived(self.path)
        make_in_workspace(self.path)
        clear_the_way(self.path / "lock")
        with (self.path / "lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield


def _size_of(file: str) -> int | None:
    """The size of a file in bytes; None if none is there."""
    try:
        status = os.stat(file)
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None


def _recorded_files(rows: Rows) -> list[tuple[str, int, str]]:
    """The files of the terms of a build as they were written: name, size, checksum."""
    parts = (line.split(" ") for line in rows.state("files").splitlines())
    return [(name, int(size), checksum) for name, size, checksum in parts]


def find_changed(build: Build) -> str:
    """Which file of the terms is not as it was written; empty when all are."""
    for name, _, checksum in _recorded_files(build.rows):
        file = f"{build.folder}/terms/{name}"
        if not os.path.isfile(file):
            return f"{name} is missing"
        if _checksum_of(file) != checksum:
            return f"{name} is not what was written"
    return ""


def record_files(folder: str, rows: Rows) -> None:
    """Note the files of the terms as they are now; each is written once, so the old ones need not be read again."""
    known = {(name, size): checksum for name, size, checksum in _recorded_files(rows)}
    lines = []
    for name in sorted(os.listdir(f"{folder}/terms")):
        if not name.endswith((".lock", ".json")):
            file = f"{folder}/terms/{name}"
            size = os.stat(file).st_size
            lines.append(f"{name} {size} {known.get((name, size)) or _checksum_of(file)}")
    rows.set_state("files", "\n".join(lines))


def _checksum_of(file: str) -> str:
    with open(file, "rb") as opened:
        return f"{zlib.crc32(opened.read()):08x}"


@contextmanager
def damage_told() -> Iterator[None]:
    """Raise IndexDamaged for the errors that SQLite, tantivy and our own reading raise over a broken file.

    What the disk refuses is a StorageError.
    """
    try:
        yield
    except (sqlite3.Error, ValueError, TypeError, AttributeError, LookupError) as error:
        from bankd.storage.disk import is_refusal  # noqa: PLC0415 -- `bankctl search` has no time for it

        if is_refusal(error):
            raise StorageError(f"the search index: {error}") from error
        part = "rows" if isinstance(error, sqlite3.Error) else "terms"
        raise IndexDamaged(f"its {part} cannot be read ({_shortened(error)})") from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # tantivy raises it on bytes that it never wrote
            raise IndexDamaged(f"its terms cannot be read ({_shortened(error)})") from error
        raise


def _shortened(error: BaseException) -> str:
    """The message of a library about a broken file; it may quote the whole file."""
    words = str(error)
    return words if len(words) <= _MOST_WORDS else f"{words[:_MOST_WORDS]} …"


class SearchIndex:
    """One workspace's index."""

    def __init__(self, folder: Path | str, pages: PageFiles, analyser: Analyser) -> None:
        """Keep the index in this folder, of these pages, read with this analyser."""
        self._folder = IndexFolder(folder)
        self._pages = pages
        self._analyser = analyser
        self._build: Build | None = None
        self._seen = ""
        self.corpus = Corpus(0, 0.0)
        """The size of the whole, for scoring."""
        self._made_anew: list[str] = []
        self._names: tuple[tuple[int, str], Names] | None = None
        self.opened = 0
        """How often a build was opened; together with the generation this identifies a state."""

    def open(self) -> bool:
        """Open the newest state; False when there is no index yet. Raises IndexDamaged."""
        name = self._folder.current()
        if name is None:
            self.close()
            return False
        with damage_told():
            build = self._build
            is_current = build and (build.name, build.inode) == (name, self._folder.inode(name))
            if build is None or build.rows.is_frozen or not is_current:
                self.close()
                self._build = self._folder.open(name)
                self.opened += 1
            generation = self.rows.state("generation", "0")
            if generation != self._seen:
                if generation != self._opened.generation:
                    self.terms.reload()
                self._seen = generation
                self.corpus = self.rows.corpus()
        return True

    def close(self) -> None:
        """Let go of all files."""
        if self._build is not None:
            self._build.rows.close()
        self._build = None
        self._seen = ""

    @property
    def is_opened(self) -> bool:
        """Whether a state of it is open to be read."""
        return self._build is not None

    @property
    def _opened(self) -> Build:
        if self._build is None:
            raise IndexDamaged("it is not open")
        return self._build

    @property
    def rows(self) -> Rows:
        """What it holds of each memory and page."""
        return self._opened.rows

    @property
    def terms(self) -> Terms:
        """Which memories may answer."""
        return self._opened.terms

    @property
    def generation(self) -> int:
        """A number that grows with every change."""
        return int(self._seen or 0)

    @property
    def updated(self) -> str | None:
        """When it last took in a change, ISO 8601."""
        return self.rows.state("updated") or None

    @property
    def provisional(self) -> int:
        """Pages read with the lexicon only."""
        return self.rows.count_provisional()

    def pending(self) -> int:
        """How many pages changed since they were read, all if there is no index; reads their stamps only."""
        scan, stamps = self._pages.scan(), self._build.rows.stamps() if self._build else {}
        return 0 if scan == stamps else len({path for path, _ in scan.items() ^ stamps.items()})

    def too_large(self) -> Sequence[str]:
        """The files that are too large to be searched, as the last check of all files found them."""
        return self._pages.too_large()

    def unchanged(self) -> frozenset[str]:
        """The pages that have not changed since they were read, by their stamps; opens none."""
        stamps = self.rows.stamps()
        return frozenset(path for path, stamp in self._pages.scan().items() if stamps.get(path) == stamp)

    def text_of(self, id_: str) -> str | None:
        """The text of a memory that a search finds already: its row is written before its terms, and these are opened later."""
        found = self.terms.keep_passing([*self.rows.with_ids([id_]).values()], Filters())
        return next((row.text for row in self.rows.shown([*found])), None)

    @property
    def names(self) -> Names:
        """The pages as links find them; made again only when pages came or went, since a large bank has thousands."""
        from bankd.pages.names import BANK, Names  # noqa: PLC0415 -- most answers have no link

        state = (self.opened, self.rows.state("names"))
        if self._names is None or self._names[0] != state:
            self._names = state, Names(BANK + path for path in self.rows.stamps())
        return self._names[1]

    def count_vectors(self, identity: str) -> int:
        """How many memories have one of these sentence vectors."""
        if not identity or self.rows.state("vectors") != identity:
            return 0
        return self.corpus.memories - self.rows.count_without_vector() - self.rows.count_refused()

    def count_refused(self, identity: str) -> int:
        """How many memories have no vector because the model refuses their text."""
        return self.rows.count_refused() if identity and self.rows.state("vectors") == identity else 0

    def rows_with_vectors(self, keys: Sequence[int], filters: Filters) -> Mapping[int, Sequence[int]]:
        """All memories with one of these vector keys that pass the filters: number and keys."""
        found = self.rows.rows_with_vectors(keys)
        return {row: found[row] for row in self.terms.keep_passing(list(found), filters)}

    def without_vectors(self, identity: str, most: int) -> Sequence[tuple[int, str]]:
        """The texts, by number, of memories without a sentence vector, the last added first."""
        with self.writing() as build:
            build.rows.prepare_meanings(identity)
            return build.rows.without_vector(most)

    def note_vectors(self, identity: str, keys: Mapping[int, Sequence[int]]) -> None:
        """Store the keys of the vectors of memories, by number; search by meaning finds these memories from now on."""
        with self.writing() as build:
            build.rows.prepare_meanings(identity)
            build.rows.note_vectors(keys)
            build.rows.next_generation()
        self.open()

    @contextmanager
    def writing(self) -> Iterator[Build]:
        """The newest state, to change its rows in one transaction as the only writer."""
        with self._folder.writer_lock():
            self.open()  # reload, since another process may have added terms
            with self.rows.transaction():
                yield self._opened

    def whole(self, now: datetime, work: Callable[[], _T]) -> _T:
        """Do some work with the index; if damage stops it, make the index anew and do the work again.

        All damage is mended here. An error of the second try goes to the caller.
        """
        try:
            with damage_told():
                return work()
        except IndexDamaged as damage:
            self.close()
            self._note(self.rebuild(now, str(damage)))
        return work()

    def take_made_anew(self) -> list[str]:
        """Messages about damage that was mended; each is given once."""
        said, self._made_anew = self._made_anew, []
        return said

    def _note(self, done: Refreshed) -> Refreshed:
        from bankd.index.writer import THERE_WAS_NONE  # noqa: PLC0415 -- see the top
        from bankd.storage.disk import tell_made_anew  # noqa: PLC0415 -- see the top

        if done.why_rebuilt not in {"", THERE_WAS_NONE}:
            self._made_anew.append(tell_made_anew(self._folder.path, done.why_rebuilt))
        return done

    def refresh(self, now: datetime) -> Refreshed:
        """Bring the index up to date with the pages; reads only those whose stamp changed."""
        done = self._note(self._writer(now).refresh())
        self.open()
        return done

    def is_there(self) -> bool:
        """Whether there is an index at all, damaged or not."""
        try:
            return self._folder.current() is not None
        except IndexDamaged:
            return True

    def take_in(self, now: datetime, paths: Collection[str]) -> Refreshed:
        """Bring the index up to date with these pages, named as on the disk; does not open it for reading."""
        return self._note(self._writer(now).refresh(paths))

    def rebuild(self, now: datetime, why: str = "asked for") -> Refreshed:
        """Build the index anew beside the old one, which answers until the new one is whole."""
        done = self._writer(now).rebuild(why)
        self.open()
        return done

    def _writer(self, now: datetime) -> IndexWriter:
        from bankd.index.writer import IndexWriter  # noqa: PLC0415 -- see the top

        return IndexWriter(self._folder, self._pages, self._analyser, now)

    def verify(self) -> None:
        """Check every file of the index against the checksum it had when it was written; raises IndexDamaged."""
        with damage_told():
            if self.open() and (changed := find_changed(self._opened)):
                raise IndexDamaged(changed)

    def facts(self) -> IndexFacts:
        """The figures of the newest state, without reading the pages; raises IndexDamaged."""
        from bankd.health.health import IndexFacts  # noqa: PLC0415 -- see the top

        with damage_told():
            if not self.open():
                return IndexFacts()
            memories, updated = self.rows.count_memories(), self.updated or ""
            return IndexFacts(str(self.generation), memories, 0, self.provisional, updated)
