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

from bankd.cli import main
from tests.agents.conftest import LARGEST_CONTEXT, NOTE, blocks_in, check_transcript, find_program, logs_with
from tests.agents.model import Model, serving

pytestmark = pytest.mark.full

PROMPT = "where does Peter sit, by the window?"


@pytest.fixture
def claude(root: Path) -> str:
    found = find_program("BANKD_CLAUDE", "claude")
    assert main(["connect", "claude-code", "--workspace", str(root)]) == 0
    return found


def session(claude: str, cwd: Path) -> list[dict[str, Any]]:
    """Run one session; gives what reached the model."""
    model = Model(NOTE)
    with serving(model) as address:
        own = {"ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": "none"}
        quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
        allowed = "mcp__plugin_bankd_bankd__memory_note"
        ended = subprocess.run(
            [claude, "-p", PROMPT, "--allowedTools", allowed], check=False, cwd=cwd, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=180, env={**os.environ, **own, **quiet},
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == b"done"
    return model.asked


def contexts_in(request: dict[str, Any]) -> list[str]:
    """Our blocks in what reached the model, whole."""
    contents = [message["content"] for message in request["messages"] if isinstance(message["content"], list)]
    return blocks_in(part["text"] for content in contents for part in content if part.get("type") == "text")


def test_a_session_is_briefed_notes_and_becomes_a_log(claude: str, root: Path, tmp_path: Path) -> None:
    blocks = contexts_in(session(claude, tmp_path)[0])

    assert any("정직을 최우선으로 한다" in block for block in blocks)
    assert any("Rents the desk by the window." in block for block in blocks)
    assert all(len(block) < LARGEST_CONTEXT for block in blocks)
    assert len(logs_with(root, NOTE)) == 1
    check_transcript(root, "claude-code", PROMPT)


def test_a_session_goes_on_beside_a_bank_that_is_broken(claude: str, root: Path, tmp_path: Path) -> None:
    (root / "bankd.yaml").write_text("timezone: [", encoding="utf-8")
    shutil.rmtree(root / ".bankd")

    assert contexts_in(session(claude, tmp_path)[0]) == []


def test_the_plugin_is_valid_by_its_own_measure(claude: str, home: Path) -> None:
    plugin = home / ".local/share/bankd/claude-code/bankd"
    validate = [claude, "plugin", "validate", str(plugin), "--strict"]

    ended = subprocess.run(validate, check=False, capture_output=True, text=True, timeout=120)

    assert ended.returncode == 0, ended.stdout
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_bytes())["mcpServers"]["bankd"]["args"][0] == "mcp"
