"""The records of runs: the ledger of all of them, and the reports of those that did something.

`.bankd/runs.jsonl` has one row per line. It is appended to, and cut to its newer half when it grows. Each run writes its
row; the daemon adds rows that only it knows (begun, missed, stopped) and reads those of others. `.bankd/reports/` has a
file for each run, for a person who asks what it did.
"""

from __future__ import annotations

import contextlib
import json
import logging
import os
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from bankd.health.schedule import LedgerRow, row_from_json, row_to_json
from bankd.memory.report import ReportRow
from bankd.storage.derived import clear_the_way
from bankd.storage.disk import explain_failure
from bankd.storage.staging import Staging
from bankd.storage.tree import FileTree

log = logging.getLogger(__name__)

PATH = ".bankd/runs.jsonl"
LARGEST = 4 << 20
_KEPT_IN_MEMORY = 2000


def read_ledger(workspace: Path) -> Iterator[LedgerRow]:
    """The rows of the ledger, oldest first; a line that is not a row is skipped."""
    try:
        data = (workspace / PATH).read_bytes()
    except OSError:
        return
    yield from _parse_rows(data.split(b"\n"))


def _parse_rows(lines: Iterable[bytes]) -> Iterator[LedgerRow]:
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError, AttributeError):
            yield row_from_json(json.loads(line))


class RunLedger:
    """The ledger for those who write it. While the disk is full it goes on in memory, and writes the rest when it can."""

    def __init__(self, workspace: Path) -> None:
        """Read the rows; a line that a crash tore is ended by the next write."""
        self._path = workspace / PATH
        self.rows: deque[LedgerRow] = deque(read_ledger(workspace), _KEPT_IN_MEMORY)
        data = b""
        with contextlib.suppress(OSError):
            data = self._path.read_bytes()
        self._unwritten = b"\n" if data and not data.endswith(b"\n") else b""
        self._seen = self._size()
        self._own: list[LedgerRow] = []
        self._writing = threading.Lock()

    def add(self, row: LedgerRow) -> None:
        """Append a row. Several threads do: runs, the timer and the daemon's heartbeat."""
        line = json.dumps(row_to_json(row), ensure_ascii=False).encode() + b"\n"
        with self._writing:
            self.rows.append(row)
            self._own.append(row)
            self._unwritten += line
            try:
                self._write()
            except OSError as error:
                log.warning("run ledger not written path=%s error=%s", self._path, error.strerror)

    def read(self) -> Iterator[LedgerRow]:
        """All rows of the file, also those older than the rows in memory."""
        return read_ledger(self._path.parent.parent)

    def learn(self) -> list[LedgerRow]:
        """The rows that others, runs and commands, have added since the last call."""
        with self._writing:
            own = {(row.at, row.job, row.outcome) for row in self._own}
            start, self._seen = min(self._seen, self._size()), self._size()
            data = b""
            if start < self._seen:
                with self._path.open("rb") as file:
                    file.seek(start)
                    data = file.read(self._seen - start)
            rows = _parse_rows(data.split(b"\n"))
            fresh = [row for row in rows if (row.at, row.job, row.outcome) not in own]
            self._own.clear()
            self.rows.extend(fresh)
        return fresh

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def _write(self) -> None:
        clear_the_way(self._path)
        if self._size() > LARGEST:
            data = self._path.read_bytes()
            _, _, newer = data[len(data) // 2 :].partition(b"\n")
            staged = self._path.with_suffix(".tmp")
            staged.write_bytes(newer)
            staged.replace(self._path)
            self._seen = max(0, self._seen - len(data) + len(newer))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        descriptor = os.open(self._path, flags, 0o600)
        try:
            self._unwritten = self._unwritten[os.write(descriptor, self._unwritten) :]
        finally:
            os.close(descriptor)


_REPORTS = ".bankd/reports"
_CAP = 64 * 1024 * 1024
_KEPT = 2_000  # reports: those of more than a month, some 10 MB


class RunReports:
    """The reports of the runs of one workspace; a run that did nothing has none."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree, self._staging = tree, staging

    def keep(self, run: str, rows: Iterable[ReportRow]) -> None:
        """Keep the rows of a run; StorageError when the disk does not take them."""
        fields = [[row.sign, row.kind, row.place, row.text, row.reason] for row in rows]
        if not fields:
            return
        try:
            self._staging.publish(f"{_REPORTS}/{run}.json", json.dumps(fields).encode())
            names = [name for name in self._tree.names(_REPORTS) if name.endswith(".json")]
            for name in sorted(names)[:-_KEPT]:
                self._tree.remove(f"{_REPORTS}/{name}")
        except OSError as problem:
            raise explain_failure(problem, _REPORTS) from problem

    def read(self, run: str) -> list[ReportRow]:
        """The rows of a run; none when it did nothing, or its report is gone or cannot be read."""
        if f"{run}.json" not in self._tree.names(_REPORTS):
            return []
        try:
            fields: Any = json.loads(self._tree.read_own(f"{_REPORTS}/{run}.json", _CAP) or b"[]")
            return [ReportRow(*map(str, row)) for row in fields]
        except (ValueError, TypeError, RecursionError):
            return []
