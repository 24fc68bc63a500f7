"""One memory from its line to what superseded it, and a page or log with its lines numbered.

Search as you type, in three groups; and the memories of some days, as the bank stood on any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from itertools import groupby
from typing import Any

from bankd.app.show import FoundMemory, find_memory
from bankd.app.workspace import Workspace
from bankd.briefing.recalled import relation_of
from bankd.errors import UsageError, UserError
from bankd.memory.retain import LogPlace
from bankd.memory.use import Fading, value_on
from bankd.pages.memory import Confidence, parse_memory, split_id
from bankd.pages.page import MARKER
from bankd.ui.pictures import CurvePoint, draw_curve
from bankd.ui.views import Address, Shown
from bankd.wiring.banks import OpenBank
from bankd.wiring.reader import BankReader

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


GROUPS = ("bank", "logs", "archive")
_AT_MOST, _DAYS_AT_MOST = 20, 60

Hit = Mapping[str, Any]


def show_search(bank: OpenBank, asked: Address) -> Shown:
    """The best answers, explained; nothing is asked before something is typed."""
    answer = _answer(bank, asked) if asked.text("q") else None
    facts = {"answer": answer, "groups": _in_groups(answer["hits"] or answer["nearest"]) if answer else {}}
    return Shown("results.html" if asked.text("part") else "search.html", facts)


def _answer(bank: OpenBank, asked: Address) -> dict[str, Any]:
    request = {
        "query": asked.text("q"), "limit": _AT_MOST, "is_korean": asked.is_korean, "as_of": asked.text("as_of") or None,
        "everything": bool(asked.text("weak")),
    }  # fmt: skip
    return asked.ask_all(request) if asked.text("all") else bank.ask(request)


def _in_groups(hits: Sequence[Hit]) -> dict[str, list[dict[str, Any]]]:
    shown = [{**hit, "pieces": list(marked_pieces(hit)), "told": relation_of(hit)} for hit in hits]
    return {group: found for group in GROUPS if (found := [hit for hit in shown if hit["group"] == group])}


def marked_pieces(hit: Hit) -> Iterator[tuple[str, bool]]:
    """The text of a hit in pieces, each with whether the question has its words."""
    text, at = str(hit["text"]), 0
    for start, end in hit["marks"]:
        yield text[at:start], False
        yield text[start:end], True
        at = end
    yield text[at:], False


def show_timeline(bank: OpenBank, asked: Address) -> Shown:
    """The memories of some days, the newest first; with `as_of` as the bank stood then."""
    subject = asked.text("about")
    is_person = subject.startswith("@")
    request = {
        "timeline": True, "in": ["bank"], "limit": _DAYS_AT_MOST, "is_korean": asked.is_korean,
        "entities": [subject] if is_person else [], "nodes": [subject] if subject and not is_person else [],
        **{name: asked.text(name) or None for name in ("since", "until", "as_of")},
    }  # fmt: skip
    hits = bank.ask(request)["hits"]
    days = [(when, list(of_day)) for when, of_day in groupby(hits, key=lambda hit: hit["when"])]
    return Shown("timeline.html", {"days": days, "slider": _slider(bank, asked)})


def _slider(bank: OpenBank, asked: Address) -> dict[str, Any]:
    """The days between which the slider moves, from the first that a log is of to today."""
    with bank.look() as workspace:
        logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
        today = workspace.now.date()
    days = [day for path in logs if (day := LogPlace(path.removeprefix("memory/"), 1).day(today)) < today]
    first = min(days, default=today)
    return {"first": first.isoformat(), "today": today.isoformat(), "as_of": asked.text("as_of") or today.isoformat()}
