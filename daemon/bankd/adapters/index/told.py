"""What an index is told of memories by files beside the bank: when they were learned and used, what questions they answer.

Only what is new since the last look is read. What cannot be read tells nothing; a run or the doctor names it.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import Any

from bankd.adapters.storage.events import EVENTS, PACKED, JsonLog, log_files, parse_row, read_log_file
from bankd.adapters.storage.tree import FileTree
from bankd.core.lifecycle.events import DUPLICATE, KEPT, SUPERSEDED
from bankd.core.ranking.indexable import ENRICHED, LineQuestions, MemoryDates, NewQuestions
from bankd.core.use.signals import KINDS, UseEvent, read_use
from bankd.errors import ConflictError, UserError

_QUERY = "SELECT change, log, memory, questions FROM questions WHERE change > ? ORDER BY change"
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_TELLING = tuple(f'"{kind}"'.encode() for kind in (KEPT, DUPLICATE, SUPERSEDED, *sorted(KINDS)))


def read_event_days(root: Path, seen: str) -> MemoryDates:
    """When memories were learned, confirmed, superseded and used, as events tell since `seen`, an earlier look; "" for all.

    Where a file is shorter than at that look, all is read again: a purge or a backup brought another one.
    """
    learned: dict[str, date] = {}
    changed: dict[str, date] = {}
    uses: list[UseEvent] = []
    before: dict[str, int] = json.loads(seen or "{}")
    now: dict[str, int] = {}
    with suppress(OSError, ConflictError, UserError), closing(FileTree(root)) as tree:
        sizes = {path: (root / path).lstat().st_size for path in log_files(tree, EVENTS)}
        if any(size < before.get(path, 0) for path, size in sizes.items()):
            before = {}
        for path, size in sizes.items():
            now[path], lines = _new_lines(tree, path, before.get(path, 0), size)
            for line in lines:
                event = parse_row(line) if any(kind in line for kind in _TELLING) else None
                if event is not None:
                    _take(event, learned, changed)
                    uses += [use] if (use := read_use(event)) else []
    return MemoryDates(learned, changed, json.dumps(now), uses)


def _new_lines(tree: FileTree, path: str, start: int, size: int) -> tuple[int, list[bytes]]:
    """How far a file is read now, and the lines that were appended; a line without its end is for the next look."""
    with suppress(OSError, ConflictError):
        if size > start and path.endswith(PACKED):
            return size, read_log_file(tree, path)[0].split(b"\n")
        if size > start:
            with tree.file(path) as file:
                data = os.pread(file, size - start, start)
            *lines, last = data.split(b"\n")
            return start + len(data) - len(last), lines
    return start, []


def _take(event: Mapping[str, Any], learned: dict[str, date], changed: dict[str, date]) -> None:
    kind, day = event.get("type"), _day_of(event)
    if day is None:
        return
    if kind == KEPT:
        learned[str(event.get("memory"))] = day
    elif kind in {DUPLICATE, SUPERSEDED}:
        changed[str(event.get("of" if kind == DUPLICATE else "memory"))] = day


def _day_of(event: Mapping[str, Any]) -> date | None:
    """The day of the log that a line stood in, else the one on which the event was written."""
    for text in (str(event.get("log", "")), str(event.get("at", ""))):
        if found := _DAY.search(text):
            with suppress(ValueError):
                return date.fromisoformat(found[0])
    return None


def read_questions(catalog_db: Path, seen: str) -> NewQuestions:
    """What changed since `seen`; all, where that is of another catalog. A catalog that cannot be read tells nothing."""
    try:
        catalog, start = str(catalog_db.stat().st_ino), 0
        if seen.startswith(f"{catalog}:"):
            start = int(seen.partition(":")[2])
        with closing(sqlite3.connect(f"file:{catalog_db}?mode=ro", uri=True, timeout=1)) as database:
            rows = database.execute(_QUERY, (start,)).fetchall()
    except (OSError, sqlite3.Error):
        return NewQuestions((), seen)
    if not rows and (start or not seen):
        return NewQuestions((), seen)
    changed = [LineQuestions(log, memory, asked.split("\n") if asked else ()) for _, log, memory, asked in rows]
    return NewQuestions(changed, f"{catalog}:{max((row[0] for row in rows), default=start)}", is_all=not start)


def read_enriched(root: Path, seen: str) -> NewQuestions:
    """What a model wrote for statements, all of it by their keys, when its files are not as they were at an earlier look."""
    from bankd.adapters.models.replies import ENRICHED as FOLDER  # noqa: PLC0415 -- most have no model
    from bankd.adapters.models.replies import fold_enriched  # noqa: PLC0415 -- same

    try:
        with closing(FileTree(root)) as tree:
            states = [(path, (root / path).lstat()) for path in log_files(tree, FOLDER)]
            stamp = " ".join(f"{path}:{state.st_size}:{state.st_mtime_ns}" for path, state in states)
            if stamp == seen:
                return NewQuestions((), seen)
            known = fold_enriched(row for _, _, row in JsonLog(tree, FOLDER, "").read())
    except (OSError, ConflictError, UserError):
        return NewQuestions((), seen)
    told = [LineQuestions(ENRICHED, key, enrichment.asked) for key, enrichment in known.items()]
    return NewQuestions(told, stamp, is_all=True)
