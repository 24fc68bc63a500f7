"""Append-only JSON lines: the event log of a workspace, and below it what models said and wrote.

Each machine appends to its own files, `WRITER-YEAR.jsonl`: one write a line, so that lines never mix; a torn last line is
ended or cut off before the next one. Rows are a set: a file that a backup or a sync tool brought twice changes nothing.
Earlier versions numbered the files, packed old ones (`.gz`) and moved them to `archive/`; those are read and purged.

What language models said and wrote, and what that took: it was paid for, so it is not in `.bankd/`.

In `events/replies/`:

    {"call": "…", "at": "…", "most": 3100}                        before a call: what it may take
    {"call": "…", "at": "…", "took": 1240}                        after it
    {"call": "…", "at": "…", "reply": "KEY", "value": …, …}       what was said

A call of which nothing but its beginning is known, since a crash came between, took what it might have.

In `events/enriched/`, what a model wrote for statements; of two rows about one statement the later counts:

    {"key": "4f0c…", "at": "…", "text": "STATEMENT", "questions": […], "other": […], "gist": "…", "entities": […]}
"""

from __future__ import annotations

import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from functools import cached_property
from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.errors import ConflictError, UserError
from bankd.memory.ledger import CorruptLine, find_missing, in_order_told, told_order
from bankd.night.asking import Reply
from bankd.night.enrich import Enrichment, UnaskedStatement, read_enrichment
from bankd.pages.text import parse_json
from bankd.storage.disk import explain_failure, sync_file
from bankd.storage.tree import FileTree, split_path

if TYPE_CHECKING:
    from bankd.edits.transaction import Event

Row: TypeAlias = dict[str, Any]

EVENTS = "events"
PACKED = ".gz"
LINE_CAP = 64 * 1024  # bytes; what one write(2) on an O_APPEND descriptor keeps whole
FULL = 64 << 20
"""A file of so many bytes is followed by the one of the next number, whatever the year."""
_FILE_CAP = 256 << 20
"""Bytes that are read: earlier versions did not divide what models said."""
_UNPACKED_CAP = 64 << 20
_FILE = re.compile(r"(?P<writer>.+?)(?:-(?P<number>\d{4,}))?\.jsonl(?P<packed>\.gz)?")
_PART = 64 * 1024


def log_files(tree: FileTree, folder: str) -> list[str]:
    """The files of a folder to read, those of one writer in the order in which it wrote them.

    Of two copies the packed one comes first: the other may go on where that ends.
    """
    places = (f"{folder}/archive", folder)
    found = [(_parts(name), f"{place}/{name}") for place in places for name in tree.names(place)]
    return [path for parts, path in sorted((parts, path) for parts, path in found if parts)]


def _parts(name: str) -> tuple[str, int, bool] | None:
    """The writer, the number and whether it is not packed, of a file name; None when it is not of a log."""
    found = _FILE.fullmatch(name)
    return found and (found["writer"], int(found["number"] or 0), not found["packed"])


def writer_of(path: str) -> str:
    """The machine that wrote a file of a log."""
    parts = _parts(path.rpartition("/")[2])
    return parts[0] if parts else ""


def read_log_file(tree: FileTree, path: str) -> tuple[bytes, str]:
    """The bytes of a file, unpacked, and what is wrong with the rest; ConflictError when it may not or cannot be read."""
    data = tree.read(path, _FILE_CAP) or b""
    return unpack(data) if path.endswith(PACKED) else (data, "")


def unpack(data: bytes, cap: int = _UNPACKED_CAP) -> tuple[bytes, str]:
    """Unpack as far as possible, at most `cap` bytes; also gives what is wrong with the rest."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.open(BytesIO(data)) as file:
            while part := file.read1(_PART):
                parts.append(part)
                size += len(part)
                if size > cap:
                    return b"".join(parts)[:cap], f"unpacks to more than {cap >> 20} MB; only its beginning is read"
    except (OSError, EOFError, zlib.error) as problem:
        return b"".join(parts), f"cannot be unpacked to its end ({problem}); a backup may have it whole"
    return b"".join(parts), ""


def line_of(row: Mapping[str, Any]) -> bytes:
    """A row as its line; UserError above 64 KB."""
    line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
    if len(line) > LINE_CAP:
        raise UserError(f"an event of {len(line)} bytes is over the limit of {LINE_CAP}")
    return line


def parse_row(line: bytes) -> Row | None:
    """Read one line; None when it is no JSON object of a lawful length."""
    try:
        row = parse_json(line) if len(line) <= LINE_CAP else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


class JsonLog:
    """The rows of one folder by all machines; this one appends to its own files only."""

    def __init__(self, tree: FileTree, folder: str, writer: str) -> None:
        """Take the folder and the name of this machine; nothing is read yet."""
        self._tree, self._folder, self.writer = tree, folder, writer
        self.corrupt: list[CorruptLine] = []

    def append(self, rows: Iterable[Mapping[str, Any]]) -> None:
        """Write rows, each with its time as `at`, one line each, and sync once."""
        rows = list(rows)
        if not rows:
            return
        lines, path = [line_of(row) for row in rows], self._current(rows[0])
        parent, name = split_path(path)
        with self._tree.folder(parent, make=True) as folder:
            is_new = name not in self._tree.names(parent)
            fd = self._open_to_append(name, folder)
            try:
                self._heal(fd)
                for line in lines:
                    done = self._tree.calls.write(fd, line)
                    while done < len(line):  # a short write: nobody else writes to this file
                        done += self._tree.calls.write(fd, line[done:])
                sync_file(self._tree, fd)
            finally:
                os.close(fd)
            if is_new:
                sync_file(self._tree, folder)

    def _current(self, row: Mapping[str, Any]) -> str:
        """The file for a row: of its year, but never before this writer's newest, so that a clock set back does no harm."""
        own = (_parts(path.rpartition("/")[2]) for path in log_files(self._tree, self._folder))
        number = max([int(str(row["at"])[:4]), *(parts[1] for parts in own if parts and parts[0] == self.writer)])
        name = f"{self.writer}-{number:04}.jsonl"
        here = [name] if name in self._tree.names(self._folder) else []
        if any(size >= FULL for _, size in self._tree.sizes(self._folder, here).values()):
            name = f"{self.writer}-{number + 1:04}.jsonl"
        return f"{self._folder}/{name}"

    def _open_to_append(self, name: str, folder: int) -> int:
        try:
            return self._tree.calls.open_to_append(name, folder)
        except IsADirectoryError:
            self._tree.make_way(name, folder)
            return self._tree.calls.open_to_append(name, folder)

    def _heal(self, fd: int) -> None:
        """End a torn last line: one that says something is kept, what a crash left of another is cut off."""
        size = os.fstat(fd).st_size
        start = max(0, size - LINE_CAP - 1)
        before, newline, last = os.pread(fd, size - start, start).rpartition(b"\n")
        if not last:
            return
        if parse_row(last) is not None:
            self._tree.calls.write(fd, b"\n")
        elif newline or not start:
            self._tree.calls.truncate(fd, start + len(before) + len(newline))

    def read(self) -> Iterator[tuple[str, int, Row]]:
        """All rows with their file and line; lines and files that cannot be read are in `corrupt` afterwards."""
        self.corrupt = []
        for path in log_files(self._tree, self._folder):
            yield from self._rows(path)

    def _rows(self, path: str) -> Iterator[tuple[str, int, Row]]:
        try:
            data, wrong = read_log_file(self._tree, path)
        except ConflictError as problem:
            data, wrong = b"", str(problem).partition(": ")[2]
        if wrong:
            self.corrupt.append(CorruptLine(path, 0, wrong))
        *lines, last = data.split(b"\n")
        for number, line in enumerate(lines, 1):
            row = parse_row(line)
            if row is not None:
                yield path, number, row
            elif line.strip():
                self.corrupt.append(CorruptLine(path, number, "not a JSON object of at most 64 KB"))
        if (row := parse_row(last)) is not None:  # all of a line but its end, which the next write adds
            yield path, len(lines) + 1, row


class EventLog(JsonLog):
    """The events of a workspace: rows with an id, of which the same id twice is one event."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Take the workspace and the name of this machine."""
        super().__init__(tree, EVENTS, writer)

    def append_missing(self, events: Iterable[Event]) -> None:
        """Write the events that this writer's newest file does not have: a crash may have come amid them."""
        events = list(events)
        known = {row.get("id") for _, _, row in self._rows(self._current(events[0]))} if events else set()
        self.append(event for event in events if event["id"] not in known)

    def read_events(self) -> list[Event]:
        """All events of all writers as a set: once each, in the order in which they were recorded."""
        found: dict[str, Event] = {}
        try:
            for _, rows in groupby(self.read(), key=lambda row: writer_of(row[0])):
                first: dict[str, Event] = {}
                for path, number, row in rows:
                    if missing := find_missing(row):
                        self.corrupt.append(CorruptLine(path, number, f"an event without {missing}"))
                    else:
                        first.setdefault(str(row["id"]), row)
                found = {str(row["id"]): row for row in in_order_told(first.values())} | found
        except OSError as problem:
            raise explain_failure(problem, "events/") from problem
        return sorted(found.values(), key=told_order)


REPLIES, ENRICHED = "events/replies", "events/enriched"


def _read_all(log: JsonLog) -> list[Row]:
    """All rows; ConflictError for a file that may not be read: nobody asks a model, and pays, without what it has."""
    rows = [row for _, _, row in log.read()]
    for one in log.corrupt:
        if not one.line and not one.path.endswith(PACKED):
            raise ConflictError(str(one))
    return rows


class ReplyLog:
    """The replies of a workspace by all its machines."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Read what is there; `writer` is the name of this machine."""
        self._log = JsonLog(tree, REPLIES, writer)
        self._most: dict[str, int] = {}
        self._took: dict[str, int] = {}
        self._days: dict[str, str] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        for row in _read_all(self._log):
            self._take(row)

    def _take(self, row: Mapping[str, Any]) -> None:
        call = str(row.get("call"))
        if isinstance(row.get("most"), int):
            self._most[call], self._days[call] = row["most"], str(row.get("at"))[:10]
        if isinstance(row.get("took"), int):
            self._took[call] = row["took"]
        if "reply" in row:
            self._replies[str(row["reply"])] = row

    def spent(self, day: date) -> int:
        """The tokens that the calls of a day took, or might have."""
        return sum(self._took.get(call, most) for call, most in self._most.items() if self._days[call] == str(day))

    def find(self, key: str) -> Reply | None:
        """What was said to the same question before."""
        row = self._replies.get(key)
        if row is None:
            return None
        return Reply(row.get("value"), int(row.get("input", 0)), int(row.get("output", 0)), is_kept=True)

    def begin(self, call: str, at: datetime, most: int) -> None:
        """Note that a call is made that may take up to `most` tokens; StorageError when the disk does not take that."""
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), "most": most})

    def end(self, call: str, at: datetime, took: int) -> None:
        """Note what a call took."""
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), "took": took})

    def keep(self, call: str, at: datetime, key: str, reply: Reply) -> None:
        """Keep what was said; UserError when it is longer than a line of events may be."""
        row = {"reply": key, "value": reply.value, "input": reply.input_tokens, "output": reply.output_tokens}
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), **row})

    def _append(self, row: Mapping[str, Any]) -> None:
        self._log.append([row])
        self._take(row)


def fold_enriched(rows: Iterable[Mapping[str, Any]]) -> dict[str, Enrichment]:
    """By the key of a statement what was written about it last, of rows in the order of their files."""
    keyed = [row for row in rows if isinstance(row.get("key"), str)]
    return {row["key"]: read_enrichment(row) for row in sorted(keyed, key=lambda row: str(row.get("at")))}


class EnrichedLog:
    """The enrichments of a workspace by all its machines."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Take the workspace and the name of this machine; files are read when something is asked."""
        self._log = JsonLog(tree, ENRICHED, writer)

    @cached_property
    def _known(self) -> dict[str, Enrichment]:
        return fold_enriched(_read_all(self._log))

    def of(self, key: str) -> Enrichment | None:
        """What was written for a statement; None when nothing was."""
        return self._known.get(key)

    def keep(self, statement: UnaskedStatement, enrichment: Enrichment, at: datetime) -> None:
        """Keep what was written for a statement; StorageError when the disk does not take that."""
        row = {"key": statement.key, "at": at.isoformat(timespec="seconds"), "text": statement.text}
        self._log.append([row | enrichment._asdict()])
        self._known[statement.key] = enrichment
