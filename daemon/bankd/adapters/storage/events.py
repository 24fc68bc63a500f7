"""Append-only JSON lines: the event log of a workspace, one file a writer, and the history of runs.

One write a line, so that two writers never mix; a torn last line is closed before the next one; a line that does not
parse is counted, reported and skipped.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bankd.adapters.storage.disk import explain_failure, sync_file
from bankd.adapters.storage.tree import FileTree, split_path
from bankd.core.lifecycle.events import CorruptLine, find_missing, in_order_told, told_order
from bankd.errors import ConflictError, UserError

if TYPE_CHECKING:
    from bankd.core.edits.transaction import Event

LINE_CAP = 64 * 1024  # bytes; what one write(2) on an O_APPEND descriptor keeps whole
SEGMENT_CAP = 64 * 1024 * 1024  # bytes of one segment
ROTATE_AT = 4 * 1024 * 1024
_SEGMENT = re.compile(r"(?P<writer>.+)-(?P<number>\d{4,})\.jsonl")


def append_lines(tree: FileTree, path: str, rows: Iterable[Mapping[str, Any]]) -> None:
    """Append rows to a JSON lines file and sync it once; a torn last line is ended first."""
    lines = [line_of(row) for row in rows]
    parent, name = split_path(path)
    with tree.folder(parent, make=True) as folder:
        is_new = name not in tree.names(parent)
        fd = _open_to_append(tree, name, folder)
        try:
            _heal(tree, fd)
            for line in lines:
                _write_whole(tree, fd, line)
            sync_file(tree, fd)
        finally:
            os.close(fd)
        if is_new:
            sync_file(tree, folder)


def _open_to_append(tree: FileTree, name: str, folder: int) -> int:
    try:
        return tree.calls.open_to_append(name, folder)
    except IsADirectoryError:
        tree.make_way(name, folder)
        return tree.calls.open_to_append(name, folder)


def _heal(tree: FileTree, fd: int) -> None:
    """End a torn last line: one that says something is kept, what a crash left of another is cut off."""
    size = os.fstat(fd).st_size
    start = max(0, size - LINE_CAP - 1)
    before, newline, last = os.pread(fd, size - start, start).rpartition(b"\n")
    if not last:
        return
    if parse_row(last) is not None:
        tree.calls.write(fd, b"\n")
    elif newline or not start:
        tree.calls.truncate(fd, start + len(before) + len(newline))


def _write_whole(tree: FileTree, fd: int, line: bytes) -> None:
    done = tree.calls.write(fd, line)
    while done < len(line):  # a short write: nobody else writes to this file
        done += tree.calls.write(fd, line[done:])


def line_of(row: Mapping[str, Any]) -> bytes:
    """A row as its line; UserError above 64 KB."""
    line = json.dumps(row, separators=(",", ":")).encode() + b"\n"
    if len(line) > LINE_CAP:
        raise UserError(f"an event of {len(line)} bytes is over the limit of {LINE_CAP}")
    return line


def parse_row(line: bytes) -> dict[str, Any] | None:
    """Read one line; None when it is no JSON object of a lawful length."""
    try:
        row = json.loads(line) if len(line) <= LINE_CAP else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


class EventLog:
    """The events of a workspace; this process appends to its own writer's files only."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        self._tree, self._writer = tree, writer
        self.corrupt: list[CorruptLine] = []

    def append(self, events: Iterable[Event], *, unless_there: bool = False) -> None:
        """Write events, one line each; `unless_there` looks first, which only a recovery needs."""
        path = self._current()
        known = {row.get("id") for _, row in self._numbered(path)} if unless_there else set()
        fresh = [event for event in events if event["id"] not in known]
        if fresh:
            append_lines(self._tree, path, fresh)

    def read(self) -> list[Event]:
        """All events of all writers as a set: once each, in the order in which they were told."""
        self.corrupt = []
        found: dict[str, Event] = {}
        try:
            segments = [(path, list(self._numbered(path))) for path in self.segments()]
        except OSError as problem:
            raise explain_failure(problem, "events/") from problem
        for _, parts in groupby(segments, key=lambda segment: _place(segment[0])[0]):
            first: dict[str, Event] = {}
            for row in (row for path, rows in parts for row in self._whole(path, rows)):
                first.setdefault(str(row["id"]), row)
            found |= {str(row["id"]): row for row in in_order_told(first.values())}
        return sorted(found.values(), key=told_order)

    def _whole(self, path: str, rows: Iterable[tuple[int, Event]]) -> Iterator[Event]:
        for number, row in rows:
            missing = find_missing(row)
            if missing is None:
                yield row
            else:
                self.corrupt.append(CorruptLine(path, number, f"an event without {missing}"))

    def segments(self) -> list[str]:
        """The files to read, those of one writer in the order in which it wrote them."""
        names = filter(_SEGMENT.fullmatch, self._tree.names("events"))
        return [f"events/{name}" for name in sorted(names, key=_place)]

    def _numbered(self, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a file with their lines; what does not parse is corrupt. A last line without its end is not read."""
        try:
            data = self._tree.read(path, SEGMENT_CAP) or b""
        except ConflictError as problem:
            self.corrupt.append(CorruptLine(path, 0, str(problem).partition(": ")[2]))
            return
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            row = parse_row(line)
            if row is not None:
                yield number, row
            elif line.strip():
                self.corrupt.append(CorruptLine(path, number, "not a JSON object of at most 64 KB"))

    def _current(self) -> str:
        names = self._tree.names("events")
        found = map(_SEGMENT.fullmatch, names)
        number = max((int(one["number"]) for one in found if one and one["writer"] == self._writer), default=1)
        name = f"{self._writer}-{number:04}.jsonl"
        is_full = name in names and self._tree.sizes("events", [name])[name][1] >= ROTATE_AT
        return f"events/{self._writer}-{number + 1:04}.jsonl" if is_full else f"events/{name}"


def _place(path: str) -> tuple[str, int]:
    """The writer of a segment, and its number."""
    writer, _, number = path.rpartition("/")[2].removesuffix(".jsonl").rpartition("-")
    return writer, int(number)
