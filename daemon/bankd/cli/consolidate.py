"""`bankctl consolidate`: near-copies in the bank become one, none of which loses a word."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from bankd.cli.moment import add_now


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("--apply", action="store_true", help="do it; without, only say what would be merged")
    parser.add_argument(
        "--threshold", type=_share, metavar="X", help="affinity from which two are compared, 0 to 1 (default: setting)"
    )
    parser.add_argument("--force", action="store_true", help="go beyond the budget")
    add_now(parser)
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ArgumentTypeError(f"{text!r} is not between 0 and 1")
    return value


def run(arguments: Namespace) -> int:
    """Merge, or say what would be merged."""
    from bankd.app.consolidate import consolidate
    from bankd.cli.printing import say
    from bankd.cli.reports import tell
    from bankd.cli.workspace import find_workspace
    from bankd.wiring.workspace import open_workspace

    with open_workspace(find_workspace(arguments.workspace), arguments.now, write=arguments.apply) as workspace:
        report = consolidate(workspace, arguments.threshold, apply=arguments.apply, force=arguments.force)
    code = tell(report, as_json=arguments.json)
    if report.plan.merged and not arguments.apply and not arguments.json:
        say("bankctl consolidate --apply does it, bankctl duplicates merge ID --apply for one of them")
    return code
