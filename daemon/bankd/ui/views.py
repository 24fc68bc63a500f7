"""The views of a whole bank: health, what fades, what the runs did, and the map. Also what every view gets and gives."""

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


def show_health(bank: OpenBank, asked: Address) -> Shown:
    """Findings, index, daemon, runs and missed runs."""
    with open_probe(bank.root) as probe:
        status = read_status(probe)
    with bank.look() as workspace:
        days = by_day(list_runs(workspace), workspace.now.date())
    return Shown("health.html", {"status": status, "strip": draw_runs(days, asked.language)})


def show_fading(bank: OpenBank, asked: Address) -> Shown:
    """Which opinions fall below the floor and when, what may go to the archive, and what went there last."""
    with bank.look() as workspace:
        falls, pinned = forecast_fading(workspace, asked.number("days", 90, 36_500))
        facts = {"floor": workspace.settings.decay.floor, "today": workspace.now.date()}
        offered, archived = offer_candidates(workspace), list_archive(workspace)[:20]
    return Shown("fading.html", {**facts, "falls": falls, "pinned": pinned, "offered": offered, "archived": archived})


_WEEKS, _RUNS_SHOWN = 6, 60

Run = Mapping[str, Any]


def show_night(bank: OpenBank, asked: Address) -> Shown:
    """The runs, newest first, or one of them."""
    with bank.look() as workspace:
        runs = list_runs(workspace)
        today = workspace.now.date()
        page = show_run(workspace, asked.what) if asked.what else None
    facts = {"runs": runs[:_RUNS_SHOWN], "strip": draw_runs(by_day(runs, today), asked.language), "page": page}
    return Shown("night.html", {**facts, "chapters": chapters_of(page.rows) if page else []})


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
    return Shown("map.html", {"tree": draw_tree(leaves, asked.bank, asked.language), "leaves": leaves, "around": ""})


def _leaves(bank: OpenBank) -> Sequence[Leaf]:
    """The pages that hold memories, largest first."""
    with bank.look() as workspace:
        workspace.catalog.refresh(workspace.now)
        files = workspace.files.survey("bank", workspace.now, 0).files
        counts, now = workspace.catalog.sizes(), workspace.now.timestamp()
    ages = {path: max(0, int((now - seen.mtime_ns / 1e9) // 86_400)) for path, seen in files.items()}
    leaves = [Leaf(path, count, age) for path, age in ages.items() if (count := counts.get(path, 0))]
    return sorted(leaves, key=lambda leaf: (-leaf.memories, leaf.path))
