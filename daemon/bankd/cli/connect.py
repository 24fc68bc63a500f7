"""`bankctl connect` and `disconnect`: an agent gets the memory of a workspace, and loses it again without a trace."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.options import add_dry_run, add_json
from bankd.cli.printing import plain, say, say_answer, say_json, styled
from bankd.cli.workspace import find_workspace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bankd.app.connect import FileChange

AGENTS = ["claude-code", "codex", "openclaw", "hermes", "mcp"]


def configure(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("agent", choices=AGENTS, help="mcp: only print what any other agent needs")
    add_dry_run(parser)
    add_json(parser)


def run(arguments: Namespace) -> int:
    """Install, or show what would be installed."""
    from bankd.app.agent_plans import plan_connection, user_homes
    from bankd.app.connect import connect_agent, plan_changes

    root = find_workspace(arguments.workspace).resolve()
    if arguments.agent == "mcp":
        return _print_entry(root, as_json=arguments.json)
    homes = user_homes()
    connection = plan_connection(arguments.agent, root, homes)
    changes = plan_changes(connection) if arguments.dry_run else connect_agent(connection, homes)
    nothing = f"{arguments.agent} is connected to {root} already"
    tell_changes(arguments, changes, connection.advice if changes else nothing)
    return 0


def tell_changes(arguments: Namespace, changes: Sequence[FileChange], last: str) -> None:
    """Say what was, or would be, changed: new files by name, others by their difference."""
    if arguments.json:
        rows = [
            {"path": str(change.path), "new": change.before is None, "gone": change.after is None} for change in changes
        ]
        say_json({"agent": arguments.agent, "applied": not arguments.dry_run, "changes": rows, "advice": last})
        return
    for change in changes:
        if change.before is None or change.after is None:
            say(f"{'+' if change.before is None else '-'} {styled(str(change.path))}")
        else:
            _say_difference(change)
    say("nothing was written" if arguments.dry_run and changes else last)


def _say_difference(change: FileChange) -> None:
    from difflib import unified_diff

    before, after = ((data or b"").decode("utf-8", "replace").splitlines() for data in (change.before, change.after))
    colours = {"+": "green", "-": "red"}
    for line in unified_diff(before, after, str(change.path), str(change.path), lineterm="", n=1):
        say(styled(line, colours.get(line[:1], "dim")))


def _print_entry(root: Path, *, as_json: bool) -> int:
    import json

    from bankd.app.agent_plans import agents_text, server_entry

    entry = {"mcpServers": {"bankd": server_entry(root)}}
    return say_answer(
        {**entry, "agents_md": agents_text()},
        f"# for the settings of an agent that speaks MCP\n{plain(json.dumps(entry, ensure_ascii=False, indent=2))}",
        f"\n# for the AGENTS.md, or what else it reads at its start\n{plain(agents_text().strip())}",
        as_json=as_json,
    )
