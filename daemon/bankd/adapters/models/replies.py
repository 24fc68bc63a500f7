"""What language models said and wrote, and what that took: it was paid for, so it is not in `.bankd/`.

In `events/replies/`:

    {"call": "…", "at": "…", "most": 3100}                        before a call: what it may take
    {"call": "…", "at": "…", "took": 1240}                        after it
    {"call": "…", "at": "…", "reply": "KEY", "value": …, …}       what was said

A call of which nothing but its beginning is known, since a crash came between, took what it might have.

In `events/enriched/`, what a model wrote for statements; of two rows about one statement the later counts:

    {"key": "4f0c…", "at": "…", "text": "STATEMENT", "questions": […], "other": […], "gist": "…", "entities": […]}
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from functools import cached_property
from typing import Any

from bankd.adapters.storage.events import PACKED, JsonLog, Row
from bankd.adapters.storage.tree import FileTree
from bankd.core.distil.enrichment import Enrichment, UnaskedStatement, read_enrichment
from bankd.core.distil.prompts import Reply
from bankd.errors import ConflictError

REPLIES, ENRICHED = "events/replies", "events/enriched"


def _read_all(log: JsonLog) -> list[Row]:
    """All rows; ConflictError for a file that may not be read: nobody asks a model, and pays, without what it has."""
    rows = [row for _, _, row in log.read()]
    for one in log.corrupt:
        if not one.line and not one.path.endswith(PACKED):
            raise ConflictError(str(one))
    return rows


class ReplyLog:
    """The replies of a workspace by all its machines."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Read what is there; `writer` is the name of this machine."""
        self._log = JsonLog(tree, REPLIES, writer)
        self._most: dict[str, int] = {}
        self._took: dict[str, int] = {}
        self._days: dict[str, str] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        for row in _read_all(self._log):
            self._take(row)

    def _take(self, row: Mapping[str, Any]) -> None:
        call = str(row.get("call"))
        if isinstance(row.get("most"), int):
            self._most[call], self._days[call] = row["most"], str(row.get("at"))[:10]
        if isinstance(row.get("took"), int):
            self._took[call] = row["took"]
        if "reply" in row:
            self._replies[str(row["reply"])] = row

    def spent(self, day: date) -> int:
        """The tokens that the calls of a day took, or might have."""
        return sum(self._took.get(call, most) for call, most in self._most.items() if self._days[call] == str(day))

    def find(self, key: str) -> Reply | None:
        """What was said to the same question before."""
        row = self._replies.get(key)
        if row is None:
            return None
        return Reply(row.get("value"), int(row.get("input", 0)), int(row.get("output", 0)), is_kept=True)

    def begin(self, call: str, at: datetime, most: int) -> None:
        """Note that a call is made that may take up to `most` tokens; StorageError when the disk does not take that."""
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), "most": most})

    def end(self, call: str, at: datetime, took: int) -> None:
        """Note what a call took."""
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), "took": took})

    def keep(self, call: str, at: datetime, key: str, reply: Reply) -> None:
        """Keep what was said; UserError when it is longer than a line of events may be."""
        row = {"reply": key, "value": reply.value, "input": reply.input_tokens, "output": reply.output_tokens}
        self._append({"call": call, "at": at.isoformat(timespec="seconds"), **row})

    def _append(self, row: Mapping[str, Any]) -> None:
        self._log.append([row])
        self._take(row)


def fold_enriched(rows: Iterable[Mapping[str, Any]]) -> dict[str, Enrichment]:
    """By the key of a statement what was written about it last, of rows in the order of their files."""
    keyed = [row for row in rows if isinstance(row.get("key"), str)]
    return {row["key"]: read_enrichment(row) for row in sorted(keyed, key=lambda row: str(row.get("at")))}


class EnrichedLog:
    """The enrichments of a workspace by all its machines."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Take the workspace and the name of this machine; files are read when something is asked."""
        self._log = JsonLog(tree, ENRICHED, writer)

    @cached_property
    def _known(self) -> dict[str, Enrichment]:
        return fold_enriched(_read_all(self._log))

    def of(self, key: str) -> Enrichment | None:
        """What was written for a statement; None when nothing was."""
        return self._known.get(key)

    def keep(self, statement: UnaskedStatement, enrichment: Enrichment, at: datetime) -> None:
        """Keep what was written for a statement; StorageError when the disk does not take that."""
        row = {"key": statement.key, "at": at.isoformat(timespec="seconds"), "text": statement.text}
        self._log.append([row | enrichment._asdict()])
        self._known[statement.key] = enrichment
