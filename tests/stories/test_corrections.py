"""What a person corrects or deletes right after a run stays so; only what an old buffer took away comes back, by name."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import AT_REST, Run, learn, write_log

PAGE = "bank/patterns/workflows.md"
NOW, SOON, LATER = "2026-06-10T03:00", "2026-06-10T03:02", "2026-06-10T03:04"


@pytest.fixture
def page(root: Path, bankctl: Run) -> Path:
    """A page to which a run has just added two memories, and before that another run one."""
    learn(root, bankctl, "2026-05-01.md", "W: The backup workflow runs at night.", now="2026-06-09T03:00")
    write_log(
        root, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", "W: The release workflow has a sign-off."
    )
    bankctl("cycle", "micro", "--now", NOW)
    return root / PAGE


def without(page: Path, words: str) -> str:
    return "".join(line for line in page.read_text().splitlines(True) if words not in line)


def test_a_memory_deleted_while_others_of_its_run_stay_does_not_come_back(page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))

    run = bankctl("cycle", "micro", "--now", SOON)

    assert "1 deleted" in run.out
    assert "10:00" not in page.read_text()


def test_a_memory_in_a_code_block_that_is_not_closed_is_not_deleted(page: Path, bankctl: Run) -> None:
    whole = page.read_text()
    page.write_text(whole.replace("- W: The deploy", "```\n- W: The deploy"))
    line = next(n for n, words in enumerate(page.read_text().split("\n"), 1) if "10:00" in words)

    run, found = bankctl("cycle", "micro", "--now", LATER), bankctl("doctor", "verify")

    assert "deleted" not in run.out
    assert f"{PAGE}:{line}: m-" in run.out
    assert found.code == 0, "the run has named it, and nothing is lost"
    page.write_text(whole)
    assert bankctl("cycle", "micro", "--now", LATER).out.endswith("nothing new\n")
    assert bankctl("doctor", "verify").code == 0


def test_what_cannot_be_read_is_named_beside_a_memory_that_is_gone(root: Path, page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))
    odd = root / "bank/world/facts.md"
    odd.unlink()
    odd.symlink_to("/dev/null")

    found = bankctl("doctor", "verify")

    assert (found.code, "bank/world/facts.md" in found.out) == (3, True)
    assert "is on no page" in found.out


def test_a_memory_that_a_person_deleted_and_put_back_is_there_again(page: Path, bankctl: Run) -> None:
    whole = page.read_text()
    page.write_text(without(page, "10:00"))
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(whole)
    id_ = re.findall(r"10:00.*\^(m-\w+)", whole)[0]

    run, again = (bankctl("cycle", "micro", "--now", LATER) for _ in range(2))

    assert (f"restored  {id_}" in run.out, "1 restored" in run.out) == (True, True)
    assert again.out.endswith("nothing new\n")
    assert "deleted on" not in bankctl("show", id_).out


def test_a_memory_corrected_and_then_deleted_does_not_come_back_in_its_old_words(page: Path, bankctl: Run) -> None:
    page.write_text(page.read_text().replace("10:00", "12:00"))
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(without(page, "12:00"))
    page.write_text(without(page, "sign-off"))

    run = bankctl("cycle", "micro", "--now", LATER)

    assert "Tuesdays" not in page.read_text()
    assert f"{PAGE}: put back, for all that 20260610T030000-micro wrote there was gone" in run.out
    assert "- W: The release workflow has a sign-off." in run.out
    assert bankctl("doctor", "verify").code == 0


def test_the_first_memory_of_a_page_that_was_corrected_and_deleted_between_two_runs_stays_out(
    root: Path, bankctl: Run
) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    page = root / PAGE
    page.write_text(page.read_text().replace("10:00", "12:00"))
    page.write_text(without(page, "12:00"))

    assert bankctl("cycle", "micro", "--now", SOON, "--json").json["counts"] == {"deleted": 1}
    assert "Tuesdays" not in page.read_text()


def test_a_memory_whose_id_was_taken_off_stands_once(page: Path, bankctl: Run) -> None:
    page.write_text(re.sub(r"(10:00.*) \^m-\w+", r"\1", without(page, "sign-off")))

    run = bankctl("cycle", "micro", "--now", SOON, "--json").json

    assert run["counts"] == {"deleted": 2}
    assert page.read_text().count("10:00") == 1
    assert bankctl("doctor", "verify").code == 0


def test_a_memory_moved_and_written_on_below_its_id_stands_once(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    page, other = root / PAGE, root / "bank/world/facts.md"
    line = next(line for line in page.read_text().splitlines(True) if "10:00" in line)
    page.write_text(without(page, "10:00") + "\nA note in its place.\n")
    other.write_text(f"# Facts\n\n{line}Only in summer, and never before a holiday.\n")

    run = bankctl("cycle", "micro", "--now", SOON, "--json").json

    assert run["counts"] == {"warning": 1}, "in Markdown the id is text now"
    assert "10:00" not in page.read_text()
    assert other.read_text() == f"# Facts\n\n{line}Only in summer, and never before a holiday.\n"
    assert bankctl("doctor", "verify").code == 0


def test_an_old_copy_that_is_saved_brings_back_only_what_nobody_had_taken_out(page: Path, bankctl: Run) -> None:
    page.write_text(without(page, "10:00"))
    old = without(page, "sign-off")
    bankctl("cycle", "micro", "--now", SOON)
    page.write_text(old + "\nA note from an old buffer.\n")

    run = bankctl("cycle", "micro", "--now", LATER, "--json").json

    assert run["counts"] == {}
    assert "10:00" not in page.read_text()
    assert "sign-off" in page.read_text()
    assert "from an old buffer" in page.read_text()
    assert ["sign-off" in note for note in run["notes"]] == [True]


def test_a_command_that_finds_an_old_copy_names_what_it_put_back(
    root: Path, bankctl: Run, caplog: pytest.LogCaptureFixture
) -> None:
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    write_log(root, "2026-05-02.md", "W: The deploy runs at 10:00 on Tuesdays.")
    bankctl("cycle", "micro")
    (root / PAGE).write_text("# Workflows\n\nAll of it from an old buffer.\n")

    bankctl("review", "place")

    assert "10:00" in (root / PAGE).read_text()
    assert [f"{PAGE}: put back" in said and "10:00" in said for said in caplog.messages] == [True]


@pytest.mark.parametrize("way", ["forget", "undo"])
def test_what_a_command_took_out_stays_out_though_the_journal_of_that_is_lost(
    root: Path, bankctl: Run, way: str
) -> None:
    before = (root / PAGE).read_text()
    write_log(root, "2026-05-01.md", "W: The backup workflow runs at night.")
    os.utime(root / "memory/2026-05-01.md", AT_REST)
    run = bankctl("cycle", "micro", "--json").json["run"]
    id_ = re.findall(r"\^(m-\w+)", (root / PAGE).read_text())[0]
    bankctl(way, id_ if way == "forget" else run)
    assert (root / PAGE).read_text() == before, "as an old buffer would have it"
    last = max((root / ".bankd/done").glob("*.json"))
    last.write_bytes(last.read_bytes()[:9])
    os.utime(root / PAGE, AT_REST)

    bankctl("cycle", "micro")

    assert "backup" not in (root / PAGE).read_text()
