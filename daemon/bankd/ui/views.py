"""What a view is asked, and what it shows.

How the bank is doing, what fades, and what its runs did in the last weeks, as differences, with the way back.

The bank as a map: its pages by size and age, and what is around one memory, page or person.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from bankd.app.archive import forecast_fading, list_archive, offer_candidates
from bankd.app.doctor import read_status
from bankd.app.show import list_runs, show_run
from bankd.errors import UsageError
from bankd.memory.report import chapters_of
from bankd.ui.pictures import Leaf, NearNode, draw_graph, draw_runs, draw_tree
from bankd.wiring.banks import OpenBank
from bankd.wiring.probing import open_probe


class Shown(NamedTuple):
    """A template and what it needs."""

    template: str
    facts: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Address:
    """The address of a request: bank, view, what of it, the query; the language of the reader; and all banks to be asked."""

    bank: str
    view: str
    what: str
    query: Mapping[str, str]
    language: str
    ask_all: Callable[[dict[str, Any]], dict[str, Any]]

    @property
    def is_korean(self) -> bool:
        """Whether the reader has chosen Korean."""
        return self.language == "ko"

    def text(self, name: str) -> str:
        """A word of the query; empty where it is not there."""
        return self.query.get(name, "").strip()

    def number(self, name: str, default: int, most: int) -> int:
        """A number of the query, `default` where it is missing; UsageError where it is not a number."""
        word = self.text(name) or str(default)
        if not (word.isascii() and word.isdecimal()):
            raise UsageError(f"{name}: {word[:40]} is not a whole number")
        return min(int(word[:9]), most)


def show_health(bank: OpenBank, asked: Address) -> Shown:
    """Freshness, runs, what was missed, the daemon, and what needs a person."""
    with open_probe(bank.root) as probe:
        status = read_status(probe)
    with bank.look() as workspace:
        days = by_day(list_runs(workspace), workspace.now.date())
    return Shown("health.html", {"status": status, "strip": draw_runs(days, asked.language)})


def show_fading(bank: OpenBank, asked: Address) -> Shown:
    """Which opinions will have faded when, what may go to the archive, and what went there last."""
    with bank.look() as workspace:
        falls, pinned = forecast_fading(workspace, asked.number("days", 90, 36_500))
        facts = {"floor": workspace.settings.decay.floor, "today": workspace.now.date()}
        offered, archived = offer_candidates(workspace), list_archive(workspace)[:20]
    return Shown("fading.html", {**facts, "falls": falls, "pinned": pinned, "offered": offered, "archived": archived})


WEEKS = 6
_SHOWN = 60

Run = Mapping[str, Any]


def show_night(bank: OpenBank, asked: Address) -> Shown:
    """The runs, the newest first, or one of them."""
    with bank.look() as workspace:
        runs = list_runs(workspace)
        today = workspace.now.date()
        page = show_run(workspace, asked.what) if asked.what else None
    facts = {"runs": runs[:_SHOWN], "strip": draw_runs(by_day(runs, today), asked.language), "page": page}
    return Shown("night.html", {**facts, "chapters": chapters_of(page.rows) if page else []})


def by_day(runs: Sequence[Run], today: date) -> list[tuple[date, list[Run]]]:
    """The runs of each day of the last weeks, the oldest day first."""
    days = [today - timedelta(days=back) for back in reversed(range(7 * WEEKS))]
    found: dict[date, list[Run]] = {day: [] for day in days}
    for run in runs:
        found.get(datetime.fromisoformat(str(run["at"])).date(), []).append(run)
    return list(found.items())


_NEIGHBOURS = 14
_DAY = 86_400


def show_map(bank: OpenBank, asked: Address) -> Shown:
    """The tree of pages; or the graph around something."""
    around = asked.text("around")
    if around:
        found = bank.ask({"op": "related", "of": around, "limit": _NEIGHBOURS})["related"]
        graph = draw_graph(around, list(map(_neighbour, found)), asked.bank, asked.language)
        return Shown("map.html", {"graph": graph, "found": found, "around": around})
    leaves = _leaves(bank)
    return Shown("map.html", {"tree": draw_tree(leaves, asked.bank, asked.language), "leaves": leaves, "around": ""})


def _leaves(bank: OpenBank) -> Sequence[Leaf]:
    """The pages of the bank that hold memories, the largest first; their age in days since they were saved."""
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        survey = workspace.files.survey("bank", workspace.now, 0)
        counts = workspace.catalog.sizes()
        now = workspace.now.timestamp()
    leaves = [
        Leaf(path, counts.get(path, 0), max(0, int((now - seen.mtime_ns / 1e9) // _DAY)))
        for path, seen in survey.files.items()
        if counts.get(path, 0)
    ]
    return sorted(leaves, key=lambda leaf: (-leaf.memories, leaf.path))


def _neighbour(one: Mapping[str, Any]) -> NearNode:
    return NearNode(one["id"] or one["path"], one["text"] or one["path"], one["steps"][-1]["tie"], one["score"])
