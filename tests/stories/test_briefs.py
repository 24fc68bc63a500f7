"""`bankctl brief` and the files that the daemon writes, on a bank with a year behind it."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from bankd.core.briefing.names import MODES
from bankd.core.briefing.tokens import count_tokens
from bankd.wiring.brief_files import write_due_briefs
from tests.stories.conftest import Run, write_log

END = date(2026, 5, 18)
NOW = "2026-05-18T09:00"
MONDAY = datetime(2026, 5, 18, 9, tzinfo=ZoneInfo("Asia/Seoul"))
KINDS = (
    "W: 창고 {n}번 선반에는 부품 {m}개가 있다.",
    "W @Peter: Rents desk {n} on floor {m}.",
    "B: 주말 {n}째에는 산길 {m}킬로미터를 걷는다.",
    "O(c=0.90): Recipe {n} is better with {m} grams of salt.",
    "S: 목표 {n}은 책 {m}권을 읽는 것이다.",
)
LAST = {
    "2026-05-12.md": [
        "W: 민호에게 계약서를 보내야 한다.",
        "W: The dentist appointment is on 2026-05-20.",
        "W: We decided to use Postgres.",
    ],
    "2026-05-17.md": ["W: Peter moves to Busan next month.", "W: 강당 열쇠는 경비실에 있다."],
}


@pytest.fixture
def year(root: Path, bankctl: Run) -> Path:
    """A bank of four hundred memories, taken in over a year."""
    for week in range(50):
        day = END - timedelta(days=7 * (50 - week))
        lines = [KINDS[n % 5].format(n=8 * week + n, m=3 + (7 * n + 11 * week) % 97) for n in range(8)]
        write_log(root, f"{day}.md", *lines)
    for name, lines in LAST.items():
        write_log(root, name, *lines)
    assert bankctl("cycle", "micro", "--now", "2026-05-18T03:00").code == 0
    return root


def test_every_mode_says_what_fits_and_the_same_under_the_same_now(year: Path, bankctl: Run) -> None:
    said: dict[str, str] = {}
    for mode in MODES:
        about = ["@Peter"] if mode in {"person", "meeting", "project"} else []
        first = bankctl("brief", mode, *about, "--now", NOW)
        assert first.code == 0, first.err
        (year / ".bankd/shown.json").unlink()
        assert bankctl("brief", mode, *about, "--now", NOW).out == first.out
        (year / ".bankd/shown.json").unlink()
        assert count_tokens(first.out) <= 700
        said[mode] = first.out

    assert "민호에게 계약서를 보내야 한다." in said["loops"]
    assert "dentist" in said["dates"]
    assert "Postgres" in said["decisions"]
    assert "Peter moves to Busan" in said["person"]
    assert "강당 열쇠" in said["orient"]
    assert said["habits"] == said["quiz"] == said["since-last"] == ""


def test_nothing_is_said_twice_within_a_day(year: Path, bankctl: Run) -> None:
    first = bankctl("brief", "orient", "--now", NOW).out.splitlines()
    rest = bankctl("brief", "orient", "--now", NOW).out.splitlines()

    assert first
    assert not set(first) & set(rest)
    assert bankctl("brief", "orient", "--now", "2026-05-19T09:01").out


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
    assert bankctl("brief").out == ""


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
