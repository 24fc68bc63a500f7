"""The views of memories: search, one memory with its history, a page or log by lines, and the timeline of days."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from itertools import groupby
from typing import Any

from bankd.app.show import FoundMemory, find_memory
from bankd.app.workspace import Workspace
from bankd.errors import UsageError, UserError
from bankd.memory.retain import LogPlace
from bankd.memory.use import value_on
from bankd.pages.memory import Confidence, parse_memory
from bankd.pages.page import MARKER, read_page
from bankd.ui.pictures import CurvePoint, draw_curve
from bankd.ui.views import Address, Shown, shown_hits
from bankd.wiring.banks import OpenBank
from bankd.wiring.reader import BankReader

_AHEAD = 60
"""The curve of a confidence goes this many days into the future."""
_STEPS, _NOTHING = 40, 1e-6
"""The most steps of a curve between two events; and the smallest value, above 0 so that it can divide."""
_AROUND = 2
"""Lines shown before and after a source line."""


def show_memory(bank: OpenBank, asked: Address) -> Shown:
    """A memory with its source, use, strength, curves and what is related to it; without an id, how to find one."""
    if not asked.what:
        return Shown("memory.html", {"found": None})
    with bank.look() as workspace:
        found = find_memory(workspace, asked.what.removeprefix("^"), is_korean=asked.is_korean)
        newer = workspace.transactions.ledger().successors()
        around = {newer.get(found.id, ""), *(old for old, new in newer.items() if new == found.id)}
        texts = {id_: _plain_text(text) for id_, (_, text) in workspace.catalog.texts_of(around).items()}
        value, today = _confidence(found, workspace), workspace.now.date()
        importance = workspace.transactions.ledger().signals_of(found.id).importance
        memory = parse_memory(MARKER.sub("", found.text)) if found.text else None
        sure = next((point.value for point in reversed(value) if point.day <= today), None)
    try:
        related = bank.ask({"op": "related", "of": found.id, "limit": 12})["related"]
    except UsageError:  # it is in the archive, where nothing is related to it
        related = []
    facts = {
        "found": found, "memory": memory, "curve": draw_curve(list(_strength(found)), value, today, asked.language),
        "importance": importance, "newer": newer.get(found.id), "newer_text": texts.get(newer.get(found.id, ""), ""),
        "older": [(old, texts.get(old, old)) for old, new in newer.items() if new == found.id], "sure": sure,
        "ink": "" if sure is None or sure >= 0.75 else "fresh-2" if sure >= 0.5 else "fresh-3",
        "source": list(source_lines(bank, found.source)), "related": related,
    }  # fmt: skip
    return Shown("memory.html", facts)


def _plain_text(text: str) -> str:
    return parse_memory(MARKER.sub("", text)).text


def _strength(found: FoundMemory) -> Iterator[CurvePoint]:
    """The points of its curve. Between two of them strength falls by the same share each day."""
    start: CurvePoint | None = None
    for point in found.curve:
        if start is not None:
            days, share = (point.day - start.day).days, max(point.before, _NOTHING) / max(start.value, _NOTHING)
            for step in range(1, min(days, _STEPS)):
                on = days * step // _STEPS
                yield CurvePoint(start.day + timedelta(days=on), start.value * share ** (on / days), "")
            yield CurvePoint(point.day, point.before, "")
        start = CurvePoint(point.day, point.after, point.what)
        yield start


def _confidence(found: FoundMemory, workspace: Workspace) -> list[CurvePoint]:
    """The confidence of an opinion from the day it was written until some weeks from now; empty without one."""
    memory = parse_memory(MARKER.sub("", found.text)) if found.text else None
    written: Confidence | None = memory.confidence if memory else None
    if memory is None or written is None or written.day is None:
        return []
    if memory.is_pinned:
        return [CurvePoint(day, written.hundredths / 100, "") for day in (written.day, workspace.now.date())]
    fading, last = workspace.fading(), workspace.now.date() + timedelta(days=_AHEAD)
    whole, page = max(0, (last - written.day).days), found.places[0].rpartition(":")[0] if found.places else ""
    days = (written.day + timedelta(days=on) for on in range(0, whole + 1, max(1, whole // 60)))
    return [CurvePoint(day, value_on(written, day, fading, page) / 100, "") for day in days]


def source_lines(bank: OpenBank, place: str | None) -> Iterator[tuple[int, str, bool]]:
    """The lines around a place such as `memory/2026-05-02.md:7` or `:3,4`: number, text, and whether it is one of them."""
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


def show_page(bank: OpenBank, asked: Address) -> Shown:
    """A page of the bank, a log or an archived page: its memories by heading, and as written. UserError for other files."""
    path = asked.text("path")
    text = BankReader(str(bank.root)).read_file(path)
    entries = [] if path.startswith("memory/") else read_page(path, text.encode()).entries
    by_heading = groupby(
        (one for one in entries if one.memory.tag or one.memory.id), key=lambda one: " › ".join(one.heading[1:])
    )
    parts = [(heading, [entry.memory for entry in found]) for heading, found in by_heading]
    lines, wanted = text.split("\n"), asked.number("line", 0, 10**9)
    return Shown("page.html", {"path": path, "lines": lines, "wanted": wanted, "parts": parts})


def show_search(bank: OpenBank, asked: Address) -> Shown:
    """The best answers in groups, each with its score explained. Nothing is asked before something is typed."""
    answer, groups, best = None, {}, []
    if query := asked.text("q"):
        request = {
            "query": query, "limit": 20, "is_typing": bool(asked.text("part")), "is_korean": asked.is_korean, "as_of": asked.text("as_of") or None,
            "everything": bool(asked.text("weak")),
        }  # fmt: skip
        answer = asked.ask_all(request) if asked.text("all") else bank.ask(request)
        shown = shown_hits(answer["hits"] or answer["nearest"])
        best = shown[:1] if answer["hits"] else []
        rest = shown[len(best) :]
        by_group = ((group, [hit for hit in rest if hit["group"] == group]) for group in ("bank", "logs", "archive"))
        groups = {group: found for group, found in by_group if found}
    facts = {"answer": answer, "groups": groups, "best": best}
    return Shown("results.html" if asked.text("part") else "search.html", facts)


def show_timeline(bank: OpenBank, asked: Address) -> Shown:
    """The memories of some days, newest first; with `as_of` as the bank was on that day."""
    subject = asked.text("about")
    is_person = subject.startswith("@")
    request = {
        "timeline": True, "in": ["bank"], "limit": 60, "is_korean": asked.is_korean,
        "entities": [subject] if is_person else [], "nodes": [subject] if subject and not is_person else [],
        **{name: asked.text(name) or None for name in ("since", "until", "as_of")},
    }  # fmt: skip
    hits = shown_hits(bank.ask(request)["hits"])[::-1]
    days = [(when, list(of_day)) for when, of_day in groupby(hits, key=lambda hit: hit["when"])]
    return Shown("timeline.html", {"days": days, "slider": _slider(bank, asked)})


def _slider(bank: OpenBank, asked: Address) -> dict[str, Any]:
    """The days between which the slider moves: from the first log to today."""
    with bank.look() as workspace:
        logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
        today = workspace.now.date()
    days = [day for path in logs if (day := LogPlace(path.removeprefix("memory/"), 1).day(today)) < today]
    first = min(days, default=today)
    return {"first": first.isoformat(), "today": today.isoformat(), "as_of": asked.text("as_of") or today.isoformat()}
