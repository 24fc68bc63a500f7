"""`bankctl decay forecast`: which opinions will have faded when, unless somebody says them again."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json, add_now, whole_number


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", choices=["forecast"], help="forecast: what falls below the floor, and on which day")
    parser.add_argument(
        "--days", type=whole_number, default=30, metavar="N", help="how far to look ahead (default: 30)"
    )
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Tell; nothing is changed."""
    from bankd.app.archive import forecast_fading
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace
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
        say("to keep one: say it again in a log, write another c=, or put #pinned in its text")
    return 0
