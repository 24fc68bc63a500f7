"""Where links lead when blocks move between pages."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bankd.layouts.links import Link, LinkScene, Reach, Stray
from bankd.layouts.rearrange import (
    Following,
    Moving,
    follow_blocks,
    heal_strays,
    loses_places,
    read_source,
    relink_operations,
)
from bankd.pages.anchors import outline_of
from bankd.pages.names import Names
from bankd.pages.scanner import scan_text

A, B = "- W: tea ^m-a\n", "- W: rain ^m-b\n"
Files = Mapping[str, str]


def scene_of(files: Files) -> LinkScene:
    return LinkScene(Names(files, "/ws"), lambda path: outline_of(scan_text(files[path])))


def links_in(files: Files) -> list[Link]:
    return [Link(path, reference) for path, text in files.items() for reference in read_source(path, text).references]


def follow(
    before: Files, after: Files, heirs: Files | None = None, written: Mapping[tuple[str, str], str] | None = None
) -> Following:
    return follow_blocks(
        links_in(before), Moving(scene_of(before), scene_of(after), list(after), heirs or {}, written or {})
    )


def targets(following: Following) -> list[str]:
    return [item.target for item in following.followed]


@pytest.mark.parametrize(
    ("link", "reach"),
    [
        ("[[a#^m-a]]", Reach.POINT),
        ("[[a#^M-A]]", Reach.POINT),
        ("[x](a.md#^m-a)", Reach.POINT),
        ("`bank/a.md#^m-a를`", Reach.POINT),
        ("[[a#Tea]]", Reach.POINT),
        ("[x](a.md#tea)", Reach.POINT),
        ("[x](a.md#top)", Reach.POINT),
        ("[x](p.png#page=3)", Reach.POINT),
        ("[[#Here]]", Reach.POINT),
        ("[[a#^m-b]]", Reach.FILE),
        ("[[a#top]]", Reach.FILE),
        ("[[a]]", Reach.FILE),
        ("[[b#^m-a]]", Reach.NOWHERE),
    ],
)
def test_a_reference_leads_to_a_point_a_file_or_nowhere(link: str, reach: Reach) -> None:
    files = {"bank/r.md": f"# Here\n\n{link}\n", "bank/a.md": f"# A\n\n## Tea\n\n{A}", "bank/p.png": ""}

    assert [scene_of(files).reach(found) for found in links_in(files)] == [reach]


def test_links_follow_a_block_and_others_stay_as_they_are() -> None:
    refs = "[[a#^m-a]] [[a#^m-b]] [[a]] [x](a.md#^m-a)\n"
    before = {"bank/r.md": refs, "bank/a.md": A + B}
    after = {"bank/r.md": refs, "bank/a.md": B, "archive/a.md": A}

    following = follow(before, after)

    assert targets(following) == ["archive/a#^m-a", "../archive/a.md#^m-a"]
    assert following.dangling == ()
    assert [(op.path, [move.key for move in op.moves]) for op in relink_operations(following.followed)] == [
        ("bank/r.md", ["m-a", "m-a"])
    ]


def test_links_to_a_memory_with_an_heir_lead_to_that() -> None:
    refs = "[[a#^m-a]] `bank/a.md#^m-a은`\n"
    before = {"bank/r.md": refs, "bank/a.md": A + B}
    after = {"bank/r.md": refs, "bank/a.md": B, "archive/a.md": A}

    assert targets(follow(before, after, {"m-a": "m-b"})) == ["a#^m-b", "bank/a.md#^m-b은"]


def test_links_come_back_as_they_were_written_if_that_leads_there() -> None:
    refs = "[[archive/a#^m-a]] [[b#^m-b]]\n"
    before = {"bank/r.md": refs, "archive/a.md": A, "bank/b.md": B}
    after = {"bank/r.md": refs, "bank/x/a.md": A, "bank/b.md": B}
    written = {("bank/r.md", "wiki archive/a#^m-a"): "x/a#^m-a", ("bank/r.md", "wiki b#^m-b"): "a#^m-a"}

    assert targets(follow(before, after, written=written)) == ["x/a#^m-a", "a#^m-a"]
    assert targets(follow(before, after, written={("bank/r.md", "wiki archive/a#^m-a"): "gone#^m-a"})) == ["a#^m-a"]


def test_what_nothing_holds_any_more_is_named() -> None:
    refs = "[[a#^m-a]] [[a#Tea]] [[never#^m-a]]\n"
    before = {"bank/r.md": refs, "bank/a.md": f"# A\n\n## Tea\n\n{A}"}
    after = {"bank/r.md": refs, "bank/a.md": "# A\n"}

    following = follow(before, after)

    assert following.followed == ()
    assert [link.reference.target for link in following.dangling] == ["a#^m-a", "a#Tea"]


def test_a_stray_link_follows_to_the_one_page_that_has_its_block() -> None:
    files = {"bank/r.md": "[x](gone.md#^m-a) [[b#^m-a]]\n", "bank/b.md": B, "bank/c.md": A}
    inline, wiki = links_in(files)
    strays = [Stray(inline, "bank/gone.md", "m-a", ("bank/c.md",)), Stray(wiki, "bank/b.md", "m-a", ("bank/c.md",))]
    unsure = Stray(wiki, "bank/b.md", "m-a", ("bank/b.md", "bank/c.md"))

    assert [item.target for item in heal_strays(strays, scene_of(files))] == ["c.md#^m-a", "c#^m-a"]
    assert heal_strays([unsure], scene_of(files)) == ()


@pytest.mark.parametrize(
    ("before", "after", "loses"),
    [
        (A, A + B, False),
        (A + B, B, True),
        ("# A\n", "# A\n\n## B\n", False),
        ("# A\n\n## B\n", "# A\n\n## C\n\n## B\n", True),
        ("# A\n\n## B\n", "# A\n", True),
        ('<a id="x"></a>tea\n', "tea\n", True),
        (A, None, True),
    ],
)
def test_a_page_that_only_grows_loses_no_place(before: str, after: str | None, loses: bool) -> None:
    outlines = [None if text is None else outline_of(scan_text(text)) for text in (before, after)]

    assert loses_places(*outlines) is loses
