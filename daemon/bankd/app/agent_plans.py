"""What each agent needs to be connected: our plugin where it looks for one, and the lines in its own settings."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bankd import __version__
from bankd.core.agents.config_edits import add_block, add_to_json, remove_block, remove_from_json
from bankd.errors import UserError
from bankd.shipped import package_folder, shipped_folder

Files: TypeAlias = dict[Path, bytes]
Edit: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Connection:
    """What connecting an agent means: files that are all ours, edits of its own with the way back, what is left to do."""

    agent: str
    files: Files
    edits: Mapping[Path, tuple[Edit, Edit]]
    advice: str


class Homes:
    """Where agents and bankd keep their things, by the environment of the user."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the environment; without HOME there is nothing to connect."""
        self._environment = environment
        home = environment.get("HOME")
        if not home:
            raise UserError("HOME is not set, so there is nowhere to connect an agent")
        self.home = Path(home)

    def folder(self, variable: str, usual: str) -> Path:
        """The folder that a variable names, or the usual one below the home."""
        return Path(self._environment.get(variable) or self.home / usual)

    @property
    def state(self) -> Path:
        """What was there before agents were connected."""
        return self.folder("XDG_STATE_HOME", ".local/state") / "bankd" / "connections.json"

    def plugins(self, agent: str) -> Path:
        """Our copy of the plugin for an agent."""
        return self.folder("XDG_DATA_HOME", ".local/share") / "bankd" / agent


def plan_connection(agent: str, workspace: Path, homes: Homes) -> Connection:
    """What there is to do for an agent and a workspace."""
    plans = {"claude-code": _claude_code, "codex": _codex, "openclaw": _openclaw, "hermes": _hermes}
    return plans[agent](workspace, homes)


def find_bankctl() -> str:
    """The program that hooks and servers are started by: the one of this installation."""
    beside = Path(sys.executable).with_name("bankctl")
    return str(beside) if beside.exists() else shutil.which("bankctl") or "bankctl"


def hook_command(event: str, workspace: Path) -> str:
    """`bankctl hook EVENT` for a shell, without what Python looks for around itself: half of the time of a hook.

    By `-c`, for a file that is gone would make Python leave with 2, and with that a hook forbids the prompt.
    """
    code = f"import sys; sys.path.append({str(package_folder().parent)!r}); from bankd.cli import main; main()"
    python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", code]
    return shlex.join([*python, "hook", event, "--workspace", str(workspace)])


def server_entry(workspace: Path) -> dict[str, Any]:
    """The command with which any client of MCP starts the server."""
    return {"command": find_bankctl(), "args": ["mcp", "--workspace", str(workspace)]}


def _plugin(workspace: Path, target: Path) -> Files:
    """The marketplace and the plugin in it, with the program and the workspace written in."""
    source = shipped_folder("integrations") / "plugin"
    files = {target / path.relative_to(source): path.read_bytes() for path in source.rglob("*") if path.is_file()}
    hooks, manifest = target / "bankd/hooks/hooks.json", target / "bankd/.claude-plugin/plugin.json"
    files[hooks] = _with_commands(files[hooks], workspace)
    files |= {path: _without_needs(data) for path, data in files.items() if path.name == "SKILL.md"}
    held = json.loads(files[manifest])
    held["mcpServers"] = {"bankd": server_entry(workspace)}
    files[manifest] = json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"
    return files


def _without_needs(skill: bytes) -> bytes:
    """A skill that does not ask for `bankctl` in PATH: its tools are started from where they are."""
    return b"".join(line for line in skill.splitlines(keepends=True) if not line.startswith(b"metadata: "))


def _with_commands(hooks: bytes, workspace: Path) -> bytes:
    """The hooks as they are started by this installation, for a workspace."""
    held = json.loads(hooks)
    for event, groups in held["hooks"].items():
        for group in groups:
            for hook in group["hooks"]:
                hook["command"] = hook_command(event, workspace)
    return json.dumps(held, ensure_ascii=False, indent=2).encode() + b"\n"


def _claude_code(workspace: Path, homes: Homes) -> Connection:
    target = homes.plugins("claude-code")
    ours = {
        "extraKnownMarketplaces": {"bankd": {"source": {"source": "directory", "path": str(target)}}},
        "enabledPlugins": {"bankd@bankd": True},
    }
    settings = homes.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    edits: dict[Path, tuple[Edit, Edit]] = {
        settings: (lambda text: add_to_json(text, ours), lambda text: remove_from_json(text, ours))
    }
    return Connection("claude-code", _plugin(workspace, target), edits, "start a new session of Claude Code")


def _codex(workspace: Path, homes: Homes) -> Connection:
    target, home = homes.plugins("codex"), homes.folder("CODEX_HOME", ".codex")
    files = _plugin(workspace, target)
    cache = home / "plugins/cache/bankd/bankd" / __version__
    files |= {
        cache / path.relative_to(target / "bankd"): data
        for path, data in files.items()
        if path.is_relative_to(target / "bankd")
    }
    source = json.dumps(str(target), ensure_ascii=False)
    block = f'[marketplaces.bankd]\nsource_type = "local"\nsource = {source}\n\n[plugins."bankd@bankd"]\nenabled = true'
    edits: dict[Path, tuple[Edit, Edit]] = {home / "config.toml": (lambda text: add_block(text, block), remove_block)}
    return Connection(
        "codex", files, edits, "start Codex once and trust the hooks of bankd when it asks: until then they do not run"
    )


def _openclaw(workspace: Path, homes: Homes) -> Connection:
    target = homes.plugins("openclaw")
    folder = shlex.quote(str(target / "bankd"))
    advice = f"then type: openclaw plugins install --force --accept-capabilities {folder}"
    return Connection("openclaw", _plugin(workspace, target), {}, advice)


def _hermes(workspace: Path, homes: Homes) -> Connection:
    home, source = homes.folder("HERMES_HOME", ".hermes"), shipped_folder("integrations") / "hermes" / "bankd"
    target = home / "plugins" / "bankd"
    files = {target / path.name: path.read_bytes() for path in source.iterdir() if path.is_file()}
    files[target / "bankd.json"] = json.dumps({"bankctl": find_bankctl(), "workspace": str(workspace)}).encode()
    return Connection("hermes", files, {}, "then choose bankd with: hermes memory setup (memory.provider: bankd)")


def agents_text() -> str:
    """What to put into AGENTS.md, or any file that an agent reads at its start."""
    return (shipped_folder("integrations") / "AGENTS.md").read_text(encoding="utf-8")


def user_homes() -> Homes:
    """The homes of the user who runs this."""
    return Homes(os.environ)
