"""How the bank is doing, and what fades."""

from __future__ import annotations

from bankd.app.archive import forecast_fading, list_archive, offer_candidates
from bankd.app.log import list_runs
from bankd.app.status import read_status
from bankd.ui.asked import Asked, Shown
from bankd.ui.pictures import draw_runs
from bankd.ui.runs import by_day
from bankd.wiring.open_banks import OpenBank
from bankd.wiring.probing import open_probe


def show_health(bank: OpenBank, asked: Asked) -> Shown:
    """Freshness, runs, what was missed, the daemon, and what needs a person."""
    with open_probe(bank.root) as probe:
        status = read_status(probe)
    with bank.look() as workspace:
        days = by_day(list_runs(workspace), workspace.now.date())
    return Shown("health.html", {"status": status, "strip": draw_runs(days, asked.language)})


def show_fading(bank: OpenBank, asked: Asked) -> Shown:
    """Which opinions will have faded when, what may go to the archive, and what went there last."""
    with bank.look() as workspace:
        falls, pinned = forecast_fading(workspace, asked.number("days", 90, 36_500))
        facts = {"floor": workspace.settings.decay.floor, "today": workspace.now.date()}
        offered, archived = offer_candidates(workspace), list_archive(workspace)[:20]
    return Shown("fading.html", {**facts, "falls": falls, "pinned": pinned, "offered": offered, "archived": archived})
