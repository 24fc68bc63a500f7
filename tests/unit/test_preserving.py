"""The last look before a layout is carried out: a good split has nothing to say, each way of spoiling it is found."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bankd.layouts.merge import Layout
from bankd.layouts.rearrange import LayoutCheck
from bankd.layouts.relink import Relinked, Source, relink_layout
from bankd.layouts.split import Limits, plan_split
from bankd.pages.names import Names
from bankd.pages.references import references_of
from bankd.pages.scanner import scan_text

FULL, NOTES = "bank/full.md", "bank/notes.md"
A, B = "bank/full/a.md", "bank/full/b.md"
FILES = {
    FULL: f"# Full\n\n## A\n\n- W: one {'x' * 90} ^m-aaaaaaaaaaaa\n\n## B\n\n- W: two, see [a](#a) {'x' * 90} ^m-bbbbbbbbbbbb\n",
    NOTES: "# Notes\n\nSee [b](full.md#b) and [[full#^m-aaaaaaaaaaaa]].\n",
}


def source(text: str) -> Source:
    document = scan_text(text)
    return Source(document.lines, references_of(document))


def split() -> tuple[Layout, Relinked]:
    layout = plan_split(FULL, scan_text(FILES[FULL]), Limits(warn=160, split=200), lambda _: False)
    assert layout is not None
    return layout, relink_layout(layout, {path: source(text) for path, text in FILES.items()}, Names(FILES))


def findings(path: str = "", old: str = "", new: str = "") -> list[str]:
    """What is found when a split writes one page otherwise than it should."""
    layout, relinked = split()
    texts = dict(relinked.texts)
    if path:
        assert old in texts[path]
        texts[path] = texts[path].replace(old, new)
    before = {name: source(text) for name, text in FILES.items()}
    after = {name: source(text) for name, text in texts.items()}
    return LayoutCheck(layout, relinked, before, after).findings(Names(FILES))


def test_a_split_as_it_should_be_has_nothing_to_say() -> None:
    _, relinked = split()

    assert set(relinked.texts) == {FULL, A, B, NOTES}
    assert findings() == []


@pytest.mark.parametrize(
    ("path", "old", "new", "found"),
    [
        (B, "^m-bbbbbbbbbbbb", "", "memory m-bbbbbbbbbbbb would stand 0 times"),
        (
            A,
            "^m-aaaaaaaaaaaa\n",
            "^m-aaaaaaaaaaaa\n- W: two ^m-bbbbbbbbbbbb\n",
            "memory m-bbbbbbbbbbbb would stand 2 times",
        ),
        (
            A,
            "^m-aaaaaaaaaaaa\n",
            "^m-aaaaaaaaaaaa\n- W: new ^m-cccccccccccc\n",
            "memory m-cccccccccccc would stand 1 times",
        ),
        (B, "[a](a.md#a)", "[a](gone.md#a)", "bank/full/b.md:3: gone.md#a would lead nowhere"),
        (B, "[a](a.md#a)", "[a](a.md#gone)", "bank/full/b.md:3: a.md#gone would lead nowhere"),
        (B, "[a](a.md#a)", "a", "bank/full.md:9: #a would not be read back in bank/full/b.md"),
        (B, "[a](a.md#a)", "[[a#A]]", "bank/full.md:9: #a would not be read back in bank/full/b.md"),
        (NOTES, "full/b.md#b", "full.md#b", "bank/notes.md:3: full.md#b would lead nowhere"),
        (
            NOTES,
            "[[a#^m-aaaaaaaaaaaa]]",
            "[[b#^m-aaaaaaaaaaaa]]",
            "bank/notes.md:3: b#^m-aaaaaaaaaaaa would lead nowhere",
        ),
    ],
)
def test_each_way_of_spoiling_it_is_found_and_named(path: str, old: str, new: str, found: str) -> None:
    assert findings(path, old, new) == [found]


def test_a_link_that_led_nowhere_before_may_go_on_so() -> None:
    files = {**FILES, NOTES: "[gone](gone.md) [b](full.md#gone)\n"}
    layout, relinked = split()
    before = {name: source(text) for name, text in files.items()}
    after = {name: source(text) for name, text in {**relinked.texts, NOTES: files[NOTES]}.items()}

    assert LayoutCheck(layout, relinked, before, after).findings(Names(files)) == []


def test_a_page_that_is_written_and_taken_away_is_found() -> None:
    layout, relinked = split()
    before, after = ({n: source(t) for n, t in texts.items()} for texts in (FILES, relinked.texts))

    found = LayoutCheck(replace(layout, gone=(FULL,)), relinked, before, after).findings(Names(FILES))

    assert f"{FULL}: would be written, and taken away" in found
