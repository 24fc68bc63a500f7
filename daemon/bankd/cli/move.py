"""`bankctl move`: a page or folder gets another path, and every link follows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.rearranged import rearrange


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("old", metavar="OLD", help="a page or folder, relative to bank/")
    parser.add_argument("new", metavar="NEW", help="its new path, relative to bank/; a page ends in .md")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Move and tell."""
    return rearrange(
        arguments, lambda rearranger: rearranger.move(arguments.old, arguments.new, dry_run=arguments.dry_run)
    )
