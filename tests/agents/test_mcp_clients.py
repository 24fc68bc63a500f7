"""The MCP server before clients that others wrote: the official one for Python, the inspector, the conformance suite.

Each is skipped where its program is not found: the package `mcp` (for the Python in BANKD_MCP_PYTHON, else for this one),
`mcp-inspector` and `conformance` (in PATH, or where BANKD_INSPECTOR and BANKD_CONFORMANCE say), which need Node 22.19.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from bankd.agents.connect import server_entry
from bankd.agents.tools import HERE, offered_tools
from bankd.cli import main
from tests.agents.conftest import find_program, json_said_by
from tests.contracts.test_http_door import serving, token_of
from tests.settings import make_quick_workspace
from tests.stories.conftest import write_log

pytestmark = pytest.mark.full

QUESTION = "What does Peter prefer?"
TOOLS = [tool["name"] for tool in offered_tools(HERE)]

FOREIGN = "calls a tool, page or prompt that only the suite's own server has"
UNDECLARED = "is about what the server says that it does not do"
CANNOT = {
    **dict.fromkeys(("completion-complete", "logging-set-level", "resources-subscribe", "resources-unsubscribe"), UNDECLARED),
    **dict.fromkeys(("json-schema-2020-12", "http-custom-header-server-validation"), FOREIGN),
}  # fmt: skip
"""Scenarios of the conformance suite that no server like this one passes, and why; so do those that begin as below."""
CANNOT_BEGIN = {
    "elicitation-": UNDECLARED,
    "input-required-result-": UNDECLARED,
    "prompts-get-": FOREIGN,
    "resources-read-": FOREIGN,
    "resources-templates-read": FOREIGN,
    "tasks-": UNDECLARED,
    "tools-call-": FOREIGN,
}
CANNOT_CHECK = {
    "sep-2575-missing-capability-http-400": FOREIGN,
    "sep-2575-http-server-no-independent-requests-on-stream": FOREIGN,
    "sep-2575-server-rejects-undeclared-capability": FOREIGN,
    "sep-2575-server-no-log-without-loglevel": FOREIGN,
}
"""Checks of scenarios of which the others pass."""
ONLY_NEW = ("sep-2164-resource-not-found", "caching", "http-header-validation")


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What any client is told to start, for a workspace with something in it."""
    root = tmp_path / "ws"
    make_quick_workspace(root)
    write_log(root, "2026-05-04.md", "O(c=0.90) @Peter: Prefers concise replies.")
    assert main(["cycle", "micro", "--now", "2026-05-05T03:00", "--workspace", str(root)]) == 0
    entry = server_entry(root)
    return [entry["command"], *entry["args"]]


@pytest.fixture
def sdk() -> list[str]:
    """The program that talks as the official client does."""
    python = os.environ.get("BANKD_MCP_PYTHON") or sys.executable
    if subprocess.run([python, "-c", "import mcp"], check=False, capture_output=True).returncode:
        pytest.skip("needs a Python with the package mcp, in BANKD_MCP_PYTHON")
    return [python, str(Path(__file__).with_name("sdk_client.py"))]


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
@pytest.mark.parametrize("over", ["stdio", "http"])
def test_the_official_client_lists_asks_and_notes_in_both_eras(
    server: list[str], sdk: list[str], mode: str, over: str, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(server[-1])
    with ExitStack() as served:
        if over == "http":
            door = served.enter_context(serving(root, token_of(root, "sdk", capsys)))
            said = json_said_by(*sdk, mode, f"http://127.0.0.1:{door.port}/mcp", door.token)
        else:
            said = json_said_by(*sdk, mode, *server)

    assert said["tools"] == (TOOLS if over == "stdio" else ["memory_search", "memory_get", "memory_note"])
    assert said["page"].startswith("# Inbox")
    assert said["hits"] == ["Prefers concise replies."]
    assert "Prefers concise replies." in said["prompt"]
    assert (said["noted"], said["refused"], said["answered"]) == (True, True, 100)


def test_the_inspector_shows_everything_and_calls_a_tool(server: list[str]) -> None:
    inspect = [find_program("BANKD_INSPECTOR", "mcp-inspector"), "--cli", *server, "--method"]

    listed = {
        kind: json_said_by(*inspect, method)[kind]
        for kind, method in {
            "tools": "tools/list",
            "resources": "resources/list",
            "resourceTemplates": "resources/templates/list",
            "prompts": "prompts/list",
        }.items()
    }
    found = json_said_by(*inspect, "tools/call", "--tool-name", "memory_search", "--tool-arg", f"query={QUESTION}")
    page = json_said_by(*inspect, "resources/read", "--uri", "bank://opinions/preferences.md")

    assert [tool["name"] for tool in listed["tools"]] == TOOLS
    assert all(listed.values())
    assert "Prefers concise replies." in found["structuredContent"]["hits"][0]
    assert "Prefers concise replies." in page["contents"][0]["text"]


@pytest.mark.parametrize(
    ("revision", "must"),
    [
        ("2025-11-25", {"server-initialize", "ping", "tools-list", "resources-list", "dns-rebinding-protection"}),
        ("2026-07-28", {"server-stateless", "tools-list", "resources-list", "prompts-list", *ONLY_NEW}),
    ],
)
def test_the_conformance_suite_finds_only_what_it_cannot_ask_here(
    server: list[str], revision: str, must: set[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite = find_program("BANKD_CONFORMANCE", "conformance")
    root, results = Path(server[-1]), tmp_path / "results"
    token = token_of(root, "suite", capsys)
    # The suite knows no tokens, so each of its requests gets one here.
    named = f"data.replace(b'\\r\\n', b'\\r\\nAuthorization: Bearer {token}\\r\\n', 1)"
    with serving(
        root, token, changes=f"read = remote.read_head; remote.read_head = lambda data: read({named})"
    ) as door:
        subprocess.run(
            [suite, "server", "--url", f"http://localhost:{door.port}/mcp", "--requirements", revision, "-o", str(results)],
            check=False, capture_output=True, timeout=300,
        )  # fmt: skip

    checked = {file.parent.name: json.loads(file.read_bytes()) for file in results.glob("server-*/checks.json")}
    by_scenario = {
        re.split(r"-\d{4}-\d\d-\d\dT", name.removeprefix("server-"))[0]: checks for name, checks in checked.items()
    }

    assert must <= set(by_scenario)
    assert failures_of(by_scenario) == {}


def failures_of(checked: dict[str, list[dict[str, Any]]]) -> dict[str, list[str]]:
    """By scenario the checks that failed although they could be made."""
    failed = {
        name: [c["id"] for c in checks if c["status"] == "FAILURE" and c["id"] not in CANNOT_CHECK]
        for name, checks in checked.items()
        if name not in CANNOT and not name.startswith(tuple(CANNOT_BEGIN))
    }
    return {name: checks for name, checks in failed.items() if checks}
