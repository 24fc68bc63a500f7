"""`bankctl cycle`: one run in the foreground, or its plan."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.base import add_options
from bankd.cli.location import find_workspace

if TYPE_CHECKING:
    from bankd.app.workspace import Workspace


def cycle_arguments(parser: ArgumentParser) -> None:
    """Add the arguments of the command to the parser."""
    parser.add_argument("kind", choices=["micro", "reflect"], help="micro: take in new lines; reflect: all steps")
    add_options(parser, "--dry-run", "--now")
    help_ = "archive beyond the budget, add ten times as much, and believe that missing files were deleted"
    parser.add_argument("--force", action="store_true", help=help_)
    parser.add_argument("--no-wait", action="store_true", help="do not wait for files that are being written")
    add_options(parser, "--json")
    parser.add_argument("-v", "--verbose", action="store_true", help="print every line of a long report")


def cycle_command(arguments: Namespace) -> int:
    """Run the cycle and print its report.

    The model is asked before the run, without the lock: it may take minutes, and others can write meanwhile.
    """
    from bankd.wiring.runner import import_watched
    from bankd.wiring.workspace import open_workspace

    root, now = find_workspace(arguments.workspace), arguments.now
    with open_workspace(root, now, write=not arguments.dry_run) as workspace:
        if not arguments.dry_run:
            for problem in import_watched(workspace):
                sys.stderr.write(f"bankctl: import: {problem}\n")
        if not (arguments.no_wait or now or arguments.dry_run):
            workspace.wait_until_settled()
        if workspace.models is None or arguments.kind != "reflect" or arguments.dry_run:
            return _run_in(workspace, arguments)
    from bankd.app.distil import ask_models

    with open_workspace(root, now, write=False) as workspace:
        unanswered = ask_models(workspace)
    with open_workspace(root, now) as workspace:
        workspace.unanswered = unanswered
        return _run_in(workspace, arguments)


def _run_in(workspace: Workspace, arguments: Namespace) -> int:
    from bankd.cli.show import show_progress, tell

    reports = workspace.run_batches(arguments.kind, dry_run=arguments.dry_run, force=arguments.force)
    for report in show_progress(reports):
        tell(report, as_json=arguments.json, is_whole=arguments.verbose)
    return 0
