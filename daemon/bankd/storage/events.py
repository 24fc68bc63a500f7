"""What is appended to: the events of a workspace as JSON lines, the replies of language models, the end of a raw log.

Each machine appends to its own files, `WRITER-YEAR.jsonl`, one write per line. The next write ends a torn last line, or
cuts it off. Rows are a set: a file that a backup or a sync tool brought twice changes nothing. Earlier versions numbered
the files, packed old ones (`.gz`) and moved them to `archive/`; those are read and purged.

In `events/replies/`, which was paid for and so is not in `.bankd/`:

    {"call": "…", "at": "…", "most": 3100}                        before a call: the tokens that it may take
    {"call": "…", "at": "…", "took": 1240}                        after it: the tokens that it took
    {"call": "…", "at": "…", "reply": "KEY", "value": …, …}       the reply

A call without a second row (after a crash) counts as having taken its `most`.

To a log below `memory/`, text is appended, durably, or taken off its end again. Nothing else of a log changes.
"""

from __future__ import annotations

import fcntl
import gzip
import json
import os
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import date, datetime
from io import BytesIO
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.errors import ConflictError, StorageError, UserError
from bankd.memory.ledger import CorruptLine, find_missing, in_order_told, told_order
from bankd.memory.retain import LogPlace, part_replaced, project_in, read_log
from bankd.night.asking import Reply
from bankd.pages.scanner import decode_text
from bankd.pages.text import is_wide, parse_json
from bankd.storage.disk import advise_person, storage_told, sync_file
from bankd.storage.tree import FileTree, closing_descriptor, split_path, write_all

if TYPE_CHECKING:
    from bankd.edits.transaction import Event

Row: TypeAlias = dict[str, Any]

EVENTS, REPLIES = "events", "events/replies"
PACKED = ".gz"
LINE_CAP = 64 * 1024  # bytes; what one write(2) on an O_APPEND descriptor keeps whole
FULL = 64 << 20  # bytes; a larger file is followed by one of the next number, whatever the year
_FILE_CAP = 256 << 20  # bytes that are read of a file; earlier versions did not divide the replies of models
_UNPACKED_CAP = 64 << 20
_FILE = re.compile(r"(?P<writer>.+?)(?:-(?P<number>\d{4,}))?\.jsonl(?P<packed>\.gz)?")


def log_files(tree: FileTree, folder: str) -> list[str]:
    """The files of a log, those of one writer in the order in which it wrote them.

    Of two copies the packed one comes first: the other may have more rows after it.
    """
    places = (f"{folder}/archive", folder)
    found = [(_parts(name), f"{place}/{name}") for place in places for name in tree.names(place)]
    return [path for parts, path in sorted((parts, path) for parts, path in found if parts)]


def _parts(name: str) -> tuple[str, int, bool] | tuple[()]:
    """The writer, the number and whether it is not packed, of a file name; nothing when it is not of a log."""
    found = _FILE.fullmatch(name)
    return (found["writer"], int(found["number"] or 0), not found["packed"]) if found else ()


def read_log_file(tree: FileTree, path: str) -> tuple[bytes, str]:
    """The bytes of a file, unpacked, and the problem that hides the rest; ConflictError when it cannot be read."""
    data = tree.read(path, _FILE_CAP) or b""
    return unpack(data) if path.endswith(PACKED) else (data, "")


def unpack(data: bytes, cap: int = _UNPACKED_CAP) -> tuple[bytes, str]:
    """Unpack as far as possible, at most `cap` bytes; gives also the problem that hides the rest."""
    parts: list[bytes] = []
    size = 0
    try:
        with gzip.open(BytesIO(data)) as file:
            while part := file.read1(1 << 16):
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
    """Read one line; None when it is not a JSON object of at most 64 KB."""
    try:
        row = parse_json(line) if len(line) <= LINE_CAP else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


class JsonLog:
    """The rows of one folder by all machines; this machine, `writer`, appends to its own files only."""

    def __init__(self, tree: FileTree, folder: str, writer: str) -> None:
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
            opened = self._tree.making_way(name, folder, lambda: self._tree.calls.open_to_append(name, folder))
            with closing_descriptor(opened) as fd:
                self._heal(fd)
                for line in lines:  # after a short write the rest follows: nobody else writes to this file
                    write_all(self._tree.calls, fd, line)
                sync_file(self._tree, fd)
            if is_new:
                sync_file(self._tree, folder)

    def _current(self, row: Mapping[str, Any]) -> str:
        """The file for a row: of its year, but never older than this writer's newest: a clock may have been set back."""
        own = (_parts(path.rpartition("/")[2]) for path in log_files(self._tree, self._folder))
        number = max([int(str(row["at"])[:4]), *(parts[1] for parts in own if parts and parts[0] == self.writer)])
        name = f"{self.writer}-{number:04}.jsonl"
        here = self._tree.states(self._folder).get(name)
        if here and here.st_size >= FULL:
            name = f"{self.writer}-{number + 1:04}.jsonl"
        return f"{self._folder}/{name}"

    def _heal(self, fd: int) -> None:
        """End a last line without its line break: a whole row is kept, the rest of a torn one is cut off."""
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
        """All rows with their file and line. Afterwards, `corrupt` has the lines and files that cannot be read."""
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
    """The events of a workspace: rows with an id; rows with the same id are one event."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        super().__init__(tree, EVENTS, writer)

    def append_missing(self, events: Iterable[Event]) -> None:
        """Write the events that this writer's newest file lacks, after a crash in the middle of writing them."""
        events = list(events)
        known = {row.get("id") for _, _, row in self._rows(self._current(events[0]))} if events else set()
        self.append(event for event in events if event["id"] not in known)

    def read_events(self) -> list[Event]:
        """All events of all writers, each once, in the order in which they were recorded."""
        found: dict[str, Event] = {}
        with storage_told("events/"):
            for _, rows in groupby(self.read(), key=lambda row: _parts(row[0].rpartition("/")[2])[:1]):
                first: dict[str, Event] = {}
                for path, number, row in rows:
                    if missing := find_missing(row):
                        self.corrupt.append(CorruptLine(path, number, f"an event without {missing}"))
                    else:
                        first.setdefault(str(row["id"]), row)
                found = {str(row["id"]): row for row in in_order_told(first.values())} | found
        return sorted(found.values(), key=told_order)


class ReplyLog:
    """The replies of models in a workspace, by all its machines, and the tokens that they took."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Read all rows; ConflictError when a file cannot be read. `writer` is the name of this machine."""
        self._log = JsonLog(tree, REPLIES, writer)
        self._most: dict[str, tuple[str, int]] = {}  # by call: the day, and the tokens that it may take
        self._took: dict[str, int] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        for _, _, row in self._log.read():
            self._take(row)
        for one in self._log.corrupt:
            if not one.line and not one.path.endswith(PACKED):  # a model would be asked, and paid, for the same again
                raise ConflictError(str(one))

    def _take(self, row: Mapping[str, Any]) -> None:
        call = str(row.get("call"))
        if isinstance(row.get("most"), int):
            self._most[call] = str(row.get("at"))[:10], row["most"]
        if isinstance(row.get("took"), int):
            self._took[call] = row["took"]
        if "reply" in row:
            self._replies[str(row["reply"])] = row

    def spent(self, day: date) -> int:
        """The tokens that the calls of a day took, or may have taken."""
        return sum(self._took.get(call, most) for call, (at, most) in self._most.items() if at == str(day))

    def find(self, key: str) -> Reply | None:
        """The earlier reply to the same question; None when there is none."""
        row = self._replies.get(key)
        if row is None:
            return None
        return Reply(row.get("value"), int(row.get("input", 0)), int(row.get("output", 0)), is_kept=True)

    def keep(self, call: str, at: datetime, key: str, reply: Reply) -> None:
        """Keep a reply; UserError when it is longer than a line may be."""
        row = {"reply": key, "value": reply.value, "input": reply.input_tokens, "output": reply.output_tokens}
        self.note(call, at, **row)

    def note(self, call: str, at: datetime, **fields: Any) -> None:
        """Record of a call the tokens that it may take, as `most`, or those that it took, as `took`."""
        row = {"call": call, "at": at.isoformat(timespec="seconds"), **fields}
        self._log.append([row])
        self._take(row)


LOG_CAP = 1 << 30
"""Bytes of a log, or of a source of one, that is read as a whole."""


def append_line(
    tree: FileTree, log: str, line: str, *, once: bool = False, anywhere: bool = True
) -> tuple[LogPlace, bool]:
    """Append a Retain line to a log, which is made if missing; gives the place of the line, and whether it was written.

    With `once` nothing is written if the log has the line already. If the log has it without `(replaces …)`, that is added
    below it, or, if other lines follow, the whole line is written again. Where a run would not read it at the end of
    the log (`anywhere` as in the settings), a heading is written above it; UserError when that does not help either.
    StorageError when the disk does not take it. The log is unchanged then.
    """
    try:
        with tree.folder("memory") as folder:
            is_new = log not in tree.names("memory")
            with _locked(tree, log, folder) as fd:
                try:
                    found, more = _find(fd, line) if once else (None, line)
                    number = _append(tree, fd, more, log, is_more=bool(found), anywhere=anywhere) if more else found
                    place = LogPlace(log, found or number or 0)
                except OSError:
                    if is_new and not os.fstat(fd).st_size:
                        with suppress(OSError):
                            tree.calls.unlink(log, folder)
                    raise
            if is_new:
                sync_file(tree, folder)
            return place, bool(more)
    except OSError as problem:
        raise StorageError(f"memory/{log}: {advise_person(problem)}. The line was not added") from problem


@contextmanager
def _locked(tree: FileTree, log: str, folder: int) -> Iterator[int]:
    """A log opened at its end (made if missing) and locked; other writers of it wait until it is closed."""
    with closing_descriptor(tree.calls.open_to_append(log, folder, 0o644)) as fd:
        fcntl.flock(fd, fcntl.LOCK_EX)
        yield fd


def _find(fd: int, line: str) -> tuple[int | None, str]:
    """The number of the line of the log with the same text as `line`, and the text still to append (empty if complete).

    Questions below the lines are ignored. A line of another project is a different line.
    """
    said, replaces = part_replaced(line.partition("\n")[0])
    rows = decode_text(os.pread(fd, os.fstat(fd).st_size, 0)).removesuffix("\n").split("\n")
    project = project_in(line)
    same = (number for number, row in enumerate(rows, 1) if part_replaced(row.rstrip())[0] == said)
    numbers = [number for number in same if project_in(rows[number - 1]) == project]
    if not numbers:
        return None, line
    at = numbers[-1]
    item = [rows[at - 1], *takewhile(lambda row: row.startswith("  ") and row.strip(), rows[at:])]
    if not replaces or any(part_replaced(row)[1] == replaces for row in item):
        return at, ""
    return (at, f"  (replaces {replaces})") if at - 1 + len(item) == len(rows) else (None, line)


def _append(tree: FileTree, fd: int, line: str, log: str, *, is_more: bool, anywhere: bool) -> int:
    """Append a line, below a heading if it needs one, or with `is_more` the rest of the last line; gives its number."""
    if is_wide(os.pread(fd, 4, 0)):
        raise UserError(
            f"memory/{log}: is UTF-16 or UTF-32, and a line in UTF-8 would spoil it; save it as UTF-8 first"
        )
    own = line.encode("utf-8", "surrogateescape") + b"\n"
    text = decode_text(os.pread(fd, os.fstat(fd).st_size, 0))
    _write_or_take_back(tree, fd, ("" if is_more else _heading_for(log, text, line, anywhere)).encode() + own)
    start = os.lseek(fd, 0, os.SEEK_CUR) - len(own)  # of what we wrote, even if somebody has appended more by now
    chunks = range(0, start, 1 << 20)
    return 1 + sum(os.pread(fd, min(1 << 20, start - chunk), chunk).count(b"\n") for chunk in chunks)


def _heading_for(log: str, text: str, line: str, anywhere: bool) -> str:
    """What to write above a line at the end of this log so that a run reads it: nothing, or a heading."""
    above = text if text.endswith("\n") or not text else text + "\n"
    for heading in ("", "\n## Retain\n") if text else (f"# {log.removesuffix('.md')}\n\n## Retain\n",):
        number = (above + heading).count("\n") + 1
        reading = read_log(log, f"{above}{heading}{line}\n", anywhere=anywhere, since=number)
        if any(one.place.line == number for one in reading.lines):
            return heading
    raise UserError(
        f"memory/{log}: no run would read a line at its end, and it was not added: a code block, comment or front matter "
        "there does not end (or bankctl review list bad says what is wrong with the log)"
    )


def _write_or_take_back(tree: FileTree, fd: int, data: bytes) -> None:
    """Write at the end of a log, on a new line, and sync; after an error the log is as it was before."""
    size = os.fstat(fd).st_size
    data = (b"\n" if size and os.pread(fd, 1, size - 1) != b"\n" else b"") + data
    done = tree.calls.write(fd, data)
    try:
        while done < len(data):
            done += tree.calls.write(fd, data[done:])
        sync_file(tree, fd)
    except OSError:
        if os.fstat(fd).st_size == size + done:  # nobody else has appended meanwhile
            with suppress(OSError):
                tree.calls.truncate(fd, size)
        raise


def append_text(tree: FileTree, folder: str, log: str, text: str) -> None:
    """Append a text that ends with a line break to a log in a folder below `memory/`; both are made when missing."""
    path = f"memory/{folder}"
    try:
        with tree.folder(path, make=True) as fd_of_folder:
            with _locked(tree, log, fd_of_folder) as fd:
                _write_or_take_back(tree, fd, text.encode("utf-8", "surrogateescape"))
            sync_file(tree, fd_of_folder)
    except OSError as problem:
        raise StorageError(
            f"{path}/{log}: {advise_person(problem)}. What was not written is written next time"
        ) from problem


def cut_text(tree: FileTree, folder: str, log: str, text: str) -> bool:
    """Cut a text off the end of a log below `memory/`, in one step; False when the log does not end with it."""
    tail = text.encode("utf-8", "surrogateescape")
    with tree.folder(f"memory/{folder}") as fd_of_folder, _locked(tree, log, fd_of_folder) as fd:
        start = os.fstat(fd).st_size - len(tail)
        if start < 0 or os.pread(fd, len(tail), start) != tail:
            return False
        tree.calls.truncate(fd, start)
        sync_file(tree, fd)
    return True
