"""References after lines have moved, within a page and between pages: the nasty ones, each by what it must become."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from bankd.layouts.links import Link, LinkScene, Reach, Relinked, Source, relink_layout
from bankd.layouts.merge import (
    Layout,
    PageIdentity,
    combine_layouts,
    folders_moved,
    moved_by_hand,
    parts_of,
    plan_merge,
    plan_move,
)
from bankd.layouts.rearrange import (
    loses_places,
    read_source,
)
from bankd.layouts.split import Limits, plan_split
from bankd.pages.names import Names
from bankd.pages.references import references_in_text, references_of
from bankd.pages.resolve import outline_of
from bankd.pages.scanner import BlockKind, scan_text
from tests.examples import examples

LIMITS = Limits(warn=220, split=300)
FULL = "bank/knowledge/full.md"


def source(path: str, text: str) -> Source:
    document = scan_text(text)
    references = references_of(document) if path.endswith(".md") else references_in_text(text)
    return Source(document.lines, references)


def run(layout: Layout, files: dict[str, str]) -> tuple[dict[str, str], Relinked]:
    done = relink_layout(layout, {path: source(path, text) for path, text in files.items()}, Names(files))
    after = {path: text for path, text in files.items() if path not in layout.gone}
    return after | dict(done.texts), done


def split(files: dict[str, str], *paths: str) -> dict[str, str]:
    layouts = [plan_split(path, scan_text(files[path]), LIMITS, lambda _: False) for path in paths or (FULL,)]
    return run(combine_layouts(tuple(layout for layout in layouts if layout)), files)[0]


def merge(files: dict[str, str], hub: str = FULL) -> dict[str, str]:
    documents = {path: scan_text(text) for path, text in files.items()}
    layout = plan_merge(hub, documents)
    assert isinstance(layout, Layout), layout
    return run(layout, files)[0]


def page(*titles: str, extra: str = "") -> str:
    return "# Full\n\n" + "".join(f"## {title}\n\n- {'x' * 90} ^m-{n}\n\n" for n, title in enumerate(titles)) + extra


def referrer(line: str, before: str, **files: str) -> str:
    """What a line on another page becomes when the full page is split."""
    bank = {FULL: before, "bank/daily/log.md": line, **files}
    after = split(bank)
    assert merge(after) == bank
    return after["bank/daily/log.md"]


@pytest.mark.parametrize(("line", "becomes"), examples("links", "into parts"))
def test_a_reference_to_a_heading_follows_it_into_its_part(line: str, becomes: str) -> None:
    assert referrer(line, page("도구", "B C")) == becomes


def test_moved_text_finds_its_pictures_and_neighbours() -> None:
    text = page("a", "b", extra="![p](../img/p.png) [n](next.md) [gone](gone.md) [out](https://x.y/a.md)\n")
    files = {FULL: text, "bank/img/p.png": "", "bank/knowledge/next.md": ""}

    after = split(files)

    assert after["bank/knowledge/full/b.md"].endswith(
        "![p](../../img/p.png) [n](../next.md) [gone](gone.md) [out](https://x.y/a.md)\n"
    )


def move(files: dict[str, str], moves: dict[str, str], folder: tuple[str, str] | None = None) -> dict[str, str]:
    counts = {path: len(scan_text(files[path]).lines) for path in moves}
    return run(plan_move(moves, counts, folder), files)[0]


@pytest.mark.parametrize(
    ("old", "new", "links", "follow"),
    [
        (
            "k/a.md",
            "k/sub/c.md",
            "[[a]] [[k/a]] [[bank/k/a]] [a](k/a.md)",
            "[[c]] [[sub/c]] [[k/sub/c]] [a](k/sub/c.md)",
        ),
        ("k/deep/a.md", "n/a.md", "[[k/deep/a]] [[deep/a]] [[bank/k/deep/a]]", "[[n/a]] [[n/a]] [[bank/n/a]]"),
    ],
)
def test_a_moved_page_is_named_by_as_many_folders_as_there_are(old: str, new: str, links: str, follow: str) -> None:
    after = move({f"bank/{old}": "# T\n", "bank/x.md": links}, {f"bank/{old}": f"bank/{new}"})

    assert after["bank/x.md"] == follow


def test_a_hub_that_moves_to_a_name_with_parentheses_keeps_its_parts() -> None:
    files = split({FULL: page("a", "b")})
    parts = ["bank/knowledge/full/a.md", "bank/knowledge/full/b.md"]
    moves = {path: path.replace("full", "full (2)") for path in (FULL, *parts)}

    after = move(files, moves, ("bank/knowledge/full", "bank/knowledge/full (2)"))

    documents = {path: scan_text(text) for path, text in after.items()}
    assert parts_of("bank/knowledge/full (2).md", documents) == [moves[part] for part in parts]


def test_a_merge_refuses_to_throw_away_what_people_wrote_around_a_part() -> None:
    files = split({FULL: "---\ntags: [a]\n---\n" + page("a", "b")})
    part = "bank/knowledge/full/a.md"
    files[part] = files[part].replace("tags: [a]", "tags: [a]\nmood: good")
    documents = {path: scan_text(text) for path, text in files.items()}

    refused = plan_merge(FULL, documents)

    assert isinstance(refused, tuple)
    assert isinstance(refused, tuple)
    assert len(refused) == 1
    assert parts_of(FULL, documents) == [part, "bank/knowledge/full/b.md"]


def test_a_merge_takes_along_what_was_written_into_a_part() -> None:
    files = split({FULL: page("a", "b")})
    files["bank/knowledge/full/a.md"] += "- new memory ^m-9\n"

    after = merge(files)

    assert "- new memory ^m-9\n## b\n" in after[FULL]
    assert list(after) == [FULL]


@pytest.mark.parametrize("end", ["free words\n", "no line end", "- W: of the part before ^m-9\n", "> said\n"])
@pytest.mark.parametrize("head", ["b\n---\n", "---\n", "free\n", "2. b\n", "<b>b</b>\n", "[b]: x.md\n", "- b ^m-8\n"])
def test_a_merge_keeps_apart_what_would_run_into_the_end_of_the_part_before(end: str, head: str) -> None:
    files = split({FULL: page("a", "b")})
    first, second = "bank/knowledge/full/a.md", "bank/knowledge/full/b.md"
    files[first], files[second] = f"## a\n\n{end}", head

    after = merge(files)

    assert blocks_of(after[FULL]) == [
        *blocks_of("# Full\n"),
        *blocks_of(f"{files[first].rstrip()}\n"),
        *blocks_of(head),
    ]


def blocks_of(text: str) -> list[tuple[BlockKind, str]]:
    document = scan_text(text)
    blocks = (block for block in document.blocks if block.kind is not BlockKind.BLANK)
    return [(block.kind, "".join(document.lines[block.start : block.end])) for block in blocks]


def test_a_page_moved_by_hand_is_known_by_its_bytes_or_most_of_its_memories() -> None:
    gone = {
        "a/x.md": PageIdentity("1", frozenset()),
        "a/y.md": PageIdentity("2", frozenset("abc")),
        "a/z.md": PageIdentity("3", frozenset()),
    }
    new = {
        "b/x.md": PageIdentity("1", frozenset()),
        "c/copy.md": PageIdentity("1", frozenset()),
        "b/why.md": PageIdentity("9", frozenset("abd")),
        "b/q.md": PageIdentity("8", frozenset("a")),
    }

    assert moved_by_hand(gone, new) == {"a/x.md": "b/x.md", "a/y.md": "b/why.md"}


def test_a_folder_is_moved_when_all_of_it_is() -> None:
    moves = {"a/x.md": "b/x.md", "a/s/y.md": "b/s/y.md"}

    assert folders_moved(moves, ["c.md"]) == {"a": "b"}
    assert folders_moved(moves, ["a/left.md"]) == {}


A, B = "- W: tea ^m-a\n", "- W: rain ^m-b\n"
Files = Mapping[str, str]


def scene_of(files: Files) -> LinkScene:
    return LinkScene(Names(files, "/ws"), lambda path: outline_of(scan_text(files[path])))


def links_in(files: Files) -> list[Link]:
    return [Link(path, reference) for path, text in files.items() for reference in read_source(path, text).references]


@pytest.mark.parametrize(("link", "reach"), examples("links", "reach"))
def test_a_reference_leads_to_a_point_a_file_or_nowhere(link: str, reach: str) -> None:
    files = {"bank/r.md": f"# Here\n\n{link}\n", "bank/a.md": f"# A\n\n## Tea\n\n{A}", "bank/p.png": ""}

    assert [scene_of(files).reach(found) for found in links_in(files)] == [Reach[reach]]


@pytest.mark.parametrize(("before", "after", "loses"), examples("layouts", "places of a page"))
def test_a_page_that_only_grows_loses_no_place(before: str, after: str, loses: str) -> None:
    outlines = [outline_of(scan_text(text)) if text else None for text in (before, after)]

    assert loses_places(*outlines) is (loses == "yes")
