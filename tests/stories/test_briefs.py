"""`bankctl brief` and the files that the daemon writes, on a bank with a year behind it."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest

from bankd.briefing.choose import MODES as RULES
from bankd.briefing.choose import NAMES_MODES as MODES
from bankd.briefing.shown import count_tokens
from bankd.wiring.reader import BankReader
from bankd.wiring.runner import write_due_briefs
from tests.stories.conftest import Run
from tests.year import END, at, made_of, make_year

NOW = "2026-05-18T09:00"
MONDAY = at(END, 9)
SAYS = {
    "orient": "강당 열쇠는 경비실에 있다.",
    "resume": "강당 열쇠는 경비실에 있다.",
    "project": "of payflow is about",
    "person": "Peter moves to Busan.",
    "meeting": "해산물 알레르기가 있다.",
    "morning": "강당 열쇠는 경비실에 있다.",
    "day": "강당 열쇠는 경비실에 있다.",
    "week": "bank/entities/Peter.md",
    "since-last": "강당 열쇠는 경비실에 있다.",
    "conflicts": "starts at 7:00. <- 2026-04-05",
    "fading": "fades on 2026-05-2",
    "loops": "민호에게 5월분 계약서를 보내야 한다.",
    "dates": "Appointment 0 at the dentist is on 2026-05-21.",
    "on-this-day": "2025-05-18 · ",
    "forgotten": "Rents desk",
    "decisions": "We decided to use Postgres.",
    "habits": "Runs for half an hour before breakfast.",
    "quiz": "larch. #quiz",
}


@pytest.fixture(scope="module")
def made_year(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("year") / "ws"
    make_year(folder)
    return folder


@pytest.fixture
def year(made_year: Path, bankctl: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A bank of four hundred memories, taken in over a year; `bankctl` is about it."""
    folder = tmp_path / "year"
    shutil.copytree(made_year, folder)
    monkeypatch.setenv("BANKD_WORKSPACE", str(folder))
    return folder


def test_the_bank_of_a_year_has_four_hundred_memories(year: Path) -> None:
    assert 390 <= len(BankReader(str(year)).brief_facts(MONDAY).memories) <= 420


@pytest.mark.parametrize("mode", MODES)
def test_a_mode_says_what_it_is_for_once_a_day_and_the_same_under_the_same_now(year: Path, mode: str) -> None:
    before = (year / ".bankd/shown.json").read_bytes()
    first = made_of(year, mode, MONDAY)
    again = made_of(year, mode, MONDAY + timedelta(hours=1))
    (year / ".bankd/shown.json").write_bytes(before)
    same = made_of(year, mode, MONDAY)

    assert SAYS[mode] in first.text
    assert 0 < count_tokens(first.text) <= RULES[mode].tokens
    assert RULES[mode].repeats or not set(first.marks) & set(again.marks)
    assert same == first


def test_each_time_a_person_types_it_a_brief_answers_or_says_why_not(year: Path, bankctl: Run) -> None:
    about = {"person": ["@Nobody"], "meeting": ["@Nobody"], "project": ["nothing"]}
    first = {mode: bankctl("brief", mode, *about.get(mode, ()), "--now", NOW).out for mode in MODES}
    again = {mode: bankctl("brief", mode, *about.get(mode, ()), "--now", NOW).out for mode in MODES}

    assert first == again
    assert all(first.values())
    assert first["person"] == "person: no memory names @Nobody\n"


def test_the_files_are_those_that_are_due_and_go_when_they_say_nothing(year: Path) -> None:
    folder = year / "recall/brief"
    write_due_briefs(year, MODES, MONDAY)
    assert {"loops.md", "dates.md", "week.md"} <= {file.name for file in folder.iterdir()}
    assert "day.md" not in {file.name for file in folder.iterdir()}
    before = (folder / "loops.md").stat().st_mtime_ns
    assert "not an instruction" in (folder / "loops.md").read_text(encoding="utf-8")

    write_due_briefs(year, MODES, MONDAY)
    assert (folder / "loops.md").stat().st_mtime_ns == before
    write_due_briefs(year, ["dates"], MONDAY)

    assert [file.name for file in folder.iterdir()] == ["dates.md"]


def test_a_slip_is_answered_with_what_was_meant(bankctl: Run) -> None:
    assert "did you mean morning?" in bankctl("brief", "mornin").err
    assert "about whom or what?" in bankctl("brief", "person").err
    assert bankctl("brief", "--list").out.count("\n") == len(MODES)
    assert bankctl("brief").out.startswith("orient: nothing is pinned")


def test_a_briefing_follows_every_edit_although_facts_are_kept(year: Path, bankctl: Run) -> None:
    assert "Postgres" in bankctl("brief", "decisions", "--now", NOW).out
    facts = year / ".bankd/brief-facts.json"
    assert facts.is_file()
    page = next(
        page for page in (year / "bank").rglob("*.md") if "We decided to use Postgres" in page.read_text("utf-8")
    )
    page.write_text(page.read_text("utf-8").replace("use Postgres", "use SQLite"), encoding="utf-8")

    assert "SQLite" in bankctl("brief", "decisions", "--now", NOW).out
    facts.write_bytes(b'{"stamp": ')
    (year / ".bankd/shown.json").unlink()
    assert "SQLite" in bankctl("brief", "decisions", "--now", NOW).out
