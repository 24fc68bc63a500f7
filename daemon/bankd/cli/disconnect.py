"""`bankctl disconnect`: what `bankctl connect` did, taken back."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from bankd.cli.connect import AGENTS, tell_changes
from bankd.cli.options import add_json
from bankd.cli.workspace import find_workspace


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("agent", choices=AGENTS[:-1], help="whose plugin and settings are put back")
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Give every file its bytes back."""
    from bankd.app.agent_plans import plan_connection, user_homes
    from bankd.app.connect import disconnect_agent

    homes = user_homes()
    root = find_workspace(arguments.workspace).resolve()
    changes = disconnect_agent(plan_connection(arguments.agent, root, homes), homes)
    arguments.dry_run = False
    tell_changes(arguments, changes, f"{arguments.agent} is " + ("disconnected" if changes else "not connected"))
    return 0
