"""Where a page is cut, what the parts are called and get, and that each way of spoiling a split is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bankd.layouts.links import Relinked, Source, relink_layout
from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import find_layout_faults
from bankd.layouts.split import Limits, is_due, plan_split
from bankd.pages.names import Names
from bankd.pages.references import references_of
from bankd.pages.scanner import scan_text
from tests.examples import examples

SMALL = Limits(warn=200, split=300)
PATH = "bank/knowledge/full.md"


def split(text: str, limits: Limits = SMALL, *others: str) -> dict[str, str]:
    """The pages that a page becomes; nothing when it has no seam."""
    document = scan_text(text)
    names = Names([PATH, *others])
    layout = plan_split(PATH, document, limits, lambda path: bool(names.named(path.rpartition("/")[2])))
    if layout is None:
        return {}
    return dict(relink_layout(layout, {PATH: Source(document.lines, references_of(document))}, names).texts)


def section(title: str, size: int = 150) -> str:
    return f"## {title}\n\n- {'x' * size}\n\n"


def test_a_page_with_headings_is_cut_at_them_and_keeps_its_opening() -> None:
    pages = split("# 지식\n\n> 배운 것.\n\n" + section("도구") + section("Languages & runtimes"))

    assert list(pages) == [PATH, "bank/knowledge/full/도구.md", "bank/knowledge/full/languages-runtimes.md"]
    assert pages[PATH] == (
        "# 지식\n\n> 배운 것.\n\n"
        "- [도구](full/도구.md): 1 item\n"
        "- [Languages & runtimes](full/languages-runtimes.md): 1 item\n"
    )
    assert pages["bank/knowledge/full/도구.md"] == section("도구")


def test_small_neighbours_share_a_part() -> None:
    pages = split("# T\n\n" + "".join(section(title, 10) for title in ("a", "b", "c")) + section("d", 300))

    assert list(pages) == [PATH, "bank/knowledge/full/a-c.md", "bank/knowledge/full/d.md"]


def test_a_small_page_has_several_parts_too() -> None:
    pages = split("# T\n\n" + "".join(section(title, 10) for title in "abcdef"), Limits(warn=5000, split=9000))

    assert [path.rpartition("/")[2] for path in pages] == ["full.md", "a-c.md", "d-f.md"]


def test_a_large_section_becomes_a_hub_of_its_own() -> None:
    large = "## big\n\n" + "".join(f"### {n}\n\n- {'x' * 150}\n\n" for n in ("one", "two"))

    pages = split("# T\n\n" + section("small") + large)

    assert "bank/knowledge/full/big/one.md" in pages
    assert pages["bank/knowledge/full/big.md"].startswith("## big\n\n- [one](big/one.md): 1 item\n")


@pytest.mark.parametrize(
    ("items", "parts"),
    [
        ([f"- W @{who}: {'x' * 40}\n" for who in ("Peter",) * 3 + ("Anna",) * 3], ["peter", "anna"]),
        ([f"- W: met on 2026-0{m}-1{n} {'x' * 40}\n" for m in (4, 5) for n in range(3)], ["2026-04", "2026-05"]),
        ([f"- {'x' * 95}\n" for _ in range(6)], ["full-1", "full-2", "full-3", "full-4", "full-5", "full-6"]),
    ],
)
def test_a_list_is_cut_by_entity_or_month_or_size(items: list[str], parts: list[str]) -> None:
    pages = split("# T\n\n" + "".join(items))

    assert [path.rpartition("/")[2].removesuffix(".md") for path in pages if path != PATH] == parts
    assert "".join(text for path, text in pages.items() if path != PATH) == "".join(items)


@pytest.mark.parametrize(
    "whole",
    [
        "```\n" + "## not a heading\n\n" * 20 + "```\n",
        "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 60,
        "- item\n\n" + "  para\n\n" * 60,
        "word " * 100 + "\n",
        "<details>\n\n" + "## inside\n\ntext\n\n" * 30 + "</details>\n",
        "::: tip\n" + "## inside\n\ntext\n\n" * 30 + ":::\n",
        "> quote\n" * 60,
        "$$\n" + "a\n\n" * 100 + "$$\n",
    ],
)
def test_what_belongs_together_is_never_cut(whole: str) -> None:
    assert split("# T\n\n" + whole) == {}


def test_front_matter_goes_to_each_part_but_for_what_only_one_page_can_be() -> None:
    front = "---\ntitle: Full\naliases:\n  - everything\ntags: [a, b]\nlang: ko # 한국어\n---\n"

    pages = split(front + "# T\n\n" + section("a") + section("b"))

    assert pages["bank/knowledge/full/a.md"].startswith("---\ntags: [a, b]\nlang: ko # 한국어\n---\n## a\n")
    assert pages[PATH].startswith(front)


@pytest.mark.parametrize(
    ("said", "is_cut"),
    [
        ("## a [x][ref]\n\n## b\n\n{}\n\n[ref]: ../daily/x.md\n", False),
        ("## a[^1]\n\n## b\n\n{}\n\n[^1]: A note.\n", False),
        ("## a\n\nsee [ref]\n\n[ref]: ../daily/x.md\n\n## b\n\n{}\n", True),
        ("## a [other]\n\n## b\n\n{}\n\n[ref]: ../daily/x.md\n", True),
    ],
)
def test_a_page_whose_parts_would_share_a_definition_is_not_cut(said: str, is_cut: bool) -> None:
    pages = split("# T\n\n" + said.format("x" * 250), SMALL, "bank/daily/x.md")

    assert bool(pages) is is_cut


def test_names_do_not_collide_with_each_other_or_with_any_page() -> None:
    text = "# T\n\n" + section("Tools") + section("Tools") + section("README") + section("!!!")

    pages = split(text, SMALL, "bank/entities/tools.md")

    names = [path.removeprefix("bank/knowledge/full/") for path in pages if path != PATH]
    assert names == ["full-tools.md", "full-tools-2.md", "full-readme.md", "part.md"]


def test_new_text_on_a_hub_becomes_new_parts_and_the_old_lines_stay() -> None:
    hub = "# T\n\n- [a](full/a.md): 1 item\n\n" + section("new") + section("newer")

    pages = split(hub, SMALL, "bank/knowledge/full/a.md")

    assert pages[PATH] == (
        "# T\n\n- [a](full/a.md): 1 item\n\n- [new](full/new.md): 1 item\n- [newer](full/newer.md): 1 item\n"
    )


def test_line_ends_and_a_missing_last_one_are_kept() -> None:
    text = ("# T\n\n" + section("a") + section("b") + "## c\n\n[r]: #a\n\ntext [r]").replace("\n", "\r\n")

    pages = split(text)

    assert all(page.count("\n") == page.count("\r\n") for page in pages.values())


def test_a_page_is_due_at_its_size_in_bytes() -> None:
    assert is_due(scan_text("가" * 100), SMALL)
    assert not is_due(scan_text("x" * 299), SMALL)


FULL, NOTES = "bank/full.md", "bank/notes.md"
A, B = "bank/full/a.md", "bank/full/b.md"
FILES = {
    FULL: f"# Full\n\n## A\n\n- W: one {'x' * 90} ^m-aaaaaaaaaaaa\n\n## B\n\n- W: two, see [a](#a) {'x' * 90} ^m-bbbbbbbbbbbb\n",
    NOTES: "# Notes\n\nSee [b](full.md#b) and [[full#^m-aaaaaaaaaaaa]].\n",
}


def source(text: str) -> Source:
    document = scan_text(text)
    return Source(document.lines, references_of(document))


def split_full() -> tuple[Layout, Relinked]:
    layout = plan_split(FULL, scan_text(FILES[FULL]), Limits(warn=160, split=200), lambda _: False)
    assert layout is not None
    return layout, relink_layout(layout, {path: source(text) for path, text in FILES.items()}, Names(FILES))


def findings(path: str = "", old: str = "", new: str = "") -> list[str]:
    """What is found when a split_full writes one page otherwise than it should."""
    layout, relinked = split_full()
    texts = dict(relinked.texts)
    if path:
        assert old in texts[path]
        texts[path] = texts[path].replace(old, new)
    before = {name: source(text) for name, text in FILES.items()}
    after = {name: source(text) for name, text in texts.items()}
    return find_layout_faults(layout, relinked, before, after, Names(FILES))


def test_a_split_as_it_should_be_has_nothing_to_say() -> None:
    _, relinked = split_full()

    assert set(relinked.texts) == {FULL, A, B, NOTES}
    assert findings() == []


@pytest.mark.parametrize(("path", "old", "new", "found"), examples("layouts", "spoilt splits"))
def test_each_way_of_spoiling_it_is_found_and_named(path: str, old: str, new: str, found: str) -> None:
    assert findings(path, old, new) == [found]


def test_a_link_that_led_nowhere_before_may_go_on_so() -> None:
    files = {**FILES, NOTES: "[gone](gone.md) [b](full.md#gone)\n"}
    layout, relinked = split_full()
    before = {name: source(text) for name, text in files.items()}
    after = {name: source(text) for name, text in {**relinked.texts, NOTES: files[NOTES]}.items()}

    assert find_layout_faults(layout, relinked, before, after, Names(files)) == []


def test_a_page_that_is_written_and_taken_away_is_found() -> None:
    layout, relinked = split_full()
    before, after = ({n: source(t) for n, t in texts.items()} for texts in (FILES, relinked.texts))

    found = find_layout_faults(replace(layout, gone=(FULL,)), relinked, before, after, Names(FILES))

    assert f"{FULL}: would be written, and taken away" in found
