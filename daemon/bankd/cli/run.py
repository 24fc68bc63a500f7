"""`bankctl cycle`: one run in the foreground, or its plan."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from bankd.cli.location import find_workspace
from bankd.translate import translate as _

if TYPE_CHECKING:
    from bankd.app.workspace import Workspace


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
                sys.stderr.write(f"bankctl: {_(problem)}\n")
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
