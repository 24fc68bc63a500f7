"""What comes in from other programs: rules before front matter, Obsidian's comments, days and copies by their names."""

from __future__ import annotations

import pytest

from bankd.edits.settle import (
    FileFingerprint,
    ListedFile,
    RestRule,
    copied_from,
    is_conflict_copy,
    is_copy,
    judge_listings,
    why_quarantined,
)
from bankd.layouts.rearrange import read_source
from bankd.memory.retain import read_log
from bankd.pages.names import day_in
from bankd.pages.page import properties_of
from bankd.pages.scanner import BlockKind, scan_text
from bankd.search.indexable import read_bank_page, read_log_page
from tests.examples import examples, texts


def learned(text: str) -> list[str]:
    return [line.memory.text for line in read_log("2026-05-04.md", text, anywhere=True).lines]


def reasons(text: str) -> list[str]:
    return [f"{bad.place.line}: {bad.reason}" for bad in read_log("2026-05-04.md", text, anywhere=True).bad]


@pytest.mark.parametrize("text", [*texts("blocks", "rules"), "---\n- W: kiln\n\n" + "prose\n\n" * 400 + "---\n"])
def test_only_a_mapping_between_rules_is_front_matter(text: str) -> None:
    assert learned(text) == ["kiln"]


def test_a_heading_between_rules_is_a_heading() -> None:
    assert BlockKind.FRONT_MATTER not in {block.kind for block in scan_text("---\n# Morning\n---\n- W: kiln\n").blocks}


def test_what_stands_in_front_matter_is_searched() -> None:
    text = "---\naliases: [Ribbon counter, 리본대]\ntags:\n- peony\n- 'rose'\n\"supplier\": Kim Flowers\nempty:\n담당자: 서연\n---\n# Desk\n"

    assert properties_of(scan_text(text)) == [
        (1, "aliases: Ribbon counter, 리본대"), (2, "tags: peony, rose"), (5, "supplier: Kim Flowers"), (7, "담당자: 서연")
    ]  # fmt: skip
    page = read_bank_page("bank/desk.md", text.encode())
    lines = [(entry.line, entry.text) for entry in page.entries]
    assert lines[-2:] == [(6, "supplier: Kim Flowers"), (8, "담당자: 서연")]
    assert "supplier: Kim Flowers" in read_log_page("a.md", text).entries[0].text
    assert not properties_of(scan_text("# Desk\n\nkey: value\n"))


def test_what_stands_between_percent_signs_is_hidden() -> None:
    text = "- W: shed\n%%\nprivate\n\n## Draft\n- W: hidden\n%%\n- W: gate %% ask\n  Mina %% is green\n- W: `%%time` %%x%%\n"

    assert learned(text) == ["shed", "gate  is green", "`%%time`"]
    assert "hidden" not in "".join(entry.text for entry in read_log_page("a.md", text).entries)
    assert "ask" not in "".join(entry.text for entry in read_bank_page("bank/a.md", b"- gate %% ask %%\n").entries)


def test_a_line_that_only_an_open_comment_hides_is_named() -> None:
    assert reasons("- W: a\n%%\n- W: b\n") == ["3: inside a comment that begins in line 2 and never ends"]
    assert reasons("<!--\n- W: b\n") == ["2: inside a comment that begins in line 1 and never ends"]
    assert reasons("---\ntags:\n- W: b\n---\n") == ["3: inside front matter; move it below"]
    assert "%% hides" in reasons("- W: it is 100%% done\n")[0]
    assert not reasons("<!--\n- W: b\n-->\n%% - W: c %%\n")


@pytest.mark.parametrize(("name", "day"), examples("names", "days"))
def test_days_in_names_are_read_as_journals_write_them(name: str, day: str) -> None:
    assert str(day_in(name)) == day


@pytest.mark.parametrize(("name", "is_conflict"), examples("names", "conflict copies"))
def test_a_conflict_copy_is_known_by_its_name(name: str, is_conflict: str) -> None:
    assert is_conflict_copy(f"bank/{name}") is (is_conflict == "yes")
    listing = {name: ListedFile(FileFingerprint(9, 1, 1), 0.0, True)}
    assert bool(judge_listings({"bank": listing}, RestRule(1000.0, 5, None), {}).quarantined) is (is_conflict == "yes")


@pytest.mark.parametrize(
    "ending", [" 2", "-DESKTOP-7Q2", " (1)", " - 복사본", " - Copy (2)", " copy", "-Minas-MacBook-Air"]
)
def test_a_copy_by_a_plausible_name_is_told_by_its_text(ending: str) -> None:
    names = {"2026-05-04.md", f"2026-05-04{ending}.md", "2026-05-04-evening.md", "2026-05-05.md"}

    assert [name for name in sorted(names) if copied_from(name, names)] == [f"2026-05-04{ending}.md"]
    assert copied_from(f"2026-05-04{ending}.md", names) == "2026-05-04.md"
    assert is_copy(b"- W: The rent is 900 euros.\n", b"- W: The rent is 950 euros.\n")
    assert is_copy(b"# Day\n- W: a\n- W: said on the phone\n", b"# Day\n- W: a\n- W: typed at home\n")
    assert not is_copy(b"# Day\n- W: The rent is 900 euros.\n", b"# Day\n- W: Mina paints the gate.\n")
    assert not is_copy(b"", b"")


def test_a_page_that_shows_merge_markers_in_code_may_be_written() -> None:
    markers = b"<<<<<<< ours\n- a\n=======\n- b\n>>>>>>> theirs\n"

    assert why_quarantined(b"# Git\n\n```\n" + markers + b"```\n") is None
    assert why_quarantined(markers + b"\n```\n" + markers + b"```\n")
    assert why_quarantined(b"```\n" + markers)


@pytest.mark.parametrize(("text", "kept"), examples("retain", "letters"))
def test_a_letter_beside_a_letter_that_is_no_tag_is_none(text: str, kept: str) -> None:
    assert " | ".join(learned(text)) == kept


def test_links_in_properties_and_canvases_are_references() -> None:
    page = '---\nup: "[[Desk]]"\nsee: "[d](sub/Desk.md)"\n---\n'
    canvas = '{"nodes":[{"type":"file","file":"sub/Desk.md"},{"text":"see sub/Other.md there"}]}'

    assert [r.target for r in read_source("bank/a.md", page).references] == ["Desk", "sub/Desk.md"]
    assert [r.target for r in read_source("bank/board.canvas", canvas).references] == ["sub/Desk.md"]


def test_the_text_of_html_is_found_without_its_tags_and_no_script() -> None:
    page = b"- a\n\n<aside>\n<b>The alarm</b> code is new\n</aside>\n\n<script>\nlet x = 1\n</script>\n"

    assert [(one.line, one.text) for one in read_bank_page("bank/a.md", page).entries if one.is_text] == [
        (4, "The alarm  code is new")
    ]
