"""Small banks and logs: what is given, and what is so after the commands or answers of each.

With BANKD_UPDATE=1 the expected trees of links are written anew; the difference is the review.
"""

from __future__ import annotations

import os
import shlex
import shutil
from pathlib import Path

import pytest
import yaml

from bankd.cli import main
from bench.passages import count_found, first_hits, questions, workspace_of_archive, workspace_of_logs

SCENARIOS = sorted(path for path in (Path(__file__).parent / "links").iterdir() if path.is_dir())


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda path: path.name)
def test_links_follow(scenario: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    workspace = tmp_path / "ws"
    shutil.copytree(scenario / "given", workspace)
    (workspace / "memory").mkdir()
    monkeypatch.setenv("BANKD_WORKSPACE", str(workspace))
    told = yaml.safe_load((scenario / "scenario.yaml").read_text(encoding="utf-8"))
    for command in told["run"]:
        assert main(shlex.split(command)) == 0
    if os.environ.get("BANKD_UPDATE"):
        rewrite(workspace, scenario / "expected")

    assert files_of(workspace) == files_of(scenario / "expected")
    assert main(["page", "links"]) == 0
    for command in told.get("back", ()):
        assert main(shlex.split(command)) == 0
    assert not told.get("back") or files_of(workspace) == files_of(scenario / "given")


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


ASKED = [*questions("questions-1"), *questions("questions-2")]
PROMISED = 34


@pytest.mark.parametrize("group", ["logs", "archive"])
def test_the_answer_is_among_the_first_three_of_a_group(group: str) -> None:
    assert len(ASKED) == 40
    with workspace_of_logs() if group == "logs" else workspace_of_archive(ASKED) as searching:
        assert count_found(searching, ASKED) >= PROMISED
        assert {hit["group"] for question in ASKED for hit in first_hits(searching, question["text"])} == {group}
