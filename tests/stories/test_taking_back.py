"""Undo, forget, purge, verify and log, as a person meets them."""

from __future__ import annotations

import gzip
import json
import os
import re
import shutil
from datetime import datetime
from pathlib import Path

import pytest

from tests.settings import place_by_rules_alone
from tests.stories.conftest import Run, last_run, learn, tree_state, write_log

NOW = "2026-06-10T03:00"
LATER = "2026-06-10T03:30"
SECRET = "보라색 우산은 문 옆에 둔다"
_ID = re.compile(r"\^(m-[a-z2-7]{12})")


def pages(root: Path) -> dict[str, bytes]:
    """What people see: pages of bank and archive, without what is derived."""
    found = (p for f in ("bank", "archive") for p in (root / f).rglob("*.md"))
    return {str(p.relative_to(root)): p.read_bytes() for p in found}


def id_of(root: Path, words: str) -> str:
    lines = [line for data in pages(root).values() for line in data.decode().split("\n") if words in line]
    return str(_ID.findall(lines[0])[0])


def take_line_to(other: Path, page: Path, words: str) -> Path:
    """Move a line by hand; gives the page that it was on."""
    line = next(line for line in page.read_text().splitlines() if words in line)
    page.write_text(page.read_text().replace(line + "\n", ""))
    other.write_text(other.read_text() + f"\n{line}\n")
    return page


def test_log_and_show_tell_what_a_run_did(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    bankctl("cycle", "micro", "--now", LATER)

    runs = bankctl("log", "--json").json["runs"]
    shown = bankctl("show", runs[1]["run"])

    assert [row["status"] for row in runs] == ["empty", "changed"]
    assert "bank/identity/values.md" in shown.out
    assert "+- S: 가치관: 정직을 최우선으로 한다." in shown.out


def test_undo_brings_back_the_bytes_and_undoing_the_undo_brings_the_run_again(root: Path, bankctl: Run) -> None:
    before = pages(root)
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.", "W @Minji: Lives in Busan.")
    after, run = pages(root), last_run(bankctl)

    undone = bankctl("undo", run)
    assert undone.code == 0
    assert pages(root) == before
    told = {line.split()[1]: line.split()[0] for line in undone.out.splitlines() if ".md" in line}
    assert {path.removeprefix("bank/"): word for path, word in told.items()} == {
        "entities/Minji.md": "gone",
        "identity/values.md": "back",
    }
    assert [row["run"] for row in bankctl("log", "--json").json["runs"] if row["undone_by"]] == [run]
    assert bankctl("log").out.count("  undone ") == 1
    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {}
    assert pages(root) == before
    bankctl("undo", next(row["run"] for row in bankctl("log", "--json").json["runs"] if row["cycle"] == "undo"))
    assert pages(root) == after
    (taken_back,) = (row for row in bankctl("log", "--json").json["runs"] if row["undone_by"])
    assert taken_back["cycle"] == "undo", "the first run holds again"
    assert bankctl("doctor", "verify").code == 0


def test_what_changed_since_a_day_is_listed_run_by_run(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-06-09.md", "W: The ferry leaves at noon.")
    bankctl("cycle", "micro", "--now", NOW)
    bankctl("archive", "put", id_of(root, "ferry"))

    listed = bankctl("log", "--since", "2026-06-10").out
    assert listed.index("- archived  bank/_meta/inbox.md") < listed.index(
        "+ inbox     memory/2026-06-09.md:4 W: The ferry"
    )
    assert [row["kind"] for run in bankctl("log", "--since", "2020", "--json").json["runs"] for row in run["rows"]]
    assert bankctl("log", "--since", "2999-01-01").out == "nothing new\n"
    assert "is not a day" in bankctl("log", "--since", "maybe").err
    assert "… and 1 more: --limit 0 lists all\n" in bankctl("log", "--limit", "1").out


def test_a_memory_taken_out_by_hand_within_ten_minutes_comes_back_once(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "S: 가치관: 약속을 지킨다.", now="2026-06-09T03:00")
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    page = root / "bank/identity/values.md"
    without = re.sub(r"(?m)^- S: .*정직.*\n", "", page.read_text())  # as an old buffer of the page would have it
    page.write_text(without)
    bankctl("cycle", "micro", "--now", "2026-06-10T03:04")
    healed = page.read_text()
    page.write_text(without)
    bankctl("cycle", "micro", "--now", "2026-06-10T03:06")

    assert "정직을 최우선으로" in healed
    assert "정직을 최우선으로" not in page.read_text()


def test_a_memory_that_is_taken_out_beside_a_newer_one_stays_out(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "S: 가치관: 약속을 지킨다.", now="2026-06-09T03:00")
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    learn(root, bankctl, "2026-05-03.md", "S: 가치관: 아침마다 책을 읽는다.", now="2026-06-10T03:02")
    page = root / "bank/identity/values.md"
    page.write_text(re.sub(r"(?m)^- S: .*정직.*\n", "", page.read_text()))
    saved = datetime.fromisoformat("2026-06-10T03:03").timestamp()
    os.utime(page, (saved, saved))
    bankctl("cycle", "micro", "--now", "2026-06-10T03:04")

    assert "정직을 최우선으로" not in page.read_text()
    assert "책을 읽는다" in page.read_text()


def test_what_is_taken_out_of_a_page_that_was_renamed_since_comes_back_on_no_page_of_the_old_name(
    root: Path, bankctl: Run
) -> None:
    learn(root, bankctl, "2026-05-01.md", "S: 가치관: 약속을 지킨다.", now="2026-06-09T03:00")
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    old, new = root / "bank/identity/values.md", root / "bank/identity/ideals.md"
    new.write_text(re.sub(r"(?m)^- S: .*정직.*\n", "", old.read_text()))
    old.unlink()
    bankctl("cycle", "micro", "--now", "2026-06-10T03:04")

    assert not old.exists()
    assert "정직을 최우선으로" not in new.read_text()


def test_undo_keeps_what_people_changed_since_and_says_so_before_anything_is_taken_back(
    root: Path, bankctl: Run
) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.", "S: 가치관: 약속을 지킨다.")
    page, run = root / "bank/identity/values.md", last_run(bankctl)
    page.write_text(page.read_text().replace("정직을 최우선으로", "정직과 친절을 최우선으로") + "\nA note of mine.\n")
    before = tree_state(root)
    foretold = bankctl("undo", run, "--dry-run").out.splitlines()
    assert tree_state(root) == before

    undone = bankctl("undo", run).out.splitlines()

    assert foretold[:2] == [f"undoes {run}  2 learned", "  S: 가치관: 정직을 최우선으로 한다."]
    assert foretold[3].startswith("stays bank/identity/values.md")
    assert "reworded" in foretold[3]
    assert undone[:3] == foretold[:3]
    text = page.read_text()
    assert "정직과 친절을" in text
    assert "A note of mine." in text
    assert "약속을 지킨다" not in text
    assert any("reworded" in words for words in undone)


def test_undo_finds_a_memory_on_the_page_where_it_stands_now(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.", "S: 가치관: 약속을 지킨다.")
    run = last_run(bankctl)
    bankctl("page", "move", "identity/values.md", "world/Values.md")
    bankctl("page", "move", "world/Values.md", "world/values.md")

    undone = bankctl("undo", run, "--json").json
    again = bankctl("undo", undone["run"], "--json").json

    assert undone["stays"] == again["stays"] == []
    assert not (root / "bank/identity/values.md").exists()
    held = [id_ for data in pages(root).values() for id_ in _ID.findall(data.decode())]
    assert held.count(id_of(root, "약속을")) == 1
    assert "정직을" in (root / "bank/world/values.md").read_text()
    assert bankctl("doctor", "verify").code == 0


def test_undoing_twice_changes_nothing_the_second_time(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    run = last_run(bankctl)
    bankctl("undo", run)
    before = pages(root)

    again = bankctl("undo", run)

    assert (again.code, again.out) == (0, f"{run}: nothing is left to undo\n")
    assert bankctl("undo", run, "--dry-run").out == again.out
    assert pages(root) == before
    empty = bankctl("undo", last_run(bankctl))
    assert (empty.code, "it changed nothing, so there is nothing to take back" in empty.err) == (3, True)


def test_undoing_an_undo_brings_nothing_again_that_the_page_says_by_now(root: Path, bankctl: Run) -> None:
    for day in ("01", "02", "03"):
        write_log(root, f"2026-05-{day}.md", "S: 가치관: 정직을 최우선으로 한다.")
    bankctl("cycle", "micro", "--now", NOW)
    first, second = (line["id"] for line in bankctl("review", "list", "blocked", "--json").json["blocked"])
    bankctl("review", "accept", first)
    bankctl("undo", last_run(bankctl))
    undo = last_run(bankctl)
    bankctl("review", "accept", second)

    said = bankctl("undo", undo)

    assert "says the same there by now" in said.out + said.err
    assert (root / "bank/identity/values.md").read_text().count("정직을") == 2


def test_undoing_an_undo_brings_no_opinion_again_that_was_said_again_on_another_day(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "O(c=0.5) @Minji: Rust is best.", "O(c=0.5) @Minji: Buses are late.")
    bankctl("undo", last_run(bankctl))
    undo = last_run(bankctl)
    learn(root, bankctl, "2026-05-02.md", "O(c=0.7) @Minji: Rust is best.")

    said = bankctl("undo", undo)

    page = (root / "bank/entities/Minji.md").read_text()
    assert "says the same there by now" in said.out
    assert (page.count("Rust"), page.count("Buses")) == (1, 1)


@pytest.mark.parametrize("is_as_left", [False, True])
def test_undoing_an_undo_brings_nothing_again_that_another_page_says_since(
    root: Path, bankctl: Run, *, is_as_left: bool
) -> None:
    learn(root, bankctl, "2026-04-30.md", "W @Minji: Reads much.")
    learn(root, bankctl, "2026-05-01.md", "W @Minji: Lives in Busan.", "W @Minji: Plays the cello.")
    bankctl("undo", last_run(bankctl))
    undo, left = last_run(bankctl), (root / "bank/entities/Minji.md").read_bytes()
    learn(root, bankctl, "2026-05-02.md", "W @Minji: Lives in Busan.", now=LATER)
    page = take_line_to(root / "bank/world/facts.md", root / "bank/entities/Minji.md", "Busan")
    if is_as_left:
        page.write_bytes(left)

    said = bankctl("undo", undo)

    there = [path for path, data in pages(root).items() if b"Busan" in data]
    assert there == ["bank/world/facts.md"], said.out
    assert "says the same there by now" in said.out
    assert page.read_text().count("cello") == 1


@pytest.mark.parametrize("by_hand", ["", "\nBy hand.\n"])
def test_undoing_an_undo_brings_nothing_again_that_was_forgotten_under_another_id(
    root: Path, bankctl: Run, by_hand: str
) -> None:
    learn(root, bankctl, "2026-05-01.md", "W @Minji: Reads much.")
    learn(root, bankctl, "2026-05-02.md", "W @Minji: Lives in Busan.", "W @Minji: Plays the cello.")
    bankctl("undo", last_run(bankctl))
    undo, page = last_run(bankctl), root / "bank/entities/Minji.md"
    left = page.read_text()
    learn(root, bankctl, "2026-05-03.md", "W @Minji: Lives in Busan.", now=LATER)
    bankctl("forget", id_of(root, "Busan"))
    page.write_text(left + by_hand)

    assert "was forgotten since; it stays away" in bankctl("undo", undo).out
    assert ("Busan" in page.read_text(), page.read_text().count("cello")) == (False, 1)


def test_undoing_an_undo_brings_what_another_page_said_before(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "W @Minji: Lives in Busan.")
    page = take_line_to(root / "bank/world/facts.md", root / "bank/entities/Minji.md", "Busan")
    learn(root, bankctl, "2026-05-02.md", "W @Minji: Lives in Busan.", now=LATER)
    bankctl("review", "accept", bankctl("review", "list", "blocked", "--json").json["blocked"][0]["id"])
    bankctl("undo", last_run(bankctl))
    undo = last_run(bankctl)
    page.write_text(page.read_text() + "\nBy hand.\n")

    bankctl("undo", undo)

    there = [path for path, data in pages(root).items() if b"Busan" in data]
    assert sorted(there) == ["bank/entities/Minji.md", "bank/world/facts.md"]


def test_what_was_copied_with_its_id_stays_when_the_run_that_learned_it_is_undone(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-01.md", "W @Minji: Lives in Busan.", "W @Minji: Plays the cello.")
    page, other = root / "bank/entities/Minji.md", root / "bank/opinions/beliefs.md"
    line = next(line for line in page.read_text().splitlines() if "Busan" in line)
    other.write_text(other.read_text() + f"\n{line}\n")
    before = pages(root)

    undone = bankctl("undo", last_run(bankctl))

    assert "stands on bank/entities/Minji.md and bank/opinions/beliefs.md; it stays" in undone.out
    assert "cello" not in page.read_text()
    bankctl("undo", last_run(bankctl))
    assert pages(root) == before


@pytest.mark.parametrize("folder", ["ENTITIES", "people"])
def test_undoing_an_undo_brings_nothing_again_that_its_renamed_page_says(root: Path, bankctl: Run, folder: str) -> None:
    learn(root, bankctl, "2026-05-02.md", "W @Minji: Lives in Busan.")
    page = root / "bank/entities/Minji.md"
    page.write_text(page.read_text() + "\nBy hand.\n")
    said = page.read_text()
    undone = bankctl("undo", last_run(bankctl), "--json").json["run"]
    page.write_text(_ID.sub("", said).replace(" \n", "\n"))
    bankctl("page", "move", "entities", folder)

    again = bankctl("undo", undone, "--json").json

    assert sum(data.decode().count("Lives in Busan") for data in pages(root).values()) == 1
    assert [path for path in pages(root) if path.endswith(page.name)] == [f"bank/{folder}/{page.name}"]
    assert any("says the same there by now" in words for words in again["stays"])


@pytest.mark.parametrize("is_made_again", [False, True])
def test_undoing_an_undo_brings_a_memory_to_its_page_whose_folder_is_spelt_otherwise(
    root: Path, bankctl: Run, *, is_made_again: bool
) -> None:
    learn(root, bankctl, "2026-05-02.md", "W @Minji: Lives in Busan.")
    page = root / "bank/entities/Minji.md"
    page.write_text(page.read_text() + ("" if is_made_again else "\nBy hand.\n"))
    undone = bankctl("undo", last_run(bankctl), "--json").json["run"]
    if is_made_again:
        page.write_text("# Minji\n\nBy hand.\n")
    bankctl("page", "move", "entities", "ENTITIES")

    assert bankctl("undo", undone).code == 0

    assert "Lives in Busan" in (root / "bank/ENTITIES" / page.name).read_text()
    assert not (root / "bank/entities").exists()


def test_what_a_second_look_put_right_is_not_taken_back_by_itself(root: Path, bankctl: Run) -> None:
    page = root / "bank/identity/values.md"
    before = page.read_text()
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    run = last_run(bankctl)
    page.write_text(before)
    bankctl("cycle", "micro", "--now", "2026-06-10T03:04")

    said = bankctl("undo", f"{run}~again")

    assert said.code == 3
    assert "undo that one" in said.err
    assert "정직을" in page.read_text()
    assert not next(row for row in bankctl("log", "--json").json["runs"] if row["run"] == f"{run}~again")["undoable"]
    assert f"{run}~again  changed   repeated a part of {run} that was overwritten" in bankctl("log").out
    shown = bankctl("show", f"{run}~again").out
    assert ("to undo this run" in shown, "undo that one" in shown) == (False, True)
    assert bankctl("undo").out.startswith(f"undoes {run}  1 learned\n")  # and not the newer ~again


def test_a_run_is_named_by_its_id_or_a_piece_that_only_it_has(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    learn(root, bankctl, "2026-05-03.md", *(f"S: 가치관: {n}번째 다짐을 지킨다." for n in range(12)), now=LATER)
    later, first = [row["run"] for row in bankctl("log", "--json").json["runs"]]
    before = pages(root)

    short, several, other = bankctl("undo", "1"), bankctl("undo", "micro"), bankctl("undo", first[:-1])

    assert (short.code, several.code, other.code, pages(root)) == (3, 3, 3, before)
    assert "bankctl log lists all" in short.err
    assert later in several.err
    assert first in several.err
    assert bankctl("show", first[9:15]).out.startswith(first)
    assert bankctl("show", "micro").code == 3
    undone = bankctl("undo", later[9:]).out
    assert undone.startswith(f"undoes {later}  12 learned\n")
    assert f"\n  … and 2 more: bankctl show {later}\n" in undone


def test_undo_alone_takes_back_a_decision_and_nothing_before_what_a_person_did_last(root: Path, bankctl: Run) -> None:
    same = "The editor of choice is Neovim"
    page = root / "bank/knowledge/tools.md"
    page.write_text(f"# Tools\n\n- W: {same} with tmux. ^m-aaaaaaaaaaaa\n- W: {same} without tmux. ^m-bbbbbbbbbbbb\n")
    bankctl("cycle", "micro", "--now", NOW)
    bankctl("archive", "put", "m-bbbbbbbbbbbb")
    bankctl("archive", "restore", "m-bbbbbbbbbbbb")
    bankctl("review", "keep", "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb")
    kept = last_run(bankctl)
    before = pages(root)
    listed = bankctl("log").out.splitlines()[0]

    planned, undone = bankctl("undo", "--dry-run"), bankctl("undo")
    again = bankctl("undo", "--dry-run")
    bankctl("feedback", "used", "m-aaaaaaaaaaaa")
    noted = last_run(bankctl)
    passed_over = bankctl("undo", "--dry-run")

    assert f"{kept}  " in listed
    assert "  changed  " in listed
    assert undone.out.startswith(f"undoes {kept}  2 kept\n")
    assert all("m-aaaaaaaaaaaa and m-bbbbbbbbbbbb are compared again" in said.out for said in (planned, undone))
    assert pages(root) == before
    assert "redo" not in undone.out
    assert re.search(
        r"-undo: cannot be undone; it took back a decision or an undo\n.* before it: .*-restore\n", again.err
    )
    assert f"{noted}: cannot be undone; no page was changed" in passed_over.err
    assert "  noted  " in bankctl("log").out.splitlines()[0]
    assert "cannot be undone; no page was changed" in bankctl("show", "last").out


@pytest.mark.parametrize("loses_journals", [False, True])
@pytest.mark.parametrize(
    ("learned", "note"),
    [("정직을 최우선으로", "  - a note\n"), ("말을 아끼기로", ""), ("말을 아끼기로", f"  {'긴 글 ' * 4000}\n")],
    ids=["with a note", "reworded", "with a note that no event holds"],
)
def test_what_a_person_deleted_is_shown_and_comes_back_as_it_stood_where_the_run_that_noted_it_says(
    root: Path, bankctl: Run, loses_journals: bool, learned: str, note: str
) -> None:
    learn(root, bankctl, "2026-05-02.md", f"S: 가치관: {learned} 한다.", "S: 가치관: 약속을 지킨다.")
    page = root / "bank/identity/values.md"
    whole = page.read_text().replace(learned, "정직을 최우선으로")
    page.write_text(re.sub(r"(?m)^(- S: .*정직.*\n)", rf"\1{note}", whole))
    whole = whole if len(note) > 99 else page.read_text()
    os.utime(page, (0, 0))
    bankctl("cycle", "micro", "--now", "2026-06-11T03:00")
    page.write_text(re.sub(r"(?m)^- S: .*정직.*\n(  .*\n)?", "", page.read_text()))
    os.utime(page, (0, 0))
    if loses_journals:
        shutil.rmtree(root / ".bankd")
    noted = bankctl("cycle", "micro", "--now", "2026-06-12T03:00")
    run, id_ = last_run(bankctl), re.findall(r"archive restore (m-\w+)", noted.out)[0]

    undone, named = bankctl("undo"), bankctl("undo", run)
    shown = bankctl("show", id_).out
    other = root / "bank/moved.md"
    other.write_text("- S: 가치관: 정직을 최우선으로 한다.\n")
    refused = bankctl("archive", "restore", id_)
    other.unlink()
    bankctl("archive", "restore", id_)

    assert f"deleted   {id_} S: 가치관: 정직을" in noted.out
    assert f"{id_}: bank/moved.md:1 says the same; delete that first" in refused.err
    for said in (undone, named):
        assert (said.code, f"{run}: it only noted what was taken out by hand" in said.err) == (3, True)
    assert ("정직을 최우선으로" in shown, "no page holds it now" in shown) == (True, True)
    assert sorted(page.read_text().splitlines()) == sorted(whole.splitlines())
    assert loses_journals or page.read_text() == whole
    assert bankctl("doctor", "verify").code == 0


@pytest.mark.parametrize("later", ["# Emptied by hand\n", "- W: Nothing. ^{}\n"])
def test_what_a_person_deleted_or_changed_and_then_purged_is_not_offered_again(
    root: Path, bankctl: Run, later: str
) -> None:
    learn(root, bankctl, "2026-05-02.md", "W: To be changed.")
    page = next(path for path in (root / "bank").rglob("*.md") if "To be changed" in path.read_text())
    id_ = _ID.findall(page.read_text())[0]
    for day, text in (11, f"- W: {SECRET}. ^{id_}\n"), (12, later.format(id_)):
        page.write_text(text)
        os.utime(page, (0, 0))
        bankctl("cycle", "micro", "--now", f"2026-06-{day}T03:00")
    bankctl("forget", id_ if id_ in page.read_text() else f"{SECRET}.", "--everywhere", "--apply")

    shown, restored = bankctl("show", id_).out, bankctl("archive", "restore", id_)

    assert ("archive restore" in shown, SECRET in shown, restored.code) == (False, False, 3)
    assert not any(SECRET in path.read_bytes().decode("unicode_escape") for path in (root / "events").glob("*.jsonl"))


def test_notes_below_a_memory_do_not_go_with_it_and_a_page_without_any_keeps_a_title(root: Path, bankctl: Run) -> None:
    page = root / "bank/world/only.md"
    page.write_text(whole := "- W: the only\n  one ^m-abcdefghij23\n  a note of a person\n\n  - another\n")

    for words in (), ("--everywhere", "--apply"):
        refused = bankctl("forget", "m-abcdefghij23", *words)
        assert (refused.code, "(bank/world/only.md:3, bank/world/only.md:5)" in refused.err) == (3, True)
    assert page.read_text() == whole
    page.write_text("- W: the only one ^m-abcdefghij23\n")
    bankctl("forget", "m-abcdefghij23")

    assert page.read_text() == "# only\n"
    assert bankctl("doctor", "verify").code == 0


def test_what_cannot_be_undone_is_only_said_until_it_is_applied(root: Path, bankctl: Run) -> None:
    place_by_rules_alone(root)
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}", "W: 다른 이야기도 있다.")
    inbox, id_ = root / "bank/_meta/inbox.md", id_of(root, SECRET)
    inbox.write_text(inbox.read_text("utf-8") + f"\n## {SECRET}\n\n[[inbox#^{id_}]]\n", "utf-8")
    before = tree_state(root)

    forgotten = bankctl("forget", id_, "--dry-run")
    purged = bankctl("forget", "--everywhere", id_, "--json").json

    assert forgotten.code == 0
    assert f"would be forgotten: {SECRET}" in forgotten.out
    assert "1 link will break" in forgotten.out
    assert f"to do it: bankctl forget {id_} (this cannot be undone)" in forgotten.out
    assert tree_state(root) == before
    assert len(bankctl("log", "--json").json["runs"]) == 1
    assert purged["applied"] is False
    applied = bankctl("forget", "--everywhere", id_, "--apply", "--json").json
    assert applied["applied"] is True
    in_pages = [place for place in purged["beyond"] if ".md:" in place]
    assert in_pages == [f"bank/_meta/inbox.md:{inbox_line(before, SECRET)}", "memory/2026-05-02.md:4"]
    assert "bank/_meta/inbox.md" in {*purged["cleaned"]} & {*applied["cleaned"]}
    assert ".bankd/index" in {*purged["made_anew"]} & {*applied["made_anew"]}


def test_what_can_be_undone_can_be_tried_first(root: Path, bankctl: Run) -> None:
    (root / "routing.yaml").write_text("TAG_ROUTING: {}\nsimilar: false\n", "utf-8")
    write_log(root, "2026-05-02.md", f"W: {SECRET}", "X: no such tag", f"W: {SECRET}!")
    (root / "archive/world").mkdir(parents=True)
    (root / "archive/world/facts.md").write_text("- W: an old fact ^m-abcdefghij23\n")
    bankctl("cycle", "micro", "--now", NOW)
    inbox, blocked = bankctl("review", "list", "--json").json, bankctl("review", "list", "blocked", "--json").json
    id_ = inbox["unfiled"][0]["id"]
    (root / "routing.yaml").write_text("TAG_ROUTING:\n  W:\n    - {match: '보라색', target: world/rain.md}\n", "utf-8")
    before = tree_state(root)

    tried = [
        bankctl(*words, "--dry-run")
        for words in (
            ("review", "place", id_, "world/rain.md"),
            ("review", "place"),
            ("review", "drop", "memory/2026-05-02.md:5"),
            ("review", "accept", blocked["blocked"][0]["id"]),
            ("archive", "restore", "m-abcdefghij23"),
        )
    ]

    assert [one.code for one in tried] == [0] * 5, [one.err for one in tried]
    assert all("nothing was written" in one.out.lower() for one in tried)
    assert tree_state(root) == before
    assert "world/rain.md" in tried[0].out
    assert "world/rain.md" in tried[1].out
    assert [run["cycle"] for run in bankctl("log", "--json").json["runs"]] == ["micro"]


def inbox_line(before: dict[str, tuple[bytes, int]], text: str) -> int:
    """The 1-based line on which a text was last said."""
    lines = before["bank/_meta/inbox.md"][0].decode().splitlines()
    return max(number for number, line in enumerate(lines, 1) if text in line)


@pytest.mark.parametrize("way", [("forget",), ("forget", "--everywhere", "--apply")])
def test_a_forgotten_memory_is_gone_for_good_until_it_is_said_again(
    root: Path, bankctl: Run, way: tuple[str, ...]
) -> None:
    learn(root, bankctl, "2026-05-02.md", said := f"W: {SECRET}")
    write_log(root, "2099-05-02.md", said)

    assert bankctl(way[0], id_of(root, SECRET), *way[1:]).code == 0
    learn(root, bankctl, "2026-05-03.md", said, now=LATER)

    assert not any(SECRET.encode() in data for data in pages(root).values()), "one line stood unread, one is older"
    assert bankctl("undo", next(row["run"] for row in bankctl("log", "--json").json["runs"] if row["counts"])).code == 3
    write_log(root, "2099-05-02.md", said, said)
    bankctl("cycle", "micro")
    again = id_of(root, SECRET)
    bankctl("review", "drop", again)
    bankctl("undo", last_run(bankctl))
    assert again in "".join(path.read_text() for path in (root / "bank").rglob("*.md"))
    assert bankctl("doctor", "verify").code == 0


def test_a_purged_text_is_nowhere_but_where_purge_says_it_still_is(root: Path, bankctl: Run) -> None:
    place_by_rules_alone(root)
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}", f"W: {SECRET}", "W: 다른 이야기도 있다.")
    bankctl("search", SECRET)
    other = root / "events" / "elsewhere-0001.jsonl"
    other.write_text(f'{{"id": "x", "at": "2026", "type": "said", "text": "{SECRET}"}}\n', encoding="utf-8")

    purged = bankctl("forget", "--everywhere", id_of(root, SECRET), "--apply", "--json").json

    escaped = SECRET.encode("ascii", "backslashreplace")
    left = [p for p in root.rglob("*") if p.is_file() and "memory" not in p.parts]
    holders = [p for p in left if SECRET.encode() in p.read_bytes() or escaped in p.read_bytes()]
    assert holders == []
    assert "memory/2026-05-02.md:4" in purged["beyond"]
    assert "placed by" in bankctl("show", id_of(root, "다른 이야기도 있다.")).out
    assert bankctl("doctor", "verify").code == 0
    assert bankctl("forget", "--everywhere", SECRET).out.splitlines()[0] == "no file of bankd holds it"


@pytest.mark.parametrize("word", ["2026", "micro", "kept", "world", "append", "planned_at"])
def test_a_word_that_bankd_goes_by_is_purged_from_what_people_say_and_stops_nothing(
    root: Path, bankctl: Run, word: str
) -> None:
    place_by_rules_alone(root)
    write_log(root, "2026-05-02.md", f"O(c=0.7): {word} is said here", "O(c=0.9): tea is good", "W: The sea is wide.")
    bankctl("cycle", "micro", "--now", NOW)
    run = last_run(bankctl)

    purged = bankctl("forget", "--everywhere", word, "--apply", "--json")

    assert purged.code == 0, purged.err
    held = "".join(page.read_text() for page in (root / "bank").rglob("*.md"))
    assert f"{word} is said here" not in held
    assert "O(c=0.90@2026-05-02): tea is good" in held
    assert any(place.endswith("a link or a longer word") for place in purged.json["beyond"])
    for words in (f"cycle micro --now {LATER}", "doctor verify", "status", f"undo {run}", "cycle reflect"):
        said = bankctl(*words.split())
        assert (said.code in {0, 3}, "bug" in said.err) == (True, False), said
    assert run in {row["run"] for row in bankctl("log", "--json").json["runs"]}


@pytest.mark.parametrize("words", [("forget",), ("forget", "--everywhere", "--apply")])
def test_a_copy_with_the_id_of_a_memory_that_says_something_else_does_not_go_with_it(
    root: Path, bankctl: Run, words: tuple[str, ...]
) -> None:
    place_by_rules_alone(root)
    learn(root, bankctl, "2026-05-02.md", "W: The sea is wide.")
    id_ = id_of(root, "The sea is wide.")
    (copy := root / "bank/world/copy.md").write_text(f"# Copy\n\n- W: The sea is deep. ^{id_}\n", encoding="utf-8")

    refused = bankctl(words[0], id_, *words[1:])

    assert refused.code == 3
    assert "stands in different words at bank/_meta/inbox.md:" in refused.err
    assert "and bank/world/copy.md:3; remove the id from the one to keep" in refused.err
    copy.write_text("# Copy\n\n- W: The sea is deep.\n", encoding="utf-8")
    assert bankctl(words[0], id_, *words[1:]).code == 0
    assert "The sea is deep." in copy.read_text()


def test_a_purge_reads_events_that_were_packed_and_leaves_the_others_in_them(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}", "W: 다른 이야기도 있다.")
    rows = [{"id": text, "at": "2026-01-01", "type": "said", "text": text} for text in (SECRET, "kept")]
    for place in ("elsewhere-0001.jsonl.gz", "archive/elsewhere-0002.jsonl.gz"):
        file = root / "events" / place
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(gzip.compress("".join(json.dumps(row) + "\n" for row in rows).encode()))

    purged = bankctl("forget", "--everywhere", id_of(root, SECRET), "--apply", "--json").json

    for place in ("elsewhere-0001.jsonl.gz", "archive/elsewhere-0002.jsonl.gz"):
        assert f"events/{place}" in purged["cleaned"]
        text = gzip.decompress((root / "events" / place).read_bytes()).decode()
        assert SECRET not in text
        assert '"text":' in text
        assert "kept" in text
    assert bankctl("doctor", "verify").code == 0


def test_a_purge_leaves_neither_the_questions_of_a_memory_nor_what_briefings_kept(root: Path, bankctl: Run) -> None:
    asked, unread = "누가 보라색 우산을 두고 갔지?", "X: the violet umbrella of nobody"
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}\n  ? {asked}", "W: 다른 이야기도 있다.\n  ? 그 밖에는?", unread)
    bankctl("brief", "day", "--now", LATER)
    (root / "recall/brief").mkdir(parents=True)
    (root / "recall/brief/day.md").write_text(f"# day\n\n- {SECRET}\n", encoding="utf-8")
    assert b"violet umbrella" in (root / ".bankd/catalogue.sqlite3").read_bytes()
    assert bankctl("forget", "--everywhere", id_of(root, SECRET), "--apply").code == 0
    purged = bankctl("forget", "--everywhere", "violet umbrella", "--apply", "--json").json

    own = [(p, p.read_bytes()) for top in (".bankd", "recall") for p in (root / top).rglob("*") if p.is_file()]
    for text in (SECRET, asked, "violet umbrella"):
        escaped = text.encode("ascii", "backslashreplace")
        assert [p.name for p, data in own if text.encode() in data or escaped in data] == [], text
    assert ".bankd/catalogue.sqlite3" in purged["made_anew"]
    assert purged["beyond"][0] == "memory/2026-05-02.md:8"
    assert any("그 밖에는?".encode() in data for _, data in own)


def test_purging_a_text_takes_out_the_memories_that_say_it_and_no_other(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}", "W: 다른 이야기도 있다.")
    page = root / "bank/world/facts.md"
    page.parent.mkdir(exist_ok=True)
    longer = "- W @Bea: Likes violet umbrellas ^m-bea\n- W @Cid: Has a violet umbrella\n\nA violet\numbrella is in the hall.\n"
    meant = "  - W: the violet umbrella ^m-below\n- W: violet umbrella\n- W: Likes violet umbrella stands ^m-more\n"
    short = "- W: Likes violet umbrella ^m-short\n"
    page.write_text(whole := f"# Facts\n\n- W: above ^m-above\n{meant}{short}{longer}")
    refused = bankctl("forget", "--everywhere", "above", "--apply")

    assert refused.code == 3
    assert "m-above: other lines stand below it (bank/world/facts.md:4); move or delete them" in refused.err
    for what, gone, places in (("m-short", short, (6, 7)), ("violet umbrella", meant, (4, 5, 7))):
        whole = whole.replace(gone, "")
        stays = bankctl("forget", "--everywhere", what, "--apply", "--json").json["beyond"]
        assert (page.read_text(), {f"bank/world/facts.md:{line}" for line in places} - {*stays}) == (whole, set())
    assert bankctl("forget", "--everywhere", "보라색 우산", "--apply").code == 0
    assert bankctl("doctor", "verify").code == 0
    assert bankctl("cycle", "micro", "--now", LATER, "--json").json["counts"] == {}


def test_what_was_forgotten_can_be_purged_by_its_id(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", f"W: {SECRET}")
    id_ = id_of(root, SECRET)
    assert f"bankctl forget --everywhere {id_} --apply" in bankctl("forget", id_).out
    assert bankctl("forget", "--everywhere", id_, "--apply").code == 0
    assert not [p for p in (root / ".bankd").rglob("*") if p.is_file() and SECRET.encode() in p.read_bytes()]
    assert bankctl("forget", "--everywhere", id_, "--apply").code == 3


def test_verify_finds_what_is_lost_and_what_is_there_twice(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.", "S: 가치관: 약속을 지킨다.")
    page = root / "bank/identity/values.md"
    lines = page.read_text().split("\n")
    first, second = (line for line in lines if _ID.search(line))
    page.write_text("\n".join(line for line in lines if line != first) + f"\n{second}\n")
    (root / ".bankd/txn").mkdir(exist_ok=True)
    (root / ".bankd/txn/000099.json.bad").write_text("torn")

    verdict = bankctl("doctor", "verify", "--json")

    assert verdict.code == 3
    assert sorted(finding["kind"] for finding in verdict.json["findings"]) == ["left over", "lost", "twice"]


def test_verify_finds_a_link_that_led_somewhere_once(root: Path, bankctl: Run) -> None:
    page = root / "bank/identity/values.md"
    page.write_text(page.read_text() + "\n[tools](../knowledge/tools.md) [never](../knowledge/never.md)\n")
    bankctl("cycle", "reflect", "--now", NOW)
    whole = bankctl("doctor", "verify")
    (root / "bank/knowledge/tools.md").unlink()

    verdict = bankctl("doctor", "verify", "--json")

    assert whole.code == 0
    assert [finding["words"] for finding in verdict.json["findings"]] == ["../knowledge/tools.md worked once"]


def test_a_run_that_failed_is_in_the_log(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    (root / ".bankd/read-only").touch()
    write_log(root, "2026-05-03.md", "S: 가치관: 약속을 지킨다.")

    failed = bankctl("cycle", "micro", "--now", LATER)

    assert failed.code == 3
    assert "read-only" in failed.err
    assert bankctl("log", "--json").json["runs"][0]["status"] == "failed"


def test_what_log_lists_status_shows_and_show_tells(root: Path, bankctl: Run) -> None:
    place_by_rules_alone(root)
    learn(root, bankctl, "2026-05-02.md", "W: 보라색 우산은 문 옆에.")
    (waiting,) = bankctl("review", "list", "--json").json["unfiled"]
    bankctl("review", "place", waiting["id"], "knowledge/places.md")
    placed, cycle = bankctl("log", "--json").json["runs"]
    shown = bankctl("show", placed["run"]).out

    assert (placed["cycle"], placed["status"], placed["counts"]) == ("place", "changed", {"placed": 1})
    assert waiting["id"] in shown
    assert "bank/knowledge/places.md" in shown
    assert cycle["note"] == "1 inbox"
    assert "ran by hand 2026" in bankctl("status").out.splitlines()[4]


def test_undoing_what_is_not_kept_says_so(root: Path, bankctl: Run) -> None:
    before = tree_state(root)
    result = bankctl("undo", "20200101T000000-micro")

    assert result.code == 3
    assert "bankctl log" in result.err
    assert tree_state(root) == before


def test_runs_and_replaced_files_are_kept_as_long_as_the_settings_say(root: Path, bankctl: Run) -> None:
    for day in (2, 3, 4):
        learn(root, bankctl, f"2026-05-0{day}.md", f"S: 가치관: {day}번째 다짐을 지킨다.")
    kept = [row["undoable"] for row in bankctl("log", "--json").json["runs"]]
    trash = list((root / ".bankd/trash").iterdir())
    bankctl("cycle", "micro", "--now", "2030-01-01")
    by_default = [row["undoable"] for row in bankctl("log", "--json").json["runs"]]
    (root / "bankd.yaml").write_text("keep: {runs_at_least: 2, trash_days: 365}\nsearch: {analyser: lexicon}\n")
    bankctl("cycle", "micro", "--now", "2030-01-02")

    assert (kept, by_default) == ([3, 2, 1], [None, 3, 2, 1])
    assert len(trash) == 3
    assert not list((root / ".bankd/trash").iterdir())
    assert [row["undoable"] for row in bankctl("log", "--json").json["runs"]] == [None, None, 3, 2, None]


@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_an_undo_of_a_move_is_undone_to_the_byte_where_a_link_in_the_page_was_rewritten(
    root: Path, bankctl: Run, mark: str
) -> None:
    page = root / "bank/world/facts.md"
    page.write_text(mark + page.read_text("utf-8") + "\n- see [[world/places|where]]\n", "utf-8")
    bankctl("cycle", "micro", "--now", NOW)
    assert bankctl("page", "move", "world", "lands").code == 0
    moved = pages(root)
    assert "[[lands/places|where]]" in (root / "bank/lands/facts.md").read_text("utf-8")
    bankctl("undo", last_run(bankctl))
    assert not (root / "bank/lands").exists()

    bankctl("undo", last_run(bankctl))

    assert pages(root) == moved


def test_a_clock_put_back_after_an_undo_leaves_nothing_to_say_again(root: Path, bankctl: Run) -> None:
    learn(root, bankctl, "2026-05-02.md", "S: 가치관: 정직을 최우선으로 한다.")
    bankctl("undo", last_run(bankctl))
    bankctl("undo", last_run(bankctl))  # by the clock of the computer, which is later
    page = root / "bank/identity/values.md"
    page.write_text(re.sub(r"- S: .*\n", "", page.read_text("utf-8")), "utf-8")

    noted = [bankctl("cycle", "micro", "--json", "--now", f"2026-06-10T10:0{n}").json["counts"] for n in range(2)]

    assert noted == [{"deleted": 1}, {}]
    assert bankctl("doctor", "verify").code == 0
