"""Pages grow, are split, moved and merged, and every link and every new memory finds its way."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from bankd.edits.transaction import Applied, Transaction
from bankd.storage.transactions import TransactionWriter
from tests.examples import examples
from tests.settings import change_setting
from tests.stories.conftest import Run, learn, tree_state, write_log

NOW = "2027-01-10T03:00"
TOPICS = {
    "Cooking": "빵 굽는 법, sourdough and yeast",
    "Running": "마라톤 훈련, marathon pace",
    "Books": "소설 읽기, novels",
}


@pytest.fixture
def page(root: Path) -> Path:
    """A page that is nearly large enough to be split, with a link to it."""
    change_setting(root, "warn_kib: 8", "warn_kib: 1")
    change_setting(root, "split_kib: 15", "split_kib: 2")
    rules = "TAG_ROUTING:\n  W:\n    - {target: knowledge/full.md, match: '.'}\n"
    (root / "routing.yaml").write_text(rules, "utf-8")
    body = "".join(
        f"## {topic}\n\n"
        + "".join(f"- W: {words} number {n}, at some length ^m-{topic.lower()}{n}\n" for n in range(12))
        + "\n"
        for topic, words in TOPICS.items()
    )
    (root / "bank/knowledge/full.md").write_text(f"# Full\n\n{body}", "utf-8")
    (root / "bank/daily/home.md").write_text("[run](../knowledge/full.md#running) [[full#Books]]\n", "utf-8")
    return root / "bank/knowledge/full.md"


def test_a_large_page_is_split_in_reflect_and_a_second_run_does_nothing(root: Path, page: Path, bankctl: Run) -> None:
    micro = bankctl("cycle", "micro", "--now", NOW, "--json").json
    reflect = bankctl("cycle", "reflect", "--now", NOW, "--json").json
    before = tree_state(root)
    again = bankctl("cycle", "reflect", "--now", NOW, "--json").json

    assert micro["counts"] == {}
    assert reflect["counts"] == {"split": 1}
    assert (root / "bank/daily/home.md").read_text() == "[run](../knowledge/full/running.md#running) [[books#Books]]\n"
    assert page.read_text("utf-8").count("](full/") == 3
    assert again["counts"] == {}
    assert tree_state(root) == before


def test_what_a_run_adds_counts_for_the_split_of_the_same_run(root: Path, page: Path, bankctl: Run) -> None:
    text = page.read_text("utf-8")
    page.write_text(text[: text.index("## Books")], "utf-8")
    write_log(root, "2027-01-09.md", *(f"W: 마라톤 이야기 {n}: {'x' * 60}" for n in range(12)))

    report = bankctl("cycle", "reflect", "--now", NOW, "--json").json

    assert (report["counts"]["learned"], report["counts"]["split"]) == (12, 1)
    held = [
        path
        for path in (root / "bank/knowledge").rglob("*.md")
        for _ in re.findall("마라톤 이야기", path.read_text("utf-8"))
    ]
    assert len(held) == 12
    assert bankctl("cycle", "reflect", "--now", NOW, "--json").json["counts"] == {}


def test_a_page_that_a_run_makes_is_split_by_the_same_run(root: Path, page: Path, bankctl: Run) -> None:
    rules = "TAG_ROUTING:\n  W:\n    - {target: world/fresh.md, match: '.'}\n"
    (root / "routing.yaml").write_text(rules, "utf-8")
    things = ("boat", "kite", "loom", "forge", "piano", "tent")
    lines = (f"W: The {thing} number {n} of Nadia stands in hall {n}." for thing in things for n in range(20))
    write_log(root, "2027-01-09.md", *lines)

    assert bankctl("cycle", "reflect", "--now", NOW, "--json").code == 0
    assert (root / "bank/world/fresh").is_dir()


def test_rules_follow_a_split_to_the_part_that_fits(root: Path, page: Path, bankctl: Run) -> None:
    bankctl("page", "split", "knowledge/full.md")
    write_log(
        root, "2027-01-09.md", "W: 첫 마라톤에서 완주했다.", "W: Read two novels this week.", "W: 굽는 온도는 230도."
    )

    bankctl("cycle", "micro", "--now", NOW)

    assert "첫 마라톤에서" in (page.parent / "full/running.md").read_text("utf-8")
    assert "two novels" in (page.parent / "full/books.md").read_text("utf-8")
    assert "굽는 온도는" in (page.parent / "full/cooking.md").read_text("utf-8")
    assert "knowledge/full.md" in (root / "routing.yaml").read_text("utf-8")


def test_a_text_is_tested_and_the_inbox_retried_by_the_part_that_fits(root: Path, page: Path, bankctl: Run) -> None:
    bankctl("page", "split", "knowledge/full.md")
    rules = (root / "routing.yaml").read_text("utf-8")
    (root / "routing.yaml").write_text("", "utf-8")
    learn(root, bankctl, "2027-01-09.md", "W: steady pace", now=NOW)
    (root / "routing.yaml").write_text(rules, "utf-8")

    tested = bankctl("config", "route", "W: steady pace", "--json").json["candidates"][0]
    (moved,) = bankctl("review", "place", "--json").json["moved"]

    assert tested["page"] == moved["page"] == "knowledge/full/running.md"
    assert tested["reason"].endswith("in the part that fits")


@pytest.mark.parametrize("rule", ["- {match: run, target: world/run.md}", "- match: run\n      target: world/run.md"])
def test_a_rule_names_a_moved_page_in_quotes_where_yaml_needs_them(root: Path, bankctl: Run, rule: str) -> None:
    rules, page = root / "routing.yaml", root / "bank/world/run.md"
    rules.write_text(f"TAG_ROUTING:\n  W:\n    {rule}\n", "utf-8")
    page.write_text("# run\n", "utf-8")

    there = bankctl("page", "move", "bank/world/run.md", "bank/world/run, walk.md")
    named = rules.read_text("utf-8")
    back = bankctl("page", "move", "bank/world/run, walk.md", "bank/world/it's.md")

    assert (there.code, back.code) == (0, 0)
    assert 'target: "world/run, walk.md"' in named
    assert 'target: "world/it\'s.md"' in rules.read_text("utf-8")
    assert bankctl("config", "check").code == 0


SECTIONS = {
    topic: "".join(f"- W: {words} number {n}, at some length\n" for n in range(12)) for topic, words in TOPICS.items()
}
WITHOUT_OPENING = {
    "headings of the second level": "".join(f"## {topic}\n\n{items}\n" for topic, items in SECTIONS.items()),
    "several titles": "".join(f"# {topic}\n\n{items}\n" for topic, items in SECTIONS.items()),
    "one list": "".join(SECTIONS.values()),
    "lines that end as on Windows": "".join(f"## {topic}\r\n\r\n{items}" for topic, items in SECTIONS.items()),
    "sections that are divided again": "".join(f"## {topic}\n\n{items * 4}\n" for topic, items in SECTIONS.items()),
    "no end of the last line": "".join(SECTIONS.values()).rstrip("\n"),
}


@pytest.mark.parametrize("text", WITHOUT_OPENING.values(), ids=WITHOUT_OPENING.keys())
def test_a_page_without_a_line_before_its_first_part_is_merged_back(
    root: Path, page: Path, bankctl: Run, text: str
) -> None:
    page.write_bytes(text.encode())

    split = bankctl("page", "split", "knowledge/full.md", "--json").json
    merge = bankctl("page", "merge", "knowledge/full.md", "--json")

    assert (len(split["pages"]) > 1, merge.code) == (True, 0)
    assert (merge.json["pages"], merge.json["gone"]) == (["bank/knowledge/full.md"], split["pages"][1:])
    assert page.read_bytes() == text.encode()
    assert not page.with_suffix("").exists()
    assert bankctl("page", "merge", "knowledge/full.md").err.strip().endswith("has no parts")


@pytest.mark.parametrize(
    ("command", "undone"),
    [
        ("page split full", "bank/knowledge/full.md: was not written"),
        ("page move knowledge/full.md world/all.md", "bank/knowledge/full.md: is still there"),
    ],
)
def test_what_was_not_written_is_named_and_not_told_as_done(
    page: Path, bankctl: Run, command: str, undone: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(TransactionWriter, "commit", lambda *_: Applied(0))
    words = command.split()

    done = bankctl(*words)
    told = bankctl(*words, "--json").json

    assert done.code == 3
    assert "0 pages, 0 links" in done.out
    assert not re.search(r"^[+~-]", done.out, re.MULTILINE)
    assert (told["pages"], told["gone"], told["links"]) == ([], [], [])
    assert undone in told["conflicts"]
    assert any("daily/home.md: the link" in line for line in told["conflicts"])


def test_what_the_user_wrote_meanwhile_is_in_the_size_that_is_told(
    page: Path, bankctl: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = TransactionWriter.commit

    def save_before(writer: TransactionWriter, transaction: Transaction) -> Applied:
        with page.open("a", encoding="utf-8") as opened:
            opened.write("- W: " + "a late line " * 200 + "\n")
        return commit(writer, transaction)

    monkeypatch.setattr(TransactionWriter, "commit", save_before)
    told = bankctl("page", "split", "knowledge/full.md").out

    assert f"bank/knowledge/full.md  {page.stat().st_size / 1024:.1f} KiB" in told


def test_a_link_to_the_folder_of_the_parts_leads_to_the_page_after_a_merge(
    root: Path, page: Path, bankctl: Run
) -> None:
    bankctl("page", "split", "knowledge/full.md")
    note = root / "bank/daily/note.md"
    note.write_text("[parts](../knowledge/full/) [p](/knowledge/full/) `bank/knowledge/full/`\n", "utf-8")

    merged = bankctl("page", "merge", "knowledge/full.md")

    assert merged.code == 0, merged.err
    assert note.read_text() == "[parts](../knowledge/full.md) [p](/knowledge/full.md) `bank/knowledge/full.md`\n"


def test_an_id_taken_off_after_a_merge_leaves_the_line_there_once(root: Path, page: Path, bankctl: Run) -> None:
    bankctl("page", "split", "knowledge/full.md")
    bankctl("page", "merge", "knowledge/full.md")
    lines = page.read_text("utf-8").split("\n")
    number = next(n for n, line in enumerate(lines) if " ^m-" in line)
    lines[number] = lines[number].partition(" ^m-")[0]
    page.write_text("\n".join(lines), "utf-8")

    bankctl("cycle", "micro")

    assert page.read_text("utf-8").count(lines[number]) == 1


def test_a_page_that_is_split_again_after_a_merge_stays_split(root: Path, page: Path, bankctl: Run) -> None:
    for words in ("page", "split", "merge", "split"):
        bankctl(words, "full")
    before = written_by_people(root)

    assert bankctl("cycle", "micro", "--json").json["counts"] == {}
    assert written_by_people(root) == before


@pytest.mark.parametrize("opened", ["%%\nhidden", "```\ncode", "<!-- hidden"])
def test_a_part_that_would_hide_the_next_one_is_named_and_not_merged(
    root: Path, page: Path, bankctl: Run, opened: str
) -> None:
    bankctl("page", "split", "full")
    part = page.parent / "full/cooking.md"
    part.write_text(f"{part.read_text('utf-8')}\n{opened}\n", "utf-8")
    before = tree_state(root)

    merged = bankctl("page", "merge", "full")

    assert merged.code == 3
    assert "bank/knowledge/full/cooking.md: has a comment or code block that is not closed" in merged.err
    assert tree_state(root) == before


@pytest.mark.parametrize("emptied", [["running"], ["cooking", "running", "books"]])
def test_a_part_with_nothing_in_it_goes_with_a_merge(root: Path, page: Path, bankctl: Run, emptied: list[str]) -> None:
    bankctl("page", "split", "full")
    for name in emptied:
        (page.parent / f"full/{name}.md").write_bytes(b"")

    merged = bankctl("page", "merge", "full")

    assert merged.code == 0, merged.err
    assert not (page.parent / "full").exists()
    assert "](full/" not in page.read_text("utf-8")
    assert page.read_text("utf-8").count(" ^m-") == 36 - 12 * len(emptied)
    assert bankctl("page", "links").code == 0


LINKS = """[a](../world/Facts.md) [b](<../world/Facts.md#other>) [c][ref] [[Facts]] [[world/Facts|x]] ![[Facts#^m-river]]
`bank/world/Facts.md` bank/world/Facts.md#other [d](../world/facts.md) [[facts]]

[ref]: ../world/Facts.md "t"
"""


def test_every_link_and_rule_is_spelt_as_the_page_is_after_a_move_of_mere_case(root: Path, bankctl: Run) -> None:
    (root / "bank/world/Facts.md").write_text("# Facts\n\n## Other\n\n- W: A river ^m-river\n\n[[Facts#Other]]\n")
    (root / "bank/world/facts.md").unlink(missing_ok=True)
    (root / "bank/daily/links.md").write_text(LINKS)
    (root / "routing.yaml").write_text("TAG_ROUTING:\n  W:\n    - {target: world/Facts.md, match: '.'}\n")

    assert bankctl("page", "move", "bank/world/Facts.md", "bank/world/facts.md").code == 0

    assert (root / "bank/daily/links.md").read_text() == LINKS.replace("Facts", "facts")
    assert "[[facts#Other]]" in (root / "bank/world/facts.md").read_text()
    assert "target: world/facts.md" in (root / "routing.yaml").read_text()
    assert bankctl("page", "links").code == 0


def test_a_hub_keeps_its_parts_in_a_move_of_mere_case(root: Path, page: Path, bankctl: Run) -> None:
    before = page.read_bytes()
    bankctl("page", "split", "full")
    bankctl("page", "move", "knowledge/full.md", "knowledge/Full.md")

    assert len(bankctl("page", "merge", "knowledge/Full.md", "--json").json["gone"]) == 3
    assert (page.parent / "Full.md").read_bytes() == before


def written_by_people(root: Path) -> dict[str, bytes]:
    return {path: state[0] for path, state in tree_state(root).items() if not path.endswith("tree-index.json")}


def test_a_page_may_be_moved_to_the_top_of_the_bank_and_what_bankd_keeps_for_itself_stays(
    root: Path, bankctl: Run
) -> None:
    schema = (root / "bank/_meta/schema.md").read_bytes()
    (root / "bank/world/places.md").write_text("see `identity/values.md` and identity/values.md.\n", "utf-8")

    moved = bankctl("page", "move", "identity/values.md", "v.md")

    assert moved.code == 0, moved.err
    assert (root / "bank/world/places.md").read_text() == "see `bank/v.md` and bank/v.md.\n"
    assert b"`identity/values.md`" in schema
    assert (root / "bank/_meta/schema.md").read_bytes() == schema


def test_a_page_gets_another_name_in_its_folder_and_what_is_no_page_is_said(root: Path, bankctl: Run) -> None:
    (root / "bank/entities/Thomas.md").write_text("# Thomas\n\n- W: Sells bread ^m-aaaaaaaaaaaa\n", "utf-8")

    assert bankctl("page", "move", "Thomas", "Tom").code == 0
    assert (root / "bank/entities/Tom.md").is_file()
    assert "review place m-aaaaaaaaaaaa PAGE" in bankctl("page", "move", "m-aaaaaaaaaaaa", "daily/home").err
    assert "did you mean bank/entities/Tom.md?" in bankctl("page", "move", "entities/Tomm", "x").err
    assert "two pages are joined in an editor" in bankctl("page", "merge", "entities/Tom", "daily/home").err
    assert bankctl("page", "move", "Tom", "bank/Tom").code == 0
    assert (root / "bank/Tom.md").is_file()


def test_a_page_in_the_middle_of_a_merge_is_left_alone(root: Path, page: Path, bankctl: Run) -> None:
    page.write_text(page.read_text("utf-8") + "<<<<<<< ours\na\n=======\nb\n>>>>>>> theirs\n", "utf-8")

    result = bankctl("page", "split", "full")

    assert (result.code, "resolve the merge" in result.err) == (3, True)


def test_a_hub_moves_with_its_parts_and_rules_keep_naming_it(root: Path, page: Path, bankctl: Run) -> None:
    bankctl("page", "split", "full")

    assert bankctl("page", "move", "knowledge/full.md", "world/everything.md").code == 0
    assert "world/everything.md" in (root / "routing.yaml").read_text("utf-8")
    assert (
        root / "bank/daily/home.md"
    ).read_text() == "[run](../world/everything/running.md#running) [[books#Books]]\n"
    assert not (page.parent / "full").exists()
    assert bankctl("page", "merge", "world/everything.md").code == 0
    assert bankctl("page", "links").code == 0


@pytest.mark.parametrize("heal", ["offer", "apply"])
def test_links_follow_what_a_hand_has_moved(root: Path, page: Path, bankctl: Run, heal: str) -> None:
    change_setting(root, "heal: offer", f"heal: {heal}")
    bankctl("page", "links")
    page.rename(root / "bank/world/other.md")

    offered = bankctl("page", "links")
    report = bankctl("cycle", "reflect", "--now", NOW, "--json").json
    if heal == "offer":
        bankctl("page", "links", "--heal")

    assert offered.code == 3
    assert "bank/knowledge/full.md is bank/world/other.md now" in offered.out
    assert ("followed" in report["counts"]) == (heal == "apply")
    target = re.search(r"\[run\]\(([^)]*)\)", (root / "bank/daily/home.md").read_text("utf-8"))
    assert target is not None
    assert target[1].startswith("../world/other")
    assert bankctl("page", "links").code == 0


@pytest.mark.parametrize(("words", "said"), examples("commands", "layouts that cannot be"))
def test_what_cannot_be_done_is_said(root: Path, page: Path, bankctl: Run, words: str, said: str) -> None:
    before = tree_state(root)

    result = bankctl(*words.split())

    assert (result.code, said in result.err) == (3, True)
    assert tree_state(root) == before


@pytest.mark.parametrize(
    "words", ["page split full", "page move knowledge/full.md world/all.md", "page move knowledge k"]
)
def test_undo_gives_the_bytes_back(root: Path, page: Path, bankctl: Run, words: str) -> None:
    before = written_by_people(root)
    run = bankctl(*words.split(), "--json").json["run"]
    assert written_by_people(root) != before

    assert bankctl("undo", run).code == 0
    assert {path: data for path, data in written_by_people(root).items() if path in before} == before
    assert [path for path in written_by_people(root) if path.startswith("bank/") and path not in before] == []
    assert bankctl("page", "links").code == 0


def test_an_undo_that_was_overtaken_by_a_move_is_not_undone_by_half(root: Path, page: Path, bankctl: Run) -> None:
    run = bankctl("page", "split", "full", "--json").json["run"]
    back = bankctl("undo", run, "--json").json["run"]
    bankctl("page", "move", "knowledge/full.md", "knowledge/Full.md")
    before = tree_state(root)

    assert bankctl("undo", back).code == 3
    assert bankctl("undo", run).code == 3

    assert tree_state(root) == before
    assert bankctl("doctor", "verify").code == 0


def test_a_heading_that_is_linked_since_does_not_go_with_an_undo(root: Path, page: Path, bankctl: Run) -> None:
    bankctl("page", "split", "full")
    run = bankctl("page", "merge", "full", "--json").json["run"]
    (root / "bank/daily/new.md").write_text("# New\n\nSee [[full#Running]]\n", "utf-8")

    refused = bankctl("undo", run)

    assert refused.code == 3
    assert "bank/daily/new.md:3 refers to full#Running, which would go" in refused.err


def test_a_large_page_is_named_by_status_before_it_is_split(root: Path, bankctl: Run) -> None:
    page = root / "bank/knowledge/tools.md"
    page.write_text("# Tools\n\n" + "".join(f"- a tool, number {n}\n" for n in range(600)), encoding="utf-8")

    status = bankctl("status", "--json").json

    assert any("large pages: bank/knowledge/tools.md" in finding["text"] for finding in status["findings"])


def test_an_old_copy_of_a_split_page_may_be_saved_again_and_again(root: Path, bankctl: Run) -> None:
    page = root / "bank/patterns/workflows.md"
    sections = (f"## Part {n}\n\n- W: {'step ' * 400}of part {n} ^m-part{n:08}\n\n" for n in range(9))
    page.write_text("# Workflows\n\n" + "".join(sections) + "- see [home](../daily/home.md)\n")
    old = page.read_text()
    bankctl("cycle", "reflect", "--now", "2026-06-10T03:00")
    for minute in (2, 4, 6):
        page.write_text(f"{old}\nA note of minute {minute}.\n")
        bankctl("cycle", "micro", "--now", f"2026-06-10T03:0{minute}")

        assert bankctl("doctor", "verify").out.endswith("all promises hold\n")
        assert f"A note of minute {minute}." in page.read_text()
        assert sum(one.read_text().count("see [home]") for one in page.parent.rglob("*.md")) == 1
