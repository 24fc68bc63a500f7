"""What a person decides one by one, and takes back: each word of theirs has its undo."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, last_run, write_log

NOW = ("--now", "2026-05-12T20:00")


def waiting(bankctl: Run) -> list[dict[str, Any]]:
    listed = bankctl("review", "list", "--json").json
    return [*listed["proposed"], *listed["bad"]]


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    write_log(
        root,
        "2026-05-02.md",
        "W: The production deploy runs at 10:00 on Tuesdays.",
        "O(c=0.90) @Peter: Prefers concise replies.",
        "X: nobody knows this tag",
    )
    write_log(root, "2026-05-11.md", "W: The production deploy runs at 11:00 on Tuesdays.")
    bankctl("cycle", "micro", *NOW)
    return root


def test_a_dismissed_line_waits_again_when_that_is_taken_back(bank: Path, bankctl: Run) -> None:
    before = waiting(bankctl)
    place = before[0]["place"]

    for _ in range(2):  # once more after that: what was said again holds again
        assert bankctl("review", "drop", place).code == 0
        assert waiting(bankctl) == []
        out = bankctl("undo", last_run(bankctl)).out
        assert f"{place} waits again" in out
        assert waiting(bankctl) == before
    bankctl("doctor", "index", "rebuild")
    (bank / ".bankd/catalogue.sqlite3").unlink()
    bankctl("cycle", "micro", *NOW)
    assert waiting(bankctl) == before


def ids_of(bankctl: Run) -> tuple[str, str]:
    (pair,) = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
    return pair["older"]["id"], pair["newer"]["id"]


def test_two_that_both_hold_are_no_contradiction_until_that_is_taken_back(bank: Path, bankctl: Run) -> None:
    older, newer = ids_of(bankctl)

    assert "Nothing was written" in bankctl("review", "keep", older, newer, "--dry-run").out
    assert ids_of(bankctl) == (older, newer)
    assert "Both hold" in bankctl("review", "keep", older, f"^{newer}").out
    assert bankctl("review", "list", "contradictions", "--json").json["contradictions"] == []
    assert "compared again" in bankctl("undo", last_run(bankctl)).out
    assert ids_of(bankctl) == (older, newer)


def test_one_of_two_goes_to_the_archive_by_hand_and_comes_back(bank: Path, bankctl: Run) -> None:
    older, _ = ids_of(bankctl)
    page = bank / "bank/patterns/workflows.md"
    before = page.read_bytes()

    assert "archived" in bankctl("archive", "put", older).out
    assert older.encode() not in page.read_bytes()
    assert bankctl("review", "list", "contradictions", "--json").json["contradictions"] == []
    assert [one["id"] for one in bankctl("archive", "--json").json["archive"]] == [older]
    bankctl("undo", last_run(bankctl))
    assert page.read_bytes() == before


def test_an_opinion_that_is_pinned_does_not_fade(bank: Path, bankctl: Run) -> None:
    page = bank / "bank/opinions/preferences.md"
    before = page.read_text("utf-8")
    id_ = bankctl("search", "--json", "concise replies").json["hits"][0]["id"]
    assert bankctl("archive", "forecast", "--days", "400", "--json").json["pinned"] == 0

    assert bankctl("review", "keep", id_).code == 0
    assert f"Prefers concise replies. #pinned ^{id_}" in page.read_text("utf-8")
    forecast = bankctl("archive", "forecast", "--days", "400", "--json").json
    assert (forecast["falls"], forecast["pinned"]) == ([], 1)
    assert bankctl("review", "keep", id_).code == 3
    bankctl("undo", last_run(bankctl))
    assert page.read_text("utf-8") == before


@pytest.mark.parametrize(
    "words",
    [("archive", "put"), ("review", "list", "contradictions", "m-1"), ("review", "place", "m-1"), ("review", "keep"), ("archive", "forecast", "m-1")],
)  # fmt: skip
def test_what_names_too_little_or_too_much_is_a_slip(bank: Path, bankctl: Run, words: tuple[str, ...]) -> None:
    assert bankctl(*words).code == 2


@pytest.mark.parametrize(
    "words", [("archive", "put", "m-nothing"), ("review", "keep", "m-a", "m-b"), ("review", "keep", "m-nothing")]
)
def test_what_is_not_in_the_bank_is_named(bank: Path, bankctl: Run, words: tuple[str, ...]) -> None:
    result = bankctl(*words)

    assert result.code == 3
    assert "no memory of the bank has this id" in result.err


@pytest.mark.parametrize("is_written_since", [False, True])
def test_what_was_accepted_is_taken_off_its_log_again(root: Path, bankctl: Run, is_written_since: bool) -> None:
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    (root / "memory/2026-05-12.md").write_text("# day\n\nRemember that the hall key is at the gate.\n", "utf-8")
    bankctl("distil", "--rules", "--now", "2026-05-13T20:00")
    bankctl("cycle", "micro", "--now", "2026-05-13T21:00")
    (item,) = waiting(bankctl)
    log = root / item["place"].rpartition(":")[0]
    before = log.read_bytes()

    bankctl("review", "accept", item["place"])
    run = last_run(bankctl)
    if is_written_since:
        log.write_bytes(log.read_bytes() + b"more\n")
    accepted = log.read_bytes()
    out = bankctl("undo", run).out

    assert waiting(bankctl) == [item]
    assert log.read_bytes() == (accepted if is_written_since else before)
    assert ("because more was written below it" in out) == is_written_since
