"""Append-only JSON lines: the event log of a workspace, its files one writer's each, and the history of runs.

One write a line, so that two writers never mix; a torn last line is closed before the next one; a line that does not
parse is counted, reported and skipped.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from datetime import date
from itertools import groupby
from typing import TYPE_CHECKING, Any

from bankd.adapters.storage.disk import explain_failure, sync_file
from bankd.adapters.storage.segments import EVENTS, PACKED, SEGMENT_CAP, segment_of, segment_paths, unpack
from bankd.adapters.storage.tree import FileTree, split_path
from bankd.core.lifecycle.events import CorruptLine, find_missing, in_order_told, told_order
from bankd.core.markdown.utf8 import parse_json
from bankd.core.use.policy import PACKED_AFTER
from bankd.errors import ConflictError, UserError

if TYPE_CHECKING:
    from bankd.core.edits.transaction import Event

LINE_CAP = 64 * 1024  # bytes; what one write(2) on an O_APPEND descriptor keeps whole
ROTATE_AT = 4 * 1024 * 1024


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
        row = parse_json(line) if len(line) <= LINE_CAP else None
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None


class EventLog:
    """The events of a workspace; this process appends to its own writer's files only."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        self._tree, self.writer = tree, writer
        self.corrupt: list[CorruptLine] = []

    def append(self, events: Iterable[Event], *, unless_there: bool = False) -> None:
        """Write events, one line each; `unless_there` looks first, which only a recovery needs."""
        events = list(events)
        path = current_segment(self._tree, EVENTS, self.writer, str(events[0]["at"]) if events else "")
        known = {row.get("id") for _, row in self._numbered(path)} if unless_there else set()
        fresh = [event for event in events if event["id"] not in known]
        if fresh:
            append_lines(self._tree, path, fresh)

    def read(self) -> list[Event]:
        """All events of all writers as a set: once each, in the order in which they were recorded."""
        self.corrupt = []
        found: dict[str, Event] = {}
        try:
            segments = [(path, list(self._numbered(path))) for path in self.segments()]
        except OSError as problem:
            raise explain_failure(problem, "events/") from problem
        for _, parts in groupby(segments, key=lambda segment: segment_of(segment[0])[0]):
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
        return segment_paths(self._tree)

    def _numbered(self, path: str) -> Iterator[tuple[int, dict[str, Any]]]:
        """The rows of a file with their lines; what does not parse is corrupt. A last line without its end is not read."""
        try:
            data = self._tree.read(path, SEGMENT_CAP) or b""
        except ConflictError as problem:
            self.corrupt.append(CorruptLine(path, 0, str(problem).partition(": ")[2]))
            return
        if path.endswith(PACKED):
            data, wrong = unpack(data)
            self.corrupt += [CorruptLine(path, 0, wrong)] if wrong else []
        for number, line in enumerate(data.split(b"\n")[:-1], 1):
            row = parse_row(line)
            if row is not None:
                yield number, row
            elif line.strip():
                self.corrupt.append(CorruptLine(path, number, "not a JSON object of at most 64 KB"))


def current_segment(tree: FileTree, folder: str, writer: str, at: str) -> str:
    """The segment to append to at this time: a new one after one that is packed, full, or begun long ago."""
    own = [path for path in segment_paths(tree, folder) if segment_of(path)[0] == writer]
    number = max((segment_of(path)[1] for path in own), default=1)
    path = f"{folder}/{writer}-{number:04}.jsonl"
    is_over = own and (path not in own or _is_full(tree, path) or _is_old(tree, path, at))
    return f"{folder}/{writer}-{number + 1:04}.jsonl" if is_over else path


def _is_full(tree: FileTree, path: str) -> bool:
    parent, name = split_path(path)
    return tree.sizes(parent, [name])[name][1] >= ROTATE_AT


def _is_old(tree: FileTree, path: str, at: str) -> bool:
    """Whether a segment was begun so long before that it could be packed, if nobody wrote to it any more."""
    with suppress(ValueError, FileNotFoundError, ConflictError), tree.file(path) as fd:
        first = parse_row(os.pread(fd, LINE_CAP, 0).partition(b"\n")[0]) or {}
        begun = date.fromisoformat(str(first.get("at"))[:10])
        return (date.fromisoformat(at[:10]) - begun).days > PACKED_AFTER
    return False
