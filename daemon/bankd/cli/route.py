"""`bankctl route test`: where a text would go, and every rule that claims it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say, say_json, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("action", choices=["test"], help="test: show all rules that match, the winner first")
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help='a Retain line, such as "W @Peter: Currently in Marrakech"'
    )
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Show the candidates."""
    from bankd.app.inbox import places_for
    from bankd.core.lifecycle.adding import retain_line
    from bankd.core.lifecycle.retain import read_log
    from bankd.wiring.workspace import open_workspace

    line = retain_line(" ".join(arguments.text), None)
    memory = read_log("", f"{line}\n", anywhere=True).lines[0].memory
    with open_workspace(find_workspace(arguments.workspace), write=False) as workspace:
        (found,) = places_for(workspace, [memory])
    if arguments.json:
        rows = [{"page": item.page, "heading": item.heading, "reason": item.reason} for item in found]
        say_json({"text": memory.text, "tag": memory.tag, "candidates": rows})
        return 0
    for n, item in enumerate(found):
        place = item.page + (f"#{item.heading}" if item.heading else "")
        say(f"{'->' if n == 0 else '  '} {styled(place, *(['bold'] if n == 0 else ['dim']))}  {styled(item.reason)}")
    return 0
