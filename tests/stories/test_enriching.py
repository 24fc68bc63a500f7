"""A night in which a model writes what memories are found by: a command stands for it."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

NOW = "2026-05-03T03:00"
PAGE = "bank/patterns/workflows.md"
SAID = "W: The nightly backup workflow writes to the Helsinki mirror."
PROGRAM = """
import json, pathlib, sys
asked = json.load(sys.stdin)["messages"][0]["content"]
calls = pathlib.Path(__file__).with_name("calls.txt")
calls.write_text((calls.read_text() if calls.exists() else "") + asked + "\\n")
lines = [line.partition("| ") for line in asked.splitlines() if line[:1].isdigit()]
row = {"questions": ["where do rsync snapshots land"], "other": ["로컬 스냅숏은 어디에 저장돼"], "gist": "", "entities": []}
print(json.dumps({"statements": [{"number": int(n), **row} for n, _, text in lines if "Helsinki" in text]}))
"""


@pytest.fixture
def night(root: Path, bankctl: Run, tmp_path: Path) -> Path:
    """A workspace whose model has written what the memory about Helsinki is found by, and nothing for another."""
    (tmp_path / "model.py").write_text(PROGRAM, "utf-8")
    settings = root / "bankd.yaml"
    text = settings.read_text("utf-8").replace('provider: "off"', "provider: command")
    text = text.replace("compare: 50", "compare: 0")
    settings.write_text(text.replace('command: ""', f"command: {sys.executable} {tmp_path / 'model.py'}", 1), "utf-8")
    write_log(root, "2026-05-01.md", SAID, "W: The release workflow has a sign-off by Mina.")
    reflect(bankctl)
    return root


def reflect(bankctl: Run, day: int = 3) -> str:
    ran = bankctl("cycle", "reflect", "--now", f"2026-05-{day:02}T03:00")
    assert ran.code == 0, ran.err
    return ran.out + ran.err


def found(bankctl: Run, question: str) -> list[str]:
    return [hit["text"] for hit in bankctl("search", question, "--in", "bank", "--json").json["hits"]]


def asked(tmp_path: Path) -> str:
    return (tmp_path / "calls.txt").read_text("utf-8")


def test_a_memory_is_found_by_what_a_model_wrote_and_says_only_what_it_says(night: Path, bankctl: Run) -> None:
    (hit,) = found(bankctl, "rsync snapshots")
    assert hit == "The nightly backup workflow writes to the Helsinki mirror."
    assert "Helsinki" in found(bankctl, "스냅숏 어디에 저장돼")[0]
    assert all("rsync" not in page.read_text("utf-8") for page in (night / "bank").rglob("*") if page.is_file())
    id_ = next(line for line in (night / PAGE).read_text("utf-8").splitlines() if "Helsinki" in line).rpartition("^")[2]
    assert "words added by a model, for search: where do rsync snapshots land" in bankctl("show", id_).out


def test_what_was_paid_for_outlives_what_is_derived_and_is_asked_once(
    night: Path, bankctl: Run, tmp_path: Path
) -> None:
    shutil.rmtree(night / ".bankd")
    said = reflect(bankctl, 4)
    assert "Helsinki" in found(bankctl, "rsync snapshots")[0]
    assert asked(tmp_path).count("Helsinki") == asked(tmp_path).count("Mina") == 1
    assert "got questions" not in said


def test_a_memory_that_says_something_else_loses_it_and_is_asked_again(
    night: Path, bankctl: Run, tmp_path: Path
) -> None:
    page = night / PAGE
    page.write_text(page.read_text("utf-8").replace("nightly backup", "weekly backup"), "utf-8")
    assert found(bankctl, "rsync snapshots") == []
    reflect(bankctl, 5)
    assert "weekly backup" in asked(tmp_path)
    assert "weekly" in found(bankctl, "rsync snapshots")[0]


def test_a_purged_text_leaves_what_was_written_for_it(night: Path, bankctl: Run) -> None:
    files = list((night / "events" / "enriched").iterdir())
    assert any("rsync" in file.read_text("utf-8") for file in files)
    assert bankctl("forget", "--everywhere", "Helsinki mirror", "--apply").code == 0
    assert all("rsync" not in file.read_text("utf-8") for file in files)


def test_where_the_settings_want_none_nothing_is_asked(night: Path, bankctl: Run, tmp_path: Path) -> None:
    change_setting(night, "enrich: 100", "enrich: 0")
    before = asked(tmp_path)
    write_log(night, "2026-05-04.md", "W: The relay workflow listens on port 8080.")
    reflect(bankctl, 5)
    assert asked(tmp_path) == before


def test_a_row_that_another_machine_wrote_counts(night: Path, bankctl: Run) -> None:
    (file,) = (night / "events" / "enriched").iterdir()
    row = next(json.loads(line) for line in file.read_text("utf-8").splitlines() if "Helsinki" in line)
    later = {**row, "at": "2027-01-01T00:00:00+00:00", "questions": ["which bucket holds tarballs"]}
    (file.parent / "laptop.jsonl").write_text(json.dumps(later) + "\n{torn", "utf-8")
    reflect(bankctl, 4)
    assert "Helsinki" in found(bankctl, "which bucket holds tarballs")[0]
    assert found(bankctl, "rsync snapshots") == []
