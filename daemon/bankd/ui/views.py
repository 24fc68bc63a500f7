"""The views of a whole bank: home, people, map, activity and health. Also the input and output types of every view."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from functools import partial
from heapq import nlargest
from itertools import groupby
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlencode

from bankd.app.runs import list_runs, show_run
from bankd.app.waiting import list_cards
from bankd.app.workspace import Workspace
from bankd.briefing.recalled import marked_pieces, relation_of
from bankd.config.workspace import settings_by_name
from bankd.errors import UsageError
from bankd.memory.ledger import KEPT
from bankd.memory.report import chapters_of
from bankd.pages.memory import parse_memory
from bankd.pages.page import MARKER
from bankd.translate import translate
from bankd.ui.pictures import OLD_DAYS, Leaf, NearNode, draw_ages, draw_graph, draw_runs, draw_tree
from bankd.wiring.banks import OpenBank
from bankd.wiring.probing import open_probe, read_status
from bankd.words.days import relative_label

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
    agents_of: Callable[[Path], Sequence[tuple[str, bool]]] = lambda _: ()
    """The agents that can be connected to a workspace, and whether each is."""
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

    def number(self, name: str, default: int, most: int) -> int:
        """A number of the query, at most `most`; `default` if it is missing. UsageError if it is not a number."""
        word = self.text(name) or str(default)
        if not (word.isascii() and word.isdecimal()):
            raise UsageError(f"{name}: {word[:40]} is not a whole number")
        return min(int(word[:9]), most)


def show_home(bank: OpenBank, asked: Address) -> Shown:
    """What is new, what waits, what comes, and what the last night did; before the first memory, how to begin."""
    from bankd.ui.review import KIND_ICONS, waiting_kinds  # noqa: PLC0415 -- as the views

    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        sizes, today = workspace.catalog.sizes(), workspace.now.date()
        cards, runs = list_cards(workspace), list_runs(workspace)
        learned = learned_days(workspace)
        newest, people = _newest(workspace, asked, learned), _people(workspace)
    ahead = [(today + timedelta(days=far)).isoformat() for far in (1, 14)]
    common = {"timeline": True, "in": ["bank"], "is_korean": asked.is_korean, "keep": False}
    coming = bank.ask({**common, "limit": 40, "since": ahead[0], "until": ahead[1]})["hits"]
    night = next((run for run in runs if run["cycle"] == "reflect" and run["run"]), None)
    ages = [0] * (len(OLD_DAYS) + 1)
    for at, _ in learned:
        ages[sum((today - date.fromisoformat(at[:10])).days >= days for days in OLD_DAYS)] += 1
    return Shown("home.html", {
        "people": len(people), "ages": ages, "bar": draw_ages(ages, asked.language), "total": sum(sizes.values()), "pages": sum(1 for size in sizes.values() if size), "newest": newest,
        "fresh": ages[0], "waiting": len(cards), "waits": waiting_kinds(cards),
        "kind_icons": KIND_ICONS, "soon": list(_soon(coming, asked))[:5], "night": night,
        "night_said": sentence_of(night, asked.language) if night else translate("No run yet.", korean=asked.is_korean),
        "strip": draw_runs(by_day(runs, today), asked.language), "today": _day_words(today, asked),
    })  # fmt: skip


def learned_days(workspace: Workspace) -> list[tuple[str, str]]:
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


_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
_WEEKDAYS = "월화수목금토일"


def _soon(hits: Sequence[Mapping[str, Any]], asked: Address) -> Iterator[tuple[str, int, Mapping[str, Any]]]:
    """Memories of the next days, the nearest first: month, day, and the memory."""
    for hit in sorted(hits, key=lambda hit: str(hit["when"])):
        if found := re.match(r"\d{4}-(\d\d)-(\d\d)", str(hit["when"])):
            month = int(found[1])
            yield f"{month}월" if asked.is_korean else _MONTHS[month - 1], int(found[2]), hit


def month_words(day: date, asked: Address) -> str:
    """`November 2026`, `2026년 11월`."""
    return f"{day.year}년 {day.month}월" if asked.is_korean else f"{day:%B} {day.year}"


def day_in_month(day: date, asked: Address) -> str:
    """`May 21`, `5월 21일`."""
    return f"{day.month}월 {day.day}일" if asked.is_korean else f"{_MONTHS[day.month - 1]} {day.day}"


def _day_words(day: date, asked: Address) -> str:
    if asked.is_korean:
        return f"{day.month}월 {day.day}일 {_WEEKDAYS[day.weekday()]}요일"
    return f"{day:%A}, {day:%B} {day.day}"


COUNTED = {
    "learned": "learned {}", "updated": "replaced {}", "duplicate": "said again {}", "inbox": "{} unfiled",
    "archived": "archived {}", "split": "split {}", "merged": "merged {}", "placed": "filed {}", "pinned": "pinned {}",
    "edited": "edited {}", "bad": "{} not taken in", "restored": "restored {}", "kept": "kept {}",
}  # fmt: skip
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


def shown_hits(hits: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Hits as rows of the page: marked pieces, and the older text of each (an older hit gets no row of its own)."""
    by_id = {hit["id"]: hit for hit in hits if hit["id"]}
    older = {hit["id"]: hit["superseded_by"] for hit in by_id.values() if hit["superseded_by"] in by_id}
    rows = []
    for hit in hits:
        if hit["id"] in older:
            continue
        was = [by_id[old]["text"] for old, new in older.items() if new == hit["id"]]
        told = "" if was or hit["supersedes"] else relation_of(hit)
        rows.append({**hit, "pieces": list(marked_pieces(hit)), "was": was, "told": told})
    return rows


def show_people(bank: OpenBank, asked: Address) -> Shown:
    """All names by number of memories, and with `who` what holds of one, with older values folded under each."""
    with bank.look() as workspace:
        counts = _people(workspace)
    who = asked.text("who").removeprefix("@") or next((name for name, _ in counts.most_common(1)), "")
    hits = shown_hits(bank.ask({
        "timeline": True, "in": ["bank"], "limit": 60, "is_korean": asked.is_korean, "entities": [f"@{who}"], "keep": False,
    })["hits"])[::-1] if who else []  # fmt: skip
    facts = {"people": counts.most_common(), "who": who, "hits": hits}
    return Shown("people.html", {**facts, "holding": [hit for hit in hits if not hit["superseded_by"]][:20]})


def show_health(bank: OpenBank, asked: Address) -> Shown:
    """Findings, index, daemon and missed runs; agents; and the settings that can be changed here."""
    from bankd.ui.review import SETTINGS_SHOWN  # noqa: PLC0415 -- as the views

    with open_probe(bank.root) as probe:
        status, values = read_status(probe), settings_by_name(probe.settings())
    settings = [(name, str(values[name])) for name in SETTINGS_SHOWN if name in values]
    facts = {"settings": settings, "about": SETTINGS_SHOWN, "agents": asked.agents_of(bank.root), "root": bank.root}
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
        "days": days[:_RUNS_SHOWN], "strip": draw_runs(by_day(runs, today), asked.language), "page": page,
        "chapters": chapters_of(page.rows) if page else [], "sentence": partial(sentence_of, language=asked.language),
    })  # fmt: skip


def by_day(runs: Sequence[Run], today: date) -> list[tuple[date, list[Run]]]:
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
        found = bank.ask({"op": "related", "of": around, "limit": 14})["related"]
        near = [
            NearNode(one["id"] or one["path"], one["text"] or one["path"], one["steps"][-1]["tie"], one["score"])
            for one in found
        ]
        graph = draw_graph(around, near, asked.bank, asked.language)
        return Shown("map.html", {"graph": graph, "found": found, "around": around})
    leaves = _leaves(bank)
    wide, tall = (draw_tree(leaves, asked.bank, asked.language, is_tall=is_tall) for is_tall in (False, True))
    return Shown("map.html", {"tree": wide, "tall": tall, "leaves": leaves, "around": ""})


def _leaves(bank: OpenBank) -> Sequence[Leaf]:
    """The pages that hold memories, largest first."""
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        files = workspace.files.survey("bank", workspace.now, 0).files
        counts, now = workspace.catalog.sizes(), workspace.now.timestamp()
    ages = {path: max(0, int((now - seen.mtime_ns / 1e9) // 86_400)) for path, seen in files.items()}
    leaves = [Leaf(path, count, age) for path, age in ages.items() if (count := counts.get(path, 0))]
    return sorted(leaves, key=lambda leaf: (-leaf.memories, leaf.path))
