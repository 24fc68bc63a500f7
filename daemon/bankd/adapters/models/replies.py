"""What language models said and what that took, in `events/replies/`: it was paid for, so it is not in `.bankd/`.

    {"call": "…", "at": "…", "most": 3100}                        before a call: what it may take
    {"call": "…", "at": "…", "took": 1240}                        after it
    {"call": "…", "at": "…", "reply": "KEY", "value": …, …}       what was said

A call of which nothing but its beginning is known, since a crash came between, took what it might have.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from bankd.adapters.storage.events import append_lines, current_segment, parse_row
from bankd.adapters.storage.segments import log_paths, read_unpacked
from bankd.adapters.storage.tree import FileTree
from bankd.core.distil.prompts import Reply

FOLDER = "events/replies"


class ReplyLog:
    """The replies of a workspace by all its machines; this one appends to its own segments."""

    def __init__(self, tree: FileTree, writer: str) -> None:
        """Take the workspace and the name of this machine; files are read when something is asked."""
        self._tree, self._writer = tree, writer
        self._most: dict[str, int] = {}
        self._took: dict[str, int] = {}
        self._days: dict[str, str] = {}
        self._replies: dict[str, Mapping[str, Any]] = {}
        for row in self._rows():
            self._take(row)

    def _rows(self) -> Iterator[dict[str, Any]]:
        for path in log_paths(self._tree, FOLDER):
            lines = read_unpacked(self._tree, path).splitlines()
            yield from (row for line in lines if (row := parse_row(line)) is not None)

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
        append_lines(self._tree, current_segment(self._tree, FOLDER, self._writer, str(row["at"])), [row])
        self._take(row)
