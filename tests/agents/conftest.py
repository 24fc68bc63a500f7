"""What the real agents share: a home of their own, a workspace with something in it, and where their programs are."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest

from bankd.app.init import make_workspace
from bankd.cli import main
from tests.settings import search_by_words
from tests.stories.conftest import write_log

NOTE = "The hall key is at the gate."
LARGEST_CONTEXT = 9_900
"""Characters of added context that an agent puts before its model whole."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of a user who has no agent yet."""
    folder = tmp_path / "home"
    folder.mkdir()
    monkeypatch.setenv("HOME", str(folder))
    for variable in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME"):
        monkeypatch.delenv(variable, raising=False)
    return folder


@pytest.fixture
def root(tmp_path: Path, home: Path) -> Path:
    """A workspace that knows two things."""
    folder = tmp_path / "ws"
    make_workspace(folder)
    search_by_words(folder)
    write_log(folder, "2026-05-04.md", "S: 가치관: 정직을 최우선으로 한다.", "W @Peter: Rents the desk by the window.")
    assert main(["cycle", "micro", "--now", "2026-05-05T03:00", "--workspace", str(folder)]) == 0
    return folder


def find_program(variable: str, name: str) -> str:
    """A program that runs here; skips the test where there is none."""
    found = os.environ.get(variable) or shutil.which(name)
    if not found:
        pytest.skip(f"needs the program {name}, in PATH or in {variable}")
    ended = subprocess.run([found, "--help"], check=False, capture_output=True, text=True, timeout=120)
    if ended.returncode:
        pytest.skip(f"{found} does not run here: {(ended.stderr or ended.stdout).strip()[:200]}")
    return found


def blocks_in(texts: Iterable[str]) -> list[str]:
    """Our blocks in what reached a model, whole."""
    joined = "\n".join(texts)
    return [part.partition("</bankd-memory>")[0] for part in joined.split("<bankd-memory>")[1:]]


def logs_with(root: Path, text: str, folder: str = "memory") -> list[Path]:
    """The logs of a folder that hold a text."""
    return [log for log in (root / folder).glob("*.md") if text in log.read_text("utf-8")]


def check_transcript(root: Path, agent: str, prompt: str) -> None:
    """What the session left is a log of what was said, and of nothing that we put in."""
    assert main(["import", "--workspace", str(root)]) == 0
    [log] = (root / "memory/imports" / agent).glob("*.md")
    text = log.read_text(encoding="utf-8")
    assert prompt in text
    assert "bankd-memory" not in text
    assert "정직" not in text
