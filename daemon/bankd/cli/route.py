"""`bankctl route test`: where a text would go, and every rule that claims it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import open_named


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

    line = retain_line(" ".join(arguments.text), None)
    memory = read_log("", f"{line}\n", anywhere=True).lines[0].memory
    with open_named(arguments, write=False) as workspace:
        (found,) = places_for(workspace, [memory])
    rows = [{"page": item.page, "heading": item.heading, "reason": item.reason} for item in found]
    places = [item.page + (f"#{item.heading}" if item.heading else "") for item in found]
    signs = [("->", "bold"), *[("  ", "dim")] * len(found)]
    lines = [
        f"{sign} {styled(place, style)}  {styled(item.reason)}"
        for (sign, style), place, item in zip(signs, places, found, strict=False)
    ]
    return say_answer({"text": memory.text, "tag": memory.tag, "candidates": rows}, *lines, as_json=arguments.json)
