"""What became of the lines of logs, and of archived memories, that an answer shows: asked of the disk, for the few there are.

Most lines of logs are prose, of which nothing need be asked; who asks about many lines folds the event log once.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.core.ranking.query import Hit
from bankd.errors import ConflictError

if TYPE_CHECKING:
    from bankd.core.lifecycle.events import Event, Ledger
    from bankd.core.lifecycle.provenance import Trace

NOT_TAKEN_IN = "not taken in"
_MAY_BE_TAGGED = r"(?:[-*+]|\d{1,9}[.)])[ \t]+[A-Za-z]{1,20}[ \t]*[(:@\uff1a]|(?:[-*+]|\d{1,9}[.)])[ \t]+[WBOS][ \t]+@|-[WBOS][ \t]*[(:@]"
_HIDDEN = frozenset(("deleted", "forgotten"))
"""What a person took out is no answer, although its log still has it."""


class LineOutcomes:
    """One workspace's."""

    def __init__(self, root: Path, *, anywhere: bool) -> None:
        """Take the workspace, and whether tagged lines count anywhere in a log."""
        self._root, self._anywhere = root, anywhere

    def of(self, hit: Hit) -> str | None:
        """What became of what a hit shows, in words; None when a person took it out."""
        if hit.group == "archive":
            return self._of_archived(hit.id)
        if not re.match(_MAY_BE_TAGGED, hit.text):
            return NOT_TAKEN_IN
        trace = self._trace(hit.path.removeprefix("memory/"), hit.line)
        return None if trace is not None and trace.outcome in _HIDDEN else _in_words(trace)

    def _of_archived(self, id_: str | None) -> str:
        stone = self._ledger([id_]).gone.get(id_) if id_ else None
        if stone is None:
            return "archived"
        reason = f" ({stone['reason']})" if stone.get("reason") else ""
        return f"archived on {str(stone['at'])[:10]}{reason}; bankctl archive restore {id_}"

    def _trace(self, log: str, line: int) -> Trace | None:
        """What is known of a line of a log; None when the log cannot be read."""
        from bankd.adapters.index.log_pages import text_of_log  # noqa: PLC0415 -- a query seldom needs it
        from bankd.core.lifecycle.provenance import trace_line  # noqa: PLC0415 -- same
        from bankd.core.lifecycle.retain import identified_as, read_log  # noqa: PLC0415 -- same

        try:
            text = text_of_log((self._root / "memory" / log).read_bytes())
        except OSError:
            return None
        reading = read_log(log, text, anywhere=self._anywhere)
        reading = identified_as(reading, self._ledger(['"renamed"']).identity_of(log))
        id_ = next((found.id for found in reading.lines if found.place.line == line), None)
        pages = self._pages_of(id_) if id_ else []
        ledger = self._ledger([] if pages or id_ is None else [id_])
        memory = ledger.revised.get(id_, id_) if id_ else None
        if memory != id_ and memory:
            ledger, pages = self._ledger([str(id_), memory]), self._pages_of(memory)
        return trace_line(reading, line, ledger, {memory: pages} if memory and pages else {})

    def _pages_of(self, id_: str) -> list[str]:
        """The pages of bank and archive that hold a memory, as the last run saw them."""
        try:
            with closing(sqlite3.connect(f"file:{self._root}/.bankd/catalogue.sqlite3?mode=ro", uri=True)) as database:
                return [path for (path,) in database.execute("SELECT path FROM memories WHERE id = ?", (id_,))]
        except sqlite3.Error:
            return []

    def _ledger(self, words: Sequence[str]) -> Ledger:
        """What the events that have one of these words say."""
        from bankd.core.lifecycle.events import fold_events  # noqa: PLC0415 -- same

        wanted = [word.encode() for word in words]
        found = self._events(wanted) if wanted else ()
        return fold_events(found)

    def _events(self, wanted: Sequence[bytes]) -> Iterator[Event]:
        from bankd.adapters.storage.events import EVENTS, log_files, parse_row, read_log_file  # noqa: PLC0415 -- same
        from bankd.adapters.storage.tree import FileTree  # noqa: PLC0415 -- same
        from bankd.core.lifecycle.events import find_missing, in_order_told  # noqa: PLC0415 -- same

        with closing(FileTree(self._root)) as tree:
            for path in log_files(tree, EVENTS):
                data = b""
                with suppress(OSError, ConflictError):  # the doctor names it
                    data, _ = read_log_file(tree, path)
                if any(word in data for word in wanted):
                    rows = (parse_row(line) for line in data.split(b"\n") if any(word in line for word in wanted))
                    yield from in_order_told(row for row in rows if row is not None and find_missing(row) is None)


def _in_words(trace: Trace | None) -> str:
    if trace is None or trace.outcome in {"prose", "dismissed"}:
        return NOT_TAKEN_IN
    if trace.outcome == "kept":
        return f"{'kept' if 'bank/' in trace.sentence else 'archived'} as {trace.memory}"
    return (
        f"{NOT_TAKEN_IN}: {trace.sentence}"
        if trace.outcome in {"bad", "proposed", "refused", "duplicate"}
        else trace.sentence
    )
