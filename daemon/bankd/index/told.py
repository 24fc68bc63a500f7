"""Facts about memories from events and the catalog, for the index and for answers that show logs and the archive.

For the index: when memories were learned and used, and what questions they answer; only what is new since the last look
is read. For an answer: what became of each log line that it shows. A file that cannot be read is skipped; a run
or the doctor names it.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.errors import ConflictError, UserError
from bankd.index.sources import text_of_log
from bankd.memory.ledger import DUPLICATE, KEPT, SUPERSEDED, day_said, find_missing, fold_events, in_order_told
from bankd.memory.use import KINDS, UseEvent, read_use
from bankd.search.answer import NOT_TAKEN_IN, Became
from bankd.search.indexable import LineQuestions, MemoryDates, NewQuestions
from bankd.search.request import Hit
from bankd.storage.events import EVENTS, PACKED, log_files, parse_row, read_log_file
from bankd.storage.tree import FileTree

if TYPE_CHECKING:
    from bankd.index.rows import Successors
    from bankd.index.search_index import SearchIndex
    from bankd.memory.ledger import Event, Ledger
    from bankd.memory.report import Trace
    from bankd.secrets.screening import Finder

_MAY_BE_TAGGED = r"(?:[-*+]|\d{1,9}[.)])[ \t]+[A-Za-z]{1,20}[ \t]*[(:@\uff1a]|(?:[-*+]|\d{1,9}[.)])[ \t]+[WBOS][ \t]+@|-[WBOS][ \t]*[(:@]"
"""Only these lines are looked up; others are prose."""
_HIDDEN = frozenset(("deleted", "forgotten"))
"""A person took these memories out, so their log lines are not shown as answers."""
_SPOKEN_FOR = frozenset((KEPT, DUPLICATE, "archived", "undone"))
"""Lines that became a memory, or say what one says: it is in the bank, in the archive, or was taken back."""
_TELLING = tuple(f'"{kind}"'.encode() for kind in (KEPT, DUPLICATE, SUPERSEDED, *sorted(KINDS)))


class LineOutcomes:
    """Tells what became of the log line or archived memory of a hit, for one workspace."""

    def __init__(
        self, root: Path | str, bank: SearchIndex, known: Successors, finders: Sequence[Finder], *, anywhere: bool
    ) -> None:
        """Take the workspace, the index of the bank, what runs found, and whether tagged lines count anywhere in a log.

        What the user's own `finders` of credentials find is masked, as what all have in common.
        """
        self._root, self._bank, self._known, self._finders, self._anywhere = Path(root), bank, known, finders, anywhere

    def of(self, hit: Hit) -> Became | None:
        """What became of the line or memory of a hit; None if a person took it out, so that it is not shown."""
        if hit.group == "archive":
            return Became(self._of_archived(hit.id))
        may_be_tagged = re.match(_MAY_BE_TAGGED, hit.text)
        trace = self._trace(hit.path.removeprefix("memory/"), hit.line) if may_be_tagged else None
        if trace is None or trace.outcome in {"prose", "dismissed"}:
            return Became(NOT_TAKEN_IN)
        if trace.outcome in _HIDDEN:
            return None
        is_memory = trace.outcome in _SPOKEN_FOR
        if trace.outcome == "kept":
            is_found, where = self._says(str(trace.memory))[0] is not None, trace.sentence.partition(";")[0]
            in_archive = "archive/" in where
            in_bank = is_found or "bank/" in where  # after a restore only the index knows the page
            # Until the memory is in the index, only the line can answer.
            is_memory = is_found if in_bank else in_archive
            gone = f"archived as {trace.memory}" if in_archive else f"on no page now: {trace.memory}"
            words = f"kept as {trace.memory}" if in_bank else gone
            return Became(f"{words}; {trace.now}" if trace.now else words, is_memory, trace.now)
        is_out = trace.outcome in {"bad", "proposed", "refused", "duplicate"}
        return Became(f"{NOT_TAKEN_IN}: {trace.sentence}" if is_out else trace.sentence, is_memory, trace.now)

    def _of_archived(self, id_: str | None) -> str:
        stone = self._ledger([id_]).gone.get(id_) if id_ else None
        if stone is None:
            return "archived"
        reason = f" ({stone['reason']})" if stone.get("reason") else ""
        return f"archived on {str(stone['at'])[:10]}{reason}; bankctl archive restore {id_}"

    def _trace(self, log: str, line: int) -> Trace | None:
        """What is known of a line of a log; None when the log cannot be read."""
        from bankd.memory.report import trace_line  # noqa: PLC0415 -- a query seldom needs it
        from bankd.memory.retain import identified_as, read_log  # noqa: PLC0415 -- same

        try:
            text = text_of_log((self._root / "memory" / log).read_bytes())
        except OSError:
            return None
        reading = read_log(log, text, anywhere=self._anywhere, until=line)
        reading = identified_as(reading, self._ledger(['"renamed"']).identity_of(log))
        id_ = next((found.id for found in reading.lines if found.place.line == line), None)
        pages = self._known.pages_of(id_) if id_ else []
        ledger = self._ledger([] if pages or id_ is None else [id_])
        memory = ledger.revised.get(id_, id_) if id_ else None
        if memory != id_ and memory:
            ledger, pages = self._ledger([str(id_), memory]), self._known.pages_of(memory)
        return trace_line(reading, line, ledger, {memory: pages} if memory and pages else {}, self._finders, self._says)

    def _says(self, id_: str) -> tuple[str | None, str | None]:
        return self._bank.text_of(id_), self._known.of([id_]).superseded.get(id_)

    def _ledger(self, words: Sequence[str]) -> Ledger:
        """The ledger of the events that have one of these words."""
        return fold_events(self._events([word.encode() for word in words]) if words else ())

    def _events(self, wanted: Sequence[bytes]) -> Iterator[Event]:
        with closing(FileTree(self._root)) as tree:
            for path in log_files(tree, EVENTS):
                data = b""
                with suppress(OSError, ConflictError):  # the doctor names it
                    data, _ = read_log_file(tree, path)
                if any(word in data for word in wanted):
                    rows = (parse_row(line) for line in data.split(b"\n") if any(word in line for word in wanted))
                    yield from in_order_told(row for row in rows if row is not None and find_missing(row) is None)


def read_event_days(root: Path, seen: str) -> MemoryDates:
    """When memories were learned, confirmed, superseded and used, by the events since `seen`, an earlier look; "" for all.

    Where a file is shorter than at that look, all is read again: a purge or a backup replaced it.
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
                if event is None:
                    continue
                if use := read_use(event):
                    uses.append(use)
                if event.get("type") in {KEPT, DUPLICATE, SUPERSEDED} and (day := day_said(event)):
                    days = learned if event["type"] == KEPT else changed
                    days[str(event.get("of" if event["type"] == DUPLICATE else "memory"))] = day
    return MemoryDates(learned, changed, json.dumps(now), uses)


def _new_lines(tree: FileTree, path: str, start: int, size: int) -> tuple[int, list[bytes]]:
    """How far a file is read now, and the lines that were appended; a line without its end is left for the next look."""
    with suppress(OSError, ConflictError):
        if size > start and path.endswith(PACKED):
            return size, read_log_file(tree, path)[0].split(b"\n")
        if size > start:
            with tree.file(path) as file:
                data = os.pread(file, size - start, start)
            *lines, last = data.split(b"\n")
            return start + len(data) - len(last), lines
    return start, []


def read_questions(catalog_db: Path, seen: str) -> NewQuestions:
    """The questions that changed since `seen`; all questions where `seen` is of another catalog."""
    try:
        catalog, start = str(catalog_db.stat().st_ino), 0
        if seen.startswith(f"{catalog}:"):
            start = int(seen.partition(":")[2])
        with closing(sqlite3.connect(f"file:{catalog_db}?mode=ro", uri=True, timeout=1)) as database:
            rows = database.execute(
                "SELECT change, log, memory, questions FROM questions WHERE change > ? ORDER BY change", (start,)
            ).fetchall()
    except (OSError, sqlite3.Error):
        return NewQuestions((), seen)
    if not rows and (start or not seen):
        return NewQuestions((), seen)
    changed = [LineQuestions(log, memory, asked.split("\n") if asked else ()) for _, log, memory, asked in rows]
    return NewQuestions(changed, f"{catalog}:{max((row[0] for row in rows), default=start)}", is_all=not start)
