"""Hooks over the daemon's socket: answered there, or where it cannot, by the bank itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from bankd.app.init import make_workspace
from bankd.errors import UsageError
from bankd.health.health import QueueFacts
from bankd.service.requests import Requests
from bankd.wiring import asking
from bankd.workspace.waiting import take_transcripts


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_workspace(tmp_path / "ws")
    return tmp_path / "ws"


@pytest.fixture
def requests(root: Path) -> Requests:
    hit = {"id": "m-1", "path": "bank/a.md", "text": "The spare key is with Jiwoo.", "learned": None, "about": []}
    hit |= {"tag": "W", "group": "bank", "superseded_by": None, "changed": None, "line": 3, "heading": ["A"]}
    (root / "bank/a.md").write_text("# A\n\n- W: The spare key is with Jiwoo. ^m-1\n")
    search = SimpleNamespace(answer=lambda request, now, pending: {"hits": [hit], "ok": True})
    held = SimpleNamespace(root=root, search=search, now=lambda: None)
    service = SimpleNamespace(pending=0)
    jobs = SimpleNamespace(log_changed=lambda: None)
    timer = SimpleNamespace(queue=QueueFacts)
    return Requests(cast(Any, held), cast(Any, jobs), cast(Any, timer), cast(Any, service))


def test_the_daemon_recalls_for_a_prompt_each_memory_once_a_session(requests: Requests) -> None:
    asked = {"op": "hook", "event": "UserPromptSubmit", "said": {"prompt": "Who has the spare key?", "session_id": "s"}}
    first, second = (cast("dict[str, Any]", requests.handle(asked)) for _ in range(2))
    assert "spare key is with Jiwoo" in first["context"]
    assert second["context"] == ""


def test_the_daemon_keeps_what_is_handed_over(requests: Requests, root: Path) -> None:
    requests.handle({"op": "hook", "event": "SessionEnd", "said": {"transcript_path": "/t.jsonl"}})
    assert take_transcripts(str(root)) == ["/t.jsonl"]


def test_what_is_no_hook_is_refused(requests: Requests) -> None:
    with pytest.raises(UsageError):
        requests.handle({"op": "hook", "event": 3, "said": {}})


def test_where_the_daemon_cannot_the_bank_itself_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert asking.ask_hook(str(root), "SessionEnd", {}) is None
    monkeypatch.setattr(asking, "send_request", lambda *_: {"ok": False, "error": "no operation 'hook'"})
    assert asking.ask_hook(str(root), "SessionEnd", {}) is None
    told: list[dict[str, Any]] = []

    def send(_root: str, request: dict[str, Any], _seconds: float) -> dict[str, Any]:
        told.append(request)
        return {"ok": True, "context": ""}

    monkeypatch.setattr(asking, "send_request", send)
    assert asking.ask_hook(str(root), "UserPromptSubmit", {"prompt": "가" * 50_000, "model": {}}) == ""
    assert len(told[0]["said"]["prompt"]) == 8_000
    assert "model" not in told[0]["said"]


def test_a_served_hook_imports_next_to_nothing() -> None:
    code = (
        "import sys, bankd.cli.hook;"
        "print([name for name in ('argparse', 'json', 're', 'signal', 'typing', 'collections') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {code}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
