"""Codex itself, connected: briefed and reminded before its first call, taking notes, leaving its transcript, unharmed.

Needs the program `codex`: in PATH, or where BANKD_CODEX says.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from tests.agents.conftest import (
    NOTE,
    WRONG,
    blocks_in,
    check_briefed,
    find_program,
    turns_asked_in,
    wait_for_memory,
)
from tests.agents.model import Model, serving

pytestmark = pytest.mark.full

PROMPT = "where does Peter sit, by the window?"
SETTINGS = """model = "a-model"
model_provider = "here"
[model_providers.here]
name = "here"
base_url = "{address}/v1"
wire_api = "responses"
[projects."{folder}"]
trust_level = "trusted"
"""
UNASKED = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-bypass-hook-trust"]


@pytest.fixture
def codex(home: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    found = find_program("BANKD_CODEX", "codex")
    monkeypatch.setenv("CODEX_HOME", str(home / ".codex"))
    (home / ".codex").mkdir()
    return found


def connect(root: Path, cwd: Path, address: str) -> bytes:
    """Connect, where the workspace is there; gives the settings as they were before."""
    cwd.mkdir(exist_ok=True)
    settings = Path(os.environ["CODEX_HOME"]) / "config.toml"
    if settings.exists():
        assert main(["disconnect", "codex", "--workspace", str(root)]) == 0
    settings.write_text(SETTINGS.format(address=address, folder=cwd))
    before = settings.read_bytes()
    assert main(["connect", "codex", "--workspace", str(root)]) == 0
    assert settings.read_bytes() != before
    return before


def session(codex: str, root: Path) -> list[dict[str, Any]]:
    """Run one session, connected where there is a workspace; gives what reached the model."""
    model, cwd = Model(NOTE), root.parent / "project"
    with serving(model) as address:
        connect(root, cwd, address)
        assert run(codex, cwd, PROMPT).stdout.strip() == b"done"
    return model.asked


def run(codex: str, cwd: Path, prompt: str, *how: str) -> subprocess.CompletedProcess[bytes]:
    """Give one prompt to a session, a new one or, with `resume --last`, the last one."""
    command = [codex, "exec", *how, "--skip-git-repo-check", *UNASKED, prompt]
    ended = subprocess.run(command, check=False, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, timeout=180)
    assert ended.returncode == 0, ended.stderr
    return ended


def contexts_in(request: dict[str, Any]) -> list[str]:
    """Our blocks in what reached the model, whole."""
    messages = [item for item in request["input"] if item["type"] == "message"]
    return blocks_in(part["text"] for message in messages for part in message["content"])


def test_a_session_is_briefed_notes_and_becomes_a_log(codex: str, root: Path) -> None:
    check_briefed(root, "codex", PROMPT, contexts_in(session(codex, root)[0]))
    session(codex, root)
    wait_for_memory(root, NOTE)


def test_a_session_goes_on_unharmed_beside_a_bank_that_cannot_be_used(codex: str, root: Path) -> None:
    model, cwd = Model(), root.parent / "project"
    with serving(model) as address:
        connect(root, cwd, address)
        for wrong, breaking in WRONG.items():
            with breaking(root):
                ended = run(codex, cwd, PROMPT)
            assert ended.stdout.strip() == b"done", wrong
            assert wrong == "the disk is full" or contexts_in(model.asked[-1]) == [], wrong


def test_notes_are_asked_for_as_often_as_is_said_and_the_settings_come_back(codex: str, root: Path) -> None:
    model, cwd = Model(), root.parent / "project"
    with serving(model) as address:
        before = connect(root, cwd, address)
        for number in range(1, 14):
            again = ("resume", "--last") if number > 1 else ()
            run(codex, cwd, f"the build of module {number} now needs java", *again)
    heard = json.dumps(max((one["input"] for one in model.asked), key=len))

    assert turns_asked_in(heard, "nothing of this session is noted|Before you stop: note") == [3, 6, 12]
    assert main(["disconnect", "codex", "--workspace", str(root)]) == 0
    assert (Path(os.environ["CODEX_HOME"]) / "config.toml").read_bytes() == before
