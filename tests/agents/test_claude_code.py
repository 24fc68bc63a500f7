"""Claude Code itself, connected: briefed, reminded, taking notes, leaving its transcript, and unharmed by a broken bank.

Needs the program `claude`: in PATH, or where BANKD_CLAUDE says.
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
from tests.agents.terminal import running

pytestmark = pytest.mark.full

PROMPT = "where does Peter sit, by the window?"
QUIET = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}


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
        allowed = "mcp__plugin_bankd_bankd__memory_note"
        ended = subprocess.run(
            [claude, "-p", PROMPT, "--allowedTools", allowed], check=False, cwd=cwd, stdin=subprocess.DEVNULL,
            capture_output=True, timeout=180, env={**os.environ, **own, **QUIET},
        )  # fmt: skip
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, b"done\n", b""), "as without us"
    return model.asked


def contexts_in(request: dict[str, Any]) -> list[str]:
    """Our blocks in what reached the model, whole."""
    contents = [message["content"] for message in request["messages"] if isinstance(message["content"], list)]
    return blocks_in(part["text"] for content in contents for part in content if part.get("type") == "text")


def test_a_session_is_briefed_notes_and_becomes_a_log(claude: str, root: Path, tmp_path: Path) -> None:
    check_briefed(root, "claude-code", PROMPT, contexts_in(session(claude, tmp_path)[0]))
    session(claude, tmp_path)
    wait_for_memory(root, NOTE)


@pytest.mark.parametrize("wrong", WRONG)
def test_a_session_goes_on_unharmed_beside_a_bank_that_cannot_be_used(
    wrong: str, claude: str, root: Path, tmp_path: Path
) -> None:
    with WRONG[wrong](root):
        said = contexts_in(session(claude, tmp_path)[0])

    assert not any("taken in now" in block for block in said)
    assert wrong == "the disk is full" or said == []


def told_in_a_terminal(claude: str, home: Path, cwd: Path, turns: int) -> str:
    """Type telling turns into a session; gives what the model had heard at its end."""
    key, known = "sk-ant-of-nobody-at-all-0000", {"hasTrustDialogAccepted": True}
    allowed = {"customApiKeyResponses": {"approved": [key[-20:]], "rejected": []}, "projects": {str(cwd): known}}
    (home / ".claude.json").write_text(json.dumps({"hasCompletedOnboarding": True, **allowed}))
    model = Model()
    with serving(model) as address:
        own = {**os.environ, **QUIET, "ANTHROPIC_BASE_URL": address, "ANTHROPIC_API_KEY": key}
        with running([claude], cwd, own) as terminal:
            for number in range(1, turns + 1):
                terminal.wait_for(lambda: "✳" in title_of(terminal.shown), "a prompt")
                asked = len(model.asked)
                terminal.type(f"the build of module {number} now needs java")
                terminal.wait_for(lambda asked=asked: len(model.asked) > asked, "a turn")  # type: ignore[misc]
            terminal.wait_for(lambda: "✳" in title_of(terminal.shown), "a prompt")
            terminal.type("/exit")
            terminal.wait_for(lambda: b"--resume" in terminal.shown, "the end")
    return json.dumps(max((one["messages"] for one in model.asked), key=len))


def title_of(shown: bytes) -> str:
    """The last title that a program gave to its terminal: it tells whether Claude Code waits for a prompt."""
    return shown.rpartition(b"\x1b]0;")[2].partition(b"\x07")[0].decode(errors="replace")


def test_notes_are_asked_for_as_often_as_is_said_and_never_in_two_turns(
    claude: str, home: Path, root: Path, tmp_path: Path
) -> None:
    asking = r"nothing of this session is noted|Stop hook feedback:\\nBefore you stop"
    two, many = (told_in_a_terminal(claude, home, tmp_path, turns) for turns in (2, 13))

    assert (turns_asked_in(two, asking), turns_asked_in(many, asking)) == ([], [3, 6, 12])


def test_the_plugin_is_valid_by_its_own_measure(claude: str, home: Path) -> None:
    plugin = home / ".local/share/bankd/claude-code/bankd"
    validate = [claude, "plugin", "validate", str(plugin), "--strict"]

    ended = subprocess.run(validate, check=False, capture_output=True, text=True, timeout=120)

    assert ended.returncode == 0, ended.stdout
    assert json.loads((plugin / ".claude-plugin/plugin.json").read_bytes())["mcpServers"]["bankd"]["args"][0] == "mcp"


def test_disconnecting_gives_the_settings_back_byte_for_byte(home: Path, root: Path, tmp_path: Path) -> None:
    claude = find_program("BANKD_CLAUDE", "claude")
    settings = home / ".claude/settings.json"
    settings.parent.mkdir()
    settings.write_bytes(b'{"cleanupPeriodDays":  30,\r\n\t"permissions": {"deny": []}}')
    before = settings.read_bytes()

    assert main(["connect", "claude-code", "--workspace", str(root)]) == 0
    assert settings.read_bytes() != before
    session(claude, tmp_path)
    assert main(["disconnect", "claude-code", "--workspace", str(root)]) == 0

    assert settings.read_bytes() == before
    assert contexts_in(session(claude, tmp_path)[0]) == []
