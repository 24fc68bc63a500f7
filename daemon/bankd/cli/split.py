"""`bankctl split`: a page becomes a hub with parts, and every link follows."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("page", metavar="PAGE", help="relative to bank/, or its unique name")
    parser.add_argument("--dry-run", action="store_true", help="show the parts and links, and write nothing")
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(arguments: Namespace) -> int:
    """Split and tell."""
    from bankd.cli.rearranged import rearrange

    return rearrange(arguments, lambda rearranger: rearranger.split(arguments.page, dry_run=arguments.dry_run))
