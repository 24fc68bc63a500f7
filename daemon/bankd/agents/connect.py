"""Our part in the settings files of agents: put in, taken out again, everything else left as it is written.

What each agent needs to be connected: our plugin where it looks for one, and the lines in its own settings.

Connecting an agent: what its plan says is written, what was there is noted, and given back byte for byte.
"""

from __future__ import annotations

import base64
import json
import os
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
from bankd.errors import UserError
from bankd.shipped import package_folder, shipped_folder

OPENING, CLOSING = "# >>> bankd >>>", "# <<< bankd <<<"


def add_block(text: str, block: str) -> str:
    """A text with our lines at its end, between marks; what stood between such marks is replaced."""
    rest = remove_block(text)
    glue = "" if not rest or rest.endswith("\n") else "\n"
    space = "\n" if rest else ""
    return f"{rest}{glue}{space}{OPENING}\n{block.strip()}\n{CLOSING}\n"


def remove_block(text: str) -> str:
    """A text without our lines and the empty line before them."""
    before, opening, rest = text.partition(OPENING)
    _, closing, after = rest.partition(CLOSING)
    if not opening or not closing:
        return text
    before = before.removesuffix("\n") if before.endswith("\n\n") else before
    return before + after.removeprefix("\n")


def add_to_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON with our keys in it, indented as it was; the same text when they are there. ValueError for what is no object."""
    held = _object_of(text)
    merged = _merged(held, ours)
    return text if merged == held and text.strip() else _written(merged, text)


def remove_from_json(text: str, ours: Mapping[str, Any]) -> str:
    """JSON without our keys, and without the objects that they leave empty."""
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
        elif isinstance(mine, dict) and isinstance(value, dict) and (inner := _without(value, mine)):
            rest[key] = inner
    return rest


def _written(value: Mapping[str, Any], like: str) -> str:
    indent = next((len(line) - len(line.lstrip(" ")) for line in like.splitlines() if line.startswith(" ")), 2)
    end = "\n" if like.endswith("\n") or not like else ""
    return json.dumps(value, ensure_ascii=False, indent=indent) + end


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


def hook_line(event: str, workspace: Path) -> str:
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
                hook["command"] = hook_line(event, workspace)
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


@dataclass(frozen=True, slots=True)
class FileChange:
    """A file before and after; None where there is none."""

    path: Path
    before: bytes | None
    after: bytes | None


def plan_changes(connection: Connection) -> Sequence[FileChange]:
    """The files that connecting would change, as they are and as they would be; UserError for settings that cannot be read."""
    changes = [FileChange(path, _read(path), data) for path, data in connection.files.items()]
    changes += [_edited(path, add) for path, (add, _) in connection.edits.items()]
    return [change for change in changes if change.before != change.after]


def connect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Do it, and note what was there; gives what was changed, which is nothing the second time."""
    changes = plan_changes(connection)
    noted = _read_state(homes)
    own = noted.setdefault(connection.agent, {})
    for change in changes:
        row = own.get(str(change.path))
        was = _original(change, row, connection)
        own[str(change.path)] = {"before": _encoded(was), "after": _digest(change.after)}
    _write(homes.state, json.dumps(noted, indent=1).encode())
    for change in changes:
        _write(change.path, change.after or b"")
    return changes


def disconnect_agent(connection: Connection, homes: Homes) -> Sequence[FileChange]:
    """Give every file its bytes back; one that was changed since loses only what is ours."""
    noted = _read_state(homes)
    own = noted.pop(connection.agent, {})
    changes = [_restored(Path(path), row, connection) for path, row in own.items()]
    changes += [_restored(path, {}, connection) for path in connection.edits if str(path) not in own and path.exists()]
    done = [change for change in changes if change.before != change.after]
    for change in done:
        _put_back(change, is_ours=change.path in connection.files)
    if noted:
        _write(homes.state, json.dumps(noted, indent=1).encode())
    else:
        homes.state.unlink(missing_ok=True)
        with suppress(OSError):  # something else of ours is kept there
            homes.state.parent.rmdir()
    return done


def _original(change: FileChange, row: Mapping[str, Any] | None, connection: Connection) -> bytes | None:
    """What to give back later: what was noted as long as nobody else wrote since, else what is there without ours."""
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
    return FileChange(path, now, now)  # somebody made it theirs


def _edited(path: Path, edit: Edit) -> FileChange:
    before = _read(path)
    return FileChange(path, before, _edit(path, edit, before or b""))


def _edit(path: Path, edit: Edit, data: bytes) -> bytes:
    try:
        return edit(data.decode("utf-8")).encode("utf-8")
    except ValueError as error:
        raise UserError(f"{path}: cannot be read, and was left alone: {error}") from error


def _put_back(change: FileChange, *, is_ours: bool) -> None:
    if change.after is not None:
        _write(change.path, change.after)
        return
    change.path.unlink(missing_ok=True)
    with suppress(OSError):  # not empty, so not ours alone
        for folder in list(change.path.parents)[:4] if is_ours else ():
            folder.rmdir()


def _write(path: Path, data: bytes) -> None:
    """Replace a file whole, where a link leads, with the mode it has."""
    target = path.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    staged = target.with_name(f".{target.name}.bankd")
    try:
        staged.write_bytes(data)
        staged.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o644)
        staged.replace(target)
    except OSError:
        staged.unlink(missing_ok=True)
        raise


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


def _encoded(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode()


def _decoded(text: str | None) -> bytes | None:
    return None if text is None else base64.b64decode(text)
