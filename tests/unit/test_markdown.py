"""What pages are read as: blocks, anchors and references, on the cases that other tools get wrong."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from unittest.mock import patch

import pytest

from bankd.pages import references, scanner
from bankd.pages.page import github_anchor, plain_text, read_page
from bankd.pages.references import (
    LinkKind,
    definitions_of,
    label_uses,
    references_in_text,
    references_of,
    route_targets,
    spans_in,
)
from bankd.pages.resolve import AnchorPlace, Form, find_place, fragment_for, outline_of
from bankd.pages.scanner import BlockKind, scan_text
from tests.examples import examples, texts

DEEP = 1_000
"""No person nests so deep; a program, or somebody who means ill, does."""


def kinds(text: str) -> list[str]:
    return [block.kind.value for block in scan_text(text).blocks if block.kind is not BlockKind.BLANK]


@pytest.mark.parametrize(("text", "expected"), examples("blocks", "CommonMark"))
def test_blocks_are_what_commonmark_says(text: str, expected: str) -> None:
    assert kinds(text) == expected.split()


def test_the_markers_of_a_merge_are_no_part_of_an_item() -> None:
    merging = "- a\n<<<<<<< HEAD\n- b\n||||||| base\n- c\n=======\n- d\n>>>>>>> other\n"

    assert kinds(merging) == ["item", "rule"] * 4


def test_nested_items_belong_to_their_parent() -> None:
    document = scan_text("- a\n  more\n  - b\n\n    para\n- c\n")

    items = [(b.start, b.end, b.whole_end, b.depth) for b in document.blocks if b.kind is BlockKind.ITEM]

    assert items == [(0, 2, 5, 0), (2, 3, 5, 1), (5, 6, 6, 0)]


def test_lines_end_at_line_feeds_only() -> None:
    text = "- a\x85b\u2028c\r\n- d\re\n"

    document = scan_text(text)

    assert len(document.lines) == 2
    assert document.text == text


def test_a_page_with_a_byte_order_mark_reads_like_one_without() -> None:
    text = "# Title\n- W: tea ^m-abcdefghijkl\n"
    item = text.partition("\n")[2]

    for said in (text, item, "Title\n===\n", "paragraph\n"):
        plain, marked = read_page("bank/a.md", said.encode()), read_page("bank/a.md", f"\ufeff{said}".encode())

        assert (marked.title, marked.entries) == (plain.title, plain.entries)
        assert marked.document.text == f"\ufeff{said}"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"{'  ' * n}- level {n}\n" for n in range(DEEP)),
        "".join(f"{chr(9) * n}- level {n}\n" for n in range(DEEP)),
        "- " * DEEP + "q\n",
        "> " * DEEP + "q\n",
        "".join(f"{'> ' * n}level {n}\n" for n in range(DEEP)),
        "".join(f"[^{n}]: " for n in range(DEEP)) + "q\n",
    ],
    ids=["items", "tabs", "items of a line", "quotes of a line", "quotes", "footnotes"],
)
def test_a_text_nested_beyond_any_sense_is_read_like_any_other(text: str) -> None:
    page = read_page("p.md", text.encode())

    assert page.document.text == text
    assert references_of(page.document) == ()
    assert outline_of(page.document).spots == ()


def test_an_item_knows_all_that_is_nested_in_it_however_deep() -> None:
    text = "".join(f"{'  ' * n}- W: level {n}\n" for n in range(DEEP))

    page = read_page("p.md", text.encode())

    assert [entry.memory.text for entry in page.entries] == [f"level {n}" for n in range(DEEP)]
    assert {entry.whole_end for entry in page.entries} == {DEEP}


PIECES = ["", *texts("blocks", "pieces")]


@pytest.mark.parametrize("seed", range(5))
def test_a_plain_list_is_skimmed_to_the_blocks_that_a_close_look_gives(seed: int) -> None:
    random = Random(seed)
    texts = ["\n".join(random.choices(PIECES, k=random.randint(1, 12))) for _ in range(300)]
    skimmed = [scan_text(text) for text in texts]

    with patch.object(scanner, "_PLAIN_ITEM", re.compile(r"(?!)")):
        assert [scan_text(text) for text in texts] == skimmed


@pytest.mark.parametrize("seed", range(5))
def test_a_text_that_names_nothing_is_told_by_its_characters(seed: int) -> None:
    random = Random(seed)
    parts = [
        "\n",
        *["a", " ", "bank/", "x.md", "[", "]", "(", ")", "`", "<a href='", "'>", "!", "\\", "https://", "knowledge/"],
    ]
    texts = ["".join(random.choices(parts, k=random.randint(1, 9))) for _ in range(500)]
    found = [list(spans_in(text)) for text in texts]

    with patch.object(references, "_MAY_NAME", re.compile("")):
        assert [list(spans_in(text)) for text in texts] == found
    assert any(found)


@pytest.mark.parametrize("row", ["[^{0}]: note {0}", "| a {0} | b |\n|---|---|", "> quote {0}\ntext"])
def test_whether_a_block_begins_is_told_by_its_first_lines(row: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A thousand notes or tables below each other: looking for the end of each from each would be a million steps."""
    calls = Counter[str]()
    recognise = scanner._recognise_block

    def counted(lines: scanner.Lines, start: int, base: int) -> tuple[scanner.BlockKind, int] | None:
        calls["recognise"] += 1
        return recognise(lines, start, base)

    monkeypatch.setattr(scanner, "_recognise_block", counted)
    document = scan_text("\n".join(row.format(number) for number in range(1000)))

    assert calls["recognise"] < 5 * len(document.lines)


@pytest.mark.parametrize(("title", "anchor"), examples("anchors", "GitHub"))
def test_anchors_are_github_s(title: str, anchor: str) -> None:
    assert github_anchor(title) == anchor


def test_equal_headings_are_numbered_and_never_collide_with_a_real_one() -> None:
    outline = outline_of(scan_text("# a\n# a\n# a-1\n# a\n> # a\n"))

    anchors = [spot.anchor for spot in outline.spots]

    assert anchors == ["a", "a-1", "a-1-1", "a-2", "a-3"]


def test_headings_in_fences_and_comments_have_no_anchor() -> None:
    outline = outline_of(scan_text("```\n# no\n```\n<!--\n# no\n-->\n# yes\n"))

    assert [spot.anchor for spot in outline.spots] == ["yes"]


@pytest.mark.parametrize(("fragment", "is_wiki", "line", "form"), examples("anchors", "places"))
def test_fragments_name_places(fragment: str, is_wiki: str, line: str, form: str) -> None:
    text = "# First\n\n## 두 번째\n\n## Third {#custom}\n\n<a id='html-id'></a>\n- W: memory ^m-abc\n"

    found = find_place(outline_of(scan_text(text)), fragment, is_wiki=is_wiki == "yes")

    assert found == (AnchorPlace(int(line), Form[form]) if form else None)


def test_a_second_heading_of_the_same_words_is_named_by_its_path() -> None:
    outline = outline_of(scan_text("# A\n## x\n# B\n## x\n"))

    assert fragment_for(outline, AnchorPlace(3, Form.HEADING), "x") == "B#x"
    assert fragment_for(outline, AnchorPlace(3, Form.ANCHOR), "x") == "x-1"
    assert fragment_for(outline, AnchorPlace(1, Form.ANCHOR), "x") == "x"


def test_plain_text_is_what_a_reader_sees() -> None:
    assert plain_text('`a|b` [c](d "t") _e_ f_g_h <br> &lt;') == "a|b c e f_g_h  <"


def test_a_place_in_a_quote_of_a_quote_is_on_its_line_of_the_page() -> None:
    outline = outline_of(scan_text("text\n\n> quote\n>\n> > ## Deep\n> > text ^inner\nlazy -> line\n"))

    assert [(spot.line, spot.title, spot.is_quoted) for spot in outline.spots] == [(4, "Deep", True)]
    assert find_place(outline, "^inner", is_wiki=True) == AnchorPlace(5, Form.BLOCK)


def targets(text: str) -> list[str]:
    document = scan_text(text)
    found = references_of(document)
    assert all(document.lines[r.line][r.start : r.end] == r.target for r in found)
    return [reference.target for reference in found]


@pytest.mark.parametrize(("text", "expected"), examples("references", "targets"))
def test_targets_are_found_where_they_stand(text: str, expected: str) -> None:
    assert " | ".join(targets(text)) == expected


@pytest.mark.parametrize("mark", ["> ", ">", "[^n]: ", "> [^n]: "])
@pytest.mark.parametrize("depth", [2, 31, 32, 33, 1_000])
def test_a_target_is_found_however_deep_it_is_quoted(mark: str, depth: int) -> None:
    assert targets(mark * depth + "[a](b.md) and [[c]]\n") == ["b.md", "c"]


def test_other_files_name_paths_as_whole_tokens() -> None:
    text = (
        'p: "bank/my notes/a b.md#c d"\nx=${WS}/bank/k/f.md#x  # bank/k/*.md\n- ../bank/k/f.md\nhttps://h/bank/k/f.md\n'
    )

    found = [(reference.line, reference.target) for reference in references_in_text(text)]

    assert found == [(0, "bank/my notes/a b.md#c d"), (1, "${WS}/bank/k/f.md#x"), (1, "bank/k/"), (2, "../bank/k/f.md")]


def test_rules_name_pages_relative_to_the_bank() -> None:
    text = "W:\n  - {match: '도구', target: knowledge/도구.md}\n  - match: x\n    target: \"k/f.md\"  # not k/g.md?\n# target: a.md\n"

    found = [reference.target for reference in route_targets(text)]

    assert found == ["knowledge/도구.md", "k/f.md"]


@pytest.mark.parametrize(("line", "target"), examples("references", "rules"))
def test_a_rule_may_name_a_page_with_spaces(line: str, target: str) -> None:
    found = [reference.target for reference in route_targets(f"TAG_ROUTING:\n{line}\n")]

    assert found == [target]


def test_uses_and_definitions_of_labels() -> None:
    document = scan_text("[a][B  c] [b c][] [B C] [^1] `[b c]`\n\n[b c]: x.md\n[^1]: note [b c]\n")

    assert [definition.label for definition in definitions_of(document)] == ["b c", "^1"]
    assert [label for label, _ in label_uses(document)] == ["b c", "b c", "b c", "^1", "b c"]


def test_a_picture_and_an_angle_are_remembered() -> None:
    found = references_of(scan_text("![p](<p q.png>)"))

    assert [(reference.kind, reference.is_angled) for reference in found] == [(LinkKind.IMAGE, True)]
