"""The questions that memories answer, as runs noted them in the catalog; only new ones are read."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bankd.core.ranking.indexable import LineQuestions, NewQuestions

_QUERY = "SELECT change, log, memory, questions FROM questions WHERE change > ? ORDER BY change"


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
