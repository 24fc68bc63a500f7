"""Codex itself, connected: briefed and reminded before its first call, taking notes, leaving its transcript, unharmed.

Needs the program `codex`: in PATH, or where BANKD_CODEX says.
"""

from __future__ import annotations

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
SETTINGS = """model = "a-model"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "{address}/v1"
wire_api = "responses"
"""


@pytest.fixture
def codex(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    found = find_program("BANKD_CODEX", "codex")
    monkeypatch.setenv("CODEX_HOME", str(home / ".codex"))
    (home / ".codex").mkdir()
    return found


def session(codex: str, root: Path) -> list[dict[str, Any]]:
    """Connect, and run one session; gives what reached the model."""
    model, cwd = Model(NOTE), root.parent / "project"
    cwd.mkdir(exist_ok=True)
    settings = Path(os.environ["CODEX_HOME"]) / "config.toml"
    unasked = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]
    with serving(model) as address:
        settings.write_text(SETTINGS.format(address=address))
        assert main(["connect", "codex", "--workspace", str(root)]) == 0
        ended = subprocess.run(
            [codex, "exec", "--skip-git-repo-check", *unasked, PROMPT], check=False, cwd=cwd, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=180,
        )  # fmt: skip
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout.strip() == b"done"
    return model.asked


def contexts_in(request: dict[str, Any]) -> list[str]:
    """Our blocks in what reached the model, whole."""
    messages = [item for item in request["input"] if item["type"] == "message"]
    return blocks_in(part["text"] for message in messages for part in message["content"])


def test_a_session_is_briefed_notes_and_becomes_a_log(codex: str, root: Path) -> None:
    blocks = contexts_in(session(codex, root)[0])

    assert any("정직을 최우선으로 한다" in block for block in blocks)
    assert any("Rents the desk by the window." in block for block in blocks)
    assert all(len(block) < LARGEST_CONTEXT for block in blocks)
    assert len(logs_with(root, NOTE)) == 1
    check_transcript(root, "codex", PROMPT)


def test_a_session_goes_on_beside_a_bank_that_is_broken(codex: str, root: Path) -> None:
    assert main(["connect", "codex", "--workspace", str(root)]) == 0
    (root / "bankd.yaml").write_text("timezone: [", encoding="utf-8")
    shutil.rmtree(root / ".bankd")

    assert contexts_in(session(codex, root)[0]) == []
