"""The same faults put to real processes: `crashpoint` of ../shared stops `bankctl` at its Nth change of the disk."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from tests.examples import examples

ROOT = Path(__file__).resolve().parents[2]
Drive = Callable[..., str]


@pytest.fixture(scope="module")
def drive(shared: Path, tmp_path_factory: pytest.TempPathFactory) -> Drive:
    """Run the driver with a spec of ours; gives what it printed."""
    folder = tmp_path_factory.mktemp("crashpoint")
    runner = compiled(shared / "tools/crashpoint", folder)
    command = f"{sys.executable} -m tests.crash.outside"
    spec = {name: f"{command} {name} {{dir}}" for name in ("setup", "run", "recover", "weak", "check", "hook")}
    spec["exclude"] = ["*/.bankd/index/*", "*/.bankd/analyses*", "*.sqlite3*", "*/recall/*"]  # type: ignore[assignment]
    (folder / "spec.json").write_text(json.dumps(spec))

    def run(*words: str, everything: bool = False) -> str:
        if everything:
            (folder / "spec.json").write_text(json.dumps({**spec, "exclude": []}))
        return driven(shared / "tools/crashpoint", runner, folder, words)

    return run


def driven(tools: Path, runner: Path, folder: Path, words: Sequence[str]) -> str:
    """What the driver prints of the spec in a folder."""
    driver = [sys.executable, str(tools / "faultdrive.py"), words[0], str(folder / "spec.json")]
    environment = {**os.environ, "CRASHPOINT": str(runner), "PYTHONPATH": str(ROOT), "NO_COLOR": "1"}
    options = [*words[1:], "--tmp", str(folder), "-j", "2"]
    done = subprocess.run([*driver, *options], capture_output=True, text=True, env=environment, check=False, cwd=ROOT)
    return done.stdout + done.stderr


def compiled(source: Path, folder: Path) -> Path:
    """Compile the runner; skip where there is no compiler or tracing is forbidden."""
    compiler = shutil.which("gcc")
    if compiler is None or not (source / "crashpoint.c").exists():
        pytest.skip("needs gcc and ../shared/tools/crashpoint")
    runner = folder / "crashpoint"
    subprocess.run([compiler, "-O2", "-o", str(runner), str(source / "crashpoint.c")], check=True)
    tried = subprocess.run([runner, "--dir", str(folder), "--", "/bin/true"], capture_output=True, check=False)
    if tried.returncode:
        pytest.skip(f"tracing is not allowed here: {tried.stderr.decode()[:200]}")
    return runner


def all_passed(said: str, at_least: int) -> bool:
    found = re.search(r"(\d+) cases, (\d+) passed, 0 failed", said)
    return found is not None and int(found[1]) >= at_least


@pytest.mark.full
def test_a_real_process_may_be_killed(drive: Drive) -> None:
    said = drive("crash", "--step", "97", "--max", "3")

    assert all_passed(said, 2), said


@pytest.mark.full
@pytest.mark.parametrize(("words", "at_least"), examples("commands", "faults from outside"))
def test_a_real_process_may_meet_any_fault(drive: Drive, words: str, at_least: str) -> None:
    said = drive(*words.split())
    print(said)

    assert all_passed(said, int(at_least)), said


@pytest.mark.full
def test_a_real_process_may_be_killed_while_it_writes_what_is_derived(drive: Drive) -> None:
    said = drive("crash", "--step", "53", everything=True)
    print(said)

    assert all_passed(said, 10), said


@pytest.mark.full
@pytest.mark.parametrize("file_system", ["ext4", "xfs"])
def test_a_real_power_cut_loses_nothing(drive: Drive, file_system: str) -> None:
    if os.geteuid() or not shutil.which(f"mkfs.{file_system}") or not shutil.which("xfs_io"):
        pytest.skip(f"needs root, mkfs.{file_system} and xfs_io")
    said = drive("powercut", "--fs", file_system, "--step", "31", "-j", "1")
    if "losetup" in said or "mount:" in said:
        pytest.skip(f"loop devices cannot be mounted here: {said[-300:]}")
    print(said)

    assert all_passed(said, 5), said
