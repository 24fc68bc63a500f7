"""The views of memories: search, one memory with its history, a page or log by lines, and the timeline of days."""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
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
from bankd.ui.views import Address, Shown, day_in_month, learned_days, month_words, shown_hits
from bankd.wiring.banks import OpenBank
from bankd.wiring.reader import BankReader

_AHEAD = 60
"""The curve of a confidence goes this many days into the future."""
_STEPS, _NOTHING = 40, 1e-6
"""The most steps of a curve between two events; and the smallest value, above 0 so that it can divide."""
_LONG = 240
"""Letters of a passage of a log in a timeline."""
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


GROUPS = {"": "Everything", "bank": "Memories", "logs": "Logs", "archive": "The archive"}
SPANS = {"last week": "since last week", "last month": "since last month", "last year": "since last year"}
"""What a search can be narrowed to: the folders, and the days."""


def show_search(bank: OpenBank, asked: Address) -> Shown:
    """The best answers in groups, each with its score explained. Nothing is asked before something is typed."""
    answer, groups, best = None, {}, []
    if query := asked.text("q"):
        request = {
            "query": query, "limit": 20, "trim": not asked.text("weak"), "is_typing": bool(asked.text("part")), "is_korean": asked.is_korean, "as_of": asked.text("as_of") or None,
            "everything": bool(asked.text("weak")), "in": [group] if (group := asked.text("in")) and group in GROUPS else [],
            "tags": [tag] if (tag := asked.text("tag")) in {"W", "B", "O", "S"} else [],
            "entities": [who] if (who := asked.text("who")) else [], "since": asked.text("when") or None,
        }  # fmt: skip
        answer = asked.ask_all(request) if asked.text("all") else bank.ask(request)
        shown = shown_hits(answer["hits"] or answer["nearest"])
        best = shown[:1] if answer["hits"] else []
        rest = shown[len(best) :]
        by_group = ((group, [hit for hit in rest if hit["group"] == group]) for group in ("bank", "logs", "archive"))
        groups = {group: found for group, found in by_group if found}
    facts = {"answer": answer, "groups": groups, "best": best, "spans": SPANS}
    return Shown("results.html" if asked.text("part") else "search.html", facts)


def show_timeline(bank: OpenBank, asked: Address) -> Shown:
    """Memories and log lines of some days, newest first, with a month to pick from; with `as_of` as of that day."""
    subject, tag = asked.text("about"), asked.text("tag")
    is_person, tags = subject.startswith("@"), [tag] if tag in {"W", "B", "O", "S"} else []
    request = {
        "timeline": True, "in": ["bank"] if tags else ["bank", "logs"], "limit": 60, "is_korean": asked.is_korean, "tags": tags,
        "entities": [subject] if is_person else [], "nodes": [subject] if subject and not is_person else [],
        **{name: asked.text(name) or None for name in ("since", "until", "as_of")},
    }  # fmt: skip
    hits = shown_hits(bank.ask(request)["hits"])[::-1]
    for hit in hits:
        if hit["group"] == "logs" and len(hit["text"]) > _LONG:
            hit["pieces"] = [(f"{hit['text'][:_LONG]}…", False)]
    days = [(_day_title(when, asked), list(of_day)) for when, of_day in groupby(hits, key=lambda hit: hit["when"])]
    with bank.look() as workspace:
        counts = Counter(at[:10] for at, _ in learned_days(workspace))
        today = workspace.now.date()
    return Shown("timeline.html", {
        "days": days, "slider": _slider(bank, asked), "month": _month(asked, counts, today),
        "week": (today - timedelta(days=6)).isoformat(), "today": today.isoformat(),
    })  # fmt: skip


def _day_title(when: str, asked: Address) -> tuple[str, str]:
    """The days of a memory in large letters, and below it how long ago: `May 21`, `2026, 6 months ago`."""
    days, _, ago = when.partition(", ")
    first, _, last = days.partition("…")
    try:
        begin, end = date.fromisoformat(first), date.fromisoformat(last or first)
    except ValueError:
        return days, ago
    if begin.day == 1 and end == begin.replace(day=monthrange(begin.year, begin.month)[1]):
        return month_words(begin, asked), ago
    title = day_in_month(begin, asked) if end == begin else f"{day_in_month(begin, asked)} – {day_in_month(end, asked)}"
    return title, f"{begin.year}, {ago}"


def _month(asked: Address, counts: Mapping[str, int], today: date) -> dict[str, Any]:
    """A month as weeks of days, each with its number of memories, its shade, and the days that a click on it asks for."""
    since, until = asked.text("since"), asked.text("until")
    try:
        first = date.fromisoformat((asked.text("month") or since)[:7] + "-01")
    except ValueError:
        first = today.replace(day=1)
    last = first.replace(day=monthrange(first.year, first.month)[1])
    most = max((count for day, count in counts.items() if day[:7] == first.isoformat()[:7]), default=1)

    def cell(day: date) -> dict[str, Any]:
        text, count = day.isoformat(), counts.get(day.isoformat(), 0)
        span = sorted({since, text}) if since and since == until else [text, text]  # a second day makes it a range
        shade = -(-3 * count // most)
        asks = {"since": span[0], "until": span[-1], "month": text[:7]}
        is_chosen = bool(since) and since <= text <= (until or text)
        return {"day": day, "count": count, "shade": shade, "asks": asks, "chosen": is_chosen, "later": day > today}

    weeks: list[list[dict[str, Any] | None]] = [[None] * first.weekday()]
    for number in range(last.day):
        if len(weeks[-1]) == 7:
            weeks.append([])
        weeks[-1].append(cell(first + timedelta(days=number)))
    before, after = (f"{number // 12:04}-{number % 12 + 1:02}" for number in (_at(first) - 1, _at(first) + 1))
    return {
        "weeks": weeks, "first": first.isoformat(), "last": last.isoformat(), "title": month_words(first, asked),
        "before": before if first.year > 1 else "", "after": after if after <= today.isoformat()[:7] else "",
    }  # fmt: skip


def _at(day: date) -> int:
    """The number of a month, counted from the year 0."""
    return day.year * 12 + day.month - 1


def _slider(bank: OpenBank, asked: Address) -> dict[str, Any]:
    """The days between which the slider moves: from the first log to today."""
    with bank.look() as workspace:
        logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
        today = workspace.now.date()
    days = [day for path in logs if (day := LogPlace(path.removeprefix("memory/"), 1).day(today)) < today]
    first = min(days, default=today)
    return {"first": first.isoformat(), "today": today.isoformat(), "as_of": asked.text("as_of") or today.isoformat()}
