"""How the bank is doing, what fades, and what its runs did in the last weeks, as differences, with the way back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from bankd.app.archive import forecast_fading, list_archive, offer_candidates
from bankd.app.doctor import read_status
from bankd.app.show import list_runs, show_run
from bankd.core.plan.report import chapters_of
from bankd.ui.asked import Address, Shown
from bankd.ui.pictures import draw_runs
from bankd.wiring.banks import OpenBank
from bankd.wiring.probing import open_probe


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
