"""What the logs held when they were last looked at: a part of the catalog.

Which Retain lines they had and which of them wait for a person, which questions they name, how much prose nobody tagged.

What memories of the bank that look alike are to each other, as runs found it: a part of the catalog.

SQLite itself notes which memories came, changed or went since they were compared.

What the bank, its archive and the logs held when they were last looked at: derived, in `.bankd/catalogue.sqlite3`.

It saves reading pages that did not change. Anything wrong with the file, and it is made anew; nothing is lost with it.

What the bank and its archive hold: the catalog, brought up to date with the pages that changed.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from hashlib import blake2b
from itertools import groupby
from pathlib import Path
from typing import TypeAlias

from bankd.edits.inserting import block_key, lines_named
from bankd.edits.operations import digest_of
from bankd.edits.second_look import ADVICE, match_equal, why_resting
from bankd.edits.settle import FileFingerprint
from bankd.errors import ConflictError
from bankd.health.health import Copied, find_copied
from bankd.memory.new_lines import PastLine
from bankd.memory.plan import Deferred, HeldBack, Undated
from bankd.memory.provenance import PURGED
from bankd.memory.retain import LogPlace
from bankd.memory.retire import Opinion
from bankd.memory.use import FADING_TAG
from bankd.pages.memory import Confidence, Memory
from bankd.pages.page import Entry, MemoryLines, Page, PageLines, holds_memories, read_page_once
from bankd.same.compare import Relation
from bankd.same.pairs import Likeness, Pairs, text_key
from bankd.storage.derived import DerivedDatabase
from bankd.storage.disk import storage_told
from bankd.storage.files import BankFiles

SCHEMA = """
CREATE TABLE held_back (log TEXT NOT NULL, line INTEGER NOT NULL, kind TEXT, text TEXT, reason TEXT, key TEXT);
CREATE INDEX held_back_log ON held_back (log);
CREATE TABLE lines (
    log TEXT NOT NULL, place INTEGER NOT NULL, id TEXT, key TEXT, pairs BLOB, hundredths INTEGER, PRIMARY KEY (log, place)
) WITHOUT ROWID;
CREATE TABLE questions (
    change INTEGER PRIMARY KEY AUTOINCREMENT, log TEXT NOT NULL, memory TEXT NOT NULL, questions TEXT NOT NULL
);
CREATE INDEX questions_log ON questions (log, memory);
CREATE TABLE prose (log TEXT PRIMARY KEY, lines INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE unended (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, since REAL) WITHOUT ROWID;
"""
_PROSE = "SELECT coalesce(sum(lines), 0) FROM prose"
_HELD_BACK = "SELECT log, line, kind, text, reason, key FROM held_back ORDER BY log, line"


class LogTables:
    """One catalog's."""

    def __init__(self, database: DerivedDatabase) -> None:
        """Read and write by this database."""
        self._database = database

    def unended(self) -> dict[str, tuple[FileFingerprint, float]]:
        """The logs whose last line had no end when a run looked: how each looked, and when, in seconds of the epoch."""
        return {
            path: (FileFingerprint(*seen), since)
            for path, *seen, since in self._database.execute("SELECT * FROM unended")
        }

    def record_unended(self, logs: Mapping[str, tuple[FileFingerprint, float]]) -> None:
        """Remember those logs, and no others."""
        rows = [(path, seen.size, seen.mtime_ns, seen.inode, since) for path, (seen, since) in logs.items()]
        self._database.execute("DELETE FROM unended")
        self._database.execute_many("INSERT INTO unended VALUES (?, ?, ?, ?, ?)", rows)

    def record_held_back(self, log: str, lines: Iterable[HeldBack]) -> None:
        """Remember the lines of a log that were not taken in and wait for a person."""
        self._database.execute("DELETE FROM held_back WHERE log = ?", (log,))
        rows = [(log, item.place.line, item.kind, _safe(item.text), item.reason, item.key) for item in lines]
        self._database.execute_many("INSERT INTO held_back VALUES (?, ?, ?, ?, ?, ?)", rows)

    def record_prose(self, log: str, lines: int) -> None:
        """Remember how many lines of a log were not taken in because nobody tagged them."""
        self._database.execute("INSERT OR REPLACE INTO prose VALUES (?, ?)", (log, lines))

    def record_lines(self, log: str, lines: Iterable[PastLine]) -> None:
        """Remember the Retain lines of a log: of what they say no more than what tells an edited line from another."""
        self._database.execute("DELETE FROM lines WHERE log = ?", (log,))
        rows = [
            (log, place, line.id, line.key, array("H", sorted(line.pairs)).tobytes(), line.hundredths)
            for place, line in enumerate(lines)
        ]
        self._database.execute_many("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", rows)

    def lines_before(self, log: str) -> list[PastLine]:
        """These lines, in their order."""
        query = "SELECT id, key, pairs, hundredths FROM lines WHERE log = ? ORDER BY place"
        return self._database.read(query, (log,), _past_line)

    def record_questions(self, log: str, questions: Mapping[str, Sequence[str]]) -> None:
        """Remember which questions memories answer by the lines of a log; search reads those that changed."""
        query = "SELECT memory, questions FROM questions WHERE log = ?"
        before: dict[str, str] = dict(self._database.read(query, (log,), lambda memory, asked: (memory, asked)))
        now = {memory: _safe("\n".join(asked)) for memory, asked in questions.items()}
        changed = [(log, memory) for memory in {**before, **now} if before.get(memory, "") != now.get(memory, "")]
        self._database.execute_many("DELETE FROM questions WHERE log = ? AND memory = ?", changed)
        rows = [(log, memory, now.get(memory, "")) for log, memory in changed]
        self._database.execute_many("INSERT INTO questions (log, memory, questions) VALUES (?, ?, ?)", rows)

    def prose(self) -> int:
        """How many such lines there are."""
        return int(self._database.execute(_PROSE)[0][0])

    def held_back(self) -> list[HeldBack]:
        """The lines of logs that were not taken in and wait for a person."""
        return self._database.read(_HELD_BACK, (), _held_back)

    def dismiss(self, key: str) -> None:
        """Forget the lines with this key."""
        self._database.execute("DELETE FROM held_back WHERE key = ?", (key,))


def read_held_back(path: Path) -> list[HeldBack]:
    """The lines of logs that wait for a person, read only: no catalog is made where none is."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return [_held_back(*row) for row in connection.execute(_HELD_BACK)]
    except sqlite3.Error:
        return []


def read_prose(path: Path) -> int:
    """How many lines of the logs were read and not taken in, read only; 0 where no catalog is."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return int(connection.execute(_PROSE).fetchone()[0])
    except sqlite3.Error:
        return 0


def _held_back(log: str, line: int, *rest: str) -> HeldBack:
    return HeldBack(LogPlace(log, line), *rest)


def _past_line(id_: str, key: str, pairs: bytes, hundredths: int | None) -> PastLine:
    return PastLine(id_, key, frozenset(array("H", pairs)), hundredths)


def _safe(text: str) -> str:
    """A text that SQLite takes: bytes that are not UTF-8 become question marks."""
    return text.encode("utf-8", "replace").decode()


COMPARED_TABLE_SCHEMA = """
CREATE TABLE looked_at (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE to_look_at (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TABLE alike (
    older TEXT NOT NULL, newer TEXT NOT NULL, relation TEXT NOT NULL, reason TEXT NOT NULL, is_dated INTEGER NOT NULL,
    score REAL NOT NULL,
    PRIMARY KEY (older, newer)
) WITHOUT ROWID;
CREATE INDEX alike_newer ON alike (newer);
CREATE TABLE matched (id TEXT PRIMARY KEY, key TEXT NOT NULL) WITHOUT ROWID;
CREATE TRIGGER memory_came AFTER INSERT ON memories WHEN new.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (new.id); END;
CREATE TRIGGER memory_went AFTER DELETE ON memories WHEN old.id IS NOT NULL
BEGIN INSERT OR IGNORE INTO to_look_at VALUES (old.id); END;
"""
_UNMATCHED = """
SELECT looked_at.id, looked_at.key FROM looked_at JOIN memories ON memories.id = looked_at.id
LEFT JOIN matched ON matched.id = looked_at.id AND matched.key = looked_at.key
WHERE matched.id IS NULL GROUP BY looked_at.id ORDER BY MAX(memories.rowid) DESC LIMIT ?
"""
_SURE = "SELECT older, newer FROM alike WHERE relation IN ('same', 'newer') AND (older = ? OR newer = ?)"
_FOUND = "INSERT OR REPLACE INTO alike VALUES (?, ?, ?, ?, ?, ?)"
_CHANGED = """
SELECT to_look_at.id, looked_at.key, MIN(memories.key) FROM to_look_at
LEFT JOIN looked_at ON looked_at.id = to_look_at.id
LEFT JOIN memories ON memories.id = to_look_at.id AND memories.path >= 'bank/' AND memories.path < 'bank0'
GROUP BY to_look_at.id LIMIT ?
"""


class ComparedTable:
    """One catalog's."""

    def __init__(self, database: DerivedDatabase) -> None:
        """Read and write by this database."""
        self._database = database

    def changed(self, threshold: int, most: int | None) -> dict[str, str]:
        """The memories of the bank that are new or say something else than at the last look, with their text keys."""
        found: dict[str, str] = {}

        def look() -> None:
            self._require(threshold)
            rows = self._database.execute(_CHANGED, (-1 if most is None else most,))
            self._forget_all((id_,) for id_, before, now in rows if before is not None and before != now)
            settled = [(id_,) for id_, before, now in rows if before == now or now is None]
            self._database.execute_many("DELETE FROM to_look_at WHERE id = ?", settled)
            found.update({id_: now for id_, before, now in rows if now is not None and before != now})

        self._database.change(look)
        return found

    def _require(self, threshold: int) -> None:
        """Forget what was found by another threshold."""
        mark = f"compared from {threshold}"
        if self._database.execute("SELECT 1 FROM noted WHERE what = ?", (mark,)):
            return
        for statement in (
            "DELETE FROM looked_at",
            "DELETE FROM alike",
            "DELETE FROM matched",
            "DELETE FROM noted WHERE what LIKE 'compared from %'",
            "INSERT OR IGNORE INTO to_look_at SELECT id FROM memories WHERE id IS NOT NULL",
        ):
            self._database.execute(statement)
        self._database.execute("INSERT INTO noted VALUES (?)", (mark,))

    def _forget_all(self, ids: Iterable[tuple[str]]) -> None:
        gone = list(ids)
        for statement in (
            "DELETE FROM looked_at WHERE id = ?",
            "DELETE FROM matched WHERE id = ?",
            "DELETE FROM alike WHERE older = ?",
            "DELETE FROM alike WHERE newer = ?",
        ):
            self._database.execute_many(statement, gone)

    def record(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""

        def note() -> None:
            self._database.execute_many("INSERT OR REPLACE INTO looked_at VALUES (?, ?)", keys.items())
            self._database.execute_many("DELETE FROM to_look_at WHERE id = ?", [(id_,) for id_ in keys])
            self._database.execute_many(_FOUND, _rows_of(pairs))

        if keys or pairs:
            self._database.change(note)

    def unmatched(self, most: int) -> dict[str, str]:
        """The memories that were compared by the rules alone, the last added first, with their text keys."""
        return dict(self._database.execute(_UNMATCHED, (most,)))

    def surely_alike(self, id_: str) -> list[tuple[str, str]]:
        """The pairs of a memory that were found to say the same, or a newer value."""
        return [(older, newer) for older, newer in self._database.execute(_SURE, (id_, id_))]

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found."""

        def note() -> None:
            self._database.execute_many("INSERT OR REPLACE INTO matched VALUES (?, ?)", keys.items())
            self._database.execute_many(_FOUND, _rows_of(pairs))

        if keys:
            self._database.change(note)

    def pairs(self) -> dict[tuple[str, str], Likeness]:
        """All that was found."""
        return dict(self._database.read("SELECT * FROM alike ORDER BY older, newer", (), _likeness))

    def forget(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other, in whatever order they stand."""
        both = [pair for one, other in pairs for pair in ((one, other), (other, one))]
        self._database.change(
            lambda: self._database.execute_many("DELETE FROM alike WHERE older = ? AND newer = ?", both)
        )

    def look_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""
        rows = [(id_,) for id_ in ids]

        def forget() -> None:
            self._database.execute_many("DELETE FROM looked_at WHERE id = ?", rows)
            self._database.execute_many("INSERT OR IGNORE INTO to_look_at VALUES (?)", rows)

        self._database.change(forget)


def _rows_of(pairs: Pairs) -> list[tuple[object, ...]]:
    return [
        (*ids, str(one.relation), one.reason.encode("utf-8", "replace").decode(), one.is_dated, one.score)
        for ids, one in pairs.items()
    ]


def _likeness(
    older: str, newer: str, relation: str, reason: str, is_dated: int, score: float
) -> tuple[tuple[str, str], Likeness]:
    return (older, newer), Likeness(Relation(relation), reason, bool(is_dated), score)


_FORMAT = 14
_BATCH = 500  # SQLite's oldest limit on variables a statement is 999
_SCHEMA = """
CREATE TABLE files (path TEXT PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER) WITHOUT ROWID;
CREATE TABLE memories (
    path TEXT NOT NULL, line INTEGER NOT NULL, id TEXT, key TEXT NOT NULL, tag TEXT, hundredths INTEGER, day TEXT, written BLOB NOT NULL
);
CREATE INDEX memories_path ON memories (path);
CREATE INDEX memories_id ON memories (id);
CREATE INDEX memories_key ON memories (key);
CREATE TABLE superseded (old TEXT PRIMARY KEY, new TEXT NOT NULL) WITHOUT ROWID;
CREATE INDEX superseded_new ON superseded (new);
CREATE TABLE noted (what TEXT PRIMARY KEY) WITHOUT ROWID;
"""
_COPIED = """
SELECT id, path, line FROM memories WHERE id IN (
    SELECT id FROM memories WHERE id >= 'm-' AND id < 'm.' GROUP BY id HAVING COUNT(*) > 1
) ORDER BY path, line
"""


@dataclass(frozen=True, slots=True)
class HeldMemory:
    """A memory that some page holds: its page relative to the workspace, and 1-based line."""

    path: str
    line: int
    id: str | None


def read_known(path: Path, folder: str) -> dict[str, FileFingerprint]:
    """How the files of a folder looked when they were last read, read only; empty where no catalog is."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return dict(_seen(*row) for row in connection.execute(_BELOW, (f"{folder}/", f"{folder}0")))
    except sqlite3.Error:
        return {}


_BELOW = "SELECT * FROM files WHERE path >= ? AND path < ?"


class CatalogDatabase(DerivedDatabase):
    """The one table of contents of a workspace."""

    def __init__(self, path: Path, *, may_stay_in_memory: bool = False) -> None:
        """Open the catalog."""
        super().__init__(path, _SCHEMA + SCHEMA + COMPARED_TABLE_SCHEMA, _FORMAT, may_stay_in_memory=may_stay_in_memory)
        self.compared, self.logs = ComparedTable(self), LogTables(self)

    def fingerprints(self, folder: str) -> dict[str, FileFingerprint]:
        """How all files known below a folder of the workspace looked when they were read."""
        return dict(self.read(_BELOW, (f"{folder}/", f"{folder}0"), _seen))

    def record_file(self, path: str, seen: FileFingerprint) -> None:
        """Remember how a file looked when it was read."""
        values = (path, seen.size, seen.mtime_ns, seen.inode)
        self.execute("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?)", values)

    def forget_file(self, path: str) -> None:
        """Forget a file that is gone, and what it held."""
        self.execute("DELETE FROM files WHERE path = ?", (path,))
        self.execute("DELETE FROM memories WHERE path = ?", (path,))

    def record_page(self, path: str, seen: FileFingerprint, data: bytes) -> None:
        """Remember what a page holds: the rows of memories that are written as they were only get their new line."""
        page = read_page_once(path, data)
        written = [_digest(page, entry) for entry in page.entries]
        before = self.execute("SELECT rowid, line, written FROM memories WHERE path = ? ORDER BY line", (path,))
        matches = match_equal(written, (digest for _, _, digest in before))
        pairs = list(zip(page.entries, written, matches.before, strict=True))
        new = [(*_row(path, entry), digest) for entry, digest, same in pairs if same is None]
        kept = [(entry.line, *before[same][:2]) for entry, _, same in pairs if same is not None]
        moved = [(line, row) for line, row, was in kept if line != was]
        self.execute_many("DELETE FROM memories WHERE rowid = ?", [before[number][:1] for number in matches.gone])
        self.execute_many("UPDATE memories SET line = ? WHERE rowid = ?", moved)
        self.execute_many("INSERT INTO memories VALUES (?, ?, ?, ?, ?, ?, ?, ?)", new)
        self.record_file(path, seen)

    def scrub(self, words: Iterable[str], memories: Iterable[str]) -> None:
        """Take texts out, and all that these memories answer; the file is written anew, for SQLite keeps what it frees.

        StorageError when the disk does not take it.
        """
        asked, texts = [(memory,) for memory in memories], [(word, PURGED) for word in words]
        with storage_told(self._path):
            self.execute_many("DELETE FROM questions WHERE memory = ?", asked)
            self.execute_many("DELETE FROM alike WHERE ? IN (older, newer)", asked)
            self.execute_many("UPDATE questions SET questions = replace(questions, ?, ?)", texts)
            self.execute_many("UPDATE held_back SET text = replace(text, ?, ?)", texts)
            self.execute("VACUUM")

    def find_ids(self, ids: Iterable[str]) -> dict[str, list[HeldMemory]]:
        """Where each id stands, for those that stand anywhere."""
        return self._find("id", ids)

    def find_keys(self, keys: Iterable[str]) -> dict[str, list[HeldMemory]]:
        """Where each text key stands, for those that stand anywhere."""
        return self._find("key", keys)

    def _find(self, column: str, values: Iterable[str]) -> dict[str, list[HeldMemory]]:
        found: dict[str, list[HeldMemory]] = {}
        wanted = sorted(set(values))
        for start in range(0, len(wanted), _BATCH):
            batch = wanted[start : start + _BATCH]
            marks = ",".join("?" * len(batch))
            query = f"SELECT {column}, path, line, id FROM memories WHERE {column} IN ({marks}) ORDER BY path, line"  # noqa: S608  # column names are ours
            for value, path, line, id_ in self.execute(query, batch):
                found.setdefault(value, []).append(HeldMemory(path, line, id_))
        return found

    def copied(self) -> list[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""
        return _copied(self.execute(_COPIED))

    def forget_covered(self, path: str) -> bool:
        """Forget of a page what stands on others too, and that it was read; tells whether it holds nothing else."""
        elsewhere = "SELECT id FROM memories WHERE id IS NOT NULL AND path <> ?"
        self.execute("DELETE FROM files WHERE path = ?", (path,))
        self.execute(f"DELETE FROM memories WHERE path = ? AND (id IS NULL OR id IN ({elsewhere}))", (path, path))  # noqa: S608  # ours
        return not self.execute("SELECT 1 FROM memories WHERE path = ?", (path,))

    def undated(self) -> list[HeldMemory]:
        """The memories whose confidence has no day, in the bank."""
        return [held for held, _, confidence in self.confident() if confidence.day is None]

    def confident(self) -> list[tuple[HeldMemory, str | None, Confidence]]:
        """The memories of the bank that have a confidence, with their tags, in the order of pages."""
        query = (
            "SELECT path, line, id, tag, hundredths, day FROM memories"
            " WHERE hundredths IS NOT NULL AND path LIKE 'bank/%' ORDER BY path, line"
        )
        return self.read(query, (), _confident)

    def knows_superseded(self) -> bool:
        """Whether `record_superseded` was ever called; a catalog that was made anew does not know."""
        return self.execute("SELECT 1 FROM noted WHERE what = 'superseded'") != []

    def record_superseded(self, newer: Mapping[str, str]) -> None:
        """Remember, by the ids of the older memories, which supersede them; search marks those."""
        self.change(lambda: self._record_superseded(newer))

    def _record_superseded(self, newer: Mapping[str, str]) -> None:
        self.execute("DELETE FROM superseded")
        self.execute_many("INSERT INTO superseded VALUES (?, ?)", newer.items())
        self.execute("INSERT OR IGNORE INTO noted VALUES ('superseded')")

    def ids(self, folder: str) -> list[str]:
        """The ids of all memories below a folder."""
        query = "SELECT DISTINCT id FROM memories WHERE id IS NOT NULL AND path >= ? AND path < ?"
        return [id_ for (id_,) in self.execute(query, (f"{folder}/", f"{folder}0"))]

    def count(self, folder: str) -> Mapping[str, int]:
        """How many memories each page below a folder holds."""
        rows = self.execute(
            "SELECT path, COUNT(*) FROM memories WHERE path >= ? AND path < ? GROUP BY path ORDER BY path",
            (f"{folder}/", f"{folder}0"),
        )
        return dict(rows)


def read_copied(catalog_db: Path) -> list[Copied]:
    """The same as `CatalogDatabase.copied`, read only and at any time; none where it cannot be read."""
    try:
        with closing(sqlite3.connect(f"file:{catalog_db}?mode=ro", uri=True, timeout=1)) as database:
            return _copied(database.execute(_COPIED))
    except sqlite3.Error:
        return []


def _copied(rows: Iterable[tuple[str, str, int]]) -> list[Copied]:
    places: dict[str, list[str]] = {}
    for id_, path, line in rows:
        places.setdefault(id_, []).append(f"{path}:{line}")
    return find_copied(places)


def _seen(path: str, size: int, mtime_ns: int, inode: int) -> tuple[str, FileFingerprint]:
    return path, FileFingerprint(size, mtime_ns, inode)


def _confident(
    path: str, line: int, id_: str | None, tag: str | None, hundredths: int, day: str | None
) -> tuple[HeldMemory, str | None, Confidence]:
    return HeldMemory(path, line, id_), tag, Confidence(hundredths, date.fromisoformat(day) if day else None)


_Row: TypeAlias = tuple[str, int, str | None, str, str | None, int | None, str | None]


def _digest(page: Page, entry: Entry) -> bytes:
    """Equal for memories that are written alike, wherever they stand."""
    lines = "".join(page.document.lines[entry.start : entry.end])
    return blake2b(f"{entry.kind} {lines}".encode("utf-8", "surrogateescape"), digest_size=16).digest()


def _row(path: str, entry: Entry) -> _Row:
    memory = entry.memory
    value = memory.confidence.hundredths if memory.confidence else None
    day = memory.confidence.day.isoformat() if memory.confidence and memory.confidence.day else None
    return path, entry.line, memory.id, text_key(memory), memory.tag, value, day


FOLDERS = ("bank", "archive")


class PageMemoryCatalog:
    """The pages of a workspace as the rules ask for them."""

    def __init__(
        self, files: BankFiles, catalog_db: CatalogDatabase, settle_seconds: float, own_writes: Mapping[str, str]
    ) -> None:
        """Ask of these files; `own_writes`, by their digests, are complete however young they are."""
        self._files, self._catalog_db, self._settle, self._own_writes = files, catalog_db, settle_seconds, own_writes
        self.resting: Mapping[str, datetime] = {}
        self._closed: dict[str, str] = {}
        self._emptied: set[str] = set()

    def refresh(self, now: datetime) -> Sequence[Deferred]:
        """Read the pages that changed; gives those that could not be read now, and why."""
        self._closed = {path: f"{why_resting(until)}; {ADVICE}" for path, until in self.resting.items()}
        self._emptied = set()
        self._catalog_db.refill = lambda: self._take_in(now)
        self._take_in(now)
        return [
            Deferred(path, reason, path in self.resting, hides_nothing=path in self._emptied)
            for path, reason in sorted(self._closed.items())
        ]

    def _take_in(self, now: datetime) -> None:
        self._catalog_db.change(lambda: self._refresh_all(now))

    def _refresh_all(self, now: datetime) -> None:
        for folder in FOLDERS:
            self._refresh(folder, now)
        for path in sorted(self._emptied - self.resting.keys()):
            if self._catalog_db.forget_covered(path):  # the user took its memories to other pages
                self._closed.pop(path, None)

    def _refresh(self, folder: str, now: datetime) -> None:
        known = self._catalog_db.fingerprints(folder)
        survey = self._files.survey(folder, now, self._settle, known)
        self._closed |= {**survey.unsettled, **survey.quarantined}
        self._emptied |= survey.emptied
        self._read_own_writes(survey.unsettled)
        for path, seen in survey.files.items():
            if known.get(path) != seen and path not in self.resting and holds_memories(path):
                self._read(path, seen)
        for path in known.keys() - survey.files.keys() - self._closed.keys():
            self._catalog_db.forget_file(path)

    def _read_own_writes(self, unsettled: Iterable[str]) -> None:
        """Read what we have just written ourselves: it is young, and complete all the same."""
        for path in sorted(self._own_writes.keys() & set(unsettled)):
            seen, data = self._files.fingerprint(path), self._files.read(path)
            if seen and data is not None and digest_of(data) == self._own_writes[path] and holds_memories(path):
                self._catalog_db.record_page(path, seen, data)

    def _read(self, path: str, seen: FileFingerprint) -> None:
        try:
            data = self._files.read(path)
        except (ConflictError, OSError) as error:
            self._closed[path] = str(error)
            return
        if data is not None:
            self._catalog_db.record_page(path, seen, data)

    def unsettled(self, now: datetime) -> Mapping[str, str]:
        """The pages of the bank that are left alone for now, each with why; one that we wrote last ourselves was read."""
        return self._files.survey("bank", now, self._settle, self._catalog_db.fingerprints("bank")).unsettled

    def pages_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, ...]]:
        """For each id that is held: the pages that hold it, relative to the workspace."""
        found = self._catalog_db.find_ids(ids)
        return {id_: tuple(held.path for held in places) for id_, places in found.items()}

    def mentions_of(self, ids: Collection[str]) -> Mapping[str, str]:
        """Of ids that no page holds: where one ends a line all the same, as in a code block, `page:line`."""
        paths = [path for folder in FOLDERS for path in self._catalog_db.fingerprints(folder)] if ids else ()
        found = ((path, lines_named(self._bytes_of(path), ids)) for path in paths)
        return {id_: f"{path}:{line}" for path, lines in found for id_, line in lines.items()}

    def _bytes_of(self, path: str) -> bytes | None:
        try:
            return self._files.read(path)
        except (ConflictError, OSError):  # whoever looks at all pages names it
            return None

    def changed_since_look(self, threshold: int, most: int | None = None) -> Mapping[str, str]:
        """The memories that are new, or say something else than when they were compared, with their text keys."""
        return self._catalog_db.compared.changed(threshold, most)

    def record_look(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that these were compared, and what was found."""
        self._catalog_db.compared.record(keys, pairs)

    def unmatched(self, most: int) -> Mapping[str, str]:
        """The memories that were compared by the rules alone, the last added first, with their text keys."""
        return self._catalog_db.compared.unmatched(most)

    def surely_alike(self, id_: str) -> Sequence[tuple[str, str]]:
        """The pairs of a memory that were found to say the same, or a newer value."""
        return self._catalog_db.compared.surely_alike(id_)

    def record_matched(self, keys: Mapping[str, str], pairs: Pairs) -> None:
        """Remember that a model looked at these, and what it found."""
        self._catalog_db.compared.record_matched(keys, pairs)

    def known_pairs(self) -> Pairs:
        """Which memories look alike, and what they are to each other."""
        return self._catalog_db.compared.pairs()

    def keep_apart(self, pairs: Iterable[tuple[str, str]]) -> None:
        """Forget what these are to each other."""
        self._catalog_db.compared.forget(pairs)

    def compare_again(self, ids: Iterable[str]) -> None:
        """Have these compared again by the next look."""
        self._catalog_db.compared.look_again(ids)

    def find_exact_matches(self, keys: Iterable[str]) -> Mapping[str, str]:
        """For each text key that a page of the bank holds: the id, or place, of that memory.

        The page is read again before it is believed: a line must not be blocked by a catalog that lags behind.
        """
        found = self._catalog_db.find_keys(keys)
        in_bank = {key: [held for held in places if held.path.startswith("bank/")] for key, places in found.items()}
        return {key: held.id or f"{held.path}:{held.line}" for key, places in in_bank.items() for held in places[:1]}

    def copied(self) -> Sequence[Copied]:
        """The memories that stand more than once, because the user copied them with their id."""
        return self._catalog_db.copied()

    def undated(self) -> Sequence[Undated]:
        """The confidences that the user wrote without their day, on pages that can be written now."""
        open_ = [held for held in self._catalog_db.undated() if held.path not in self._closed]
        return [Undated(held.path, held.id or block_key(text), text) for held, text in self._texts_at(open_)]

    def copies_of(self, id_: str) -> Sequence[tuple[str, str]]:
        """Wherever a memory stands, `page:line`, and its exact lines there with all that is nested in it."""
        held = self._catalog_db.find_ids([id_]).get(id_, [])
        return [(f"{copy.path}:{copy.line}", text) for copy, text in self._texts_at(held)]

    def lines_of(self, ids: Iterable[str], folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The exact lines of memories on pages of the bank, or the archive, that can be written now, by id."""
        places = (held for found in self._catalog_db.find_ids(ids).values() for held in found)
        found = self._lines_at(held for held in places if held.path.startswith(f"{folder}/"))
        return {held.id: lines for held, lines in found if held.id}

    def all_lines(self, folder: str = "bank") -> Mapping[str, MemoryLines]:
        """The same of every memory with an id, in the order of pages."""
        return self.lines_of(self._catalog_db.ids(folder), folder)

    def texts_of(self, ids: Iterable[str]) -> Mapping[str, tuple[str, str]]:
        """Where each memory stands, `page:line`, and what it says there, wherever it is."""
        places = (places[0] for places in self._catalog_db.find_ids(ids).values())
        return {held.id: (f"{held.path}:{held.line}", text) for held, text in self._texts_at(places) if held.id}

    def pages(self, folder: str = "bank") -> Iterator[Page]:
        """Every page that holds memories."""
        return (self._page(path).page for path in self._catalog_db.count(folder))

    def lines_at(self, places: Iterable[tuple[str, int]]) -> Mapping[tuple[str, int], MemoryLines]:
        """The same of memories without an id, by page and line."""
        found = self._lines_at(HeldMemory(path, line, None) for path, line in places)
        return {(held.path, held.line): lines for held, lines in found}

    def _lines_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, MemoryLines]]:
        open_ = (held for held in places if held.path not in self._closed)
        return ((held, page.lines.of(entry)) for held, page, entry in self._found(open_))

    def _texts_at(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, str]]:
        return ((held, page.page.text_of(entry)) for held, page, entry in self._found(places))

    def _found(self, places: Iterable[HeldMemory]) -> Iterator[tuple[HeldMemory, _Standing, Entry]]:
        """Memories where they are now, page by page: each is read and taken apart once."""
        ordered = sorted(places, key=lambda held: (held.path, held.line))
        for path, of_page in groupby(ordered, key=lambda held: held.path):
            page = self._page(path)
            for held in of_page:
                entry = page.entries.get(held.line)
                if entry is not None and entry.memory.id == held.id:
                    yield held, page, entry

    def _page(self, path: str) -> _Standing:
        """A page as it is now; taken apart once while its bytes stay the same."""
        return _read_once(path, self._files.read(path) or b"")

    def opinions(self) -> Sequence[Opinion]:
        """The opinions with a confidence on pages of the bank that can be written now."""
        found = [(held, c) for held, tag, c in self._catalog_db.confident() if tag == FADING_TAG]
        return [Opinion(held.path, held.line, held.id, c) for held, c in found if held.path not in self._closed]

    def memory_at(self, path: str, line: int) -> Memory | None:
        """The memory that begins on a line of a page, as the page is now."""
        try:
            page = self._page(path)
        except (ConflictError, OSError):
            return None
        entry = page.entries.get(line)
        return entry.memory if entry else None

    def count(self) -> int:
        """How many memories the bank holds."""
        return sum(self.sizes().values())

    def sizes(self) -> Mapping[str, int]:
        """How many memories each page of the bank holds, of those that hold any."""
        return self._catalog_db.count("bank")

    def read(self, page: str) -> bytes | None:
        """The bytes of a page relative to the workspace; None when there is none."""
        return self._files.read(page)


class _Standing:
    """A page taken apart, and its memories by the 1-based lines where they begin."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.lines = PageLines(page)
        self.entries = {entry.line: entry for entry in page.entries}


@lru_cache(maxsize=512)
def _read_once(path: str, data: bytes) -> _Standing:
    return _Standing(read_page_once(path, data))
