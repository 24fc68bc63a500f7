"""`bankctl duplicates`: the lines that said nothing new, and a way in for them."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace

from bankd.cli.options import JSON, add_apply, add_dry_run, add_json


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_json(parser)
    actions = parser.add_subparsers(dest="action", metavar="ACTION")
    listing = actions.add_parser("list", help="every blocked line, its twin and the reason (without an action: this)")
    shown = actions.add_parser("show", help="one of them")
    allowed = actions.add_parser("allow", help="let it in: it becomes a memory on the page that its rule gives")
    for action in (shown, allowed):
        action.add_argument("id", metavar="ID", help="the id of the blocked line, as the list shows it")
    add_dry_run(allowed)
    merge = actions.add_parser("merge", help="merge a memory of the bank with its near-copies")
    merge.add_argument("id", metavar="ID", help="a memory of the bank")
    add_apply(merge)
    for action in (listing, shown, allowed, merge):
        action.add_argument("--json", action="store_true", default=SUPPRESS, help=JSON)
        action.add_argument("--workspace", metavar="DIR", default=SUPPRESS, help="the workspace")


def run(arguments: Namespace) -> int:
    """Do one of them."""
    from bankd.cli.blocked import run_blocked

    return run_blocked(arguments)
