"""`bankctl cycle`: one run in the foreground, or its plan.

`bankctl index`: how the search index stands, made anew, or checked.
"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace
from contextlib import closing
from typing import TYPE_CHECKING

from bankd.cli.base import add_dry_run, add_json, add_now, add_verbose
from bankd.cli.location import find_workspace
from bankd.cli.printing import say_answer, styled

if TYPE_CHECKING:
    from pathlib import Path

    from bankd.app.workspace import Workspace


def cycle_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("kind", choices=["micro", "reflect"], help="micro: take in new lines; reflect: all steps")
    add_dry_run(parser)
    add_now(parser)
    parser.add_argument(
        "--force",
        action="store_true",
        help="take out more than the budget, add ten times as much, and believe that what is gone was deleted",
    )
    parser.add_argument(
        "--no-wait", action="store_true", help="leave files that are still being written for the next run"
    )
    add_json(parser)
    add_verbose(parser)


def cycle_command(arguments: Namespace) -> int:
    """Run the cycle and print its report."""
    from bankd.wiring.workspace import open_workspace

    root = find_workspace(arguments.workspace)
    with open_workspace(root, arguments.now, write=not arguments.dry_run) as workspace:
        if not arguments.dry_run:
            _import_watched(workspace)
        if not (arguments.no_wait or arguments.now or arguments.dry_run):
            workspace.wait_until_settled()
        if workspace.models is None or arguments.kind != "reflect" or arguments.dry_run:
            return _run_in(workspace, arguments)
    return _run_night(root, arguments)


def _run_night(root: Path, arguments: Namespace) -> int:
    """Ask the model before and after, without the lock: it may take minutes, and others write meanwhile."""
    from bankd.app.distil import ask_for_memories, ask_for_night, enrich_now
    from bankd.wiring.workspace import open_workspace

    with open_workspace(root, arguments.now, write=False) as workspace:
        asked = ask_for_night(workspace)
    with open_workspace(root, arguments.now) as workspace:
        asked.answer_in(workspace)
        code = _run_in(workspace, arguments)
    with open_workspace(root, arguments.now, write=False) as workspace:
        written = ask_for_memories(workspace)
    if written is not None:
        with open_workspace(root, arguments.now) as workspace:
            written.answer_in(workspace)
            for note in enrich_now(workspace):
                sys.stderr.write(f"bankctl: {note}\n")
    return code


def _run_in(workspace: Workspace, arguments: Namespace) -> int:
    from bankd.cli.show import show_progress, tell

    reports = workspace.run_batches(arguments.kind, dry_run=arguments.dry_run, force=arguments.force)
    for report in show_progress(reports):
        tell(report, as_json=arguments.json, is_whole=arguments.verbose)
    return 0


def _import_watched(workspace: Workspace) -> None:
    """Take in first what hooks handed over and the settings watch, as the daemon does; what cannot be read is named."""
    from bankd.wiring.runner import import_watched

    for problem in import_watched(workspace):
        sys.stderr.write(f"bankctl: import: {problem}\n")


def index_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument(
        "action",
        choices=["status", "refresh", "rebuild", "verify"],
        nargs="?",
        default="status",
        help="status (default); refresh: read what changed; rebuild: make it anew while the old one answers; "
        "verify: compare its files with their checksums",
    )
    add_json(parser)


def index_command(arguments: Namespace) -> int:
    """Do it and print how the index stands."""
    from bankd.app.index import check_index, index_state, refresh_index
    from bankd.wiring.search import open_search
    from bankd.wiring.workspace import open_workspace

    root = find_workspace(arguments.workspace)
    done = ""
    with closing(open_search(root)) as searching:
        if arguments.action == "verify":
            done = check_index(searching.indexes)
        elif arguments.action != "status":
            with open_workspace(root) as workspace:
                publish = workspace.transactions.publish
                done = refresh_index(searching, workspace.now, publish, anew=arguments.action == "rebuild")
        state = index_state(searching.indexes)
    lines = [f"{name:<12} {styled(str(value))}" for name, value in state.items()]
    say_answer({"done": done, **state}, styled(done), *lines, as_json=arguments.json)
    return 0 if state["usable"] else 3
