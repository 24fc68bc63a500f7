"""A workspace of its own for each story, and the commands as a user types them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from tests.settings import change_setting, make_quick_workspace


@dataclass(frozen=True)
class Result:
    """What a command gave back."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Run = Callable[..., Result]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A new workspace in which nothing has to settle: what stories write is finished; tests/service waits.

    What Kiwi makes of Korean is tested where it matters, for it takes seconds to load.
    """
    folder = tmp_path / "ws"
    make_quick_workspace(folder)
    change_setting(folder, "settle_seconds: 5", "settle_seconds: 0")
    return folder


@pytest.fixture
def bankctl(root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run `bankctl` in the workspace."""
    monkeypatch.setenv("BANKD_WORKSPACE", str(root))
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*words: str) -> Result:
        capsys.readouterr()
        code = main(list(words))
        said = capsys.readouterr()
        return Result(code, said.out, said.err)

    return run


def write_log(root: Path, name: str, *lines: str) -> None:
    text = "".join(f"- {line}\n" for line in lines)
    (root / "memory" / name).write_text(f"# day\n\n## Retain\n{text}", encoding="utf-8")


def learn(root: Path, bankctl: Run, name: str, *lines: str, now: str = "2026-06-10T03:00") -> None:
    """Write a log and have a run take it in."""
    write_log(root, name, *lines)
    bankctl("cycle", "micro", "--now", now)


def last_run(bankctl: Run) -> str:
    """The run that `bankctl log` names first."""
    return str(bankctl("log", "--json").json["runs"][0]["run"])


def tree_state(root: Path) -> dict[str, tuple[bytes, int]]:
    """Every file but the derived ones, with its bytes and modification time."""
    files = (path for path in root.rglob("*") if path.is_file() and ".bankd" not in path.parts)
    return {str(path.relative_to(root)): (path.read_bytes(), path.stat().st_mtime_ns) for path in files}
