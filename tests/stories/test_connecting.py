"""`bankctl connect` and back: an agent gets the memory of a workspace, and its files their bytes again."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
import tomllib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bankd.agents.connect import CLIENTS
from bankd.config import shipped_folder
from tests.stories.conftest import Run, write_log

AGENTS = ("claude-code", "codex", "openclaw", "hermes", *CLIENTS)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "home folder"
    (folder / ".claude").mkdir(parents=True)
    (folder / ".codex").mkdir()
    (folder / ".cursor").mkdir()
    (folder / ".cursor/mcp.json").write_bytes(b'{"mcpServers": {}}')
    (folder / ".claude/settings.json").write_bytes(b'{"theme":"dark",  "enabledPlugins": {"other@x": true}}')
    (folder / ".codex/config.toml").write_bytes(b'model = "m"  # mine')
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "CODEX_HOME", "CLAUDE_CONFIG_DIR", "HERMES_HOME"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HOME", str(folder))
    return folder


def files_of(home: Path) -> dict[str, bytes]:
    return {str(path.relative_to(home)): path.read_bytes() if path.is_file() else b"" for path in home.rglob("*")}


@pytest.mark.parametrize("agent", AGENTS)
def test_connecting_twice_is_connecting_once_and_disconnecting_restores_the_bytes(
    agent: str, home: Path, bankctl: Run
) -> None:
    before = files_of(home)
    said = bankctl("connect", agent, "--dry-run")
    assert said.code == 0
    assert "nothing was written" in said.out
    assert f"noted for disconnect: {home}/.local/state/bankd/connections.json" in said.out
    assert agent not in CLIENTS or '"bankd": {' in said.out  # what is new is shown whole
    assert files_of(home) == before

    assert bankctl("connect", agent).code == 0
    connected = files_of(home)
    assert connected != before
    assert "already" in bankctl("connect", agent).out
    assert files_of(home) == connected

    left = bankctl("disconnect", agent)
    assert left.code == 0
    assert ("openclaw plugins uninstall bankd" in left.out) is (agent == "openclaw")
    assert files_of(home) == before
    assert "not connected" in bankctl("disconnect", agent).out


@pytest.mark.parametrize("agent", CLIENTS)
def test_a_client_gets_the_server_in_its_own_shape_beside_what_is_there(
    agent: str, home: Path, root: Path, bankctl: Run
) -> None:
    path, key = CLIENTS[agent]
    settings = home / path
    settings.parent.mkdir(parents=True, exist_ok=True)
    settings.write_text(f'{{\n    "theme": "dark",\n    "{key}": {{"other": {{"command": "x"}}}}\n}}\n')
    before = settings.read_bytes()

    assert bankctl("connect", agent).code == 0
    held = json.loads(settings.read_bytes())

    assert (held["theme"], held[key]["other"]) == ("dark", {"command": "x"})
    entry = held[key]["bankd"]
    words = entry["command"] if agent == "opencode" else [entry["command"], *entry["args"]]
    assert words[1:] == ["mcp", "--workspace", str(root)]
    assert entry.get("type") == {"opencode": "local", "vscode": "stdio"}.get(agent)
    with pytest.MonkeyPatch.context() as outside:
        outside.delenv("BANKD_WORKSPACE")
        outside.chdir(home)
        assert bankctl("disconnect", agent).code == 0
    assert settings.read_bytes() == before
    settings.write_text("// mine\n{}\n")
    refused = bankctl("connect", agent)
    assert (refused.code != 0, settings.read_text(), str(settings) in refused.err) == (True, "// mine\n{}\n", True)


def test_settings_changed_since_lose_only_what_is_ours(home: Path, bankctl: Run) -> None:
    bankctl("connect", "claude-code")
    bankctl("connect", "codex")
    settings, config = home / ".claude/settings.json", home / ".codex/config.toml"
    held = json.loads(settings.read_bytes())
    settings.write_text(json.dumps({**held, "new": 1}), encoding="utf-8")
    config.write_text(config.read_text(encoding="utf-8") + "[new]\n", encoding="utf-8")

    bankctl("connect", "claude-code")
    bankctl("disconnect", "claude-code")
    bankctl("disconnect", "codex")

    assert json.loads(settings.read_bytes()) == {"theme": "dark", "enabledPlugins": {"other@x": True}, "new": 1}
    assert tomllib.loads(config.read_text(encoding="utf-8")) == {"model": "m", "new": {}}


def test_another_workspace_takes_the_place_of_the_first(home: Path, bankctl: Run, tmp_path: Path) -> None:
    before = files_of(home)
    bankctl("connect", "claude-code")
    assert bankctl("init", str(tmp_path / "second")).code == 0

    assert bankctl("connect", "claude-code", "--workspace", str(tmp_path / "second")).code == 0

    hooks = (home / ".local/share/bankd/claude-code/bankd/hooks/hooks.json").read_text(encoding="utf-8")
    assert f"--workspace {tmp_path}/second" in hooks
    bankctl("disconnect", "claude-code")
    assert files_of(home) == before


def test_settings_that_cannot_be_read_are_named_and_nothing_is_written(home: Path, bankctl: Run) -> None:
    (home / ".claude/settings.json").write_bytes(b"// mine\n{}")
    before = files_of(home)

    said = bankctl("connect", "claude-code")

    assert said.code == 3
    assert "settings.json: cannot be read" in said.err
    assert files_of(home) == before


def test_what_is_installed_starts_this_program_for_this_workspace(home: Path, root: Path, bankctl: Run) -> None:
    bankctl("connect", "codex")
    cache = next((home / ".codex/plugins/cache/bankd/bankd").iterdir())
    plugin = json.loads((cache / ".claude-plugin/plugin.json").read_bytes())
    hooks = json.loads((cache / "hooks/hooks.json").read_bytes())["hooks"]

    assert plugin["mcpServers"]["bankd"]["args"] == ["mcp", "--workspace", str(root)]
    skills = [path.read_text(encoding="utf-8") for path in cache.glob("skills/*/SKILL.md")]
    assert ["bins" in skill for skill in skills] == [False, False]  # what it asks for in PATH need not be there
    for event, groups in hooks.items():
        [hook] = groups[0]["hooks"]
        ended = subprocess.run(hook["command"], shell=True, check=False, input=b"{}", capture_output=True, timeout=60)
        assert (ended.returncode, ended.stderr) == (0, b""), event


def test_an_installed_hook_answers_from_the_bank_without_a_daemon(home: Path, root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.")
    assert bankctl("cycle", "micro", "--now", "2026-05-05T03:00").code == 0
    bankctl("connect", "claude-code")
    hooks = json.loads((home / ".local/share/bankd/claude-code/bankd/hooks/hooks.json").read_bytes())["hooks"]
    command = hooks["UserPromptSubmit"][0]["hooks"][0]["command"]

    said = json.dumps({"session_id": "s", "prompt": "내 가치관이 뭐였지?"}).encode()
    ended = subprocess.run(command, shell=True, check=False, input=said, capture_output=True, timeout=60)

    assert ended.stderr == b""
    assert ended.stdout.isascii()
    assert "정직을 최우선으로 한다." in json.loads(ended.stdout)["hookSpecificOutput"]["additionalContext"]


def test_any_other_agent_is_told_what_to_start(home: Path, root: Path, bankctl: Run) -> None:
    before = files_of(home)

    entry = bankctl("connect", "mcp", "--json").json

    assert entry["mcpServers"]["bankd"]["args"] == ["mcp", "--workspace", str(root)]
    assert "bankctl search" in bankctl("connect", "mcp").out
    assert files_of(home) == before


def test_the_skills_and_the_plugin_name_what_there_is() -> None:
    plugin = shipped_folder("integrations") / "plugin/bankd"
    texts = [path.read_text(encoding="utf-8") for path in plugin.glob("skills/*/SKILL.md")]

    assert len(texts) == 2
    assert all(text.startswith("---\nname: ") and "\ndescription: " in text for text in texts)
    assert set(json.loads((plugin / "hooks/hooks.json").read_bytes())["hooks"]) == {
        "SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd",
    }  # fmt: skip


@pytest.fixture
def provider(home: Path, root: Path, bankctl: Run) -> Iterator[Any]:
    """The provider as Hermes loads it, over a stand-in for the class that Hermes has it derive from."""
    base = types.ModuleType("agent.memory_provider")
    base.MemoryProvider = object  # type: ignore[attr-defined]
    sys.modules["agent"], sys.modules["agent.memory_provider"] = types.ModuleType("agent"), base
    assert bankctl("connect", "hermes").code == 0
    spec = importlib.util.spec_from_file_location("bankd_hermes", home / ".hermes/plugins/bankd/__init__.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    yield module.BankdProvider()
    del sys.modules["agent"], sys.modules["agent.memory_provider"]


def test_hermes_recalls_notes_and_hands_over(provider: Any, home: Path, root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.")
    assert bankctl("cycle", "micro", "--now", "2026-05-05T03:00").code == 0
    assert provider.is_available()
    provider.initialize("s-1", hermes_home=str(home / ".hermes"))

    recalled = next(filter(None, (provider.prefetch("내 가치관이 뭐였지?") for _ in range(10))))  # silent when too slow

    assert "정직" in recalled
    assert provider.prefetch("네 계속해줘") == ""
    assert "memory_note" in {tool["name"] for tool in provider.get_tool_schemas()}
    assert json.loads(provider.handle_tool_call("memory_note", {"text": "Tea is green."}))["written"]
    provider.on_session_end([{"role": "user", "content": "hi"}, {"role": "tool", "content": "x"}])
    [waiting] = (root / ".bankd/transcripts.jsonl").read_text(encoding="utf-8").splitlines()
    held = json.loads(Path(json.loads(waiting)["transcript"]).read_text(encoding="utf-8"))
    assert [turn["content"] for turn in held["messages"]] == ["hi"]


def test_hermes_hears_nothing_of_a_bank_that_is_gone(provider: Any, root: Path) -> None:
    provider.initialize("s-1")
    (root / "bankd.yaml").unlink()

    assert not provider.is_available()
    assert provider.prefetch("내 가치관이 뭐였지?") == ""
    assert "error" in json.loads(provider.handle_tool_call("memory_search", {"query": "x"}))
