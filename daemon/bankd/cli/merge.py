"""`bankctl merge`: the parts of a page go back into it, and every link follows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("page", metavar="PAGE", help="the hub, relative to bank/, or its unique name")
    parser.add_argument("--dry-run", action="store_true", help="show what would change, and write nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace) -> int:
    """Merge and tell."""
    from bankd.cli.rearranged import rearrange

    return rearrange(arguments, lambda rearranger: rearranger.merge(arguments.page, dry_run=arguments.dry_run))
