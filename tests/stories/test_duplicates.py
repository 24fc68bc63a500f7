"""Near-copies are blocked without losing a fact; a changed value is an update; an opinion said again grows."""

from __future__ import annotations

from pathlib import Path

from tests.stories.conftest import Run, write_log

DAY_1, DAY_2, DAY_3 = "2026-05-02T03:00", "2026-05-03T03:00", "2026-05-04T03:00"


def kinds(report: dict[str, object]) -> dict[str, int]:
    return report["counts"]  # type: ignore[return-value]


def test_another_wording_is_blocked_and_names_its_twin(root: Path, bankctl: Run) -> None:
    write_log(
        root, "2026-05-01.md", "W: 에디터는 Neovim을 쓰고 터미널은 tmux와 함께 쓴다.", "W: The deploy runs at 10:00."
    )
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(
        root, "2026-05-02.md", "W: 에디터는 Neovim을 쓰고, 터미널은 tmux와 함께 쓴다", "W: the deploy runs at 10:00!"
    )

    report = bankctl("cycle", "micro", "--now", DAY_2, "--json").json

    assert kinds(report) == {"duplicate": 2}
    twin = report["rows"][0]["reason"].split()[0]
    assert bankctl("show", twin, "--json").json["history"] == ["said again in memory/2026-05-02.md:4"]


def test_another_value_is_an_update_that_keeps_both(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The production deploy runs at 10:00 on Tuesdays.", "W: 서버 포트는 8080이다.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "W: The production deploy runs at 11:00 on Tuesdays.", "W: 서버 포트는 8081이다.")

    report = bankctl("cycle", "micro", "--now", DAY_2, "--json").json

    assert report["counts"]["updated"] == 2
    assert "duplicate" not in report["counts"]
    pages = "".join(page.read_text(encoding="utf-8") for page in (root / "bank").rglob("*.md"))
    assert all(text in pages for text in ("10:00", "11:00", "8080", "8081"))


def test_an_opinion_said_again_grows_by_a_small_step_once_a_run(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.80) @Peter: Prefers concise replies.")
    bankctl("cycle", "micro", "--now", DAY_1)
    write_log(root, "2026-05-02.md", "O @Peter: prefers concise replies", "O @Peter: Prefers concise replies!")

    report = bankctl("cycle", "micro", "--now", DAY_3, "--json").json

    assert kinds(report) == {"duplicate": 2, "confirmed": 1}
    page = (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")
    assert "- O(c=0.85@2026-05-02) @Peter: Prefers concise replies." in page  # 0.80, kept from fading, plus 0.05
    assert kinds(bankctl("cycle", "micro", "--now", DAY_3, "--json").json) == {}


def test_a_fact_and_an_opinion_in_the_same_words_are_two_memories(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: Go is faster than Python", "O: go is faster than python!")

    report = bankctl("cycle", "micro", "--now", DAY_1, "--json").json

    assert "duplicate" not in report["counts"]
