"""What the bank, its archive and the logs held when they were last looked at: derived, in `.bankd/catalogue.sqlite3`.

It saves reading pages that did not change. Anything wrong with the file, and it is made anew; nothing is lost with it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import date
from hashlib import blake2b
from pathlib import Path
from typing import TypeAlias

from bankd.adapters.storage.derived import DerivedDatabase
from bankd.adapters.storage.disk import storage_told
from bankd.adapters.workspace.compared_table import SCHEMA as COMPARED
from bankd.adapters.workspace.compared_table import ComparedTable
from bankd.adapters.workspace.log_tables import SCHEMA as LOGS
from bankd.adapters.workspace.log_tables import LogTables
from bankd.core.daemon.health import Copied, find_copied
from bankd.core.daemon.settle import FileFingerprint
from bankd.core.dedup.exact_match import text_key
from bankd.core.edits.matching import match_equal
from bankd.core.lifecycle.purge import PURGED
from bankd.core.markdown.memory import Confidence
from bankd.core.markdown.pages import Entry, Page, read_page_once

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
        super().__init__(path, _SCHEMA + LOGS + COMPARED, _FORMAT, may_stay_in_memory=may_stay_in_memory)
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
