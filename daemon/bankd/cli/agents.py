"""`bankctl connect` and `disconnect`: an agent gets the memory of a workspace, and loses it again without a trace.

`bankctl disconnect`: what `bankctl connect` did, taken back.

`bankctl brief`: what is worth saying unasked, in one of eighteen modes; what it said it does not repeat within a day.

`bankctl mcp`: the bank for an agent that speaks the Model Context Protocol over standard input and output.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from bankd.cli.base import add_dry_run, add_json, add_now
from bankd.cli.location import find_workspace, locate_workspace
from bankd.cli.printing import plain, say, say_answer, say_json, styled
from bankd.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from bankd.agents.connect import FileChange
    from bankd.wiring.reader import BankReader

AGENTS = ["claude-code", "codex", "openclaw", "hermes", "mcp"]


def connect_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("agent", choices=AGENTS, help="mcp: only print what any other agent needs")
    add_dry_run(parser)
    add_json(parser)


def connect_command(arguments: Namespace) -> int:
    """Install, or show what would be installed."""
    from bankd.agents.connect import connect_agent, plan_changes, plan_connection, user_homes

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

    from bankd.agents.connect import agents_text, server_entry

    entry = {"mcpServers": {"bankd": server_entry(root)}}
    return say_answer(
        {**entry, "agents_md": agents_text()},
        f"# for the settings of an agent that speaks MCP\n{plain(json.dumps(entry, ensure_ascii=False, indent=2))}",
        f"\n# for the AGENTS.md, or what else it reads at its start\n{plain(agents_text().strip())}",
        as_json=as_json,
    )


def disconnect_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("agent", choices=AGENTS[:-1], help="whose plugin and settings are put back")
    add_json(parser)


def disconnect_command(arguments: Namespace) -> int:
    """Give every file its bytes back."""
    from bankd.agents.connect import disconnect_agent, plan_connection, user_homes

    homes = user_homes()
    root = find_workspace(arguments.workspace).resolve()
    changes = disconnect_agent(plan_connection(arguments.agent, root, homes), homes)
    arguments.dry_run = False
    tell_changes(arguments, changes, f"{arguments.agent} is " + ("disconnected" if changes else "not connected"))
    return 0


def brief_arguments(parser: ArgumentParser) -> None:
    """Say what the command takes."""
    parser.add_argument("mode", nargs="?", metavar="MODE", help="one of --list (default: orient)")
    parser.add_argument("subject", nargs="*", metavar="NAME", help="whom or what it is about, such as @Peter")
    parser.add_argument("--list", action="store_true", dest="lists", help="the modes, when each fires and its tokens")
    add_now(parser)
    add_json(parser)


def brief_command(arguments: Namespace) -> int:
    """Brief the user; nothing to say is no output."""
    if arguments.lists:
        return _print_modes(as_json=arguments.json)
    from bankd.agents.briefs import brief_reader
    from bankd.wiring.reader import BankReader

    bank = BankReader(locate_workspace(arguments.workspace))
    mode, now = _checked(arguments.mode or "orient", arguments.subject), bank.now()
    if arguments.now:
        now = arguments.now.replace(tzinfo=arguments.now.tzinfo or now.tzinfo).astimezone(now.tzinfo)
    [briefing] = brief_reader([mode], bank, now, subjects=tuple(arguments.subject))
    if arguments.json:
        rows = [
            {"key": i.key, "date": str(i.day) if i.day else None, "text": i.text, "place": i.place}
            for i in briefing.items
        ]
        say_json({"mode": mode, "items": rows})
    elif briefing.items:
        say(plain(briefing.text.rstrip("\n")))
    return 0


def _checked(mode: str, subjects: list[str]) -> str:
    """The mode; UsageError when there is none of that name, or when it needs somebody or something to be about and has none."""
    from bankd.briefing.choose import MODES
    from bankd.cli.base import suggest_word

    if mode not in MODES:
        raise UsageError(f"no briefing {mode}", f"{suggest_word(mode, MODES)}bankctl brief --list names them")
    if mode in {"person", "meeting", "project"} and not subjects:
        raise UsageError(f"brief {mode}: about whom or what? For example: bankctl brief {mode} @Peter")
    return mode


def _print_modes(*, as_json: bool) -> int:
    from bankd.briefing.choose import MODES

    for name, mode in MODES.items():
        if as_json:
            say_json({"mode": name, "fires": mode.fires, "tokens": mode.tokens})
        else:
            say(f"{name:12} {mode.tokens:>4}  {mode.fires}")
    return 0


def mcp_arguments(_parser: ArgumentParser) -> None:
    """The command takes nothing."""


def mcp_command(arguments: Namespace) -> int:
    """Serve until the agent ends; a bank that is not there is said by each call, and may come later."""
    from bankd.agents.mcp import McpServer, take_standard_streams
    from bankd.agents.tools import BankMethods

    def find_bank() -> BankReader:
        from bankd.cli.location import locate_workspace
        from bankd.wiring.reader import BankReader

        return BankReader(locate_workspace(arguments.workspace))

    McpServer(take_standard_streams(), BankMethods(find_bank).by_name()).serve()
    return 0
