"""`bankctl consolidate`: near-copies in the bank become one, none of which loses a word."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_apply, add_force, add_json, add_now, share
from bankd.cli.printing import say
from bankd.cli.workspace import open_named


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    add_apply(parser)
    parser.add_argument(
        "--threshold", type=share, metavar="X", help="affinity from which two are compared, 0 to 1 (default: setting)"
    )
    add_force(parser)
    add_now(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Merge, or say what would be merged."""
    from bankd.app.consolidate import consolidate_bank
    from bankd.cli.reports import tell

    with open_named(arguments, write=arguments.apply) as workspace:
        report = consolidate_bank(workspace, arguments.threshold, apply=arguments.apply, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if report.plan.merged and not arguments.apply and not arguments.json:
        say("bankctl consolidate --apply does it, bankctl duplicates merge ID --apply for one of them")
    return code
