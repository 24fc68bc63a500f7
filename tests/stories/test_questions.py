"""Questions below a line of a log: its memory is found by them, wherever it goes, and they are no part of what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.stories.conftest import Run, write_log

LOG, PAGE = "2026-05-02.md", "bank/patterns/workflows.md"
SAID = "W: The nightly backup workflow writes to the Helsinki mirror."
ASKED = "where do rsync snapshots land\n  ? 로컬 백업은 어디에 저장돼"
OTHER = "W: The release workflow has a sign-off by Mina."


def run(bankctl: Run, day: int = 9) -> None:
    assert bankctl("cycle", "micro", "--now", f"2026-06-{day:02}T03:00").code == 0


def found(bankctl: Run, question: str) -> list[str]:
    return [hit["text"] for hit in bankctl("search", question, "--in", "bank", "--json").json["hits"]]


def is_found(bankctl: Run) -> bool:
    return [text for text in found(bankctl, "rsync snapshots") if "Helsinki" in text] != []


@pytest.fixture
def id_(root: Path, bankctl: Run) -> str:
    write_log(root, LOG, f"{SAID}\n  ? {ASKED}", OTHER)
    run(bankctl)
    return next(line for line in (root / PAGE).read_text().splitlines() if "Helsinki" in line).rpartition("^")[2]


def test_a_memory_is_found_by_the_questions_below_its_line_in_either_language(id_: str, bankctl: Run) -> None:
    assert "Helsinki" in found(bankctl, "rsync snapshots")[0]
    assert "Helsinki" in found(bankctl, "로컬 저장 어디")[0]


def test_what_is_shown_and_kept_is_the_line_alone(root: Path, id_: str, bankctl: Run) -> None:
    assert "rsync" not in (root / PAGE).read_text()
    assert all("rsync" not in text for text in found(bankctl, "rsync snapshots"))
    assert "rsync" not in json.dumps(json.loads((root / "bank/_meta/tree-index.json").read_text()))


def test_a_line_like_the_questions_is_no_duplicate(root: Path, id_: str, bankctl: Run) -> None:
    write_log(root, "2026-05-03.md", "W: Where do rsync snapshots land: in the workflow of the Oslo archive.")
    run(bankctl, 10)
    assert "Oslo" in (root / PAGE).read_text()


def test_they_stay_through_a_move_and_an_edit_by_hand(root: Path, id_: str, bankctl: Run) -> None:
    assert bankctl("page", "move", PAGE, "bank/patterns/flows.md").code == 0
    assert is_found(bankctl)
    page = root / "bank/patterns/flows.md"
    page.write_text(page.read_text().replace("nightly backup", "weekly backup"))
    assert is_found(bankctl)


def test_they_stay_through_a_split_and_a_merge(root: Path, id_: str, bankctl: Run) -> None:
    settings = root / "bankd.yaml"
    settings.write_text(
        settings.read_text().replace("warn_kib: 8", "warn_kib: 1").replace("split_kib: 15", "split_kib: 2")
    )
    filler = "".join(f"- W: Coffee number {n} is served at ten in the long corridor.\n" for n in range(30))
    page = root / PAGE
    page.write_text(page.read_text() + f"\n## Breaks\n\n{filler}\n## Lunches\n\n{filler.replace('Coffee', 'Soup')}")
    assert bankctl("page", "split", PAGE).code == 0
    assert page.read_text().count("](") >= 2
    assert is_found(bankctl)
    assert bankctl("page", "merge", PAGE).code == 0
    assert is_found(bankctl)


def test_they_stay_through_archive_and_undo(root: Path, bankctl: Run) -> None:
    write_log(root, LOG, f"O(c=0.40): The nightly backup workflow to Helsinki is fine.\n  ? {ASKED}")
    run(bankctl)
    assert is_found(bankctl)
    report = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json").json
    assert report["counts"]["archived"] == 1
    assert not is_found(bankctl)
    hits = bankctl("search", "rsync snapshots", "--in", "archive", "--json").json["hits"]
    assert "Helsinki" in hits[0]["text"]
    assert bankctl("undo", report["run"]).code == 0
    assert is_found(bankctl)


def test_edited_and_deleted_questions_are_read_again_without_the_line_changing(
    root: Path, id_: str, bankctl: Run
) -> None:
    write_log(root, LOG, f"{SAID}\n  ? who pays for storage", OTHER)
    run(bankctl, 10)
    assert not is_found(bankctl)
    assert "Helsinki" in found(bankctl, "who pays for storage")[0]
    write_log(root, LOG, SAID, OTHER)
    run(bankctl, 11)
    assert found(bankctl, "pays storage") == []


def test_they_stay_when_the_line_is_edited_and_when_it_is_said_again(root: Path, id_: str, bankctl: Run) -> None:
    write_log(root, LOG, f"{SAID.replace('nightly', 'weekly')}\n  ? {ASKED}", OTHER)
    run(bankctl, 10)
    assert is_found(bankctl)
    write_log(root, "2026-05-03.md", f"{OTHER}\n  ? who approves shipping")
    run(bankctl, 11)
    assert "Mina" in found(bankctl, "who approves shipping")[0]


def test_what_is_derived_may_be_lost(root: Path, id_: str, bankctl: Run) -> None:
    for file in (root / ".bankd").glob("catalogue.sqlite3*"):
        file.unlink()
    run(bankctl, 10)
    assert is_found(bankctl)
    assert bankctl("doctor", "index", "rebuild").code == 0
    assert is_found(bankctl)


def test_a_question_with_a_credential_is_not_indexed(root: Path, bankctl: Run) -> None:
    write_log(root, LOG, f"{SAID}\n  ? what opens ghp_16C7e42F292c6912E7710c838347Ae178B4a", OTHER)
    run(bankctl)
    assert all("Helsinki" not in text for text in found(bankctl, "what opens ghp_16C7e42F292c6912E7710c838347Ae178B4a"))
