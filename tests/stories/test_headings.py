"""A link in a heading changes the heading's name when it follows: links to the heading follow too, or nothing changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bankd.edits.operations import Write
from bankd.edits.transaction import Applied, Transaction
from bankd.layouts import rearrange
from bankd.layouts.merge import Layout
from bankd.storage.transactions import TransactionWriter
from tests.settings import change_setting
from tests.stories.conftest import Run, write_log

NOW = "2027-01-10T03:00"
VAULT = {
    "Harbour.md": "# Harbour\n\n## Boats\n\nBoats lie here.\n",
    "Diary.md": "# Diary\n\n###### [[Harbour]] 14:13\n\nMet the pilot, see [[#Harbour 14 13]] and [it](#harbour-1413).\n",
    "Week.md": "# Week\n\n[[Diary#Harbour 14 13]], ![[Diary#Harbour 14 13]], [d](Diary.md#harbour-1413).\n",
    "chain/One.md": "# One\n\n## On [[Diary#Harbour 14 13]]\n\nText.\n",
    "chain/A.md": "# A\n\n## Of [[One#On Diary Harbour 14 13|one]] and [[Harbour]]\n\nText.\n",
    "chain/Z.md": "# Z\n\n[[A#Of One On Diary Harbour 14 13 one and Harbour]] [[One#On Diary Harbour 14 13]]\n",
}


@pytest.fixture
def page(root: Path) -> Path:
    """A page of bankd's own that is large enough to be split."""
    change_setting(root, "warn_kib: 8", "warn_kib: 1")
    change_setting(root, "split_kib: 15", "split_kib: 2")
    (root / "routing.yaml").write_text("TAG_ROUTING:\n  W:\n    - {target: knowledge/full.md, match: '.'}\n", "utf-8")
    sections = (
        f"## {topic}\n\n" + "".join(f"- W: Of {topic} number {n}, at some length ^m-{topic}{n}\n" for n in range(18))
        for topic in ("Cooking", "Running", "Books")
    )
    (root / "bank/knowledge/full.md").write_text("# Full\n\n" + "\n".join(sections), "utf-8")
    return root / "bank/knowledge/full.md"


@pytest.fixture
def vault(root: Path) -> Path:
    """Pages of a person with links in headings, links to these, and so on."""
    for path, text in VAULT.items():
        (root / "bank" / path).parent.mkdir(exist_ok=True)
        (root / "bank" / path).write_text(text, "utf-8")
    return root


def pages_of(root: Path) -> dict[str, str]:
    """Every page with links and headings of this story, and the large page."""
    folders = [root / "bank/daily", root / "bank/knowledge"]
    return {str(path): path.read_text("utf-8") for folder in folders for path in folder.rglob("*.md")}


def vault_now(root: Path) -> dict[str, str]:
    return {path: page.read_text("utf-8") for path in VAULT if (page := root / "bank" / path).exists()}


def broken(bankctl: Run) -> list[str]:
    return [link["target"] for link in bankctl("page", "links", "--all", "--json").json["broken"]]


def test_links_to_a_heading_follow_the_link_in_it(vault: Path, bankctl: Run) -> None:
    before = vault_now(vault)
    assert broken(bankctl) == []

    done = bankctl("page", "move", "Harbour.md", "Dock.md", "--json")

    assert (done.code, broken(bankctl)) == (0, [])
    for path, text in before.items():
        if path != "Harbour.md":
            assert (vault / "bank" / path).read_text("utf-8") == text.replace("Harbour", "Dock").replace(
                "harbour", "dock"
            )
    assert bankctl("undo", done.json["run"]).code == 0
    assert vault_now(vault) == before
    bankctl("page", "move", "Harbour.md", "Dock.md")
    assert bankctl("page", "move", "Dock.md", "Harbour.md").code == 0
    assert vault_now(vault) == before


@pytest.mark.parametrize(
    "words", [("page", "links", "--heal"), ("cycle", "reflect", "--now", NOW)], ids=["heal", "night"]
)
def test_links_to_a_heading_follow_a_move_by_hand(vault: Path, bankctl: Run, words: tuple[str, ...]) -> None:
    change_setting(vault, "heal: offer", "heal: apply")
    bankctl("cycle", "micro", "--now", NOW)
    (vault / "bank/Harbour.md").rename(vault / "bank/Dock.md")

    assert bankctl(*words).code == 0
    assert broken(bankctl) == []
    assert "[[Diary#Dock 14 13]]" in (vault / "bank/Week.md").read_text("utf-8")


def test_links_to_a_heading_follow_a_split_and_a_merge(root: Path, page: Path, bankctl: Run) -> None:
    notes, plan = root / "bank/daily/notes.md", root / "bank/daily/a plan.md"
    notes.write_text("# Notes\n\n## About [[full#Books]]\n\nAs in [[#About full Books]].\n", "utf-8")
    plan.write_text("# Plan\n\n[[notes#About full Books]] [n](notes.md#about-fullbooks)\n", "utf-8")
    before = pages_of(root)

    split = bankctl("page", "split", "knowledge/full.md")

    assert (split.code, broken(bankctl)) == (0, [])
    assert plan.read_text("utf-8") == "# Plan\n\n[[notes#About books Books]] [n](notes.md#about-booksbooks)\n"
    assert bankctl("page", "merge", "knowledge/full.md").code == 0
    assert pages_of(root) == before


def test_a_link_to_a_heading_follows_only_if_the_link_in_it_does(
    vault: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, commit = vault_now(vault), TransactionWriter.commit

    def take_the_name(writer: TransactionWriter, transaction: Transaction) -> Applied:
        less = tuple(
            op for op in transaction.operations if not (isinstance(op, Write) and op.before is None)
        )  # as on a disk that is full
        return commit(writer, replace(transaction, operations=less))

    monkeypatch.setattr(TransactionWriter, "commit", take_the_name)

    assert bankctl("page", "move", "Harbour.md", "Dock.md").code == 3
    assert vault_now(vault) == before


def test_links_to_a_heading_follow_what_the_archive_takes_and_gives_back(root: Path, bankctl: Run) -> None:
    tea = "m-aaaaaaaaaaaa"
    (root / "bank/world/taste.md").write_text(f"# Taste\n\n- O(c=0.31@2026-05-02): Prefers tea. ^{tea}\n", "utf-8")
    reading, plan = root / "bank/world/reading.md", root / "bank/world/plan.md"
    reading.write_text(f"# Reading\n\n## Why [[taste#^{tea}]] matters\n\nSee [[#Why taste {tea} matters]].\n", "utf-8")
    plan.write_text(f"# Plan\n\n[[reading#Why taste {tea} matters]]\n", "utf-8")
    before = reading.read_text("utf-8"), plan.read_text("utf-8")
    bankctl("cycle", "micro", "--now", "2026-05-03T03:00")
    assert broken(bankctl) == []

    night = bankctl("cycle", "reflect", "--now", "2026-07-01T03:00", "--json").json

    assert (night["counts"]["archived"], broken(bankctl)) == (1, [])
    assert f"[[reading#Why archive/world/taste {tea} matters]]" in plan.read_text("utf-8")
    assert bankctl("undo", night["run"]).code == 0
    assert (reading.read_text("utf-8"), plan.read_text("utf-8")) == before


def test_a_page_that_cannot_be_split_is_left_alone_and_the_rest_of_the_night_goes_on(
    root: Path, page: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = page.with_name("other.md")
    other.write_text(page.read_text("utf-8").replace("^m-", "^m-o").replace("# Full", "# Other"), "utf-8")
    write_log(root, "2027-01-09.md", "W: The new bicycle is red.")
    before, findings = page.read_text("utf-8"), rearrange.find_layout_faults

    def find_fault(layout: Layout, *rest: Any) -> list[str]:
        is_full = any(path.startswith("bank/knowledge/full/") for path in layout.new_paths)
        return ["bank/daily/home.md:1: running.md would lead nowhere"] if is_full else findings(layout, *rest)

    monkeypatch.setattr(rearrange, "find_layout_faults", find_fault)
    night = bankctl("cycle", "reflect", "--now", NOW, "--json")

    left = [row for row in night.json["rows"] if row["kind"] == "left alone"]
    assert [(row["place"], row["reason"]) for row in left] == [
        ("bank/knowledge/full.md", "is not split: bank/daily/home.md:1: running.md would lead nowhere")
    ]
    assert (night.json["counts"]["learned"], night.json["counts"]["split"]) == (1, 1)
    assert set(before.split("\n")) <= set(page.read_text("utf-8").split("\n"))
    assert other.with_suffix("").is_dir()
    assert not page.with_suffix("").exists()


@pytest.mark.parametrize(
    "words", [("page", "links", "--heal"), ("cycle", "reflect", "--now", NOW)], ids=["heal", "night"]
)
def test_a_move_that_links_cannot_follow_stops_no_other(
    vault: Path, bankctl: Run, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    change_setting(vault, "heal: offer", "heal: apply")
    harbour, diary, findings = vault / "bank/Harbour.md", vault / "bank/Diary.md", rearrange.find_layout_faults
    (vault / "bank/Boat.md").write_text("# Boat\n\nIt floats.\n", "utf-8")
    (vault / "bank/Crew.md").write_text("# Crew\n\nOn the [[Boat]].\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    harbour.rename(harbour.with_name("Dock.md"))
    (vault / "bank/Boat.md").rename(vault / "bank/Ship.md")

    def find_fault(layout: Layout, *rest: Any) -> list[str]:
        is_harbour = "bank/Dock.md" in layout.new_paths
        return ["bank/Diary.md:3: Dock would lead nowhere"] if is_harbour else findings(layout, *rest)

    monkeypatch.setattr(rearrange, "find_layout_faults", find_fault)
    told = bankctl(*words)

    assert (vault / "bank/Crew.md").read_text("utf-8") == "# Crew\n\nOn the [[Ship]].\n"
    assert diary.read_text("utf-8") == VAULT["Diary.md"]
    assert "links do not follow from bank/Harbour.md: bank/Diary.md:3: Dock would lead nowhere" in told.out
    assert bankctl("page", "links", "--json").json["moved"] == {"bank/Harbour.md": "bank/Dock.md"}


def test_a_memory_stays_when_a_link_to_it_stands_in_a_heading_that_others_cannot_follow(
    root: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    tea, rain = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb"
    lines = f"- O(c=0.31@2026-05-02): Prefers tea. ^{tea}\n- O(c=0.31@2026-05-02): Dislikes rain. ^{rain}\n"
    (root / "bank/world/taste.md").write_text(f"# Taste\n\n{lines}", "utf-8")
    (root / "bank/world/reading.md").write_text(f"## Why [[taste#^{tea}]] matters\n", "utf-8")
    (root / "bank/world/plan.md").write_text(f"[[reading#Why taste {tea} matters]]\n", "utf-8")
    (root / "bank/world/rain.md").write_text(f"[[taste#^{rain}]]\n", "utf-8")
    monkeypatch.setattr(rearrange, "follow_headings", lambda followed, *_: tuple(followed))

    night = bankctl("cycle", "reflect", "--now", "2026-07-01T03:00", "--json")

    assert night.json["counts"] == {"archived": 1, "followed": 1, "warning": 1}
    (warning,) = (row["reason"] for row in night.json["rows"] if row["kind"] == "warning")
    assert warning == f"{tea} stays: bank/world/reading.md:1 links to it and cannot follow"
    assert f"^{tea}" in (root / "bank/world/taste.md").read_text("utf-8")


@pytest.mark.parametrize(
    "words", [("page", "links", "--heal"), ("cycle", "reflect", "--now", NOW)], ids=["heal", "night"]
)
def test_links_to_a_heading_follow_a_memory_that_a_hand_moved(root: Path, bankctl: Run, words: tuple[str, ...]) -> None:
    change_setting(root, "heal: offer", "heal: apply")
    tea, world = "m-aaaaaaaaaaaa", root / "bank/world"
    (world / "taste.md").write_text(f"# Taste\n\n- W: Some like tea. ^{tea}\n", "utf-8")
    (world / "reading.md").write_text(f"## Why [[taste#^{tea}]] matters\n", "utf-8")
    (world / "plan.md").write_text(f"[[reading#Why taste {tea} matters]]\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    (world / "taste.md").write_text("# Taste\n", "utf-8")
    (world / "drinks.md").write_text(f"# Drinks\n\n- W: Some like tea. ^{tea}\n", "utf-8")

    assert bankctl(*words).code == 0
    assert (world / "plan.md").read_text("utf-8") == f"[[reading#Why drinks {tea} matters]]\n"
    assert broken(bankctl) == []
