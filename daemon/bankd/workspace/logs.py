"""The raw logs below `memory/`, read as a stream, and the sources of an import, which becomes logs below `memory/imports/`.

A line that is too long for a statement is passed over, so that one bad line does not hide the others of its log.
"""

from __future__ import annotations

import io
import json
import os
import re
import unicodedata
import zipfile
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from bankd.edits.settle import UNENDED_MINUTES, FileFingerprint, Survey
from bankd.errors import ConflictError, UserError
from bankd.memory.new_lines import PastLine, order_by_day, past_line
from bankd.memory.plan import Deferred
from bankd.memory.retain import MAX_LINE_BYTES, HeldBack, LogPlace, LogReading, read_log, without_unended
from bankd.pages.scanner import decode_text
from bankd.pages.text import ENDED_BY_CR, MARK, decode_wide, is_wide
from bankd.ports import UnreadLogs
from bankd.storage.events import LOG_CAP, append_text, cut_text
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import BankFiles, FileTree
from bankd.workspace.catalog import HELD_BACK, PROSE, CatalogDatabase, held_back_of, safe_text, seen_row

FOLDER = "memory"
_UNENDED = f"no line break ends it: end it with one, or a run {UNENDED_MINUTES} minutes from now takes it as it is"
_TOO_LONG = f"longer than {MAX_LINE_BYTES // 1024} KiB; shorten it"
_NO_LINE_FEED = "list items end in a carriage return alone; save the log with line feeds"
_NOT_WIDE = "the log begins as UTF-16 or UTF-32 does and is not that as a whole; save it as UTF-8"
_LARGE = 100_000  # characters: some thousand lines, of which several runs take in a part each
_MAX_TEXT = 64 * 1024 * 1024  # bytes of lines kept in memory for one log; a year of notes takes one or two


class LogFiles:
    """The logs of a workspace, with what the catalog knows of each: Retain lines, lines that wait, questions, untagged lines."""

    def __init__(self, files: BankFiles, catalog_db: CatalogDatabase, settle_seconds: float, anywhere: bool) -> None:
        """`settle_seconds`: how long a log must be at rest; `anywhere`: whether lines outside of Retain sections count."""
        self._database = catalog_db
        self._files, self._settle, self._anywhere = files, settle_seconds, anywhere
        self._survey, self._now = Survey(), 0.0
        self._known: Mapping[str, FileFingerprint] = {}
        self._unended: dict[str, tuple[FileFingerprint, float]] = {}
        self._own_writes: dict[str, FileFingerprint] = {}

    def present(self) -> frozenset[str]:
        """The names of all logs, read or not."""
        return frozenset(_name(path) for path in (*self._survey.files, *self._survey.unsettled))

    def settled(self, now: datetime) -> Sequence[str]:
        """The names of the logs at rest, oldest first."""
        survey = self._files.survey(FOLDER, now, self._settle, any_content=True)
        return order_by_day(_name(path) for path in survey.files)

    def append(self, log: str, text: str) -> None:
        """Put a text at the end of a log in a folder below `memory/`. The next run reads it at once."""
        folder, _, name = log.rpartition("/")
        append_text(self._files, folder, name, text)
        self._note_own_write(f"{FOLDER}/{log}")

    def take_back(self, log: str, text: str) -> bool:
        """Remove a text from the end of a log; False, and nothing is done, if the log does not end with it."""
        folder, _, name = log.rpartition("/")
        is_back = cut_text(self._files, folder, name, text)
        if is_back:
            self._note_own_write(f"{FOLDER}/{log}")
        return is_back

    def _note_own_write(self, path: str) -> None:
        if seen := self._files.fingerprint(path):
            self._own_writes[path] = seen

    def unread(self, now: datetime, start: str = "", enough: int | None = None) -> UnreadLogs:
        """Read the logs that changed since they were last marked as read, by day, beginning with the log `start`.

        It stops after `enough` lines. A log that cannot be read, or a last line without a line break, waits.
        """
        self._survey, self._now = self._files.survey(FOLDER, now, self._settle, any_content=True), now.timestamp()
        for path in self._own_writes.keys() & self._survey.unsettled.keys():  # young, and complete all the same
            if self._files.fingerprint(path) == self._own_writes[path]:
                del self._survey.unsettled[path]
                self._survey.files[path] = self._own_writes[path]
        self._known = self._database.fingerprints(FOLDER)
        left_alone = [*self._survey.unsettled.items(), *self._survey.quarantined.items()]
        waiting = [Deferred(path, reason) for path, reason in left_alone]
        readings: list[LogReading] = []
        rows = self._database.execute("SELECT * FROM unended")  # when each was seen, in seconds since 1970
        unended = {path: (FileFingerprint(*seen), since) for path, *seen, since in rows}
        changed, count = self._changed(start), 0
        while changed and (enough is None or count < enough):
            path = changed.popleft()
            reading = self._read(path)
            if isinstance(reading, Deferred):
                waiting.append(reading)
                continue
            if reading.unended and not self._is_left_alone(path, unended):
                waiting.append(Deferred(str(reading.unended), _UNENDED))
                reading = without_unended(reading)
            readings.append(reading)
            count += len(reading.lines)
        return UnreadLogs(readings, waiting, [_name(path) for path in changed])

    def _changed(self, start: str) -> deque[str]:
        """The logs to read, sorted by day, from the log `start` on."""
        changed = {_name(path): path for path, seen in self._survey.files.items() if self._known.get(path) != seen}
        ordered = order_by_day({*changed, start} if start else changed)
        first = ordered.index(start) if start else 0
        return deque(changed[name] for name in ordered[first:] if name in changed)

    def _read(self, path: str) -> LogReading | Deferred:
        try:
            reading = self.read(_name(path))
        except (OSError, ConflictError) as error:
            return Deferred(path, f"cannot be read: {getattr(error, 'strerror', None) or error}")
        return reading or Deferred(path, "it is gone; it may have been moved just now")

    def _is_left_alone(self, path: str, unended: Mapping[str, tuple[FileFingerprint, float]]) -> bool:
        """Whether an earlier run saw the log unchanged long enough ago; the file's own time may be wrong and is not used."""
        seen, now = self._survey.files[path], self._now
        before, since = unended.get(path, (seen, now))
        self._unended[path] = seen, since if before == seen else now
        return abs(now - self._unended[path][1]) >= 60 * UNENDED_MINUTES

    def mark_read(self, readings: Iterable[LogReading]) -> None:
        """Remember that these logs were read whole, with the fingerprints that `unread` saw, and their Retain lines.

        Of a line only what is needed to tell an edited one from another is kept.
        """
        listed, database = list(readings), self._database
        by_name = {_name(path): path for path in self._survey.files}

        def mark() -> None:
            unended = [(path, *seen_row(seen), since) for path, (seen, since) in self._unended.items()]
            database.execute("DELETE FROM unended")
            database.execute_many("INSERT INTO unended VALUES (?, ?, ?, ?, ?)", unended)
            for path in self._known.keys() - self._survey.files.keys():
                database.forget_file(path)
                for table in ("held_back", "prose"):
                    database.execute(f"DELETE FROM {table} WHERE log = ?", (_name(path),))  # noqa: S608  # ours
            for reading in listed:
                path = by_name[reading.log]
                database.record_file(path, self._survey.files[path])
                database.execute("INSERT OR REPLACE INTO prose VALUES (?, ?)", (reading.log, reading.prose))
                database.execute("DELETE FROM lines WHERE log = ?", (reading.identity,))
                lines = [
                    (reading.identity, place, one.id, one.key, array("H", sorted(one.pairs)).tobytes(), one.hundredths)
                    for place, one in enumerate(map(past_line, reading.lines))
                ]
                database.execute_many("INSERT INTO lines VALUES (?, ?, ?, ?, ?, ?)", lines)

        database.change(mark)

    def note_held_back(self, lines: Mapping[str, Sequence[HeldBack]]) -> None:
        """Remember, by log, the lines that were not taken in and wait for a person."""
        rows = [
            (log, item.place.line, item.kind, safe_text(item.text), item.reason, item.key)
            for log, held_back in lines.items()
            for item in held_back
        ]
        self._database.change_rows(
            ("DELETE FROM held_back WHERE log = ?", [(log,) for log in lines]),
            ("INSERT INTO held_back VALUES (?, ?, ?, ?, ?, ?)", rows),
        )

    def held_back(self) -> Sequence[HeldBack]:
        """The lines that were not taken in and wait for a person."""
        return self._database.read(HELD_BACK, (), held_back_of)

    def dismiss(self, key: str) -> None:
        """Stop listing the lines with this key."""
        self._database.execute("DELETE FROM held_back WHERE key = ?", (key,))

    def prose(self) -> int:
        """The number of such lines in all logs."""
        return int(self._database.execute(PROSE)[0][0])

    def lines_before(self, identity: str) -> Sequence[PastLine]:
        """The Retain lines of a log in their order, by the name it was first read under, as last recorded."""
        return self._database.read(
            "SELECT id, key, pairs, hundredths FROM lines WHERE log = ? ORDER BY place",
            (identity,),
            lambda id_, key, pairs, hundredths: PastLine(id_, key, frozenset(array("H", pairs)), hundredths),
        )

    def note_questions(self, questions: Mapping[str, Mapping[str, Sequence[str]]]) -> None:
        """Remember, by log and memory, the questions that memories answer; these replace the earlier ones of the logs.

        Search reads the rows that changed.
        """

        def note() -> None:
            for log, by_memory in questions.items():
                query = "SELECT memory, questions FROM questions WHERE log = ?"
                before: dict[str, str] = dict(self._database.execute(query, (log,)))
                now = {memory: safe_text("\n".join(asked)) for memory, asked in by_memory.items()}
                changed = [memory for memory in {**before, **now} if before.get(memory, "") != now.get(memory, "")]
                gone, new = [(log, one) for one in changed], [(log, one, now.get(one, "")) for one in changed]
                self._database.execute_many("DELETE FROM questions WHERE log = ? AND memory = ?", gone)
                self._database.execute_many("INSERT INTO questions (log, memory, questions) VALUES (?, ?, ?)", new)

        self._database.change(note)

    def text(self, log: str) -> str:
        """The text of a log by its name below `memory/`, without lines that cannot be read; empty when there is none."""
        try:
            with self._files.stream(f"{FOLDER}/{log}") as stream:
                return _read_text(stream)[0].removeprefix(MARK)
        except FileNotFoundError:
            return ""

    def read(self, log: str) -> LogReading | None:
        """Read one log by its name below `memory/`; None when there is none."""
        try:
            with self._files.stream(f"{FOLDER}/{log}") as stream:
                text, unread = _read_text(stream)
        except FileNotFoundError:
            return None
        read = _read_large if len(text) > _LARGE else read_log
        reading = read(log, text, anywhere=self._anywhere)
        bad = (*reading.bad, *(HeldBack(LogPlace(log, number), reason) for number, reason in unread.items()))
        return replace(reading, bad=tuple(sorted(bad, key=lambda item: item.place.line)))


_read_large = lru_cache(maxsize=1)(read_log)
"""Reads a log of which several runs take in a part each; without the cache, a long history would cost its square."""


def _name(path: str) -> str:
    return unicodedata.normalize("NFC", path.removeprefix(f"{FOLDER}/"))


def _read_text(stream: IO[bytes]) -> tuple[str, dict[int, str]]:
    """The text of a log without lines that cannot be read, and the 1-based numbers of those with the reasons."""
    start = stream.read(4)
    stream.seek(0)
    if not is_wide(start):
        return _read_lines(stream)
    text = decode_wide(stream.read(_MAX_TEXT))  # UTF-16 or UTF-32: the whole of it, or nothing
    return text or "", {} if text is not None else {1: _NOT_WIDE}


def _read_lines(stream: IO[bytes]) -> tuple[str, dict[int, str]]:
    kept, unread, size = [], dict[int, str](), 0
    for number, line in enumerate(_lines(stream), 1):
        if len(line) > MAX_LINE_BYTES or size > _MAX_TEXT:
            unread[number] = _TOO_LONG
        elif b"\r" in line and re.search(ENDED_BY_CR, line):
            unread[number] = _NO_LINE_FEED
        kept.append(b"\n" if number in unread else line)
        size += len(kept[-1])
    return decode_text(b"".join(kept)), unread


def _lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a stream; only the beginning of one that is too long, which is never in memory as a whole."""
    while line := stream.readline(MAX_LINE_BYTES + 1):
        rest = line
        while len(rest) > MAX_LINE_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(MAX_LINE_BYTES + 1)
        yield line


_IMPORTS = "memory/imports"
_KINDS = {".jsonl", ".json", ".md", ".zip"}
_PASSED_OVER = {".git", "node_modules", ".venv", ".bankd"}
_SEEN, _SEEN_CAP = ".bankd/imports.json", 64 << 20


@dataclass(frozen=True, slots=True)
class FileSource:
    """A file, or a member of a zip archive."""

    file: Path
    member: str = ""

    @property
    def path(self) -> str:
        """Its place, as shown to people."""
        return f"{self.file}/{self.member}" if self.member else str(self.file)

    @property
    def stamp(self) -> str:
        """The size and time of the file, or of the archive that it is in."""
        state = self.file.stat()
        return f"{state.st_size} {state.st_mtime_ns}"

    @property
    def changed_at(self) -> datetime:
        """When it was last written."""
        return datetime.fromtimestamp(self.file.stat().st_mtime, UTC)

    def lines(self) -> Iterator[str]:
        """Its lines, as UTF-8; other bytes are kept as surrogates."""
        if self.member:
            yield from io.StringIO(self.text())
            return
        with self.file.open("rb") as opened:
            yield from (decode_text(line) for line in opened)

    def text(self) -> str:
        """Its whole text; ValueError when it is too large to be read as a whole."""
        archive = _archive(self.file, self.stamp) if self.member else None
        if (archive.getinfo(self.member).file_size if archive else self.file.stat().st_size) > LOG_CAP:
            raise ValueError(f"larger than {LOG_CAP >> 20} MB")
        data = archive.read(self.member) if archive else self.file.read_bytes()
        return (decode_wide(data) or "") if is_wide(data[:4]) else decode_text(data)


@lru_cache(maxsize=1)
def _archive(file: Path, _stamp: str) -> zipfile.ZipFile:
    """An archive that stays open while its members are read: its list of them is long."""
    return zipfile.ZipFile(file)


def find_sources(places: Sequence[Path], root: Path) -> list[FileSource]:
    """The files at these places that may hold conversations, oldest first, except those of the workspace itself.

    UserError for a place that does not exist.
    """
    missing = [f"{place}: no such file or folder" for place in places if not place.exists()]
    if missing:
        raise UserError(*missing)
    files = {file.resolve() for place in places for file in _files_at(place)}
    own = {file for file in files if file.is_relative_to(root.resolve())}
    sources = [FileSource(file, member) for file in files - own for member in _members(_names_in(file)) or [""]]
    # A resumed session holds a copy of the one before it, and is larger where both files have one time.
    return sorted(sources, key=lambda one: (one.changed_at, one.file.stat().st_size, one.path))


def passed_over(places: Sequence[Path], root: Path) -> list[str]:
    """The files in these folders and archives that are of no kind that can be imported; hidden folders are not looked into."""
    found: list[str] = []
    for place in places:
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in _PASSED_OVER]
            found += [str(Path(folder, name)) for name in sorted(names) if Path(name).suffix not in _KINDS]
        members = _names_in(place)
        found += [f"{place}:{name}" for name in members if not name.endswith("/") and name not in _members([name])]
    return [name for name in found if not Path(name).is_relative_to(root)]


def _files_at(place: Path) -> Iterator[Path]:
    if place.is_file():
        yield place
        return
    for folder, folders, names in os.walk(place):
        folders[:] = sorted(set(folders) - _PASSED_OVER)
        yield from (file for name in names if (file := Path(folder, name)).suffix in _KINDS and file.is_file())


def _names_in(file: Path) -> list[str]:
    """The names of the members of an archive; none of any other file."""
    if file.suffix == ".zip":
        with suppress(OSError, zipfile.BadZipFile):
            return _archive(file, FileSource(file).stamp).namelist()
    return []


def _members(names: Sequence[str]) -> dict[str, None]:
    """The members of an archive that are read."""
    found = [name for name in names if PurePosixPath(name).suffix in {".jsonl", ".md"}]
    found += [name for name in names if PurePosixPath(name).name.startswith("conversations")]
    return dict.fromkeys(found)


class ImportedLogs:
    """The logs below `memory/imports/`, and the sources that were read whole. The lock must be held."""

    def __init__(self, tree: FileTree, transactions: TransactionWriter) -> None:
        self._tree, self._transactions = tree, transactions

    def names(self, agent: str) -> Sequence[str]:
        """The logs of an agent."""
        return self._tree.names(f"{_IMPORTS}/{agent}")

    def read(self, agent: str, log: str) -> str:
        """The text of a log."""
        return decode_text(self._tree.read(f"{_IMPORTS}/{agent}/{log}", LOG_CAP) or b"")

    def append(self, agent: str, log: str, text: str) -> None:
        """Put a text at the end of a log."""
        append_text(self._tree, f"imports/{agent}", log, text)

    def seen(self) -> Mapping[str, str]:
        """The stamps of the sources that were read whole; none when that file cannot be read."""
        try:
            found = json.loads(self._tree.read_own(_SEEN, _SEEN_CAP) or b"{}")
        except (OSError, ValueError):
            return {}
        return found if isinstance(found, dict) else {}

    def remember(self, seen: Mapping[str, str]) -> None:
        """Remember these stamps."""
        data = json.dumps(seen, ensure_ascii=False, indent=0).encode("utf-8", "surrogateescape")
        self._transactions.publish(_SEEN, data)
