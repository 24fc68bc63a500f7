"""What was lived and is used again and again is offered as lasting knowledge; a person decides."""

from __future__ import annotations

from pathlib import Path

import pytest

from bankd.agents.tools import BankMethods
from bankd.wiring.reader import BankReader
from tests.stories.conftest import Run, learn, tree_state

LESSON = "배운 점: 배포 전에는 반드시 마이그레이션을 먼저 돌려야 한다"
ONCE = "배운 점: 회의록은 그날 안에 보내야 한다"
LATER = "2026-05-20T10:00"


@pytest.fixture
def lived(root: Path, bankctl: Run) -> str:
    """The id of a lesson that was of use on three days; another was on two."""
    learn(root, bankctl, "2026-05-02.md", f"B: {LESSON}.", f"B: {ONCE}.", now="2026-05-02T20:00")
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    id_ = str(bankctl("show", "memory/2026-05-02.md:4", "--json").json["memory"])
    other = str(bankctl("show", "memory/2026-05-02.md:5", "--json").json["memory"])
    for day, *ids in ((3, id_, other), (4, id_, other), (4, other), (5, id_)):
        bankctl("feedback", "used", *ids, "--now", f"2026-05-{day:02}T10:00")
    return id_


def offered(bankctl: Run, now: str = LATER) -> list[str]:
    return [one["id"] for one in bankctl("review", "list", "--json", "--now", now).json["lived"]]


def test_what_was_used_on_three_days_is_offered_after_a_week(lived: str, bankctl: Run) -> None:
    assert offered(bankctl, "2026-05-08T10:00") == []
    assert offered(bankctl, "2026-05-09T10:00") == [lived]
    out = bankctl("review", "list", "--now", LATER).out
    assert "used on 3 days" in out
    assert "bankctl review accept ID" in out


def test_one_that_is_promoted_moves_to_what_is_known_keeps_its_id_and_can_be_taken_back(
    lived: str, root: Path, bankctl: Run
) -> None:
    before = tree_state(root)
    assert "patterns/workflows.md" in bankctl("review", "accept", lived, "--dry-run", "--now", LATER).out
    assert tree_state(root) == before

    done = bankctl("review", "accept", f"^{lived}", "--now", LATER)

    assert done.code == 0, done.err
    assert f"{LESSON}. ^{lived}" in (root / "bank/patterns/workflows.md").read_text("utf-8")
    assert LESSON not in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert offered(bankctl) == []
    run = bankctl("log", "--json").json["runs"][0]["run"]
    assert bankctl("undo", run).code == 0
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert offered(bankctl) == [lived]


def test_a_person_may_name_the_page_but_not_one_of_what_was_lived(lived: str, root: Path, bankctl: Run) -> None:
    refused = bankctl("review", "place", lived, "experience/other.md", "--now", LATER)
    outside = bankctl("review", "place", lived, "../other.md", "--now", LATER)
    assert (refused.code, outside.code) == (3, 3)
    assert "lasting knowledge is elsewhere" in refused.err

    assert bankctl("review", "place", lived, "knowledge/deploys.md#Order", "--now", LATER).code == 0
    assert LESSON in (root / "bank/knowledge/deploys.md").read_text("utf-8").partition("## Order")[2]


def test_one_that_stays_is_not_offered_again(lived: str, root: Path, bankctl: Run) -> None:
    before = tree_state(root)
    assert "Nothing was written" in bankctl("review", "keep", lived, "--dry-run", "--now", LATER).out
    assert tree_state(root) == before

    assert bankctl("review", "keep", lived, "--now", LATER).code == 0
    assert offered(bankctl) == []
    assert LESSON in (root / "bank/experience/lessons.md").read_text("utf-8")
    assert bankctl("review", "accept", lived, "--now", LATER).code == 3


def test_an_agent_is_shown_what_is_offered_and_may_promote_it(lived: str, root: Path) -> None:
    tools = BankMethods(lambda: BankReader(str(root))).by_name()["tools/call"]
    told = tools({"name": "memory_brief", "arguments": {"mode": "offered"}})["structuredContent"]
    done = tools({"name": "memory_feedback", "arguments": {"promote": [f"^{lived}"]}})["structuredContent"]

    assert [one["id"] for one in told["promotable"]] == [lived]
    assert done["promoted"] == [{"id": lived, "page": "patterns/workflows.md"}]
    assert f"^{lived}" in (root / "bank/patterns/workflows.md").read_text("utf-8")
