"""Opinions fade by dates alone and go to the archive; everything there can come back to the byte, nothing by itself."""

from __future__ import annotations

import json
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from bankd.cli import main
from bankd.system.clock import read_clocks
from tests.stories.conftest import Run, learn, tree_state, write_log

LATE = "2026-05-18T12:00"
START, FADED = "2026-05-02T03:00", "2026-07-01T03:00"
SURE = "O(c=0.80) @Peter: Believes that short answers are right."
OPINIONS = (
    "O(c=0.40) @Peter: Believes that short answers are right.",
    "W @Peter: Goes on long walks.",
    "O(c=0.41) @Peter: Believes that tea is right.",
    "W @Peter: 조용한 카페에서 일한다.",
)


def pages(root: Path) -> dict[str, bytes]:
    return {
        path: data for path, (data, _) in tree_state(root).items() if path.startswith("bank/") and "_meta" not in path
    }


def archived_ids(bankctl: Run) -> list[str]:
    return [item["id"] for item in bankctl("archive", "list", "--json").json["archive"]]


@pytest.mark.parametrize("lost", ["", ".bankd", "archive"])
def test_what_was_archived_comes_back_to_the_byte_and_stays(root: Path, bankctl: Run, lost: str) -> None:
    """Also when bankd's own tables are lost, or a person deletes the archive: the next run tells of each memory in it."""
    page = root / "bank/opinions/taste.md"
    lines = "".join(f"- {line} ^m-{'a' * 11}{n}\n" for n, line in enumerate(OPINIONS, 2))
    text = f"# Taste\n\n{lines}\n## More\n\n- O(c=0.45): one of its kind ^m-bbbbbbbbbbbb\n"
    page.write_text(
        text.replace(") @Peter", "@2026-05-02) @Peter").replace("0.45)", "0.45@2026-05-02)"), encoding="utf-8"
    )
    bankctl("cycle", "micro", "--now", START)
    before = pages(root)
    assert bankctl("cycle", "reflect", "--now", "2026-05-20T03:00", "--json").json["counts"] == {"archived": 3}
    ids, deleted = archived_ids(bankctl), 3 * (lost == "archive")
    if lost:
        shutil.rmtree(root / lost)

    assert bankctl("doctor", "verify").out.count("is on no page") == deleted
    counts = bankctl("cycle", "reflect", "--now", "2026-05-21T03:00", "--json").json["counts"]
    assert counts == ({"deleted": deleted} if deleted else {})
    report = bankctl("archive", "restore", *ids, "--now", "2026-05-21T04:00", "--json").json

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


def test_the_archive_stays_when_what_was_put_there_comes_out(
    root: Path, bankctl: Run, caplog: pytest.LogCaptureFixture
) -> None:
    write_log(root, "2026-05-01.md", "S: 가치관: 정직을 최우선으로 한다.")
    bankctl("cycle", "micro", "--now", START)
    id_ = bankctl("search", "정직", "--json").json["hits"][0]["id"]
    run = bankctl("archive", "put", id_, "--json").json["run"]

    assert list((root / "archive").rglob("*.md"))
    assert bankctl("undo", run).code == 0
    assert list((root / "archive").iterdir()) == []
    bankctl("archive", "put", id_)
    assert (bankctl("archive", "restore", id_).code, caplog.messages) == (0, []), "our commands are no other program"


def test_a_page_that_was_moved_to_another_case_has_one_page_in_the_archive(root: Path, bankctl: Run) -> None:
    one, other = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"
    text = f"# Tea\n\n- W: green tea ^{one}\n- W: black tea ^{other}\n- W: white tea ^m-cccccccccccc\n"
    (root / "bank/world/tea.md").write_text(text, encoding="utf-8")
    steps = (f"archive put {one}", "page move world/tea.md world/TEA.md", f"archive put {other}")
    codes = [bankctl(*step.split()).code for step in steps]

    (page,) = (root / "archive/world").glob("*.md")
    assert codes == [0, 0, 0]
    assert all(id_ in page.read_text(encoding="utf-8") for id_ in (one, other))


def test_gc_says_what_it_would_take_and_takes_it_only_when_told(root: Path, bankctl: Run) -> None:
    key = "W: 창고 열쇠는 지우가 가지고 있다. #pinned"
    write_log(root, "2026-05-01.md", "W: The deploy runs at 10:00 daily.", key, OPINIONS[1])
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

    assert bankctl("cycle", "micro", "--json").json["counts"] == {"recalled": 1}
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


def test_the_forecast_names_the_day_and_counts_what_never_fades(root: Path, bankctl: Run) -> None:
    lasting = "O(c=0.9) @Peter: Prefers short answers.", "O(c=0.35) @Peter: Believes that rain is right #pinned"
    write_log(root, "2026-05-01.md", *OPINIONS[:2], *lasting, "O @Peter: Believes that snow is right.")
    bankctl("cycle", "micro", "--now", START)

    forecast = bankctl("archive", "forecast", "--days", "30", "--now", START, "--json").json

    assert [(fall["day"], fall["today"]) for fall in forecast["falls"]] == [("2026-05-09", 0.38)]
    assert forecast["pinned"] == 1
    said = bankctl("archive", "forecast", "--now", START).out.splitlines()[-1]
    assert said.endswith(": pinned (1), without a confidence (1), on a page that decay.keep names (1)")
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
    made_year: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    root = Path(shutil.copytree(made_year, tmp_path / "year", symlinks=True))
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


def test_an_opinion_goes_to_the_archive_on_the_day_that_arithmetic_says(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", SURE, "O: Rust is better than Go")
    bankctl("cycle", "reflect", "--now", START)

    far = bankctl("cycle", "reflect", "--now", "2026-05-19T03:00", "--json").json
    held = bankctl("cycle", "reflect", "--now", "2026-05-26T03:00", "--json").json  # 0.80 - 25 * 0.02 = 0.30
    told = bankctl("status").out
    gone = bankctl("cycle", "reflect", "--now", "2026-05-27T03:00", "--json").json

    assert far["counts"] == {}
    assert held["counts"] == {"fading": 1}
    assert "1 opinion fades within 7 days; to list them: bankctl archive forecast" in told
    assert held["rows"][0]["reason"].startswith("fades on 2026-05-27: to keep it say it again")
    assert gone["counts"] == {"archived": 1}
    assert "short answers" not in (root / "bank/opinions/beliefs.md").read_text(encoding="utf-8")
    archived = (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")
    assert "- O(c=0.80@2026-05-01) @Peter: Believes that short answers are right. ^m-" in archived
    before = tree_state(root)
    shutil.rmtree(root / ".bankd")
    assert bankctl("cycle", "reflect", "--now", "2026-05-28T03:00", "--json").json["counts"] == {}
    assert tree_state(root) == before


def test_a_hand_edited_confidence_starts_anew(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.40) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", START)
    page = root / "bank/opinions/beliefs.md"
    page.write_text(page.read_text(encoding="utf-8").replace("c=0.40@2026-05-01", "c=0.9"), encoding="utf-8")

    bankctl("cycle", "reflect", "--now", "2026-05-20T03:00")

    assert "O(c=0.9@2026-05-20) @Peter" in page.read_text(encoding="utf-8")


def test_a_faded_opinion_without_id_is_named_first_and_archived_next(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/beliefs.md"
    page.write_text("# Beliefs\n\n- O(c=0.40@2026-01-01): old\n  belief\n  - detail\n- kept\n", encoding="utf-8")

    first = bankctl("cycle", "reflect", "--now", START, "--json").json["counts"]
    second = bankctl("cycle", "reflect", "--now", "2026-05-03T03:00", "--json").json["counts"]

    assert (first, second) == ({"named": 1}, {"archived": 1})
    assert page.read_text(encoding="utf-8") == "# Beliefs\n\n- kept\n"
    archived = (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")
    assert archived.startswith("# Beliefs\n\n- O(c=0.40@2026-01-01): old\n  belief ^m-")
    assert archived.endswith("\n  - detail\n")


def test_many_at_once_are_not_archived_unasked(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", *(f"O(c=0.40) @P{n}: Believes that {n} is right" for n in range(30)))
    bankctl("cycle", "reflect", "--now", START)

    refused = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json").json
    forced = bankctl("cycle", "reflect", "--now", "2026-08-01T03:00", "--json", "--force").json

    assert refused["counts"] == {"warning": 1}
    assert "30 of 30" in refused["rows"][0]["reason"]
    assert forced["counts"] == {"archived": 30}


def test_opinions_of_an_old_log_stay_a_week_and_are_announced_before_they_go(root: Path, bankctl: Run) -> None:
    write_log(root, "2025-05-01.md", SURE)

    taken = bankctl("cycle", "reflect", "--now", "2026-05-02T03:00", "--json").json
    counts = [
        bankctl("cycle", "reflect", "--now", f"2026-05-{day:02}T03:00", "--json").json["counts"] for day in range(3, 10)
    ]

    assert taken["counts"] == {"learned": 1}
    assert counts == [{"fading": 1}] * 6 + [{"archived": 1}]
    assert "O(c=0.80@2025-05-01)" in (root / "archive/opinions/beliefs.md").read_text(encoding="utf-8")


def test_an_opinion_said_again_counts_from_the_day_of_the_log_that_says_it(root: Path, bankctl: Run) -> None:
    opinion, page = "O(c=0.50) @Peter: Believes that short answers are right.", root / "bank/opinions/beliefs.md"
    learn(root, bankctl, "2026-05-10.md", opinion, now="2026-05-11T03:00")
    learn(root, bankctl, "2026-05-12.md", opinion, now="2026-05-20T03:00")
    assert "O(c=0.51@2026-05-12)" in page.read_text(encoding="utf-8")  # 0.50 less two days, plus 0.05

    learn(root, bankctl, "2026-04-01.md", opinion, now="2026-05-21T03:00")
    assert "O(c=0.56@2026-05-12)" in page.read_text(encoding="utf-8")


def test_a_log_of_a_day_to_come_or_of_none_gives_the_day_of_the_run(root: Path, bankctl: Run) -> None:
    write_log(root, "2027-01-01.md", "O(c=0.50) @Peter: Believes that short answers are right.")
    learn(root, bankctl, "notes.md", "O(c=0.50) @Peter: Believes that letters are wrong.", now="2026-05-20T03:00")

    assert (root / "bank/opinions/beliefs.md").read_text(encoding="utf-8").count("@2026-05-20") == 2


def test_a_preference_stays_wherever_its_page_went_and_an_opinion_goes_on_its_day(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "O(c=0.80): I prefer tea to coffee", SURE)
    bankctl("cycle", "reflect", "--now", START)
    (root / "bank/likes").mkdir()
    (root / "bank/opinions/preferences.md").rename(root / "bank/likes/what.md")

    counts = [
        bankctl("cycle", "reflect", "--now", f"2026-05-{day}T03:00", "--json").json["counts"] for day in (26, 27, 28)
    ]

    assert [count.get("archived", 0) for count in counts] == [0, 1, 0]
    assert "c=0.80@2026-05-01): I prefer tea" in (root / "bank/likes/what.md").read_text(encoding="utf-8")


def test_said_again_an_opinion_has_at_least_what_was_said_and_used_it_does_not_fade(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", SURE)
    bankctl("cycle", "reflect", "--now", START)
    write_log(root, "2026-05-20.md", "O(c=0.85) @Peter: Believes that short answers are right.")
    bankctl("cycle", "reflect", "--now", "2026-05-21T03:00")
    page = root / "bank/opinions/beliefs.md"
    assert "O(c=0.85@2026-05-20) @Peter" in page.read_text(encoding="utf-8")

    memory = page.read_text(encoding="utf-8").rpartition("^")[2].strip()
    for day in ("2026-05-22", "2026-05-23"):
        bankctl("feedback", "used", memory, "--now", f"{day}T12:00")
    forecast = bankctl("archive", "forecast", "--now", "2026-05-24T04:00", "--json").json["falls"]

    # two days later than .02 a day
    assert [(fall["day"], fall["today"]) for fall in forecast] == [("2026-06-19", 0.81)]


def test_a_preference_on_another_page_is_offered_the_page_that_keeps_it_before_it_fades(
    root: Path, bankctl: Run
) -> None:
    page = root / "bank/entities/Ann.md"
    page.write_text("# Ann\n\n- O(c=0.40@2026-05-01): I prefer tea to coffee ^m-aaaaaaaaaaaa\n", encoding="utf-8")
    bankctl("cycle", "reflect", "--now", START)

    (card,) = bankctl("review", "list", "--now", "2026-05-03T04:00", "--json").json["fading"]
    accepted = bankctl("review", "accept", "m-aaaaaaaaaaaa", "--now", "2026-05-03T04:00")
    counts = bankctl("cycle", "reflect", "--now", "2026-06-20T03:00", "--json").json["counts"]

    assert "opinions/preferences.md" in json.dumps(card)
    assert (accepted.code, counts.get("archived")) == (0, None)
    assert "prefer tea" in (root / "bank/opinions/preferences.md").read_text(encoding="utf-8")


def test_search_fades_no_memory_of_a_kept_page_that_was_moved(root: Path, bankctl: Run) -> None:
    page = root / "bank/opinions/preferences.md"
    write_log(root, "2026-05-01.md", "O(c=0.80): I prefer the aisle seat on long flights.")
    bankctl("cycle", "reflect", "--now", START)
    asked = ("search", "aisle seat", "--in", "bank", "--min-confidence", "0.7", "--now", "2026-06-20T12:00", "--json")
    page.rename(page.with_name("taste.md"))
    bankctl("cycle", "reflect", "--now", "2026-05-03T03:00")

    (hit,) = bankctl(*asked).json["hits"]

    assert (hit["path"], hit["parts"]["prior"] > 0) == ("bank/opinions/taste.md", True)


def test_an_opinion_that_is_said_to_be_still_true_waits_no_more_however_weak_it_was(root: Path, bankctl: Run) -> None:
    page, at = root / "bank/entities/Ann.md", ("--now", "2026-05-02T04:00")
    page.write_text("# Ann\n\n- O(c=0.31@2026-05-02): bees are overrated ^m-aaaaaaaaaaaa\n", encoding="utf-8")
    waits = bankctl("review", "list", "fading", *at, "--json").json["fading"]

    bankctl("review", "accept", "m-aaaaaaaaaaaa", *at)

    assert [one["id"] for one in waits] == ["m-aaaaaaaaaaaa"]
    assert bankctl("review", "list", "fading", *at, "--json").json["fading"] == []
    assert "O(c=0.58@2026-05-02)" in page.read_text("utf-8")
    assert bankctl("archive", "forecast", *at, "--json").json["falls"][0]["day"] == "2026-05-17"
