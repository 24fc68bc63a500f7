"""`bankctl decay`: which opinions will have faded when, unless somebody says them again or pins them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json, add_now, whole_number
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named
from bankd.errors import UsageError

if TYPE_CHECKING:
    from bankd.app.archive import FadingForecast


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "forecast: what falls below the floor, and on which day; pin ID: it never fades"
    parser.add_argument("action", choices=["forecast", "pin"], help=help_)
    parser.add_argument("id", nargs="?", metavar="ID", help="the memory to pin")
    parser.add_argument(
        "--days", type=whole_number, default=30, metavar="N", help="how far to look ahead (default: 30)"
    )
    add_dry_run(parser, "pin")
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Tell, or pin one."""
    if (arguments.action == "pin") != bool(arguments.id):
        raise UsageError("usage: bankctl decay forecast, or bankctl decay pin ID")
    return _pin(arguments) if arguments.id else _forecast(arguments)


def _pin(arguments: Namespace) -> int:
    from bankd.app.decisions import pin_memory

    id_, tried = arguments.id.removeprefix("^"), arguments.dry_run
    with open_named(arguments, write=not tried) as workspace:
        page = pin_memory(workspace, id_, dry_run=tried)
    said = f"{styled(page, 'bold')}  {id_} {'would be' if tried else 'is'} pinned"
    whole = {"pinned": id_, "page": page, "applied": not tried}
    return say_answer(whole, said, "nothing was written" if tried else "", as_json=arguments.json)


def _forecast(arguments: Namespace) -> int:
    from bankd.app.archive import forecast_fading

    if arguments.days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_named(arguments, write=False) as workspace:
        fates, pinned = forecast_fading(workspace, arguments.days)
        floor = workspace.settings.decay.floor
    rows = [
        {"day": f.fall.day.isoformat(), "id": f.fall.id, "today": f.fall.value / 100, "place": f.place, "text": f.text}
        for f in fates
    ]
    said = f"{len(fates)} opinions fall below {floor:.2f} within {arguments.days} days"
    return say_answer(
        {"floor": floor, "days": arguments.days, "falls": rows, "pinned": pinned},
        *map(_lines_of, fates),
        said + (f"; {pinned} pinned ones do not fade" if pinned else ""),
        "to keep one: say it again in a log, write another c=, or bankctl decay pin ID" if fates else "",
        as_json=arguments.json,
    )


def _lines_of(fate: FadingForecast) -> str:
    now, place = styled(f"now {fate.fall.value / 100:.2f}", "dim"), styled(f"{fate.place}  ^{fate.fall.id}", "dim")
    return f"{styled(str(fate.fall.day), 'bold')}  {now}  {styled(fate.text)}\n    {place}"
