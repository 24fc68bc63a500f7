"""When each memory was learned, confirmed and superseded, and how it was used, as the event log tells; only new lines are read."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from bankd.adapters.storage.segments import PACKED, plain_name, unpack, unpacked_size
from bankd.core.lifecycle.events import DUPLICATE, KEPT, SUPERSEDED
from bankd.core.markdown.utf8 import parse_json
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
            name = plain_name(file.name)  # what was read before it was packed is not read again
            start = before.get(name, 0)
            now[name] = max(size, now.get(name, 0))
            if size > start:
                for event in _events(_new_lines(file, start, size)):
                    _take(event, learned, changed)
                    uses += [use] if (use := read_use(event)) else []
        return MemoryDates(learned, changed, json.dumps(now), uses)

    def _files(self) -> Iterator[tuple[Path, int]]:
        with suppress(OSError):
            for file in sorted((*self._folder.iterdir(), *self._folder.glob("archive/*")), key=_in_order):
                if file.name.endswith((".jsonl", f".jsonl{PACKED}")):
                    yield file, _size_of(file)


def _in_order(file: Path) -> str:
    return plain_name(file.name)


def _size_of(file: Path) -> int:
    """The bytes of a segment, unpacked."""
    if not file.name.endswith(PACKED):
        return file.stat().st_size
    with file.open("rb") as packed:
        packed.seek(max(0, file.stat().st_size - 4))
        return unpacked_size(packed.read(4))


def _new_lines(file: Path, start: int, end: int) -> bytes:
    """What was appended."""
    try:
        if file.name.endswith(PACKED):
            return unpack(file.read_bytes())[0][start:end]
        with file.open("rb") as lines:
            lines.seek(start)
            return lines.read(end - start)
    except OSError:
        return b""


def _events(lines: bytes) -> Iterator[Mapping[str, Any]]:
    for line in lines.splitlines():
        if any(kind in line for kind in _TELLING):
            with suppress(ValueError, RecursionError):
                if isinstance(event := parse_json(line), dict):
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
