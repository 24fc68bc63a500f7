"""The archive: everything in it can come back to its place and to the byte, and nothing comes back by itself."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.system.clock import read_clocks
from tests.settings import change_setting
from tests.stories.conftest import Run, learn, tree_state, write_log
from tests.year import make_year

LATE = "2026-05-18T12:00"
START, FADED = "2026-05-02T03:00", "2026-07-01T03:00"
OPINIONS = (
    "O(c=0.40) @Peter: Believes that short answers are right.",
    "W @Peter: Goes on long walks.",
    "O(c=0.41) @Peter: Believes that tea is right.",
    "W @Peter: 조용한 카페에서 일한다.",
)


@pytest.fixture
def root(root: Path) -> Path:
    """Nothing has to settle: what these stories write is finished."""
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    return root


def pages(root: Path) -> dict[str, bytes]:
    return {
        path: data for path, (data, _) in tree_state(root).items() if path.startswith("bank/") and "_meta" not in path
    }


def archived_ids(bankctl: Run) -> list[str]:
    return [item["id"] for item in bankctl("archive", "list", "--json").json["archive"]]


@pytest.mark.parametrize("loses_derived", [False, True])
def test_what_was_archived_comes_back_to_the_byte_and_stays(root: Path, bankctl: Run, loses_derived: bool) -> None:
    page = root / "bank/opinions/taste.md"
    lines = "".join(f"- {line} ^m-{'a' * 11}{n}\n" for n, line in enumerate(OPINIONS, 2))
    text = f"# Taste\n\n{lines}\n## More\n\n- O(c=0.45): one of its kind ^m-bbbbbbbbbbbb\n"
    page.write_text(
        text.replace(") @Peter", "@2026-05-02) @Peter").replace("0.45)", "0.45@2026-05-02)"), encoding="utf-8"
    )
    bankctl("cycle", "micro", "--now", START)
    before = pages(root)
    assert bankctl("cycle", "reflect", "--now", "2026-05-20T03:00", "--json").json["counts"] == {"archived": 3}
    if loses_derived:
        shutil.rmtree(root / ".bankd")

    assert bankctl("cycle", "reflect", "--now", "2026-05-21T03:00", "--json").json["counts"] == {}
    report = bankctl("archive", "restore", *archived_ids(bankctl), "--now", "2026-05-21T04:00", "--json").json

    assert report["counts"] == {"restored": 3}
    assert pages(root) == before
    assert archived_ids(bankctl) == []
    assert bankctl("cycle", "reflect", "--now", "2026-06-19T03:00", "--json").json["counts"] == {"fading": 3}
    assert bankctl("cycle", "reflect", "--now", "2026-06-20T03:00", "--json").json["counts"] == {"archived": 3}


def test_it_comes_back_to_the_part_that_took_its_place(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/beliefs.md"
    fading = "- O(c=0.40@2026-05-02) @Peter: Believes that short answers are right. ^m-aaaaaaaaaaaa\n"
    sections = "".join(
        f"## Part {n}\n\n- W: fact {n} {'word ' * 400}^m-{'b' * 11}{'abcdefgh'[n]}\n{fading if n == 3 else ''}\n"
        for n in range(8)
    )
    page.write_text(f"# Preferences\n\n{sections}", encoding="utf-8")
    bankctl("cycle", "micro", "--now", START)
    counts = bankctl("cycle", "reflect", "--now", FADED, "--json").json["counts"]
    assert counts["archived"] == 1
    assert counts["split"] == 1

    row = bankctl("archive", "restore", "m-aaaaaaaaaaaa", "--json").json["rows"][0]

    part = (root / row["place"]).read_text(encoding="utf-8")
    assert row["place"] != "bank/opinions/beliefs.md"
    assert f"^m-bbbbbbbbbbbd\n{fading}" in part


def test_restoring_can_be_undone_and_asks_for_known_ids(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", OPINIONS[0])
    bankctl("cycle", "reflect", "--now", START)
    bankctl("cycle", "reflect", "--now", FADED)
    run = bankctl("archive", "restore", *archived_ids(bankctl), "--json").json["run"]

    undone = bankctl("undo", run)
    unknown = bankctl("archive", "restore", "m-zzzzzzzzzzzz")

    assert undone.code == 0
    assert len(archived_ids(bankctl)) == 1
    assert (unknown.code, "not in the archive" in unknown.err) == (3, True)
    assert bankctl("archive", "restore").code == 2
    assert bankctl("doctor", "verify").code == 0


def test_the_archive_stays_when_what_was_put_there_comes_out(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "S: 가치관: 정직을 최우선으로 한다.")
    bankctl("cycle", "micro", "--now", START)
    id_ = bankctl("search", "정직", "--json").json["hits"][0]["id"]
    run = bankctl("archive", "put", id_, "--json").json["run"]

    assert list((root / "archive").rglob("*.md"))
    assert bankctl("undo", run).code == 0
    assert list((root / "archive").iterdir()) == []


def test_a_page_that_was_moved_to_another_case_has_one_page_in_the_archive(root: Path, bankctl: Run) -> None:
    one, other = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"
    text = f"# Tea\n\n- W: green tea ^{one}\n- W: black tea ^{other}\n- W: white tea ^m-cccccccccccc\n"
    (root / "bank/world/tea.md").write_text(text, encoding="utf-8")
    codes = [
        bankctl("archive", "put", one).code,
        bankctl("page", "move", "world/tea.md", "world/TEA.md").code,
        bankctl("archive", "put", other).code,
    ]

    (page,) = (root / "archive/world").glob("*.md")
    assert codes == [0, 0, 0]
    assert all(id_ in page.read_text(encoding="utf-8") for id_ in (one, other))


def test_gc_says_what_it_would_take_and_takes_it_only_when_told(root: Path, bankctl: Run) -> None:
    write_log(
        root,
        "2026-05-01.md",
        "W: The deploy runs at 10:00 daily.",
        "W: 창고 열쇠는 지우가 가지고 있다. #pinned",
        OPINIONS[1],
    )
    bankctl("cycle", "micro", "--now", START)
    learn(root, bankctl, "2026-05-02.md", "W: The deploy runs at 11:00 daily.", now="2026-05-03T03:00")
    before = tree_state(root)

    early = bankctl("archive", "gc", "--now", "2026-05-04T03:00", "--json").json
    late = bankctl("archive", "gc", "--now", "2026-09-01T03:00", "--json").json

    assert [row["reason"].split()[1:] for row in early["rows"]] == [["replaces", "it"]]
    assert [late["applied"], late["counts"]] == [False, {"archived": 3}]
    assert tree_state(root) == before
    assert bankctl("archive", "gc", "--apply", "--now", "2026-09-01T03:00", "--json").json["counts"] == {"archived": 3}
    assert len(archived_ids(bankctl)) == 3


def test_a_memory_that_answered_a_search_is_in_use(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The deploy runs at 10:00 daily.", "W: 창고 열쇠는 지우가 가지고 있다.")
    bankctl("cycle", "micro", "--now", START)
    bankctl("search", "deploy")

    counts = bankctl("cycle", "micro", "--json").json["counts"]

    assert counts == {"recalled": 1}
    assert bankctl("cycle", "micro", "--json").json["counts"] == {}
    going = bankctl("archive", "gc", "--json").json["rows"]
    assert [row["text"].split()[3] for row in going] == ["열쇠는"]


def test_what_has_others_nested_in_it_stays(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/taste.md"
    page.write_text(
        "# T\n\n- O(c=0.30@2026-05-02): old ^m-aaaaaaaaaaaa\n  - W: a fact ^m-bbbbbbbbbbbb\n", encoding="utf-8"
    )
    bankctl("cycle", "micro", "--now", START)

    assert bankctl("cycle", "reflect", "--now", FADED, "--json").json["counts"] == {}


def test_the_forecast_names_the_day_and_pins_hold(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", *OPINIONS[:2], "O(c=0.35) @Peter: Believes that rain is right #pinned")
    bankctl("cycle", "micro", "--now", START)

    forecast = bankctl("archive", "forecast", "--days", "30", "--now", START, "--json").json

    assert [(fall["day"], fall["today"]) for fall in forecast["falls"]] == [("2026-05-09", 0.38)]
    assert forecast["pinned"] == 1
    day = forecast["falls"][0]["day"]
    assert bankctl("cycle", "reflect", "--now", "2026-05-08T03:00", "--json").json["counts"] == {"fading": 1}
    assert bankctl("cycle", "reflect", "--now", f"{day}T03:00", "--json").json["counts"] == {"archived": 1}


def test_a_clock_that_jumped_freezes_archiving_until_a_person_accepts_it(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", OPINIONS[0])
    bankctl("cycle", "micro", "--now", START)
    look = read_clocks()
    trust = {"wall": "2026-05-02T03:00:00+00:00", "steady": look.since_boot - 60, "boot": look.boot}
    (root / ".bankd/clock.json").write_text(json.dumps(trust), encoding="utf-8")

    frozen = bankctl("cycle", "reflect", "--json").json

    assert frozen["counts"] == {"warning": 1}
    assert "bankctl doctor clock accept" in frozen["rows"][0]["reason"]
    assert bankctl("doctor", "clock").code == 3
    assert bankctl("doctor", "clock", "accept", "--json").json["believed"] is True
    assert bankctl("cycle", "reflect", "--json").json["counts"] == {"archived": 1}


def test_the_budget_holds_for_what_people_ask_for_too(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", *(f"W: number {n} is {n * 7} of {n}." for n in range(30)))
    bankctl("cycle", "micro", "--now", START)

    refused = bankctl("archive", "gc", "--apply", "--now", "2026-12-01T03:00")
    forced = bankctl("archive", "gc", "--apply", "--force", "--now", "2026-12-01T03:00", "--json").json

    assert refused.code == 3
    assert "--force" in refused.err
    assert forced["counts"]["archived"] > 20


@pytest.mark.parametrize("nesting", ["\t", "    ", "  - between\n        "], ids=["tab", "four spaces", "twice"])
def test_what_is_nested_deep_is_archived_once_and_can_be_read_there(root: Path, bankctl: Run, nesting: str) -> None:
    """Indented as it was it would be code in the archive: nobody would find it there, and it would go each night anew."""
    page = root / "bank/opinions/taste.md"
    opinion = "- O(c=0.10@2026-05-02) @Peter: Believes that tea is right. ^m-aaaaaaaaaaaa"
    page.write_text(f"# Taste\n\n- drinks\n{nesting}{opinion}\n", encoding="utf-8")

    counts = [bankctl("cycle", "reflect", "--now", FADED, "--json").json["counts"] for _ in range(2)]

    assert counts == [{"archived": 1}, {}]
    assert "tea" not in page.read_text(encoding="utf-8")
    assert archived_ids(bankctl) == ["m-aaaaaaaaaaaa"]
    assert bankctl("archive", "restore", "m-aaaaaaaaaaaa", "--now", FADED, "--json").json["counts"] == {"restored": 1}
    assert opinion in page.read_text(encoding="utf-8").splitlines()
    assert bankctl("doctor", "verify").code == 0


def test_of_a_year_nothing_is_offered_that_was_used_and_is_still_strong(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = tmp_path / "year"
    make_year(root)
    told = partial(told_by, capsys, root)
    before = {one["id"]: one["reason"] for one in told("archive", "candidates", "--now", LATE)["candidates"]}
    used = [*before][::7]
    told("feedback", "used", *used, "--now", "2026-04-01T09:00")
    after = {one["id"]: one["strength"] for one in told("archive", "candidates", "--now", LATE)["candidates"]}

    assert len({before[id_].rpartition(" ")[2] for id_ in used}) > 2, "all reasons are among what was used"
    assert not after.keys() & {*used}
    assert after.keys() == before.keys() - {*used}
    assert sorted(after.values()) == [*after.values()], "the weakest come first"


def told_by(capsys: pytest.CaptureFixture[str], root: Path, *words: str) -> dict[str, Any]:
    capsys.readouterr()
    assert main([*words, "--json", "--workspace", str(root)]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told
