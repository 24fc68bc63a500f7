"""A line edited in its log: the memory that came from it follows, unless a person changed or deleted that."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.stories.conftest import Run, last_run, write_log

PAGE = "bank/patterns/workflows.md"
LOG = "2026-05-02.md"
DEPLOY, SIGN, BACKUP = (
    "W: The prodution deploy workflow runs at 10:00 on Tuesdays.",
    "W: The release workflow has a sign-off by Mina.",
    "W: 백업 workflow 는 매일 밤 두 시에 돈다.",
)
MENDED = "W: The production deploy workflow runs at 10:30 on Tuesdays."


@pytest.fixture
def page(root: Path, bankctl: Run) -> Path:
    write_log(root, LOG, DEPLOY, SIGN, BACKUP)
    assert bankctl("cycle", "micro", "--now", "2026-06-09T03:00").code == 0
    return root / PAGE


def edit(root: Path, bankctl: Run, *lines: str, day: int = 10) -> dict[str, int]:
    write_log(root, LOG, *lines)
    counts: dict[str, int] = bankctl("cycle", "micro", "--now", f"2026-06-{day}T03:00", "--json").json["counts"]
    return counts


def id_of(page: Path, words: str) -> str:
    return next(line for line in page.read_text().splitlines() if words in line).rpartition("^")[2]


def test_why_a_memory_stands_on_its_page_and_that_a_person_reworded_it_is_shown(
    root: Path, page: Path, bankctl: Run
) -> None:
    id_, run = id_of(page, "prodution"), last_run(bankctl)
    number = next(n for n, line in enumerate(page.read_text().splitlines(), 1) if id_ in line)

    page.write_text(page.read_text().replace(f"^{id_}\n", f"^{id_}\n  - a note below\n"))
    shown = bankctl("show", id_).out + bankctl("show", f"memory/{LOG}:4").out
    assert [one in shown for one in (f"placed by {run} on {PAGE}", "reworded", "says now")] == [True, False, False]
    page.write_text(page.read_text().replace("prodution", "big"))
    assert f"its log line says: {DEPLOY.partition(': ')[2]}" in bankctl("show", f"{PAGE}:{number}").out
    assert bankctl("show", "last").out == bankctl("show").out == bankctl("show", run).out
    assert "no memory stands in this line" in bankctl("show", f"{PAGE}:1").err
    beyond = bankctl("show", f"memory/{LOG}:999")
    assert (beyond.code, "the log has" in beyond.out) == (3, True)


def test_the_memory_of_an_edited_line_follows_it_under_its_id(root: Path, page: Path, bankctl: Run) -> None:
    id_ = id_of(page, "prodution")

    assert edit(root, bankctl, MENDED, SIGN, BACKUP) == {"edited": 1}

    assert page.read_text().count("deploy") == 1
    assert f"- {MENDED} ^{id_}" in page.read_text()
    shown = bankctl("show", id_).out
    assert f"from memory/{LOG}:4" in shown
    assert f"until 2026-06-10 it said: {DEPLOY}" in shown
    line = bankctl("show", f"memory/{LOG}:4").out
    assert "kept" in line
    assert f"^{id_}" in line
    assert "all promises hold" in bankctl("doctor", "verify").out
    assert edit(root, bankctl, MENDED, SIGN, BACKUP, day=11) == {}


def test_prose_that_is_written_below_a_memory_is_no_part_of_it(page: Path, bankctl: Run) -> None:
    id_ = id_of(page, "sign-off")
    at_margin, indented = "She said so at the harbour.", "    With a stamp."
    page.write_text(page.read_text().replace(f"^{id_}\n", f"^{id_}\n{at_margin}\n"))
    backup = id_of(page, "백업")
    page.write_text(page.read_text().replace(f"^{backup}\n", f"^{backup}\n{indented}\n"))

    assert "by hand" in bankctl("cycle", "micro", "--now", "2026-06-10T03:00").out
    said = {hit["id"]: hit["text"] for hit in bankctl("search", "--json", "sign-off by Mina").json["hits"]}
    assert said[id_] == "The release workflow has a sign-off by Mina."
    assert at_margin in bankctl("search", "harbour").out
    for one in (id_, backup):
        bankctl("archive", "put", one)
    archived = page.parents[2].joinpath("archive/patterns/workflows.md").read_text()
    assert (at_margin in page.read_text(), at_margin in archived) == (True, False)
    assert (indented in page.read_text(), indented.strip() in archived) == (False, True)
    assert "all promises hold" in bankctl("doctor", "verify").out


def test_a_line_may_be_edited_again_and_back_to_what_it_was(root: Path, page: Path, bankctl: Run) -> None:
    id_ = id_of(page, "prodution")
    for day, said in enumerate((MENDED, MENDED.replace("10:30", "11:00"), MENDED, DEPLOY, MENDED), start=10):
        assert edit(root, bankctl, said, SIGN, BACKUP, day=day) == {"edited": 1}
        assert f"- {said} ^{id_}" in page.read_text()
    assert bankctl("doctor", "verify").code == 0


def test_an_edit_can_be_undone_and_does_not_come_again(root: Path, page: Path, bankctl: Run) -> None:
    before = page.read_bytes()
    edit(root, bankctl, MENDED, SIGN, BACKUP)

    assert bankctl("undo", "20260610T030000-micro").code == 0
    assert page.read_bytes() == before
    assert bankctl("cycle", "micro", "--now", "2026-06-11T03:00").code == 0
    assert page.read_bytes() == before
    assert bankctl("doctor", "verify").code == 0


def test_two_lines_edited_at_once_and_moved_among_others(root: Path, page: Path, bankctl: Run) -> None:
    deploy, backup = id_of(page, "prodution"), id_of(page, "백업")
    mended = BACKUP.replace("두 시", "세 시")

    counts = edit(root, bankctl, "W: The linter workflow is new.", mended, SIGN, MENDED)

    assert counts == {"edited": 2, "learned": 1}
    assert f"- {MENDED} ^{deploy}" in page.read_text()
    assert f"- {mended} ^{backup}" in page.read_text()


def test_a_line_deleted_and_another_one_in_its_place_are_two(root: Path, page: Path, bankctl: Run) -> None:
    other = "W: Peter keeps the workflow charts in a drawer."

    assert edit(root, bankctl, other, SIGN, BACKUP) == {"learned": 1}

    assert DEPLOY in page.read_text()
    assert any(other in path.read_text() for path in (root / "bank").rglob("*.md"))


def test_a_memory_that_a_person_mended_alike_goes_on_following(root: Path, page: Path, bankctl: Run) -> None:
    page.write_text(page.read_text().replace(DEPLOY, MENDED))
    assert edit(root, bankctl, MENDED, SIGN, BACKUP) == {"by hand": 1, "edited": 1}
    assert edit(root, bankctl, MENDED.replace("10:30", "11:00"), SIGN, BACKUP, day=11) == {"edited": 1}
    assert page.read_text().count("deploy") == 1

    id_ = id_of(page, "deploy")
    page.write_text(page.read_text().replace("11:00", "12:00 in summer and 11:00"))
    counts = edit(root, bankctl, MENDED.replace("10:30", "13:00"), SIGN, BACKUP, day=12)
    assert counts == {"by hand": 1, "not followed": 1}
    (item,) = bankctl("review", "list", "blocked", "--json").json["blocked"]
    bankctl("review", "accept", item["id"])
    (asked,) = bankctl("review", "list", "contradictions", "--json").json["contradictions"]
    assert (asked["older"]["id"], asked["newer"]["id"]) == (id_, item["id"]), "both are told, and a person is asked"


def test_a_log_renamed_and_edited_at_once(root: Path, page: Path, bankctl: Run) -> None:
    id_ = id_of(page, "prodution")
    (root / "memory" / LOG).unlink()
    write_log(root, "2026-05-03.md", MENDED, SIGN, BACKUP)

    counts = bankctl("cycle", "micro", "--now", "2026-06-10T03:00", "--json").json["counts"]

    assert counts == {"edited": 1, "renamed": 1}
    assert f"- {MENDED} ^{id_}" in page.read_text()
    assert "from memory/2026-05-03.md:4" in bankctl("show", id_).out


def test_search_says_of_an_edited_line_what_it_is_kept_as(root: Path, page: Path, bankctl: Run) -> None:
    id_ = id_of(page, "prodution")
    edit(root, bankctl, MENDED, SIGN, BACKUP)

    hit = bankctl("search", "--in", "logs", "production deploy Tuesdays", "--json").json["hits"][0]

    assert hit["became"] == f"kept as {id_}"


def test_an_edited_confidence_holds_unless_a_person_or_a_later_line_changed_it(root: Path, bankctl: Run) -> None:
    lines = [f"O(c=0.50) @Mina: Prefers {what}." for what in ("long walks", "rye bread", "green tea")]
    write_log(root, LOG, *lines)
    bankctl("cycle", "micro", "--now", "2026-05-02T03:00")
    page = root / "bank/opinions/preferences.md"
    page.write_text(page.read_text().replace("0.50@2026-05-02) @Mina: Prefers rye", "0.70) @Mina: Prefers rye"))
    write_log(root, "2026-05-03.md", "O(c=0.90) @Mina: Prefers long walks.")
    bankctl("cycle", "micro", "--now", "2026-05-03T03:00")

    assert edit(root, bankctl, *(line.replace("0.50", "0.40") for line in lines)) == {"edited": 1}
    assert re.findall(r"c=([\d.]+)", page.read_text()) == ["0.90", "0.70", "0.40"]
