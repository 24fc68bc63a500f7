"""`bankctl connect`, `disconnect`, `brief` and `mcp`: the memory of a workspace for agents."""

from __future__ import annotations

import json
import os
import sys
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bankd.cli.base import suggest_word
from bankd.cli.location import find_workspace, locate_workspace
from bankd.cli.printing import plain, say, say_answer, say_json, styled
from bankd.errors import UsageError
from bankd.translate import translate as _

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bankd.agents.connect import FileChange
    from bankd.wiring.reader import BankReader

_AGENTS = ["claude-code", "codex", "openclaw", "hermes"]
_AGENTS += ["cursor", "vscode", "zed", "opencode", "gemini", "claude-desktop", "windsurf"]


def connect_command(arguments: Namespace) -> int:
    """Install the plugin and settings of an agent, or show what would be installed."""
    from bankd.agents import connect

    root = find_workspace(arguments.workspace).resolve()
    if arguments.agent == "mcp":
        entry, text = {"mcpServers": {"bankd": connect.server_entry(root)}}, connect.agents_text()
        return say_answer(
            {**entry, "agents_md": text},
            _("# for the settings of an agent that speaks MCP"),
            plain(json.dumps(entry, ensure_ascii=False, indent=2)),
            "\n" + _("# for AGENTS.md, or another file that the agent reads when it starts"),
            plain(text.strip()),
            as_json=arguments.json,
        )
    homes = connect.Homes(os.environ)
    connection = connect.plan_connection(arguments.agent, root, homes)
    changes = connect.plan_changes(connection) if arguments.dry_run else connect.connect_agent(connection, homes)
    nothing = f"{arguments.agent} is connected to {root} already"
    _tell(arguments, changes, connection.advice if changes else nothing, is_dry=arguments.dry_run)
    return 0


def disconnect_command(arguments: Namespace) -> int:
    """Undo `connect`: give every file its bytes back."""
    from bankd.agents import connect

    homes = connect.Homes(os.environ)
    root = find_workspace(arguments.workspace).resolve()
    connection = connect.plan_connection(arguments.agent, root, homes)
    changes = connect.disconnect_agent(connection, homes)
    done = "; ".join(filter(None, (f"{arguments.agent} is disconnected", connection.left)))
    _tell(arguments, changes, done if changes else f"{arguments.agent} is not connected", is_dry=False)
    return 0


def _tell(arguments: Namespace, changes: Sequence[FileChange], last: str, *, is_dry: bool) -> None:
    """Print what was, or would be, changed: new and removed files by name, others by their difference."""
    from difflib import unified_diff

    if arguments.json:
        rows = [{"path": str(one.path), "new": one.before is None, "gone": one.after is None} for one in changes]
        say_json({"agent": arguments.agent, "applied": not is_dry, "changes": rows, "advice": last})
        return
    colours = {"+": "green", "-": "red"}
    for change in changes:
        path = str(change.path)
        if change.before is None or change.after is None:
            say(f"{'+' if change.before is None else '-'} {styled(path)}")
            continue
        before, after = (data.decode("utf-8", "replace").splitlines() for data in (change.before, change.after))
        for line in unified_diff(before, after, path, path, lineterm="", n=1):
            say(styled(line, colours.get(line[:1], "dim")))
    say(_("nothing was written" if is_dry and changes else last))


def brief_command(arguments: Namespace) -> int:
    """Print a briefing, or why there is nothing to say."""
    from bankd.agents.briefs import brief_asked
    from bankd.briefing.choose import MODES
    from bankd.wiring.reader import BankReader

    mode, subjects, now = arguments.mode or "orient", tuple(arguments.subject), arguments.now
    if arguments.lists:
        for name, one in MODES.items():
            row = {"mode": name, "fires": one.fires, "tokens": one.tokens}
            say_answer(row, f"{name:12} {one.tokens:>4}  {_(one.fires)}", as_json=arguments.json)
        return 0
    bank = BankReader(locate_workspace(arguments.workspace))
    if mode not in MODES:
        raise UsageError(f"no briefing {mode}", f"{suggest_word(mode, MODES)}bankctl brief --list names them")
    if mode in {"person", "meeting", "project"} and not subjects:
        raise UsageError(f"brief {mode}: about whom or what? For example: bankctl brief {mode} @Peter")
    today = bank.now()
    now = now.replace(tzinfo=now.tzinfo or today.tzinfo).astimezone(today.tzinfo) if now else today
    briefing = brief_asked(mode, bank, subjects, now)
    rows = [
        {"key": i.key, "date": str(i.day) if i.day else None, "text": i.text, "place": i.place} for i in briefing.items
    ]
    said = plain(briefing.text.rstrip("\n")) if rows else f"{mode}: {_(MODES[mode].empty.format(' '.join(subjects)))}"
    return say_answer({"mode": mode, "items": rows}, said, as_json=arguments.json)


def mcp_command(arguments: Namespace) -> int:
    """Serve until the agent ends. A call without a bank is answered with an error; the bank may come later."""
    if arguments.action:
        return _tokens(arguments)
    if arguments.http or arguments.listen:
        return _serve_http(arguments)
    from bankd.agents.mcp import McpServer, take_standard_streams
    from bankd.agents.tools import BankMethods

    folder = ""
    with suppress(OSError):  # the folder that the agent works in may be gone
        folder = str(Path.cwd())

    def find_bank() -> BankReader:
        from bankd.wiring.reader import BankReader

        return BankReader(locate_workspace(arguments.workspace), folder=folder)

    # Claude Code tells its servers the same session as its hooks; for other agents this is not known.
    methods = BankMethods(find_bank, session=os.environ.get("CLAUDE_CODE_SESSION_ID", ""))
    McpServer(take_standard_streams(), methods.by_name()).serve()
    return 0


def _serve_http(arguments: Namespace) -> int:
    import logging

    from bankd.agents.remote import PORT, Tokens, serve_http

    root = find_workspace(arguments.workspace).resolve()
    if bool(arguments.cert) != bool(arguments.key):
        raise UsageError("--cert and --key go together")
    port = PORT if arguments.port is None else arguments.port
    if port > 65_535:
        raise UsageError("--port must be from 0 to 65535")

    def announce(url: str) -> None:
        none = "" if Tokens(root).names() else _("no agent has a token yet: bankctl mcp token add NAME")
        say("; ".join(filter(None, [_(f"{url} serves {root}"), none])))
        sys.stdout.flush()

    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    tls_files = (arguments.cert, arguments.key) if arguments.cert else None
    serve_http(str(root), arguments.listen or "127.0.0.1", port, arguments.host, tls_files, announce)
    return 0


def _tokens(arguments: Namespace) -> int:
    """List, make or take away tokens."""
    from bankd.agents.remote import Tokens

    tokens = Tokens(find_workspace(arguments.workspace).resolve())
    if (arguments.what == "list") == bool(arguments.name):
        raise UsageError(f"usage: bankctl mcp token {arguments.what}{' NAME' if arguments.what != 'list' else ''}")
    if arguments.what == "add":
        token = tokens.add(arguments.name)
        shown_once = styled(_("shown only now; keep it where only the agent can read it"), "dim")
        return say_answer({"name": arguments.name, "token": token}, token, shown_once, as_json=arguments.json)
    if arguments.what == "revoke":
        tokens.revoke(arguments.name)
        said = _(f"{arguments.name} is refused from now on")
        return say_answer({"revoked": arguments.name}, styled(said), as_json=arguments.json)
    names = tokens.names()
    lines = [
        f"{styled(name, 'bold')}{styled(f'  {_(problem)}', 'red') if problem else ''}"
        for name, problem in names.items()
    ]
    rows = [{"name": name, "problem": problem} for name, problem in names.items()]
    none = "" if names else _("no agent has a token; make one with: bankctl mcp token add NAME")
    return say_answer({"tokens": rows}, *lines, none, as_json=arguments.json)
