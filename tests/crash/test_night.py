"""A night with a model, killed at every change of the disk: the next night goes on, and no line comes twice."""

from __future__ import annotations

import shutil
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bankd.app.distil import ask_models
from bankd.storage import tree
from bankd.storage.tree import Syscalls
from bankd.wiring.workspace import open_workspace
from tests.crash import outside
from tests.crash.faults import FaultyCalls, Killed, kills
from tests.crash.world import bank_of
from tests.settings import make_quick_workspace
from tests.stories.test_distilling import PROGRAM, PROSE

Patch = pytest.MonkeyPatch
LOGS = {"2026-06-08.md": PROSE.replace("2026-05-02", "2026-06-08"), "2026-06-09.md": "# 2026-06-09\n\nIt rained.\n"}


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace whose night was asked about already, so that no run starts a process."""
    root = tmp_path_factory.mktemp("night") / "w"
    make_quick_workspace(root)
    program = root.with_name("model.py")
    program.write_text(PROGRAM.replace('"SQLite" in asked', '"moved the queue" in asked'), "utf-8")
    model = f"distil: {{provider: command, command: {sys.executable} {program}}}"
    (root / "bankd.yaml").write_text(f"search: {{analyser: lexicon}}\nsettle_seconds: 0\n{model}\n", "utf-8")
    for name, text in LOGS.items():
        (root / "memory" / name).write_text(text, "utf-8")
    with open_workspace(root, datetime.fromisoformat(outside.NOW).astimezone(UTC), write=False) as workspace:
        assert not ask_models(workspace)
    return root


def state_of(root: Path) -> dict[str, bytes]:
    return bank_of(root) | {one.name: one.read_bytes() for one in (root / "memory/distilled").glob("*.md")}


def one_night(template: Path, root: Path, calls: FaultyCalls) -> dict[str, bytes]:
    shutil.copytree(template, root)
    with Patch.context() as patch, suppress(Killed):
        patch.setattr(tree, "Syscalls", lambda: calls)
        assert outside.run(root) in {0, 3, 75}
    with Patch.context() as patch:
        patch.setattr(tree, "Syscalls", Syscalls)
        assert not outside.recover(root)
    found = state_of(root)
    shutil.rmtree(root)
    return found


def test_a_night_may_be_killed_and_the_next_one_goes_on_with_nothing_twice(template: Path, tmp_path: Path) -> None:
    calls, asked = FaultyCalls(), template.with_name("calls.txt").read_text("utf-8")
    clean = one_night(template, tmp_path / "w", calls)

    assert template.with_name("calls.txt").read_text("utf-8") == asked, (
        "a night is replayed from the replies that were kept"
    )
    assert b"The queue runs on SQLite." in b"".join(clean.values())
    points = [n for n, change in enumerate(calls.log, 1) if n % 12 == 1 or "distilled" in change]
    different = {
        f"{fault.action} at {fault.at} ({calls.log[fault.at - 1]})": sorted(
            name for name in clean.keys() | found.keys() if clean.get(name) != found.get(name)
        )
        for fault in kills(calls.log, points)
        if (found := one_night(template, tmp_path / "w", FaultyCalls(fault))) != clean
    }
    assert different == {}
