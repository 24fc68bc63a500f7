"""One memory from its line to what superseded it, and a page or log with its lines numbered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from bankd.app.show import FoundMemory, find_memory
from bankd.app.workspace import Workspace
from bankd.core.lifecycle.decay import Fading, value_on
from bankd.core.markdown.memory import Confidence, parse_memory, split_id
from bankd.core.markdown.page_lines import MARKER
from bankd.errors import UsageError, UserError
from bankd.ui.asked import Address, Shown
from bankd.ui.pictures import CurvePoint, draw_curve
from bankd.wiring.bank_reader import BankReader
from bankd.wiring.banks import OpenBank

_AHEAD = 60
"""Days that the curve of a confidence is drawn into the future."""
_STEPS, _NOTHING = 40, 1e-6
"""The most steps in which a curve is drawn between two events, and the least value in them, so that shares can be taken."""
_AROUND = 2
"""Lines shown before and after a source line."""


def show_memory(bank: OpenBank, asked: Address) -> Shown:
    """A memory with its source, use, strength and curves, and what is near it; without an id, a word how to find one."""
    if not asked.what:
        return Shown("memory.html", {"found": None})
    with bank.look() as workspace:
        found = find_memory(workspace, asked.what.removeprefix("^"), is_korean=asked.is_korean)
        newer = workspace.transactions.ledger().successors()
        value = _confidence(found, workspace)
        curve = draw_curve(list(_strength(found)), value, workspace.now.date(), asked.language)
        importance = workspace.transactions.ledger().signals_of(found.id).importance
    facts = {
        "found": found, "curve": curve, "importance": importance, "newer": newer.get(found.id),
        "older": [old for old, new in newer.items() if new == found.id],
        "source": list(source_lines(bank, found.source)), "related": _related(bank, found.id),
        "text": split_id(MARKER.sub("", found.text))[0] if found.text else "",
    }  # fmt: skip
    return Shown("memory.html", facts)


def _strength(found: FoundMemory) -> Iterator[CurvePoint]:
    """The points of its curve; between two of them strength falls by the same share each day."""
    before: CurvePoint | None = None
    for point in found.curve:
        if before is not None:
            yield from _fall(before, CurvePoint(point.day, point.before, ""))
        before = CurvePoint(point.day, point.after, point.what)
        yield before


def _fall(start: CurvePoint, end: CurvePoint) -> Iterator[CurvePoint]:
    days, share = (end.day - start.day).days, max(end.value, _NOTHING) / max(start.value, _NOTHING)
    for step in range(1, min(days, _STEPS)):
        on = days * step // _STEPS
        yield CurvePoint(start.day + timedelta(days=on), start.value * share ** (on / days), "")
    yield end


def _confidence(found: FoundMemory, workspace: Workspace) -> list[CurvePoint]:
    """What an opinion is worth from the day it was written on until some weeks from now."""
    memory = parse_memory(MARKER.sub("", found.text)) if found.text else None
    written: Confidence | None = memory.confidence if memory else None
    if memory is None or written is None or written.day is None:
        return []
    if memory.is_pinned:
        return [CurvePoint(day, written.hundredths / 100, "") for day in (written.day, workspace.now.date())]
    fading, last = Fading.of(workspace.settings.decay), workspace.now.date() + timedelta(days=_AHEAD)
    return [CurvePoint(day, value_on(written, day, fading) / 100, "") for day in _days(written.day, last)]


def _days(first: date, last: date) -> Iterator[date]:
    step = max(1, (last - first).days // 60)
    return (first + timedelta(days=days) for days in range(0, max(0, (last - first).days) + 1, step))


def source_lines(bank: OpenBank, place: str | None) -> Iterator[tuple[int, str, bool]]:
    """The lines around a place such as `memory/2026-05-02.md:7`, or `:3,4`; each with whether it is meant."""
    path, _, numbers = (place or "").partition(" ")[0].rpartition(":")
    wanted = {int(number) for number in numbers.split(",") if number.isdecimal()}
    if not wanted or not path.endswith(".md"):
        return
    try:
        lines = BankReader(str(bank.root)).read_file(path).split("\n")
    except (UserError, OSError):
        return
    for number in range(max(1, min(wanted) - _AROUND), min(len(lines), max(wanted) + _AROUND) + 1):
        yield number, lines[number - 1], number in wanted


def _related(bank: OpenBank, id_: str) -> list[Mapping[str, Any]]:
    try:
        return list(bank.ask({"op": "related", "of": id_, "limit": 12})["related"])
    except UsageError:  # it is in the archive, and no ties lead there
        return []


def show_file(bank: OpenBank, asked: Address) -> Shown:
    """A page of the bank, a log or an archived page; UserError for anything else, wherever it may be."""
    path = asked.text("path")
    text = BankReader(str(bank.root)).read_file(path)
    return Shown("file.html", {"path": path, "lines": text.split("\n"), "wanted": asked.number("line", 0, 10**9)})
