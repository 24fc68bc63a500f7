"""What was of use: said by people and by agents."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.stories.conftest import Run, last_run, learn, tree_state

NOW = "2026-06-10T03:00"
LATTE, DEPLOY = "귀리 우유 라떼를 마신다", "배포는 매주 화요일 오전 10시에 한다"


def learn_two(root: Path, bankctl: Run) -> dict[str, str]:
    learn(root, bankctl, "2026-05-02.md", f"W: {LATTE}.", f"W: {DEPLOY}.")
    lines = {LATTE: 4, DEPLOY: 5}
    return {
        text: str(bankctl("show", f"memory/2026-05-02.md:{n}", "--json").json["memory"]) for text, n in lines.items()
    }


def candidates(bankctl: Run, now: str) -> list[str]:
    found = bankctl("archive", "candidates", "--json", "--now", now).json["candidates"]
    return [str(one["id"]) for one in found]


def test_what_was_used_or_is_important_is_not_offered_for_the_archive(root: Path, bankctl: Run) -> None:
    known = learn_two(root, bankctl)
    learn(root, bankctl, "2026-05-03.md", "W: 창고 열쇠는 서랍에 있다.")
    later = "2026-09-20T10:00"
    assert len(candidates(bankctl, later)) == 3

    before = tree_state(root)
    assert "nothing was written" in bankctl("feedback", "importance", known[DEPLOY], "7", "--dry-run").out
    assert tree_state(root) == before
    used = bankctl("feedback", "used", known[LATTE], "--now", NOW)
    important = bankctl("feedback", "importance", f"^{known[DEPLOY]}", "7", "--now", NOW)

    assert (used.code, important.code) == (0, 0), used.err + important.err
    assert not {*known.values()} & {*candidates(bankctl, later)}
    assert len(candidates(bankctl, later)) == 1
    assert "used 1 time, last on 2026-06-10" in bankctl("show", known[LATTE]).out
    assert "importance 7 of 10" in bankctl("show", known[DEPLOY]).out
    shown = bankctl("show", known[LATTE], "--json", "--now", later).json
    assert [(point["day"], point["what"]) for point in shown["curve"]] == [
        ("2026-06-10", "learned, used"), ("2026-09-20", "today")
    ]  # fmt: skip
    assert shown["strength"] == shown["curve"][-1]["after"] == pytest.approx(math.exp(-102 / 60))
    assert "strength 0.18" in bankctl("show", known[LATTE], "--now", later).out
    assert "창고 열쇠" in bankctl("archive", "candidates", "--now", later).out


def test_what_was_called_important_is_taken_back_and_brought_again(root: Path, bankctl: Run) -> None:
    known = learn_two(root, bankctl)

    def importance() -> str:
        rows = bankctl("show", known[DEPLOY]).out.splitlines()
        return next((row for row in rows if "importance" in row), "none").strip()

    for value in ("7", "3"):
        bankctl("feedback", "importance", known[DEPLOY], value)
    second, said = last_run(bankctl), [importance()]
    for _ in range(2):  # the second word taken back, and that again
        undone = bankctl("undo", second)
        assert undone.code == 0, undone.err
        second, said = last_run(bankctl), [*said, importance()]
    bankctl("undo", second)
    runs = [str(one["run"]) for one in bankctl("log", "--json").json["runs"]]
    gone = bankctl("undo", min(run for run in runs if run.endswith("-importance")))

    assert [row.endswith(f"importance {value} of 10") for row, value in zip(said, (3, 7, 3), strict=True)] == [True] * 3
    assert "has no importance again" in gone.out
    assert importance() == "none"


def test_what_nobody_knows_is_named_and_the_rest_is_noted(root: Path, bankctl: Run) -> None:
    known = learn_two(root, bankctl)

    mixed = bankctl("feedback", "used", "m-zzzzzzzzzzzz", known[LATTE], "--now", NOW)

    assert mixed.code == 1
    assert "unknown  m-zzzzzzzzzzzz" in mixed.out
    assert "used 1 time" in bankctl("show", known[LATTE]).out
    assert bankctl("feedback", "used", "m-zzzzzzzzzzzz").code == 3
    assert bankctl("feedback", "importance", "m-zzzzzzzzzzzz", "3").code == 3
    assert bankctl("feedback", "importance", known[LATTE], "11").code == 2
    assert bankctl("feedback", "used").code == 2


def test_feedback_changes_no_page_and_its_run_says_why_it_is_not_taken_back(root: Path, bankctl: Run) -> None:
    known = learn_two(root, bankctl)
    pages = {path: path.read_bytes() for path in (root / "bank").rglob("*.md")}

    bankctl("feedback", "ignored", known[LATTE], "--now", NOW)
    run = bankctl("log", "--json").json["runs"][0]

    assert run["cycle"] == "feedback"
    assert {path: path.read_bytes() for path in (root / "bank").rglob("*.md")} == pages
    refused = bankctl("undo", str(run["run"]))
    assert refused.code == 3
    assert "no page was changed" in refused.err


SHED, CABIN, BETTER = (
    "The spare key hangs in the shed.",
    "The spare key hangs in the cabin.",
    "The spare key of the boat hangs in the garage of Minho.",
)


DAY = "2026-07-10"


def ranked(bankctl: Run, words: str) -> list[tuple[str, str]]:
    """The id and the words of each answer."""
    hits = bankctl("search", words, "--now", DAY, "--json").json["hits"]
    return [(hit["id"], hit["text"]) for hit in hits]


def learn_keys(root: Path, bankctl: Run, *texts: str) -> list[tuple[str, str]]:
    learn(root, bankctl, "2026-05-02.md", *(f"W: {text}" for text in texts))
    return ranked(bankctl, "spare key")


def use(bankctl: Run, id_: str, days: int) -> None:
    for day in range(days):
        assert bankctl("feedback", "used", id_, "--now", f"2026-06-{day + 11:02}T10:00").code == 0


@pytest.mark.parametrize("rounds", [1, 5])
def test_of_two_that_answer_alike_the_one_that_was_used_comes_first(root: Path, bankctl: Run, rounds: int) -> None:
    first, second = learn_keys(root, bankctl, SHED, CABIN)

    use(bankctl, second[0], rounds)

    assert ranked(bankctl, "spare key") == [second, first]
    fresh = [str(Path(sys.executable).with_name("bankctl")), "search", "spare key", "--now", DAY, "--json"]
    told = subprocess.run(fresh, capture_output=True, check=True, env={**os.environ, "BANKD_WORKSPACE": str(root)})
    assert [(hit["id"], hit["text"]) for hit in json.loads(told.stdout)["hits"]] == [second, first]


def test_no_use_brings_a_memory_before_one_that_answers_clearly_better(root: Path, bankctl: Run) -> None:
    shed = next(id_ for id_, text in learn_keys(root, bankctl, SHED, BETTER) if text == SHED)
    use(bankctl, shed, 15)
    bankctl("feedback", "importance", shed, "10", "--now", NOW)

    assert ranked(bankctl, "spare key of the boat of Minho")[0][1] == BETTER
    assert ranked(bankctl, "spare key")[0][1] == SHED
