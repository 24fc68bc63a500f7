"""`bankctl merge`: the parts of a page go back into it, and every link follows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.rearranged import rearrange


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("page", metavar="PAGE", help="the hub, relative to bank/, or its unique name")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Merge and tell."""
    return rearrange(arguments, lambda rearranger: rearranger.merge(arguments.page, dry_run=arguments.dry_run))
