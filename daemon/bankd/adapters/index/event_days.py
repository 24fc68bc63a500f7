"""When each memory was learned, confirmed and superseded, and how it was used, as the event log tells; only new lines are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from bankd.core.lifecycle.events import DUPLICATE, KEPT, SUPERSEDED
from bankd.core.ranking.indexable import MemoryDates
from bankd.core.use.signals import KINDS, UseEvent, read_use

_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")
_TELLING = tuple(f'"{kind}"'.encode() for kind in (KEPT, DUPLICATE, SUPERSEDED, *sorted(KINDS)))


class EventDays:
    """The events of a workspace, as far as they tell days and use; lines that cannot be read are for a run to name."""

    def __init__(self, folder: Path) -> None:
        """Read the event log in this folder; it need not be there."""
        self._folder = folder

    def read_since(self, seen: str) -> MemoryDates:
        """What was told since `seen`, which an earlier look gave; empty for all."""
        before: dict[str, int] = json.loads(seen or "{}")
        learned: dict[str, date] = {}
        changed: dict[str, date] = {}
        uses: list[UseEvent] = []
        now: dict[str, int] = {}
        for file, size in self._files():
            now[file.name] = size
            if size > before.get(file.name, 0):
                for event in _events(_new_lines(file, before.get(file.name, 0), size)):
                    _take(event, learned, changed)
                    uses += [use] if (use := read_use(event)) else []
        return MemoryDates(learned, changed, json.dumps(now), uses)

    def _files(self) -> Iterator[tuple[Path, int]]:
        with suppress(OSError):
            for file in sorted(self._folder.iterdir()):
                if file.name.endswith(".jsonl"):
                    yield file, file.stat().st_size


def _new_lines(file: Path, start: int, end: int) -> bytes:
    """What was appended."""
    try:
        with file.open("rb") as lines:
            lines.seek(start)
            return lines.read(end - start)
    except OSError:
        return b""


def _events(lines: bytes) -> Iterator[Mapping[str, Any]]:
    for line in lines.splitlines():
        if any(kind in line for kind in _TELLING):
            with suppress(ValueError, RecursionError):
                if isinstance(event := json.loads(line), dict):
                    yield event


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
