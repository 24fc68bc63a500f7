"""What the real agents share: a home of their own, a workspace with something in it, and where their programs are."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.errors import BusyError
from bankd.system.clock import read_monotonic
from tests.settings import make_quick_workspace
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
    make_quick_workspace(folder)
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


def json_said_by(*command: str) -> Any:
    """What a program prints as JSON."""
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=300)
    assert ended.returncode == 0, ended.stderr
    return json.loads(ended.stdout)


def turns_asked_in(heard: str, asking: str) -> list[int]:
    """In what a model heard, the numbers of the telling turns after which notes were asked for."""
    told = [len(re.findall(r"module \d+ now needs java", heard[: one.start()])) for one in re.finditer(asking, heard)]
    assert told == sorted(told)
    return told


def blocks_in(texts: Iterable[str]) -> list[str]:
    """Our blocks in what reached a model, whole."""
    joined = "\n".join(texts)
    return [part.partition("</bankd-memory>")[0] for part in joined.split("<bankd-memory>")[1:]]


def logs_with(root: Path, text: str, folder: str = "memory") -> list[Path]:
    """The logs of a folder that hold a text."""
    return [log for log in (root / folder).glob("*.md") if text in log.read_text("utf-8")]


def check_briefed(root: Path, agent: str, prompt: str, blocks: Sequence[str]) -> None:
    """What a first session was told is whole and of the bank, its note is taken, and what it left is a log."""
    assert any("정직을 최우선으로 한다" in block for block in blocks)
    assert any("Rents the desk by the window." in block for block in blocks)
    assert all(len(block) < LARGEST_CONTEXT for block in blocks)
    assert len(logs_with(root, NOTE)) == 1
    check_transcript(root, agent, prompt)


def check_transcript(root: Path, agent: str, prompt: str) -> None:
    """What the session left is a log of what was said, and of nothing that we put in."""
    assert main(["import", "--workspace", str(root)]) == 0
    [log] = (root / "memory/imports" / agent).glob("*.md")
    text = log.read_text(encoding="utf-8")
    assert prompt in text
    assert "bankd-memory" not in text
    assert "정직" not in text


def wait_for_memory(root: Path, text: str) -> None:
    """Wait until a run that a session began has taken a note in, and has ended."""
    end = read_monotonic() + 120
    while not any(text in page.read_text("utf-8") for page in (root / "bank").rglob("*.md")):
        assert read_monotonic() < end, "no run took it in"
        threading.Event().wait(0.2)
    while main(["cycle", "micro", "--no-wait", "--workspace", str(root)]) == BusyError.exit_code:
        assert read_monotonic() < end, "the run does not end"
        threading.Event().wait(0.2)


@contextmanager
def _broken(root: Path) -> Iterator[None]:
    (root / "bankd.yaml").write_text("timezone: [", encoding="utf-8")
    shutil.rmtree(root / ".bankd")
    yield


@contextmanager
def _gone(root: Path) -> Iterator[None]:
    shutil.rmtree(root)
    yield


@contextmanager
def _full(root: Path) -> Iterator[None]:
    aside = root.with_name("aside")
    shutil.move(root, aside)
    root.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", root], check=False).returncode:
        pytest.skip("needs the right to mount a tmpfs")
    try:
        shutil.copytree(aside, root, dirs_exist_ok=True)
        with (root / "filler").open("wb", buffering=0) as filler:
            while filler.tell() < 8 << 20:
                try:
                    filler.write(bytes(4096))
                except OSError:
                    break
        yield
    finally:
        subprocess.run(["umount", "-l", root], check=False)
        root.rmdir()
        aside.rename(root)


WRONG: Mapping[str, Callable[[Path], AbstractContextManager[None]]] = {
    "the disk is full": _full,
    "its settings are broken": _broken,
    "it is gone": _gone,
}
"""What may be wrong with a workspace, as long as it lasts."""
