"""`bankctl add`: one Retain line at the end of today's log."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "text", nargs="+", metavar="TEXT", help='what to remember, such as "O(c=0.9) @Peter: Prefers concise replies."'
    )
    parser.add_argument("--tag", choices=["W", "B", "O", "S"], help="the tag, when the text has none (default: W)")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Append the line."""
    from bankd.core.lifecycle.adding import retain_line
    from bankd.wiring.workspace import add_line

    line = retain_line(" ".join(arguments.text), arguments.tag)
    place = add_line(find_workspace(arguments.workspace), line)
    said = f"{place}: remembered at the next run (or now: bankctl cycle micro)"
    return say_answer({"log": place.log, "line": place.line, "text": line}, said, as_json=arguments.json)
