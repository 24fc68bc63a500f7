"""Every way out of a log masks what looks like a credential, by what bankd knows and by the user's own patterns."""

from __future__ import annotations

import io
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from bankd.agents.tools import BankMethods
from bankd.briefing.choose import NAMES_MODES as MODES
from bankd.cli import main
from bankd.ui.application import make_application
from bankd.ui.guard import Access
from bankd.wiring.banks import Banks
from bankd.wiring.reader import BankReader
from tests.settings import change_setting
from tests.stories.conftest import Run

TOKEN, OWN, KEY, WORD = "ghp_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z", "zebra-4711", "MIIEowIBAAKCAQEA7bq", "Sommer2024!pass"
WIFI = "hunter2secret99"
LOG = f"""# day

The deploy token is {TOKEN} today. The zoo code is {OWN}.

-----BEGIN RSA PRIVATE KEY-----
{KEY}
-----END RSA PRIVATE KEY-----

password: {WORD}

- [ ] TODO rotate {TOKEN} and {OWN}

## Retain
- W: The deploy host is alpha.
  ? what opens {OWN}
  ? what is the token {TOKEN}
- W: The token of the deploy is {TOKEN}.
- W: The zoo opens with {OWN}.
- W: the wifi password of the deploy is {WIFI}
- X: unknown {OWN}
- {TOKEN}: as a tag
- O(c={TOKEN}): odd confidence
- O(c={OWN}): odd confidence
- O(c=0.5, {OWN}): odd day

| a | {OWN} |
|---|---|
| b | {TOKEN} |
"""
LOGS = ("memory/2026-05-08.md", "memory/imports/claude-2026-05-09.md", "memory/sub/2026-05-07.md")
NOW, NOON = ("--now", "2026-05-09T12:00"), datetime(2026, 5, 9, 12, tzinfo=UTC)
COMMANDS = (
    ("cycle", "micro", *NOW), ("search", "--in", "logs", "--weak", "token deploy zoo password"), ("search", "token deploy"),
    ("review", "list",), ("doctor",), ("status",), ("log",), ("show", "1"), ("review", "list", "blocked",), ("doctor", "verify",), ("timeline",), ("page", "links"),
    ("distil", "--rules", *NOW), ("distil", "--dry-run"), ("forget", "--everywhere", "zoo"), ("brief", "morning"), ("related", "bank/patterns/workflows.md"),
)  # fmt: skip


@pytest.fixture
def kept(root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch) -> str:
    """The memory that a run took from these logs."""
    monkeypatch.setattr("bankd.wiring.reader.BankReader.now", lambda _: NOON)
    change_setting(root, "patterns: []", "patterns: ['zebra-[0-9]+']")
    for path in LOGS:
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(LOG, encoding="utf-8")
    (root / "memory/2026-05-06.md").write_bytes(LOG.encode("utf-16"))
    bankctl("cycle", "micro", *NOW)
    page = (root / "bank/patterns/workflows.md").read_text(encoding="utf-8")
    return page.partition("The deploy host is alpha. ^")[2][:14]


def leaks(said: str) -> list[str]:
    return [
        secret for secret in (TOKEN, OWN, KEY, WORD, WIFI) if secret in said.replace("\0", "").replace("\\u0000", "")
    ]


def test_no_command_tells_a_credential(bankctl: Run, kept: str) -> None:
    for words in COMMANDS:
        for answer in (bankctl(*words), bankctl(*words, "--json")):
            assert leaks(answer.out + answer.err) == [], words


def test_a_log_is_shown_line_by_line_without_them(bankctl: Run, kept: str) -> None:
    for path in LOGS:
        for number in range(1, LOG.count("\n") + 1):
            assert leaks(bankctl("show", f"{path}:{number}").out) == [], number
    shown = bankctl("show", kept)
    assert (leaks(shown.out), "what opens [configured pattern]" in shown.out) == ([], True)


def test_no_tool_of_an_agent_tells_one(root: Path, kept: str) -> None:
    call = BankMethods(lambda: BankReader(str(root))).by_name()["tools/call"]
    asked = [{"what": what} for path in (*LOGS, "memory/2026-05-06.md") for what in (path, f"bank://{path}")]
    calls = [("memory_get", one) for one in [*asked, {"what": kept}]]
    calls += [("memory_get", {"what": kept, "related": 2}), ("memory_brief", {"mode": "offered"})]
    calls += [("memory_search", {"query": "token deploy zoo password", "limit": 50})]
    calls += [("memory_brief", {"mode": mode, "about": ["deploy"]}) for mode in MODES]

    for name, arguments in calls:
        said = call({"name": name, "arguments": arguments})
        assert leaks(json.dumps(said, ensure_ascii=False)) == [], (name, arguments)
    text = call({"name": "memory_get", "arguments": asked[0]})["structuredContent"]["text"]
    assert text.count("\n") == LOG.count("\n")
    assert "The deploy token is [GitHub token] today. The zoo code is [configured pattern]." in text


def test_no_view_of_the_page_shows_one(root: Path, kept: str) -> None:
    access = Access(8787)
    page = TestClient(make_application(Banks(lambda: {"w": str(root)}), access), base_url="http://127.0.0.1:8787")
    page.get("/", params={"token": access.token})
    views = [*(f"page?path={path}" for path in (*LOGS, "memory/2026-05-06.md")), "search?q=token+deploy+zoo", "review"]

    for view in [*views, "home", "people", "timeline", "map", "health", "activity", f"memory/{kept}"]:
        answer = page.get(f"/w/{view}")
        assert (answer.status_code, leaks(answer.text)) == (200, []), view


@pytest.mark.parametrize("event", ["SessionStart", "UserPromptSubmit"])
def test_no_session_hears_one(
    root: Path, kept: str, event: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    said = json.dumps({"prompt": "what is the token of the deploy host alpha?", "source": "startup", "session_id": "s"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(said.encode())))
    capsys.readouterr()
    main(["hook", event])

    assert leaks(capsys.readouterr().out) == []
