"""`bankctl decay`: which opinions will have faded when, unless somebody says them again or pins them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json, add_now, whole_number
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


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
    from bankd.errors import UsageError

    if (arguments.action == "pin") != bool(arguments.id):
        raise UsageError("usage: bankctl decay forecast, or bankctl decay pin ID")
    return _pin(arguments) if arguments.id else _forecast(arguments)


def _pin(arguments: Namespace) -> int:
    from bankd.app.decisions import pin_memory
    from bankd.wiring.workspace import open_workspace

    id_, tried = arguments.id.removeprefix("^"), arguments.dry_run
    with open_workspace(find_workspace(arguments.workspace), arguments.now, write=not tried) as workspace:
        page = pin_memory(workspace, id_, dry_run=tried)
    if arguments.json:
        say_json({"pinned": id_, "page": page, "applied": not tried})
        return 0
    say(f"{styled(page, 'bold')}  {id_} {'would be' if tried else 'is'} pinned")
    if tried:
        say("nothing was written")
    return 0


def _forecast(arguments: Namespace) -> int:
    from bankd.app.archive import forecast_fading
    from bankd.errors import UsageError
    from bankd.wiring.workspace import open_workspace

    if arguments.days > 36_500:
        raise UsageError("--days must be from 0 to 36500")
    with open_workspace(find_workspace(arguments.workspace), arguments.now, write=False) as workspace:
        fates, pinned = forecast_fading(workspace, arguments.days)
        floor = workspace.settings.decay.floor
    if arguments.json:
        rows = [
            {
                "day": fate.fall.day.isoformat(),
                "id": fate.fall.id,
                "today": fate.fall.value / 100,
                "place": fate.place,
                "text": fate.text,
            }
            for fate in fates
        ]
        say_json({"floor": floor, "days": arguments.days, "falls": rows, "pinned": pinned})
        return 0
    for fate in fates:
        say(
            f"{styled(str(fate.fall.day), 'bold')}  {styled(f'now {fate.fall.value / 100:.2f}', 'dim')}  {styled(fate.text)}"
        )
        say(f"    {styled(f'{fate.place}  ^{fate.fall.id}', 'dim')}")
    said = f"{len(fates)} opinions fall below {floor:.2f} within {arguments.days} days"
    say(said + (f"; {pinned} pinned ones do not fade" if pinned else ""))
    if fates:
        say("to keep one: say it again in a log, write another c=, or bankctl decay pin ID")
    return 0
