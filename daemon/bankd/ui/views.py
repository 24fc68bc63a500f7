"""The views, but for the review: home, people, map, activity, health; search, a memory, a page or log, the timeline.

Also the input and output types of every view.
"""

from __future__ import annotations

import os
import re
from calendar import Calendar, monthrange
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from heapq import nlargest
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from bankd.agents import connect
from bankd.app.runs import list_runs, show_run
from bankd.app.show import FoundMemory, find_memory
from bankd.app.waiting import ICONS, KINDS, Card, list_cards
from bankd.app.workspace import Workspace
from bankd.briefing.recalled import fold_older, marked_pieces, relation_of
from bankd.config.workspace import settings_by_name
from bankd.errors import UsageError, UserError
from bankd.memory.ledger import KEPT
from bankd.memory.report import chapters_of
from bankd.memory.retain import LogPlace
from bankd.memory.use import value_on
from bankd.pages.memory import Memory, parse_memory
from bankd.pages.page import MARKER, read_page
from bankd.translate import translate
from bankd.ui.pictures import OLD_DAYS, TALL, WIDE, CurvePoint, Leaf, place_around, place_curves, place_tiles
from bankd.wiring.banks import OpenBank
from bankd.wiring.probing import open_probe, read_status
from bankd.wiring.reader import BankReader
from bankd.words.days import relative_label
from bankd.words.tables import table_rows

_KEPT = {"q", "in", "tag", "who", "when", "about", "since", "until", "month", "as_of", "all", "weak"}
"""What a link to the same view with another choice keeps."""


class Shown(NamedTuple):
    """A template and the values that it needs."""

    template: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """A request: bank, view, the thing in it, the query, the reader's language, and how to ask all banks."""

    bank: str
    view: str
    what: str
    query: Mapping[str, str]
    language: str
    ask_all: Callable[[dict[str, Any]], dict[str, Any]]
    theme: str = "system"

    def link(self, **changes: str) -> str:
        """The query of this view with other values; those that are empty go."""
        kept = {name: value for name, value in self.query.items() if name in _KEPT} | changes
        return f"?{urlencode({name: value for name, value in kept.items() if value})}"

    @property
    def is_korean(self) -> bool:
        """Whether the reader has chosen Korean."""
        return self.language == "ko"

    def text(self, name: str) -> str:
        """A value of the query, stripped; empty if it is not there."""
        return self.query.get(name, "").strip()


TITLES = {**KINDS, "imports": "Imports to confirm"}
"""The kinds of card and their titles, in the order of the queue."""
KIND_ICONS = {**ICONS, "imports": "source"}
_WORDS = table_rows("words", "ui")
SETTINGS_SHOWN = {name: words for about, name, words in _WORDS if about == "setting"}
"""The settings that the page can change, each with its description."""


def show_home(bank: OpenBank, asked: Address) -> Shown:
    """What is new, what waits, what comes, and what the last night did; before the first memory, how to begin."""
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        sizes, today = workspace.catalog.sizes(), workspace.now.date()
        pages = workspace.files.survey("bank", workspace.now, 0).files
        cards, runs = list_cards(workspace), list_runs(workspace)
        learned = _learned_days(workspace)
        newest, people = _newest(workspace, asked, learned), _people(workspace)
    ahead = [(today + timedelta(days=far)).isoformat() for far in (1, 14)]
    common = {"timeline": True, "in": ["bank"], "is_korean": asked.is_korean, "keep": False}
    coming = bank.look_up({**common, "limit": 40, "since": ahead[0], "until": ahead[1]})["hits"]
    night = next((run for run in runs if run["cycle"] == "reflect" and run["run"]), None)
    ages = [0] * (len(OLD_DAYS) + 1)
    for at, _ in learned:
        ages[sum((today - date.fromisoformat(at[:10])).days >= days for days in OLD_DAYS)] += 1
    return Shown("home.html", {
        "people": len(people), "ages": ages, "total": sum(sizes.values()), "pages": len(pages), "newest": newest,
        "fresh": ages[0], "waiting": len(cards), "waits": _waiting_kinds(cards),
        "kind_icons": KIND_ICONS, "soon": list(_soon(coming, today, asked))[:5], "night": night,
        "night_said": sentence_of(night, asked.language) if night else translate("No run yet.", korean=asked.is_korean),
        "strip": _by_day(runs, today), "today": _day_words(today, asked),
    })  # fmt: skip


def _waiting_kinds(cards: Sequence[Card]) -> list[tuple[str, str, int, str]]:
    """For each kind that has cards: its name, title, number, and the id of its first card."""
    found = {kind: [card for card in cards if card.kind == kind] for kind in TITLES}
    return [(kind, TITLES[kind], len(of_kind), of_kind[0].id) for kind, of_kind in found.items() if of_kind]


def _learned_days(workspace: Workspace) -> list[tuple[str, str]]:
    """When each memory of the bank was taken in, with its id."""
    ledger = workspace.transactions.ledger()
    kept = (fact for fact in ledger.consumed.values() if fact["type"] == KEPT)
    days = ((str(fact["at"]), str(fact.get("memory") or fact["id"]).rpartition(":")[2]) for fact in kept)
    return [(at, id_) for at, id_ in days if id_ not in ledger.gone]


def _newest(workspace: Workspace, asked: Address, learned: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    """The memories that were taken in last, as rows."""
    today, last, rows = workspace.now.date(), nlargest(40, learned), []
    texts = workspace.catalog.texts_of({id_ for _, id_ in last})
    for at, id_ in last:
        if id_ in texts:
            (place, text), day = texts[id_], date.fromisoformat(at[:10])
            memory, (path, _, line) = parse_memory(MARKER.sub("", text)), place.rpartition(":")
            when = relative_label(day, today, is_korean=asked.is_korean)
            facts = {"id": id_, "tag": memory.tag, "text": memory.text, "path": path, "line": int(line), "when": when}
            rows.append({**facts, "group": "bank", "was": (), "told": "", "folded": "", "became": ""})
    return rows[:7]


def _people(workspace: Workspace) -> Counter[str]:
    """The names that memories are about, and how many are about each."""
    workspace.catalog.refresh(workspace.now)
    return Counter(
        name for page in workspace.catalog.pages() for entry in page.entries for name in entry.memory.entities
    )


_WEEKDAYS = "월화수목금토일"


def _soon(
    hits: Sequence[Mapping[str, Any]], today: date, asked: Address
) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Memories of the next days, the nearest first: month, day, and the memory; a span that has begun is no news."""
    for hit in sorted(hits, key=lambda hit: str(hit["when"])):
        found = re.match(r"\d{4}-\d\d-\d\d", str(hit["when"]))
        if found and (day := date.fromisoformat(found[0])) > today:
            yield f"{day.month}월" if asked.is_korean else f"{day:%b}", day.day, hit


def _month_words(day: date, asked: Address) -> str:
    """`November 2026`, `2026년 11월`."""
    return f"{day.year}년 {day.month}월" if asked.is_korean else f"{day:%B} {day.year}"


def _day_in_month(day: date, asked: Address) -> str:
    """`May 21`, `5월 21일`."""
    return f"{day.month}월 {day.day}일" if asked.is_korean else f"{day:%b} {day.day}"


def _day_words(day: date, asked: Address) -> str:
    if asked.is_korean:
        return f"{day.month}월 {day.day}일 {_WEEKDAYS[day.weekday()]}요일"
    return f"{day:%A}, {day:%B} {day.day}"


COUNTED = {name: words for about, name, words in _WORDS if about == "count"}
"""The words for the counts of a run."""


def sentence_of(run: Mapping[str, Any], language: str) -> str:
    """What a run did, in words: `Learned 3, replaced 1`."""
    counts = (run.get("counts") or {}).items()
    said = ", ".join(
        translate(COUNTED.get(what, what + " {}"), number, korean=language == "ko") for what, number in counts if number
    )
    if run.get("status") in {"failed", "refused"}:
        said = translate("failed", korean=language == "ko")
    said = said or translate("nothing new", korean=language == "ko")
    return said[:1].upper() + said[1:]


def _shown_hits(hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Hits as rows of the page: marked pieces, and the older text of each (an older hit gets no row of its own)."""
    rows = []
    for hit, older in fold_older(hits):
        told = "" if older or hit["supersedes"] else relation_of(hit)
        rows.append({**hit, "pieces": list(marked_pieces(hit)), "was": [old["text"] for old in older], "told": told})
    return rows


def show_people(bank: OpenBank, asked: Address) -> Shown:
    """All names by number of memories, and with `who` what holds of one, with older values folded under each."""
    with bank.look() as workspace:
        counts = _people(workspace)
    who = asked.text("who").removeprefix("@") or next((name for name, _ in counts.most_common(1)), "")
    hits = _shown_hits(bank.look_up({
        "timeline": True, "in": ["bank"], "limit": 60, "is_korean": asked.is_korean, "entities": [f"@{who}"], "keep": False,
    })["hits"])[::-1] if who else []  # fmt: skip
    facts = {"people": counts.most_common(), "who": who, "hits": hits}
    return Shown("people.html", {**facts, "holding": [hit for hit in hits if not hit["superseded_by"]][:20]})


def _agents_of(root: Path) -> Iterator[tuple[str, bool]]:
    """The agents that can be connected, and whether each is connected to this workspace."""
    for name in ("claude-code", "codex", "openclaw", "hermes"):
        with suppress(UserError, OSError):  # no HOME, or settings that cannot be read: `connect` says why
            yield name, not connect.plan_changes(connect.plan_connection(name, root, connect.Homes(os.environ)))


def show_health(bank: OpenBank, asked: Address) -> Shown:
    """Findings, index, daemon and missed runs; agents; and the settings that can be changed here."""
    with open_probe(bank.root) as probe:
        status, values = read_status(probe), settings_by_name(probe.settings())
    settings = [(name, str(values[name])) for name in SETTINGS_SHOWN if name in values]
    facts = {"settings": settings, "about": SETTINGS_SHOWN, "agents": list(_agents_of(bank.root)), "root": bank.root}
    return Shown("health.html", {"status": status, **facts})


_WEEKS, _RUNS_SHOWN = 6, 60

Run = Mapping[str, Any]


def show_activity(bank: OpenBank, asked: Address) -> Shown:
    """The runs by days, newest first, those that did nothing in one line a day; or one run with its differences."""
    with bank.look() as workspace:
        runs = list_runs(workspace)
        today = workspace.now.date()
        page = show_run(workspace, asked.what) if asked.what else None
    days = []
    for day, of_day in groupby(runs[: _RUNS_SHOWN * 3], key=lambda run: str(run["at"])[:10]):
        listed = list(of_day)
        told = [run for run in listed if run["run"] and run["status"] != "empty"]
        days.append((day, told, len(listed) - len(told)))
    return Shown("activity.html", {
        "days": days[:_RUNS_SHOWN], "strip": _by_day(runs, today), "page": page,
        "chapters": chapters_of(page.rows) if page else [], "sentence": partial(sentence_of, language=asked.language),
    })  # fmt: skip


def _by_day(runs: Sequence[Run], today: date) -> list[tuple[date, list[Run]]]:
    """The runs of each day of the last weeks, oldest day first."""
    days = [today - timedelta(days=back) for back in reversed(range(7 * _WEEKS))]
    found: dict[date, list[Run]] = {day: [] for day in days}
    for run in runs:
        found.get(datetime.fromisoformat(str(run["at"])).date(), []).append(run)
    return list(found.items())


def show_map(bank: OpenBank, asked: Address) -> Shown:
    """The tree of pages; with `around` the graph around one memory, page or person."""
    around = asked.text("around")
    if around:
        found = bank.look_up({"op": "related", "of": around, "limit": 14})["related"]
        return Shown("map.html", {"spots": list(place_around(found)), "found": found, "around": around})
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        files = workspace.files.survey("bank", workspace.now, 0).files
        counts, now = workspace.catalog.sizes(), workspace.now.timestamp()
    ages = {path: max(0, int((now - seen.mtime_ns / 1e9) // 86_400)) for path, seen in files.items()}
    held = [Leaf(path, count, age) for path, age in ages.items() if (count := counts.get(path, 0))]
    leaves = sorted(held, key=lambda leaf: (-leaf.memories, leaf.path))
    trees = [(place_tiles(leaves, size), size, cls) for size, cls in ((WIDE, "wide"), (TALL, "tall"))]
    return Shown("map.html", {"trees": trees, "leaves": leaves, "around": ""})


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
        texts = workspace.catalog.plain_texts_of(around)
        memory = parse_memory(MARKER.sub("", found.text)) if found.text else None
        page = found.places[0].rpartition(":")[0] if found.places else ""
        value, today = _confidence(memory, page, workspace), workspace.now.date()
        importance = workspace.transactions.ledger().signals_of(found.id).importance
        sure = next((point.value for point in reversed(value) if point.day <= today), None)
    try:
        related = bank.look_up({"op": "related", "of": found.id, "limit": 12})["related"]
    except UsageError:  # it is in the archive, where nothing is related to it
        related = []
    facts = {
        "found": found, "memory": memory, "curve": place_curves(list(_strength(found)), value, today),
        "importance": importance, "newer": newer.get(found.id), "newer_text": texts.get(newer.get(found.id, ""), ""),
        "older": [(old, texts.get(old, old)) for old, new in newer.items() if new == found.id], "sure": sure,
        "ink": "" if sure is None or sure >= 0.75 else "fresh-2" if sure >= 0.5 else "fresh-3",
        "source": list(source_lines(bank, found.source)), "related": related,
    }  # fmt: skip
    return Shown("memory.html", facts)


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


def _confidence(memory: Memory | None, page: str, workspace: Workspace) -> list[CurvePoint]:
    """The confidence of an opinion from the day it was written until some weeks from now; empty without one."""
    if memory is None or (written := memory.confidence) is None or written.day is None:
        return []
    if memory.is_pinned:
        return [CurvePoint(day, written.hundredths / 100, "") for day in (written.day, workspace.now.date())]
    fading, last = workspace.fading(), workspace.now.date() + timedelta(days=_AHEAD)
    whole = max(0, (last - written.day).days)
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
    memories = (one for one in entries if one.memory.tag or one.memory.id)
    by_heading = groupby(memories, key=lambda one: " › ".join(one.heading[1:]))
    parts = [(heading, [entry.memory for entry in found]) for heading, found in by_heading]
    return Shown("page.html", {"path": path, "lines": text.split("\n"), "wanted": asked.text("line"), "parts": parts})


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
        answer = asked.ask_all(request) if asked.text("all") else bank.look_up(request)
        shown = _shown_hits(answer["hits"] or answer["nearest"])
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
    hits = _shown_hits(bank.look_up(request)["hits"])[::-1]
    for hit in hits:
        if hit["group"] == "logs" and len(hit["text"]) > _LONG:
            hit["pieces"] = [(f"{hit['text'][:_LONG]}…", False)]
    days = [(_day_title(when, asked), list(of_day)) for when, of_day in groupby(hits, key=lambda hit: hit["when"])]
    with bank.look() as workspace:
        counts = Counter(at[:10] for at, _ in _learned_days(workspace))
        today, slider = workspace.now.date(), _slider(workspace, asked)
    return Shown("timeline.html", {
        "days": days, "slider": slider, "month": _month(asked, counts, today),
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
        return _month_words(begin, asked), ago
    title = _day_in_month(begin, asked) + ("" if end == begin else f" – {_day_in_month(end, asked)}")
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

    days = [cell(first.replace(day=day)) if day else None for day in Calendar().itermonthdays(first.year, first.month)]
    weeks = [days[at : at + 7] for at in range(0, len(days), 7)]
    before = (first - timedelta(days=1)).isoformat()[:7] if first > date.min else ""
    after = (last + timedelta(days=1)).isoformat()[:7] if last < today else ""
    return {
        "weeks": weeks, "first": first.isoformat(), "last": last.isoformat(), "title": _month_words(first, asked),
        "before": before, "after": after,
    }  # fmt: skip


def _slider(workspace: Workspace, asked: Address) -> dict[str, Any]:
    """The days between which the slider moves: from the first log to today."""
    logs, today = workspace.files.survey("memory", workspace.now, 0, any_content=True).files, workspace.now.date()
    days = [day for path in logs if (day := LogPlace(path.removeprefix("memory/"), 1).day(today)) < today]
    first = min(days, default=today)
    return {"first": first.isoformat(), "today": today.isoformat(), "as_of": asked.text("as_of") or today.isoformat()}
