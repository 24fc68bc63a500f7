"""`bankctl clock`: whether the clock is believed; while it is not, nothing is archived for its age."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say, say_json
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    help_ = "show (default): whether the clock is believed; accept: say that it is right"
    parser.add_argument("action", nargs="?", choices=["show", "accept"], default="show", help=help_)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Show, or accept; exit code 3 while a person should look at the clock."""
    accepts = arguments.action == "accept"
    with open_named(arguments, write=accepts) as workspace:
        clock = workspace.outside.clock_trust
        trust = clock.accept() if accepts else clock.judge()
        now = workspace.now
    off = None if trust.off is None else round(trust.off.total_seconds())
    if arguments.json:
        say_json({"now": now.isoformat(timespec="seconds"), "believed": not trust.is_frozen, "off_seconds": off})
    elif trust.off is None:
        say(f"it is {now:%Y-%m-%d %H:%M}, and that is believed")
    else:
        direction = "forward" if trust.off.total_seconds() > 0 else "back"
        say(f"it is {now:%Y-%m-%d %H:%M}; the clock went {direction} by {abs(trust.off)} that did not pass")
        say("nothing is archived for its age; set the clock right, or say that it is: bankctl clock accept")
    return 3 if trust.is_frozen else 0
