"""The reports of runs in `.bankd/reports/`, one file a run: what a person reads when asking what a run did."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from bankd.adapters.storage.disk import explain_failure
from bankd.adapters.storage.staging import Staging
from bankd.adapters.storage.tree import FileTree
from bankd.core.plan.report import ReportRow

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
