"""Claude Code itself, connected: briefed, reminded, taking notes, leaving its transcript, and unharmed by a broken bank.

Needs the program `claude`: in PATH, or where BANKD_CLAUDE says.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bankd.app.init import make_workspace
from bankd.cli import main
from tests.agents.model import Model, serving
from tests.stories.conftest import write_log

pytestmark = pytest.mark.full

NOTE = "The hall key is at the gate."
LARGEST_CONTEXT = 9_900
"""Characters of added context that this agent puts before its model whole."""


@pytest.fixture
def claude() -> str:
    found = os.environ.get("BANKD_CLAUDE") or shutil.which("claude")
    if not found:
        pytest.skip("needs the program claude, in PATH or in BANKD_CLAUDE")
    return found


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "ws"
    make_workspace(folder)
    settings = folder / "bankd.yaml"
    settings.write_text(settings.read_text("utf-8").replace("analyser: kiwi", "analyser: lexicon"), encoding="utf-8")
    write_log(folder, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.", "W @Peter: Rents the desk by the window.")
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"):
        monkeypatch.delenv(variable, raising=False)
    workspace = ["--workspace", str(folder)]
    assert main(["cycle", "micro", "--now", "2026-05-05T03:00", *workspace]) == 0
    assert main(["connect", "claude-code", *workspace]) == 0
    return folder


def session(claude: str, prompt: str, cwd: Path) -> list[dict[str, Any]]:
    """Run one session; gives what reached the model."""
    model = Model(NOTE)
    with serving(model) as address:
        own = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none"}
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        allowed = "mcp__plugin_bankd_bankd__memory_note"
        ended = subprocess.run(
            [claude, "-p", prompt, "--allowedTools", allowed], check=False, cwd=cwd, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=180, env={**os.environ, **own, **quiet},
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == b"done"
    return model.asked


def contexts_in(request: dict[str, Any]) -> list[str]:
    """Our blocks in what reached the model, whole."""
    texts = [
        part["text"]
        for message in request["messages"]
        for part in (message["content"] if isinstance(message["content"], list) else [])
        if part.get("type") == "text"
    ]
    joined = "\n".join(texts)
    return [part.partition("</bankd-memory>")[0] for part in joined.split("<bankd-memory>")[1:]]


def test_a_session_is_briefed_notes_and_becomes_a_log(claude: str, root: Path, tmp_path: Path) -> None:
    first = session(claude, "where does Peter sit, by the window?", tmp_path)[0]

    blocks = contexts_in(first)
    assert any("정직을 최우선으로 한다" in block for block in blocks)
    assert all(len(block) < LARGEST_CONTEXT for block in blocks)
    today = [log for log in (root / "memory").glob("*.md") if NOTE in log.read_text("utf-8")]
    assert len(today) == 1

    assert main(["import", "--workspace", str(root)]) == 0

    [log] = (root / "memory/imports/claude-code").glob("*.md")
    text = log.read_text(encoding="utf-8")
    assert "where does Peter sit, by the window?" in text
    assert "bankd-memory" not in text
    assert "정직" not in text


def test_a_session_goes_on_beside_a_bank_that_is_broken(claude: str, root: Path, tmp_path: Path) -> None:
    (root / "bankd.yaml").write_text("timezone: [", encoding="utf-8")
    shutil.rmtree(root / ".bankd")

    assert contexts_in(session(claude, "where does Peter sit, by the window?", tmp_path)[0]) == []


def test_the_plugin_is_valid_by_its_own_measure(claude: str, root: Path, tmp_path: Path) -> None:
    plugin = tmp_path / "home/.local/share/bankd/claude-code/bankd"
    ended = subprocess.run(
        [claude, "plugin", "validate", str(plugin), "--strict"],
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )

    assert ended.returncode == 0, ended.stdout
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_bytes())["mcpServers"]["bankd"]["args"][0] == "mcp"
