"""A link is kept to the block or page that it names, wherever a run or a person puts that; what cannot be kept is said."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, last_run, learn, tree_state, write_log

START, FADED = "2026-05-02T03:00", "2026-07-01T03:00"
TEA, WALK, RAIN = "m-aaaaaaaaaaaa", "m-bbbbbbbbbbbb", "m-cccccccccccc"
TASTE = f"""# Taste

## Drinks

- O(c=0.31@2026-05-02) @Peter: Prefers tea to coffee. ^{TEA}
- W: A fact that stays, see [[#^{TEA}]]. ^{WALK}
"""
STYLES = {
    f"[[taste#^{TEA}|tea]]": f"[[archive/world/taste#^{TEA}|tea]]",
    f"![[taste#^{TEA}]]": f"![[archive/world/taste#^{TEA}]]",
    f"[t](taste.md#^{TEA})": f"[t](../../archive/world/taste.md#^{TEA})",
    f'[t](<taste.md#^{TEA}> "title")': f'[t](<../../archive/world/taste.md#^{TEA}> "title")',
    f"[t](/world/taste.md#^{TEA})": f"[t](/archive/world/taste.md#^{TEA})",
    f"`bank/world/taste.md#^{TEA}`": f"`archive/world/taste.md#^{TEA}`",
    f"world/taste.md#^{TEA}를 본다": f"archive/world/taste.md#^{TEA}를 본다",
    f"\n[r]: taste.md#^{TEA}": f"\n[r]: ../../archive/world/taste.md#^{TEA}",
}


@pytest.fixture
def root(root: Path) -> Path:
    """Files of two other folders refer to the bank."""
    change_setting(root, "roots: []", "roots: [../agent, scripts]")
    (root.parent / "agent").mkdir()
    (root / "scripts").mkdir()
    return root


def write(root: Path, path: str, text: str) -> Path:
    (root / path).write_text(text, encoding="utf-8")
    return root / path


def content(root: Path) -> dict[str, bytes]:
    inside = {path: data for path, (data, _) in tree_state(root).items() if path.startswith(("bank/world", "scripts"))}
    return inside | {path.name: path.read_bytes() for path in (root.parent / "agent").iterdir()}


@pytest.fixture
def linked(root: Path, bankctl: Run) -> Path:
    """A bank with every kind of link to a memory that will fade."""
    write(root, "bank/world/taste.md", TASTE)
    write(root, "bank/world/refs.md", "# Refs\n\n" + "\n".join(STYLES) + "\n\n[[taste#Drinks]] [d](taste.md#drinks)\n")
    write(root, "../agent/a.md", f"[t](../ws/bank/world/taste.md#^{TEA}) `bank/world/taste.md#^{TEA}`\n")
    write(root, "scripts/run.sh", f"cat $WS/bank/world/taste.md#^{TEA}\n")
    bankctl("cycle", "micro", "--now", START)
    return root


def broken(bankctl: Run) -> list[str]:
    return [str(link["target"]) for link in bankctl("page", "links", "--all", "--json").json["broken"]]


def test_links_follow_a_memory_to_the_archive_in_their_style_and_back_to_the_letter(linked: Path, bankctl: Run) -> None:
    before = content(linked)

    report = bankctl("cycle", "reflect", "--now", FADED, "--json").json

    assert report["counts"] == {"archived": 1, "followed": 4}
    refs = (linked / "bank/world/refs.md").read_text(encoding="utf-8")
    assert refs == "# Refs\n\n" + "\n".join(STYLES.values()) + "\n\n[[taste#Drinks]] [d](taste.md#drinks)\n"
    assert f"see [[archive/world/taste#^{TEA}]]." in (linked / "bank/world/taste.md").read_text(encoding="utf-8")
    outside = (linked.parent / "agent/a.md").read_text(encoding="utf-8")
    assert outside == f"[t](../ws/archive/world/taste.md#^{TEA}) `archive/world/taste.md#^{TEA}`\n"
    assert (linked / "scripts/run.sh").read_text(encoding="utf-8") == f"cat $WS/archive/world/taste.md#^{TEA}\n"
    assert broken(bankctl) == []
    assert bankctl("doctor", "verify").code == 0
    assert bankctl("cycle", "reflect", "--now", "2026-07-01T04:00", "--json").json["counts"] == {}

    bankctl("archive", "restore", TEA)

    assert content(linked) == before
    assert broken(bankctl) == []


def test_links_go_to_a_copy_that_stands_in_the_bank_rather_than_to_the_archive(linked: Path, bankctl: Run) -> None:
    tea = next(x for x in (linked / "bank/world/taste.md").read_text("utf-8").splitlines() if x.endswith(f"^{TEA}"))
    write(linked, "bank/world/copy.md", f"# Copy\n\n{tea}\n")

    assert bankctl("archive", "put", TEA, "--now", START).code == 0

    texts = {path: (linked / path).read_text("utf-8") for path in ("bank/world/refs.md", "../agent/a.md")}
    assert [path for path, text in texts.items() if f"copy.md#^{TEA}" in text] == [*texts]
    assert [path for path, text in texts.items() if "archive/" in text] == []
    assert broken(bankctl) == []


@pytest.mark.parametrize("is_edited", [False, True])
def test_undo_takes_the_links_back_with_the_memory(linked: Path, bankctl: Run, is_edited: bool) -> None:
    before = content(linked)
    run = bankctl("cycle", "reflect", "--now", FADED, "--json").json["run"]
    page = linked / "bank/world/taste.md"
    extra = "- W: written since\n" if is_edited else ""
    page.write_text(page.read_text(encoding="utf-8") + extra, encoding="utf-8")

    assert bankctl("undo", run, "--json").json["dangling"] == []
    assert {**content(linked), "bank/world/taste.md": b""} == {**before, "bank/world/taste.md": b""}
    assert f"[[#^{TEA}]]" in page.read_text(encoding="utf-8")
    assert broken(bankctl) == []


def test_a_link_that_a_person_wrote_to_the_archive_follows_what_an_undo_brings_back(linked: Path, bankctl: Run) -> None:
    run = bankctl("cycle", "reflect", "--now", FADED, "--json").json["run"]
    mine = write(linked, "bank/world/mine.md", f"[[archive/world/taste#^{TEA}]]\n")

    bankctl("undo", run)

    assert mine.read_text(encoding="utf-8") == f"[[taste#^{TEA}]]\n"
    assert broken(bankctl) == []


def test_links_to_a_near_copy_lead_to_the_one_that_says_it_and_back_when_it_is_restored(
    root: Path, bankctl: Run
) -> None:
    one, other = "The editor of choice is Neovim with tmux.", "the editor of choice is Neovim, with tmux!"
    write(root, "bank/world/taste.md", f"# Taste\n\n- W: {one} ^{TEA}\n- W: {other} ^{WALK}\n")
    refs = write(root, "bank/world/refs.md", f"[[taste#^{WALK}]] `bank/world/taste.md#^{WALK}은`\n")
    own = write(root, "bank/world/own.md", f"[[taste#^{WALK}]] [[taste#^{TEA}]]\n")
    bankctl("page", "links")
    before = refs.read_text(encoding="utf-8")

    report = bankctl("review", "merge", "--apply", "--json").json

    assert report["counts"] == {"merged": 1, "archived": 1, "followed": 2}
    assert refs.read_text(encoding="utf-8") == before.replace(WALK, TEA)
    assert own.read_text(encoding="utf-8") == f"[[taste#^{TEA}]] [[taste#^{TEA}]]\n"
    assert broken(bankctl) == []
    bankctl("archive", "restore", WALK)
    assert refs.read_text(encoding="utf-8") == before
    assert own.read_text(encoding="utf-8") == f"[[taste#^{TEA}]] [[taste#^{TEA}]]\n"
    assert broken(bankctl) == []


def test_links_follow_out_of_the_inbox(root: Path, bankctl: Run) -> None:
    write(root, "routing.yaml", "TAG_ROUTING: {}\nsimilar: false\n")
    write_log(root, "2026-05-01.md", "W: Nobody knows where this belongs.")
    bankctl("cycle", "micro", "--now", START)
    id_ = str(bankctl("review", "list", "--json").json["unfiled"][0]["id"])
    refs = write(root, "bank/world/refs.md", f"[[inbox#^{id_}]] [i](../_meta/inbox.md#^{id_})\n")
    bankctl("page", "links")

    bankctl("review", "place", id_, "world/odd.md")

    assert refs.read_text(encoding="utf-8") == f"[[odd#^{id_}]] [i](odd.md#^{id_})\n"
    assert broken(bankctl) == []


def test_what_leaves_the_inbox_refers_from_its_page_to_what_it_referred_to(root: Path, bankctl: Run) -> None:
    ids = f"[[#^{WALK}]] [[#^{TEA}]]"
    lines = f"- W: See [f](../world/facts.md) [[facts]] {ids} [n](gone.md). ^{TEA}\n- W: Stays. ^{WALK}\n"
    write(root, "bank/_meta/inbox.md", f"# Inbox\n\n{lines}")
    bankctl("cycle", "micro", "--now", START)

    placed = bankctl("review", "place", TEA, "a/b/odd.md")

    assert placed.code == 0, placed.err
    said = f"See [f](../../world/facts.md) [[facts]] [[inbox#^{WALK}]] [[#^{TEA}]] [n](gone.md)."
    assert said in (root / "bank/a/b/odd.md").read_text()


def test_what_comes_back_from_the_archive_into_a_part_refers_from_there_to_what_it_referred_to(
    linked: Path, bankctl: Run
) -> None:
    change_setting(linked, "warn_kib: 8", "warn_kib: 1")
    other = "\n## Other\n\n" + "- W: " + "word " * 250 + "\n"
    write(linked, "bank/world/taste.md", TASTE.replace("Prefers tea", "Prefers [tea](facts.md)") + other)
    bankctl("cycle", "reflect", "--force", "--now", FADED)
    bankctl("page", "split", "world/taste.md")

    bankctl("archive", "restore", TEA)

    assert "[tea](../facts.md) to coffee" in (linked / "bank/world/taste/drinks.md").read_text()


def test_a_link_to_an_id_inside_a_paragraph_follows_a_move(root: Path, bankctl: Run) -> None:
    write(root, "bank/world/taste.md", f"# Taste\n\n- W: Tea. ^{TEA}\ngoes on lazily\n")
    refs = write(root, "bank/world/refs.md", f"[[world/taste#^{TEA}|t]]\n")

    bankctl("page", "move", "world/taste.md", "world/drinks.md")

    assert refs.read_text() == f"[[world/drinks#^{TEA}|t]]\n"


def test_forgetting_says_first_which_links_it_breaks_and_they_are_reported(linked: Path, bankctl: Run) -> None:
    count = len(STYLES) + 4

    said = bankctl("forget", TEA)

    run = last_run(bankctl)
    assert said.out.index(f"{count} links will break") < said.out.index("forgotten")
    assert f"bank/world/refs.md:3  taste#^{TEA}" in said.out
    rows = bankctl("show", run, "--json").json["rows"]
    assert [row["kind"] for row in rows] == ["dead link"] * count
    checked = bankctl("page", "links")
    assert (checked.code, f"bank/world/refs.md:3  taste#^{TEA}" in checked.out) == (3, True)
    assert "worked once" in bankctl("doctor", "verify").out


def test_undoing_a_run_says_which_links_to_its_memories_lead_nowhere(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The production deploy runs at 10:00 on Tuesdays.")
    run = bankctl("cycle", "micro", "--now", START, "--json").json["run"]
    page = bankctl("search", "deploy", "--json").json["hits"][0]
    write(root, "bank/world/refs.md", f"[[{page['path'][5:-3]}#^{page['id']}]]\n")

    undone = bankctl("undo", run, "--json").json

    assert [link["page"] for link in undone["dangling"]] == ["bank/world/refs.md"]
    bankctl("undo", undone["run"])
    assert broken(bankctl) == []


def test_links_to_what_a_hand_moved_to_another_page_can_follow(linked: Path, bankctl: Run) -> None:
    page = linked / "bank/world/taste.md"
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.endswith(f"^{TEA}\n")), encoding="utf-8")
    write(
        linked, "bank/knowledge/drinks.md", "# Drinks\n\n" + next(line for line in lines if line.endswith(f"^{TEA}\n"))
    )

    checked = bankctl("page", "links")
    healed = bankctl("page", "links", "--heal", "--json").json

    assert (checked.code, f"{TEA} is on bank/knowledge/drinks.md now" in checked.out) == (3, True)
    assert len(healed["links"]) == len(STYLES) + 4
    refs = (linked / "bank/world/refs.md").read_text(encoding="utf-8")
    assert f"[[drinks#^{TEA}|tea]]" in refs
    assert f"[t](../knowledge/drinks.md#^{TEA})" in refs
    assert broken(bankctl) == []
    assert bankctl("page", "links", "--heal").out == "nothing to do\n"


def test_a_nightly_run_lets_links_follow_what_a_hand_moved_where_that_is_set(linked: Path, bankctl: Run) -> None:
    change_setting(linked, "heal: offer", "heal: apply")
    bankctl("page", "links")
    page = linked / "bank/world/taste.md"
    text = page.read_text(encoding="utf-8")
    page.write_text("# Taste\n", encoding="utf-8")
    write(linked, "bank/world/all.md", text.replace("0.31", "0.91"))

    assert bankctl("cycle", "reflect", "--now", "2026-05-03T03:00", "--json").json["counts"]["followed"] == 3
    assert f"[[all#^{TEA}|tea]]" in (linked / "bank/world/refs.md").read_text(encoding="utf-8")
    assert {target for target in broken(bankctl) if "^" in target} == set()


def test_a_run_names_the_links_to_a_memory_that_a_hand_deleted(root: Path, bankctl: Run) -> None:
    write_log(root, "2026-05-01.md", "W: The production deploy runs at 10:00 on Tuesdays.", "W: It rains in Spain.")
    bankctl("cycle", "micro", "--now", START)
    hit = bankctl("search", "deploy", "--json").json["hits"][0]
    write(root, "bank/world/refs.md", f"see [[{hit['path'][5:-3]}#^{hit['id']}]]\n")
    bankctl("page", "links")
    page = root / hit["path"]
    lines = page.read_text(encoding="utf-8").splitlines(keepends=True)
    page.write_text("".join(line for line in lines if not line.endswith(f"^{hit['id']}\n")), encoding="utf-8")

    rows = bankctl("cycle", "micro", "--now", "2026-05-03T03:00", "--json").json["rows"]

    assert [(row["kind"], row["place"]) for row in rows if row["kind"] != "by hand"] == [
        ("deleted", hit["id"]),
        ("dead link", "bank/world/refs.md:1"),
    ]


def test_a_memory_stays_when_a_link_to_it_cannot_follow(linked: Path, bankctl: Run) -> None:
    page = linked / "bank/world/taste.md"
    text = page.read_text(encoding="utf-8").replace("Prefers tea", 'Prefers <a id="tea"></a>tea')
    page.write_text(text, encoding="utf-8")
    write(linked, "bank/world/mine.md", "[tea](taste.md#tea)\n")

    report = bankctl("cycle", "reflect", "--now", FADED, "--json").json

    assert report["counts"] == {"by hand": 2, "warning": 1}
    (warning,) = (row for row in report["rows"] if row["kind"] == "warning")
    assert f"{TEA} stays: bank/world/mine.md:1 links to it" in warning["reason"]
    assert page.read_text(encoding="utf-8") == text


def test_a_new_page_of_the_same_name_takes_no_link_away(root: Path, bankctl: Run) -> None:
    write(root, "routing.yaml", "entities: true\nTAG_ROUTING: {}\n")
    (root / "bank/people").mkdir()
    write(root, "bank/people/peter.md", f"# Peter\n\n- W: tall ^{RAIN}\n")
    refs = write(root, "bank/world/refs.md", f"[[peter]] [[peter#^{RAIN}]]\n")
    write_log(root, "2026-05-01.md", "W @Peter: Goes on long walks.")

    bankctl("cycle", "micro", "--now", START)

    assert (root / "bank/entities/Peter.md").exists()
    assert refs.read_text(encoding="utf-8") == f"[[people/peter]] [[people/peter#^{RAIN}]]\n"
    assert broken(bankctl) == []


def test_a_run_that_would_leave_a_link_dead_writes_nothing(
    linked: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = content(linked)
    monkeypatch.setattr("bankd.memory.links.relink_plan", lambda plan, *_: plan)

    said = bankctl("cycle", "reflect", "--now", FADED)

    assert said.code == 70
    assert f"bank/world/refs.md:3: taste#^{TEA} would lead nowhere" in said.err
    assert content(linked) == before


def test_pages_that_a_base_names_are_references_and_follow_a_move(root: Path, bankctl: Run) -> None:
    base = 'filters:\n  and:\n    - file.hasLink("Desk")\n    - \'list(up).contains(link("Desk", "d"))\'\n    - \'file.inFolder("Desk")\'\n'
    file = root / "bank/board.base"
    file.write_text(base, encoding="utf-8")
    (root / "bank/Desk.md").write_text("# Desk\n\n- W: The desk is oak.\n", encoding="utf-8")
    assert bankctl("page", "move", "Desk.md", "rooms/Table.md").code == 0

    followed = base.replace('hasLink("Desk")', 'hasLink("Table")').replace('link("Desk"', 'link("Table"')
    assert file.read_text(encoding="utf-8") == followed


NOW, NEXT, LATER = "2026-05-05T03:00", "2026-05-06T03:00", "2026-05-09T03:00"


@pytest.fixture
def renamed(root: Path, bankctl: Run) -> Path:
    """A workspace of which two pages were renamed after a run, one that a rule names and one of a `@Slug`."""
    lines = "S: 가치관: 정직을 최우선으로 한다.", "W @Peter: Works at the bank in Mapo."
    learn(root, bankctl, "2026-05-04.md", *lines, now=NOW)
    (root / "bank/identity/values.md").rename(root / "bank/identity/principles.md")
    (root / "bank/entities/Peter.md").rename(root / "bank/entities/Peter Kim.md")
    return root


def test_its_memories_are_neither_deleted_nor_added(renamed: Path, bankctl: Run) -> None:
    before = tree_state(renamed / "bank")

    assert bankctl("cycle", "micro", "--now", NEXT, "--json").json["counts"] == {"by hand": 2}
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
    assert "identity/values.md is called identity/principles.md now" in tested
    assert (renamed / "bank/identity/principles.md").read_text("utf-8").count("^m-") == 3
    assert (renamed / "bank/entities/Peter Kim.md").read_text("utf-8").count("^m-") == 3
    assert not (renamed / "bank/identity/values.md").exists()
    assert not (renamed / "bank/entities/Peter.md").exists()


@pytest.mark.parametrize("is_taken_away", [False, True])
def test_what_it_is_about_leads_to_it_and_to_no_page_that_was_taken_away(
    root: Path, bankctl: Run, is_taken_away: bool
) -> None:
    learn(root, bankctl, "2026-05-04.md", "W: 세탁기 배수 호스에서 물이 샌다.", now=NOW)
    home, house = root / "bank/daily/home.md", root / "bank/daily/house.md"
    home.rename(house)
    if is_taken_away:
        house.unlink()
        bankctl("cycle", "micro", "--now", NOW, "--force")
    write_log(root, "2026-05-05.md", "W: 욕실 수도꼭지와 변기 부속을 갈았다.")
    bankctl("cycle", "micro", "--now", NEXT)

    assert not home.exists()
    holder = root / "bank/_meta/inbox.md" if is_taken_away else house
    assert "욕실 수도꼭지와" in holder.read_text("utf-8")


def test_a_link_written_just_before_its_page_was_renamed_is_healed(renamed: Path, bankctl: Run) -> None:
    facts = renamed / "bank/world/facts.md"
    (renamed / "archive/entities").mkdir(parents=True)
    (renamed / "archive/entities/Peter.md").write_text("# Peter\n")
    facts.write_text("# Facts\n\nSee [[Peter]] and [him](../entities/Peter.md), not [[Nobody]].\n")

    told = "was bank/entities/Peter.md; to update the links: bankctl page links --heal"
    assert told in bankctl("cycle", "micro").out
    found, healed = bankctl("page", "links").out, bankctl("page", "links", "--heal")

    assert told not in bankctl("cycle", "micro").out
    assert "2 links lead nowhere that led somewhere; 1 never did" in found
    assert healed.code == 0
    assert "See [[Peter Kim]] and [him](../entities/Peter%20Kim.md), not [[Nobody]]." in facts.read_text()


def test_it_stays_the_page_of_its_person_and_a_line_deleted_there_stays_out(renamed: Path, bankctl: Run) -> None:
    old, page = renamed / "bank/entities/Peter.md", renamed / "bank/entities/Peter Kim.md"
    write_log(renamed, "2026-05-05.md", "W @Peter: Has two children.")
    bankctl("cycle", "micro", "--now", "2026-05-05T03:01")
    page.write_text(re.sub("- .*Mapo.*\n", "", page.read_text()))
    noted = bankctl("cycle", "micro", "--now", "2026-05-05T03:02", "--json").json["counts"]
    write_log(renamed, "2026-05-06.md", "W @Peter: Sails on the lake.")
    bankctl("cycle", "micro", "--now", "2026-05-05T03:03")
    filed = page.read_text()
    old.write_text("# Peter\n\nOnly a hand wrote this.\n")
    bankctl("cycle", "micro", "--now", "2026-05-05T03:04")

    assert noted["deleted"] == 1
    assert filed.count("^m-") == 2
    assert "Mapo" not in page.read_text() + old.read_text()


def test_undo_takes_back_what_a_run_wrote_there(renamed: Path, bankctl: Run) -> None:
    bankctl("cycle", "micro", "--now", NEXT)
    run = bankctl("log", "--json").json["runs"][-1]["run"]
    bankctl("undo", run)

    assert "^m-" not in (renamed / "bank/identity/principles.md").read_text("utf-8")
    assert not (renamed / "bank/identity/values.md").exists()


def test_what_was_archived_comes_back_there(root: Path, bankctl: Run) -> None:
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
    world = root / "bank/world"
    change_setting(root, "heal: offer", "heal: apply")
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
