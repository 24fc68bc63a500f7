"""A link is kept to the block that it names, wherever a run or a person puts that; what cannot be kept is said."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.settings import change_setting
from tests.stories.conftest import Run, tree_state, write_log

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
    """Nothing has to settle, and files of two other folders refer to the bank."""
    settings = root / "bankd.yaml"
    text = settings.read_text(encoding="utf-8").replace("settle_seconds: 5", "settle_seconds: 0")
    settings.write_text(text.replace("roots: []", "roots: [../agent, scripts]"), encoding="utf-8")
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

    undone = bankctl("undo", run, "--json").json

    assert undone["dangling"] == []
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

    run = bankctl("log", "--json").json["runs"][0]["run"]
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

    counts = bankctl("cycle", "reflect", "--now", "2026-05-03T03:00", "--json").json["counts"]

    assert counts["followed"] == 3
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

    assert [(row["kind"], row["place"]) for row in rows] == [
        ("deleted", hit["id"]),
        ("dead link", "bank/world/refs.md:1"),
    ]


def test_a_memory_stays_when_a_link_to_it_cannot_follow(linked: Path, bankctl: Run) -> None:
    page = linked / "bank/world/taste.md"
    text = page.read_text(encoding="utf-8").replace("Prefers tea", 'Prefers <a id="tea"></a>tea')
    page.write_text(text, encoding="utf-8")
    write(linked, "bank/world/mine.md", "[tea](taste.md#tea)\n")

    report = bankctl("cycle", "reflect", "--now", FADED, "--json").json

    assert report["counts"] == {"warning": 1}
    assert f"{TEA} stays: bank/world/mine.md:1 links to it" in report["rows"][0]["reason"]
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
    monkeypatch.setattr("bankd.cycle.relink_plan", lambda plan, *_: plan)

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
