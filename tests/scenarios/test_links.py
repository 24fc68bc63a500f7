"""Two small banks each: what is given, and what it has to be after the commands of `scenario.yaml`.

With BANKD_UPDATE=1 the expected trees are written anew; the difference is the review.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from bankd.cli import main

SCENARIOS = sorted(path for path in (Path(__file__).parent / "links").iterdir() if path.is_dir())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
def test_links_follow(scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = tmp_path / "ws"
    shutil.copytree(scenario / "given", workspace)
    (workspace / "memory").mkdir()
    monkeypatch.setenv("BANKD_WORKSPACE", str(workspace))
    for command in yaml.safe_load((scenario / "scenario.yaml").read_text(encoding="utf-8"))["run"]:
        assert main(shlex.split(command)) == 0
    if os.environ.get("BANKD_UPDATE"):
        rewrite(workspace, scenario / "expected")

    assert files_of(workspace) == files_of(scenario / "expected")
    assert main(["page", "links"]) == 0


def files_of(root: Path) -> dict[str, str]:
    """The files that people write: settings, bank and other folders."""
    ours = {".bankd", "events", "recall", "memory", "archive", "_meta"}
    return {
        path.relative_to(root).as_posix(): path.read_bytes().decode()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not ours & set(path.relative_to(root).parts)
    }


def rewrite(workspace: Path, expected: Path) -> None:
    shutil.rmtree(expected, ignore_errors=True)
    for name, text in files_of(workspace).items():
        (expected / name).parent.mkdir(parents=True, exist_ok=True)
        (expected / name).write_bytes(text.encode())
