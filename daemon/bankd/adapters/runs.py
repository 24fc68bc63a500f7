"""The history of runs in `.bankd/runs.jsonl`: empty, failed and missed ones too. What a run changed is in its journal."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from bankd.adapters.disk import explain
from bankd.adapters.events import Corrupt, append_lines, line_of, parse_lines
from bankd.adapters.staging import Staging
from bankd.adapters.tree import Tree

PATH = ".bankd/runs.jsonl"
_CAP = 64 * 1024 * 1024
_ROTATE_AT = 4 * 1024 * 1024
_KEEP = timedelta(days=365)


class RunHistory:
    """One row a run: `run`, `cycle`, `at`, `status` (changed, empty, failed, missed, refused) and what the caller adds."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def note(self, run: str, cycle: str, at: datetime, status: str, **fields: Any) -> None:
        """Add a row; StorageError when the disk does not take it."""
        row: Mapping[str, Any] = {"run": run, "cycle": cycle, "at": at.isoformat(), "status": status, **fields}
        try:
            append_lines(self._tree, PATH, [row])
        except OSError as problem:
            raise explain(problem, PATH) from problem

    def read(self) -> list[dict[str, Any]]:
        """All rows, oldest first; what does not parse is left out."""
        corrupt: list[Corrupt] = []
        return list(parse_lines(self._tree.read(PATH, _CAP) or b"", PATH, corrupt))

    def shorten(self, now: datetime) -> None:
        """Drop rows older than a year once the file is large; the caller holds the lock."""
        data = self._tree.read(PATH, _CAP) or b""
        if len(data) < _ROTATE_AT:
            return
        kept = [row for row in self.read() if now - datetime.fromisoformat(row["at"]) < _KEEP][-10_000:]
        Staging(self._tree).publish(PATH, b"".join(line_of(row) for row in kept))
