"""What is kept of runs on disk: the ledger of all of them, and the reports of those that did something.

`.bankd/runs.jsonl` has one row a line, is appended to, and is cut to its newer half when it grows. Whoever makes a run
writes its row; the daemon adds what only it knows (begun, missed, stopped) and learns of the rest.
`.bankd/reports/` has a file for each run: what a person reads when asking what a run did.
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

from bankd.health.ledger import LedgerRow, row_from_json, row_to_json
from bankd.memory.report import ReportRow
from bankd.storage.derived import clear_the_way
from bankd.storage.disk import explain_failure
from bankd.storage.staging import Staging
from bankd.storage.tree import FileTree

log = logging.getLogger(__name__)

PATH = ".bankd/runs.jsonl"
LARGEST = 4 << 20
KEPT_IN_MEMORY = 2000


def read_ledger(workspace: Path) -> Iterator[LedgerRow]:
    """The rows, oldest first; a torn or foreign line is skipped."""
    try:
        data = (workspace / PATH).read_bytes()
    except OSError:
        return
    yield from parse_rows(data.split(b"\n"))


def parse_rows(lines: Iterable[bytes]) -> Iterator[LedgerRow]:
    """The rows of these lines; a torn or foreign line is skipped."""
    for line in lines:
        with contextlib.suppress(ValueError, KeyError, TypeError, RecursionError, AttributeError):
            yield row_from_json(json.loads(line))


class RunLedger:
    """Written by who holds the workspace; it goes on in memory while the disk is full, and writes the rest when it can."""

    def __init__(self, workspace: Path) -> None:
        """Read what is there, and end a line that a crash tore."""
        self._path = workspace / PATH
        self.rows: deque[LedgerRow] = deque(read_ledger(workspace), KEPT_IN_MEMORY)
        self._unwritten = b"\n" if self._is_torn() else b""
        self._seen = self._size()
        self._own: list[LedgerRow] = []
        self._writing = threading.Lock()

    def add(self, row: LedgerRow) -> None:
        """Append a row; runs, the timer and the beat of the daemon do, each in its own thread."""
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
        """All rows, those before the ones in memory too."""
        return read_ledger(self._path.parent.parent)

    def learn(self) -> list[LedgerRow]:
        """The rows that others have added since the last time: the runs themselves, and commands."""
        with self._writing:
            own = {(row.at, row.job, row.outcome) for row in self._own}
            fresh = [row for row in self._unseen() if (row.at, row.job, row.outcome) not in own]
            self._own.clear()
            self.rows.extend(fresh)
        return fresh

    def _unseen(self) -> list[LedgerRow]:
        start, self._seen = min(self._seen, self._size()), self._size()
        if start == self._seen:
            return []
        with self._path.open("rb") as file:
            file.seek(start)
            return list(parse_rows(file.read(self._seen - start).split(b"\n")))

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def _write(self) -> None:
        clear_the_way(self._path)
        if self._size() > LARGEST:
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
        self._seen = max(0, self._seen - len(data) + len(newer))

    def _is_torn(self) -> bool:
        try:
            data = self._path.read_bytes()
        except OSError:
            return False
        return bool(data) and not data.endswith(b"\n")


FOLDER = ".bankd/reports"
_CAP = 64 * 1024 * 1024
_KEPT = 2_000
"""Runs that did something; more than a month of them, and some 10 MB."""


class RunReports:
    """The reports of one workspace; runs in which nothing happened have none."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree, self._staging = tree, staging

    def keep(self, run: str, rows: Iterable[ReportRow]) -> None:
        """Keep the rows of a run; StorageError when the disk does not take them."""
        fields = [[row.sign, row.kind, row.place, row.text, row.reason] for row in rows]
        if not fields:
            return
        try:
            self._staging.publish(f"{FOLDER}/{run}.json", json.dumps(fields).encode())
            names = [name for name in self._tree.names(FOLDER) if name.endswith(".json")]
            for name in sorted(names)[:-_KEPT]:
                self._tree.remove(f"{FOLDER}/{name}")
        except OSError as problem:
            raise explain_failure(problem, FOLDER) from problem

    def read(self, run: str) -> list[ReportRow]:
        """The rows of a run; none when it did nothing, or is not kept or not readable any more."""
        if f"{run}.json" not in self._tree.names(FOLDER):
            return []
        try:
            fields: Any = json.loads(self._tree.read_own(f"{FOLDER}/{run}.json", _CAP) or b"[]")
            return [ReportRow(*map(str, row)) for row in fields]
        except (ValueError, TypeError, RecursionError):
            return []
