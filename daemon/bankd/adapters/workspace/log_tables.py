"""What the logs held when they were last looked at: a part of the catalog.

Which Retain lines they had and which of them wait for a person, which questions they name, how much prose nobody tagged.
"""

from __future__ import annotations

import sqlite3
from array import array
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path

from bankd.adapters.storage.derived import DerivedDatabase
from bankd.core.daemon.settle import FileFingerprint
from bankd.core.lifecycle.edited import PastLine
from bankd.core.lifecycle.retain import LogPlace
from bankd.core.plan.held_back import HeldBack

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
