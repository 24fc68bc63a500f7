"""Anchors as GitHub and as Obsidian make them, on the headings that other tools get wrong."""

from __future__ import annotations

import pytest

from bankd.pages.anchors import AnchorPlace, Form, find_place, fragment_for, outline_of
from bankd.pages.page import github_anchor, plain_text
from bankd.pages.scanner import scan_text
from tests.examples import examples


@pytest.mark.parametrize(("title", "anchor"), examples("anchors", "GitHub"))
def test_anchors_are_github_s(title: str, anchor: str) -> None:
    found = github_anchor(title)

    assert found == anchor


def test_equal_headings_are_numbered_and_never_collide_with_a_real_one() -> None:
    outline = outline_of(scan_text("# a\n# a\n# a-1\n# a\n> # a\n"))

    anchors = [spot.anchor for spot in outline.spots]

    assert anchors == ["a", "a-1", "a-1-1", "a-2", "a-3"]


def test_headings_in_fences_and_comments_have_no_anchor() -> None:
    outline = outline_of(scan_text("```\n# no\n```\n<!--\n# no\n-->\n# yes\n"))

    assert [spot.anchor for spot in outline.spots] == ["yes"]


@pytest.mark.parametrize(
    ("fragment", "is_wiki", "line", "form"),
    [
        ("두-번째", False, 2, Form.ANCHOR),
        ("%EB%91%90-%EB%B2%88%EC%A7%B8", False, 2, Form.ANCHOR),
        ("두 번째", True, 2, Form.HEADING),
        ("두 번째!", True, 2, Form.HEADING),
        ("First#두 번째", True, 2, Form.HEADING),
        ("두 번째#First", True, None, None),
        ("custom", False, 4, Form.EXPLICIT),
        ("html-id", False, 6, Form.EXPLICIT),
        ("^m-abc", True, 7, Form.BLOCK),
        ("^M-ABC", True, 7, Form.BLOCK),
        ("nothing", False, None, None),
        ("", False, None, None),
    ],
)
def test_fragments_name_places(fragment: str, is_wiki: bool, line: int | None, form: Form | None) -> None:
    text = "# First\n\n## 두 번째\n\n## Third {#custom}\n\n<a id='html-id'></a>\n- W: memory ^m-abc\n"

    found = find_place(outline_of(scan_text(text)), fragment, is_wiki=is_wiki)

    assert found == (None if line is None or form is None else AnchorPlace(line, form))


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
