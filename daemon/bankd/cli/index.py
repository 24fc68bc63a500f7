"""`bankctl index`: how the search index stands, made anew, or checked."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from contextlib import closing

from bankd.cli.options import add_json
from bankd.cli.printing import say_answer, styled
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
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


def run(arguments: Namespace) -> int:
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
