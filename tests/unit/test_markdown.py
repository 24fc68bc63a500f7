"""What the scanner takes for a block, on the cases that other tools get wrong."""

from __future__ import annotations

import re
from collections import Counter
from random import Random
from unittest.mock import patch

import pytest

from bankd.pages import references, scanner
from bankd.pages.anchors import outline_of
from bankd.pages.page import read_page
from bankd.pages.references import references_of, spans_in
from bankd.pages.scanner import BlockKind, decode_text, encode_text, scan_text
from tests.examples import examples

DEEP = 1_000
"""No person nests so deep; a program, or somebody who means ill, does."""


def kinds(text: str) -> list[str]:
    return [block.kind.value for block in scan_text(text).blocks if block.kind is not BlockKind.BLANK]


@pytest.mark.parametrize(("text", "expected"), examples("blocks", "CommonMark"))
def test_blocks_are_what_commonmark_says(text: str, expected: str) -> None:
    assert kinds(text) == expected.split()


def test_nested_items_belong_to_their_parent() -> None:
    document = scan_text("- a\n  more\n  - b\n\n    para\n- c\n")

    items = [(b.start, b.end, b.whole_end, b.depth) for b in document.blocks if b.kind is BlockKind.ITEM]

    assert items == [(0, 2, 5, 0), (2, 3, 5, 1), (5, 6, 6, 0)]


def test_lines_end_at_line_feeds_only() -> None:
    text = "- a\x85b\u2028c\r\n- d\re\n"

    document = scan_text(text)

    assert len(document.lines) == 2
    assert document.text == text


def test_any_bytes_survive_decoding() -> None:
    data = bytes(range(256)) * 2

    assert encode_text(decode_text(data)) == data


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


PIECES = [
    *[
        "- a",
        "- W: b | c",
        "* d",
        "+ e",
        "-  f",
        "  - g",
        "    more",
        "lazy",
        "---",
        "===",
        "|---|",
        "- - -",
        "- ",
        "```",
    ],
    "",
]


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
