"""Connects an agent: our plugin where it looks for one, and our lines in its settings, the rest of which stays as it is.

What was there before is noted in `connections.json`, and given back byte for byte when the agent is disconnected.
"""

from __future__ import annotations

import base64
import json
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, TypeAlias

from bankd import __version__
from bankd.config import package_folder, replace_file, shipped_folder
from bankd.errors import UserError

OPENING, CLOSING = "# >>> bankd >>>", "# <<< bankd <<<"


def add_block(text: str, block: str) -> str:
    """A text with our lines at its end, between marks. Older lines between such marks are replaced."""
    rest = remove_block(text)
    glue = "" if not rest else "\n" if rest.endswith("\n") else "\n\n"
    return f"{rest}{glue}{OPENING}\n{block.strip()}\n{CLOSING}\n"


def remove_block(text: str) -> str:
    """A text without our lines and the empty line before them."""
    before, opening, rest = text.partition(OPENING)
    _, closing, after = rest.partition(CLOSING)
    if not opening or not closing:
        return text
    before = before.removesuffix("\n") if before.endswith("\n\n") else before
    return before + after.removeprefix("\n")


def add_to_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON with our keys, indented as before; the same text if they are there. ValueError if it is no JSON object."""
    held = _object_of(text)
    merged = _merged(held, ours)
    return text if merged == held and text.strip() else _written(merged, text)


def remove_from_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON without our keys, and without objects that become empty; those that were empty stay."""
    held = _object_of(text)
    rest = _without(held, ours)
    return text if rest == held else _written(rest, text)


def _object_of(text: str) -> dict[str, Any]:
    held = json.loads(text) if text.strip() else {}
    if not isinstance(held, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 -- reported like JSON that cannot be read
    return held


def _merged(held: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(held)
    for key, value in ours.items():
        inner = merged.get(key)
        merged[key] = _merged(inner if isinstance(inner, dict) else {}, value) if isinstance(value, dict) else value
    return merged


def _without(held: Mapping[str, Any], ours: Mapping[str, Any]) -> dict[str, Any]:
    rest: dict[str, Any] = {}
    for key, value in held.items():
        mine = ours.get(key)
        if key not in ours:
            rest[key] = value
        elif isinstance(mine, dict) and isinstance(value, dict) and ((inner := _without(value, mine)) or not value):
            rest[key] = inner
    return rest


def _written(value: Mapping[str, Any], like: str) -> str:
    indent = next((len(line) - len(line.lstrip(" ")) for line in like.splitlines() if line.startswith(" ")), 2)
    end = "\n" if like.endswith("\n") or not like else ""
    return json.dumps(value, ensure_ascii=False, indent=indent) + end


Edit: TypeAlias = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class Connection:
    """How to connect an agent: whole files of ours, edits of its files (add, remove), and what the user does then.

    `left` tells the user what to do after disconnecting, if the agent itself keeps something of bankd.
    """

    agent: str
    files: Mapping[Path, bytes]
    edits: Mapping[Path, tuple[Edit, Edit]]
    advice: str
    left: str = ""


class Homes:
    """The folders of agents and of bankd, by the environment of the user. UserError without HOME."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        """Take the environment."""
        self._environment = environment
        home = environment.get("HOME")
        if not home:
            raise UserError("HOME is not set, so bankd does not know where the agent keeps its settings")
        self.home = Path(home)

    def folder(self, variable: str, usual: str) -> Path:
        """The folder that a variable names, or the usual one in the home folder."""
        return Path(self._environment.get(variable) or self.home / usual)

    @property
    def state(self) -> Path:
        """The file that notes what was there before agents were connected."""
        return self.folder("XDG_STATE_HOME", ".local/state") / "bankd" / "connections.json"

    def plugins(self, agent: str) -> Path:
        """The folder of our plugin for an agent."""
        return self.folder("XDG_DATA_HOME", ".local/share") / "bankd" / agent


def plan_connection(agent: str, workspace: Path, homes: Homes) -> Connection:
    """How to connect an agent to a workspace."""
    plans = {"claude-code": _claude_code, "codex": _codex, "openclaw": _openclaw, "hermes": _hermes}
    return plans[agent](workspace, homes) if agent in plans else _client(agent, workspace, homes)


CLIENTS: Mapping[str, tuple[str, str]] = {
    "cursor": (".cursor/mcp.json", "mcpServers"),
    "windsurf": (".codeium/windsurf/mcp_config.json", "mcpServers"),
    "gemini": (".gemini/settings.json", "mcpServers"),
    "claude-desktop": (".config/Claude/claude_desktop_config.json", "mcpServers"),
    "vscode": (".config/Code/User/mcp.json", "servers"),
    "zed": (".config/zed/settings.json", "context_servers"),
    "opencode": (".config/opencode/opencode.json", "mcp"),
}
"""Clients of MCP: the file of a user's settings below the home folder, or below $XDG_CONFIG_HOME, and the key of servers in it."""


def _client(agent: str, workspace: Path, homes: Homes) -> Connection:
    """The server in the settings of a client that takes nothing else from us, in the shape that its documentation names."""
    path, key = CLIENTS[agent]
    entry = server_entry(workspace)
    if agent == "opencode":
        entry = {"type": "local", "command": [entry["command"], *entry["args"]], "enabled": True}
    elif agent == "vscode":
        entry = {"type": "stdio", **entry}
    ours = {key: {"bankd": entry}}
    below = path.removeprefix(".config/")
    settings = homes.home / path if below == path else homes.folder("XDG_CONFIG_HOME", ".config") / below
    edit: tuple[Edit, Edit] = (lambda text: add_to_json(text, ours), lambda text: remove_from_json(text, ours))
    trust = " in a folder that it trusts" if agent == "gemini" else ""
    return Connection(agent, {}, {settings: edit}, f"start {agent} again{trust}; it has tools, and no hooks")


def find_bankctl() -> str:
    """The program that starts hooks and servers: the one of this installation."""
    beside = Path(sys.executable).with_name("bankctl")
    return str(beside) if beside.exists() else shutil.which("bankctl") or "bankctl"


def hook_line(event: str, workspace: Path) -> str:
    """`bankctl hook EVENT` for a shell. Python starts isolated (-I -S), which halves the time of a hook.

    The code is given by `-c`: for a missing file Python would exit with 2, and with 2 a hook forbids the prompt.
    """
    code = f"import sys; sys.path.append({str(package_folder().parent)!r}); from bankd.cli import main; main()"
    python = [sys.executable, "-I", "-S", "-X", "utf8", "-c", code]
    return shlex.join([*python, "hook", event, "--workspace", str(workspace)])


def server_entry(workspace: Path) -> dict[str, Any]:
    """The command with which a client of MCP starts the server."""
    return {"command": find_bankctl(), "args": ["mcp", "--workspace", str(workspace)]}


def _plugin(workspace: Path, target: Path) -> dict[Path, bytes]:
    """The files of the marketplace and the plugin in it, with this program and the workspace in its commands."""
    source = shipped_folder("integrations") / "plugin"
    files = {target / path.relative_to(source): path.read_bytes() for path in source.rglob("*") if path.is_file()}
    hooks, manifest = target / "bankd/hooks/hooks.json", target / "bankd/.claude-plugin/plugin.json"
    commands, held = json.loads(files[hooks]), json.loads(files[manifest])
    for event, groups in commands["hooks"].items():
        for hook in (hook for group in groups for hook in group["hooks"]):
            hook["command"] = hook_line(event, workspace)
    held["mcpServers"] = {"bankd": server_entry(workspace)}
    for path, value in ((hooks, commands), (manifest, held)):
        files[path] = json.dumps(value, ensure_ascii=False, indent=2).encode() + b"\n"
    for path in [path for path in files if path.name == "SKILL.md"]:
        # A skill here does not need `bankctl` in PATH: its tools are started by their full path.
        lines = files[path].splitlines(keepends=True)
        files[path] = b"".join(line for line in lines if not line.startswith(b"metadata: "))
    return files


def _claude_code(workspace: Path, homes: Homes) -> Connection:
    target = homes.plugins("claude-code")
    ours = {
        "extraKnownMarketplaces": {"bankd": {"source": {"source": "directory", "path": str(target)}}},
        "enabledPlugins": {"bankd@bankd": True},
    }
    settings = homes.folder("CLAUDE_CONFIG_DIR", ".claude") / "settings.json"
    edit: tuple[Edit, Edit] = (lambda text: add_to_json(text, ours), lambda text: remove_from_json(text, ours))
    return Connection("claude-code", _plugin(workspace, target), {settings: edit}, "start a new session of Claude Code")


def _codex(workspace: Path, homes: Homes) -> Connection:
    target, home = homes.plugins("codex"), homes.folder("CODEX_HOME", ".codex")
    files, ours = _plugin(workspace, target), target / "bankd"
    cache = home / "plugins/cache/bankd/bankd" / __version__
    inside = {path: data for path, data in files.items() if path.is_relative_to(ours)}
    files |= {cache / path.relative_to(ours): data for path, data in inside.items()}
    source = json.dumps(str(target), ensure_ascii=False)
    block = f'[marketplaces.bankd]\nsource_type = "local"\nsource = {source}\n\n[plugins."bankd@bankd"]\nenabled = true'
    edit: tuple[Edit, Edit] = (lambda text: add_block(text, block), remove_block)
    advice = "start Codex once and trust the hooks of bankd when it asks: until then they do not run"
    return Connection("codex", files, {home / "config.toml": edit}, advice)


def _openclaw(workspace: Path, homes: Homes) -> Connection:
    target = homes.plugins("openclaw")
    folder = shlex.quote(str(target / "bankd"))
    advice = f"then type: openclaw plugins install --force --accept-capabilities {folder}"
    left = "OpenClaw keeps its own copy until you type: openclaw plugins uninstall bankd"
    return Connection("openclaw", _plugin(workspace, target), {}, advice, left)


def _hermes(workspace: Path, homes: Homes) -> Connection:
    home, source = homes.folder("HERMES_HOME", ".hermes"), shipped_folder("integrations") / "hermes" / "bankd"
    target = home / "plugins" / "bankd"
    files = {target / path.name: path.read_bytes() for path in source.iterdir() if path.is_file()}
    files[target / "bankd.json"] = json.dumps({"bankctl": find_bankctl(), "workspace": str(workspace)}).encode()
    advice = "then choose bankd with: hermes memory setup (memory.provider: bankd)"
    return Connection("hermes", files, {}, advice, "choose another memory with: hermes memory setup")


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; None means that there is no file."""

    path: Path
    before: bytes | None
    after: bytes | None
    is_of_agent: bool = False
    """Whether it holds settings of the agent, and not only what is ours."""


def plan_changes(connection: Connection) -> Sequence[FileChange]:
    """The files that connecting changes, before and after. UserError for settings that cannot be read."""
    changes = [FileChange(path, _read(path), data) for path, data in connection.files.items()]
    for path, (add, _) in connection.edits.items():
        before = _read(path)
        changes.append(FileChange(path, before, _edit(path, add, before or b""), is_of_agent=True))
    return [change for change in changes if change.before != change.after]


_MADE = "folders"
"""Beside the agents in the notes: the folders that connecting made, for whichever of them."""


def connect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Connect it, after noting what was there. Gives what was changed: nothing the second time."""
    changes = plan_changes(connection)
    noted = _read_state(homes)
    own = noted.setdefault(connection.agent, {})
    for change in changes:
        was = _original(change, own.get(str(change.path)), connection)
        before = None if was is None else base64.b64encode(was).decode()
        own[str(change.path)] = {"before": before, "after": _digest(change.after)}
    paths = [homes.state, *(change.path for change in changes)]
    noted.setdefault(_MADE, {}).update({str(one): True for path in paths for one in path.parents if not one.exists()})
    _write(homes.state, json.dumps(noted, indent=1).encode())
    for change in changes:
        _write(change.path, change.after or b"")
    return changes


def disconnect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Restore each file to its bytes, and remove the folders that connecting made and that are empty now.

    A file that was changed since loses only our part. Gives what was changed.
    """
    noted = _read_state(homes)
    own, made = noted.pop(connection.agent, {}), noted.pop(_MADE, {})
    changes = [_restored(Path(path), row, connection) for path, row in own.items()]
    changes += [_restored(path, {}, connection) for path in connection.edits if str(path) not in own and path.exists()]
    done = [change for change in changes if change.before != change.after]
    for change in done:
        if change.after is not None:
            _write(change.path, change.after)
        else:
            change.path.unlink(missing_ok=True)
    if noted:
        _write(homes.state, json.dumps({**noted, _MADE: made}, indent=1).encode())
    else:
        homes.state.unlink(missing_ok=True)
    for folder in sorted(made, reverse=True):  # what is inside a folder comes before it
        with suppress(OSError):  # not empty, so not ours alone
            Path(folder).rmdir()
    return done


def _original(change: FileChange, row: Mapping[str, Any] | None, connection: Connection) -> bytes | None:
    """The content to restore later: what was noted, unless somebody else wrote since; then the present one without our part."""
    if row is not None and row["after"] == _digest(change.before):
        return _decoded(row["before"])
    if change.before is None or change.path not in connection.edits:
        return change.before
    return _edit(change.path, connection.edits[change.path][1], change.before)


def _restored(path: Path, row: Mapping[str, Any], connection: Connection) -> FileChange:
    now = _read(path)
    if now is None or (row and row["after"] == _digest(now)):
        return FileChange(path, now, _decoded(row["before"]) if row and now is not None else None)
    if path in connection.edits:
        return FileChange(path, now, _edit(path, connection.edits[path][1], now))
    return FileChange(path, now, now)  # the user changed it: it stays


def _edit(path: Path, edit: Edit, data: bytes) -> bytes:
    try:
        return edit(data.decode("utf-8")).encode("utf-8")
    except ValueError as error:
        raise UserError(f"{path}: cannot be read ({error}); it was not changed") from error


def _write(path: Path, data: bytes) -> None:
    """Replace a whole file in one step. A symlink is followed, and the mode stays."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    replace_file(target, data, target.stat().st_mode & 0o777 if target.exists() else 0o644)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _read_state(homes: Homes) -> dict[str, dict[str, Any]]:
    try:
        held: dict[str, dict[str, Any]] = json.loads(_read(homes.state) or b"{}")
    except ValueError:
        raise UserError(f"{homes.state}: cannot be read; move it away, then connect again") from None
    return held


def _digest(data: bytes | None) -> str:
    return "" if data is None else sha256(data).hexdigest()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
