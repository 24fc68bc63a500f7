"""The nights: the runs of the last weeks, and what one did, as differences, with the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from bankd.app.log import list_runs, show_run
from bankd.core.plan.report import chapters_of
from bankd.ui.asked import Asked, Shown
from bankd.ui.pictures import draw_runs
from bankd.wiring.open_banks import OpenBank

WEEKS = 6
_SHOWN = 60

Run = Mapping[str, Any]


def show_night(bank: OpenBank, asked: Asked) -> Shown:
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
