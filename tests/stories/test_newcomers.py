"""What people type who have read nothing but the README: it does what they mean, or says what to type."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.stories.conftest import Run, learn

NOW = "2026-05-12T03:00"


@pytest.fixture
def bank(root: Path, bankctl: Run) -> Path:
    learn(root, bankctl, "2026-05-11.md", "W @Peter: The deploy runs at 10:00 on Tuesdays.", now=NOW)
    return root


def test_undo_alone_undoes_the_last_run_that_changed_pages(bank: Path, bankctl: Run) -> None:
    (held,) = bankctl("export").out.splitlines()
    bankctl("cycle", "micro", "--now", NOW)  # nothing new
    undone = bankctl("undo", "--json").json

    assert undone["changed"]
    assert undone["undoes"].endswith("-micro")
    assert held not in bankctl("export").out


def test_days_of_two_words_names_without_at_and_pages_without_an_ending_are_understood(
    bank: Path, bankctl: Run
) -> None:
    assert "The deploy runs" in bankctl("timeline", "last", "week", "--now", "2026-05-18").out
    assert "The deploy runs" in bankctl("related", "Peter").out
    assert bankctl("page", "move", "entities/Peter", "entities/Pete").code == 0
    assert (bank / "bank/entities/Pete.md").exists()


def test_an_id_without_what_to_do_with_it_is_answered_with_what_there_is_to_do(bank: Path, bankctl: Run) -> None:
    said = bankctl("archive", "m-aaaaaaaaaaaa")

    assert (said.code, "what to do comes before the id: list, put, restore" in said.err) == (2, True)
    assert bankctl("help").out == bankctl("--help").out


def test_what_waits_for_nothing_is_no_blocked_line(bank: Path, bankctl: Run) -> None:
    said = bankctl("review", "accept", "nope").err

    assert "nothing with this id waits" in said
    assert "bankctl review list" in said
