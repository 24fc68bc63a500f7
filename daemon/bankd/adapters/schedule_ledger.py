"""The ledger of the schedule on disk: `.bankd/schedule.jsonl`, one row a line, appended to, cut to its newer half when it grows."""

from __future__ import annotations

import contextlib
import json
import logging
import os
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from bankd.core.schedule_rows import Row, row_from_json, row_to_json

log = logging.getLogger(__name__)

NAME = "schedule.jsonl"
LARGEST = 4 << 20
KEPT_IN_MEMORY = 2000


def read_rows(workspace: Path) -> Iterator[Row]:
    """The rows, oldest first; a torn or foreign line is skipped."""
    try:
        lines = (workspace / ".bankd" / NAME).read_bytes().split(b"\n")
    except OSError:
        return
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError, AttributeError):
            yield row_from_json(json.loads(line))


class ScheduleLedger:
    """Kept by who holds the workspace; it goes on in memory while the disk is full, and writes the rest when it can."""

    def __init__(self, workspace: Path) -> None:
        """Read what is there, and end a line that a crash tore."""
        self._path = workspace / ".bankd" / NAME
        self.rows: deque[Row] = deque(read_rows(workspace), KEPT_IN_MEMORY)
        self._unwritten = b"\n" if self._is_torn() else b""

    def add(self, row: Row) -> None:
        """Append a row."""
        self.rows.append(row)
        self._unwritten += json.dumps(row_to_json(row)).encode() + b"\n"
        try:
            self._write()
        except OSError as error:
            log.warning("run ledger not written path=%s error=%s", self._path, error.strerror)

    def read(self) -> Iterator[Row]:
        """All rows, those before the ones in memory too."""
        return read_rows(self._path.parent.parent)

    def learn_of_hands(self) -> list[Row]:
        """The rows that commands have added meanwhile."""
        known = {row.at for row in self.rows if row.by_hand}
        fresh = [row for row in self.read() if row.by_hand and row.at not in known]
        self.rows.extend(fresh)
        return fresh

    def _write(self) -> None:
        if self._path.exists() and self._path.stat().st_size > LARGEST:
            self._halve()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._path, flags, 0o600)
        try:
            self._unwritten = self._unwritten[os.write(descriptor, self._unwritten) :]
        finally:
            os.close(descriptor)

    def _halve(self) -> None:
        data = self._path.read_bytes()
        _, _, newer = data[len(data) // 2 :].partition(b"\n")
        staged = self._path.with_suffix(".tmp")
        staged.write_bytes(newer)
        staged.replace(self._path)

    def _is_torn(self) -> bool:
        try:
            data = self._path.read_bytes()
        except OSError:
            return False
        return bool(data) and not data.endswith(b"\n")
