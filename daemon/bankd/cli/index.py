"""`bankctl index`: how the search index stands, made anew, or checked."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.options import add_json


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
    from bankd.cli.printing import say, say_json, styled
    from bankd.cli.workspace import find_workspace

    root = find_workspace(arguments.workspace)
    done = ""
    if arguments.action == "verify":
        done = check_index(root)
    elif arguments.action != "status":
        done = refresh_index(root, anew=arguments.action == "rebuild")
    state = index_state(root)
    if arguments.json:
        say_json({"done": done, **state})
        return 0 if state["usable"] else 3
    if done:
        say(styled(done))
    for name, value in state.items():
        say(f"{name:<12} {styled(str(value))}")
    return 0 if state["usable"] else 3
