"""A page renamed by hand, into which no link leads, is the same page under another name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, learn, tree_state, write_log

NOW, NEXT, LATER = "2026-05-05T03:00", "2026-05-06T03:00", "2026-05-09T03:00"


@pytest.fixture
def renamed(root: Path, bankctl: Run) -> Path:
    """A workspace of which two pages were renamed after a run, one that a rule names and one of a `@Slug`."""
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    learn(
        root,
        bankctl,
        "2026-05-04.md",
        "S: 가치관: 정직을 최우선으로 한다.",
        "W @Peter: Works at the bank in Mapo.",
        now=NOW,
    )
    (root / "bank/identity/values.md").rename(root / "bank/identity/principles.md")
    (root / "bank/entities/Peter.md").rename(root / "bank/entities/Peter Kim.md")
    return root


def test_its_memories_are_neither_deleted_nor_added(renamed: Path, bankctl: Run) -> None:
    before = tree_state(renamed / "bank")

    assert bankctl("cycle", "micro", "--now", NEXT, "--json").json["counts"] == {}
    assert tree_state(renamed / "bank") | before == before
    assert bankctl("doctor", "verify").code == 0


@pytest.mark.parametrize("loses_derived", [False, True], ids=["as it is", "without .bankd"])
def test_rules_and_slugs_lead_to_it(renamed: Path, bankctl: Run, loses_derived: bool) -> None:
    if loses_derived:
        shutil.rmtree(renamed / ".bankd")
    tested = bankctl("config", "route", "S: 가치관: 약속은 지킨다.").out
    for day in ("05", "06"):  # the second run finds the page of the first
        write_log(renamed, f"2026-05-{day}.md", f"S: 가치관: 약속 {day}개는 지킨다.", f"W @Peter: Has {day} children.")
        bankctl("cycle", "micro", "--now", f"2026-05-{day}T09:00")

    assert tested.startswith("-> identity/principles.md  rule of S")
    assert "identity/values.md is identity/principles.md now" in tested
    assert (renamed / "bank/identity/principles.md").read_text("utf-8").count("^m-") == 3
    assert (renamed / "bank/entities/Peter Kim.md").read_text("utf-8").count("^m-") == 3
    assert not (renamed / "bank/identity/values.md").exists()
    assert not (renamed / "bank/entities/Peter.md").exists()


@pytest.mark.parametrize("is_taken_away", [False, True])
def test_what_it_is_about_leads_to_it_and_to_no_page_that_was_taken_away(
    root: Path, bankctl: Run, is_taken_away: bool
) -> None:
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    learn(root, bankctl, "2026-05-04.md", "W: 세탁기 배수 호스에서 물이 샌다.", now=NOW)
    home, house = root / "bank/daily/home.md", root / "bank/daily/house.md"
    home.rename(house)
    if is_taken_away:
        for page in (house, home):  # what was just written is put back once
            page.unlink()
            bankctl("cycle", "micro", "--now", NOW, "--force")
    write_log(root, "2026-05-05.md", "W: 욕실 수도꼭지와 변기 부속을 갈았다.")
    bankctl("cycle", "micro", "--now", NEXT)

    assert not home.exists()
    holder = root / "bank/_meta/inbox.md" if is_taken_away else house
    assert "욕실 수도꼭지와" in holder.read_text("utf-8")


def test_undo_takes_back_what_a_run_wrote_there(renamed: Path, bankctl: Run) -> None:
    bankctl("cycle", "micro", "--now", NEXT)
    run = bankctl("log", "--json").json["runs"][-1]["run"]
    bankctl("undo", run)

    assert "^m-" not in (renamed / "bank/identity/principles.md").read_text("utf-8")
    assert not (renamed / "bank/identity/values.md").exists()


def test_what_was_archived_comes_back_there(root: Path, bankctl: Run) -> None:
    change_setting(root, "settle_seconds: 5", "settle_seconds: 0")
    write_log(
        root, "2026-05-04.md", "O(c=0.40): I believe that reports are too long.", "O(c=0.99): I believe that tea helps."
    )
    bankctl("cycle", "micro", "--now", NOW)
    bankctl("cycle", "reflect", "--now", "2026-05-20T03:00")
    (gone,) = bankctl("archive", "--json").json["archive"]
    (root / "bank/opinions/beliefs.md").rename(root / "bank/opinions/views.md")

    assert bankctl("archive", "restore", gone["id"]).code == 0
    assert gone["id"] in (root / "bank/opinions/views.md").read_text("utf-8")
    assert not (root / "bank/opinions/beliefs.md").exists()


def test_a_page_whose_memories_went_different_ways_is_made_anew(renamed: Path, bankctl: Run) -> None:
    (renamed / "bank/identity/principles.md").unlink()
    write_log(renamed, "2026-05-08.md", "S: 가치관: 약속은 꼭 지킨다.")
    bankctl("cycle", "micro", "--now", LATER)

    assert "약속은" in (renamed / "bank/identity/values.md").read_text("utf-8")


def test_a_move_of_long_ago_turns_no_link_that_was_written_since(root: Path, bankctl: Run) -> None:
    """Where the archive has a page of the same path, a link to the new path would have led there before the move."""
    settings, world = root / "bankd.yaml", root / "bank/world"
    text = settings.read_text("utf-8").replace("settle_seconds: 5", "settle_seconds: 0")
    settings.write_text(text.replace("heal: offer", "heal: apply"), "utf-8")
    (world / "heron.md").write_text(
        "# Heron\n\n- W: The heron nests by the weir. ^m-aaaaaaaaaaaa\n- W: It fishes at dawn. ^m-bbbbbbbbbbbb\n"
    )
    (world / "otter.md").write_text("# Otter\n\n- W: The otter sleeps under the mill.\n")
    bankctl("cycle", "reflect")
    (world / "heron.md").rename(world / "weir.md")
    bankctl("cycle", "reflect")
    archived = bankctl("archive", "put", "m-aaaaaaaaaaaa")
    (world / "birds.md").write_text("# Birds\n\nsee [[world/weir|the weir]] and [[world/otter|the otter]]\n")
    bankctl("cycle", "reflect")
    (world / "otter.md").rename(world / "mill.md")
    bankctl("cycle", "reflect")

    assert archived.code == 0, archived.err
    assert (root / "archive/world/weir.md").exists()
    assert "see [[world/weir|the weir]] and [[world/mill|the otter]]" in (world / "birds.md").read_text()
