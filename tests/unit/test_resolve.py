"""What a target leads to, and that it is written again in the style in which it was written."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bankd.pages.inline import LinkKind
from bankd.pages.names import Names
from bankd.pages.references import Reference
from bankd.pages.resolve import render_path, resolve_reference

NAMES = Names(
    [
        "bank/knowledge/full.md",
        "bank/knowledge/full/tools.md",
        "bank/knowledge/a b.md",
        "bank/knowledge/README.md",
        "bank/entities/Peter.md",
        "bank/entities/same.md",
        "bank/daily/same.md",
        "bank/도구/편집기.md",
        "bank/guide/index.md",
        "bank/img/p.png",
        "archive/knowledge/full.md",
        "memory/2026-05-02.md",
    ]
)
HERE = "bank/knowledge/notes.md"


def link(target: str, kind: LinkKind = LinkKind.INLINE) -> Reference:
    return Reference(kind, 0, 0, len(target), target)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("full.md#x", "bank/knowledge/full.md"),
        ("./full.md", "bank/knowledge/full.md"),
        ("../knowledge/full.md", "bank/knowledge/full.md"),
        ("full", "bank/knowledge/full.md"),
        ("full.html", "bank/knowledge/full.md"),
        ("/knowledge/full", "bank/knowledge/full.md"),
        ("/bank/knowledge/full.md", "bank/knowledge/full.md"),
        ("a%20b.md", "bank/knowledge/a b.md"),
        ("../%EB%8F%84%EA%B5%AC/%ED%8E%B8%EC%A7%91%EA%B8%B0.md", "bank/도구/편집기.md"),
        ("FULL.md", "bank/knowledge/full.md"),
        ("/guide/", "bank/guide/index.md"),
        ("./", "bank/knowledge/README.md"),
        ("../img/", "bank/img"),
        ("../../memory/2026-05-02.md", "memory/2026-05-02.md"),
        ("#x", HERE),
        ("missing.md", None),
        ("https://x.y/full.md", None),
        ("mailto:a@b", None),
        ("//x/full.md", None),
    ],
)
def test_markdown_targets_lead_by_path(target: str, path: str | None) -> None:
    found = resolve_reference(link(target), HERE, NAMES)

    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("full", "bank/knowledge/full.md"),  # the archive has one too
        ("peter#x", "bank/entities/Peter.md"),
        ("knowledge/full", "bank/knowledge/full.md"),
        ("full/tools", "bank/knowledge/full/tools.md"),
        ("tools.md", "bank/knowledge/full/tools.md"),
        ("same", None),
        ("daily/same", "bank/daily/same.md"),
        ("../daily/same", "bank/daily/same.md"),
        ("p.png", "bank/img/p.png"),
        ("2026-05-02", "memory/2026-05-02.md"),
        ("편집기".encode().decode(), "bank/도구/편집기.md"),
        ("편집기", "bank/도구/편집기.md"),
    ],
)
def test_wikilinks_lead_by_unique_name(target: str, path: str | None) -> None:
    found = resolve_reference(link(target, LinkKind.WIKI), HERE, NAMES)

    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    ("target", "source", "path"),
    [
        ("bank/knowledge/full.md#x", HERE, "bank/knowledge/full.md"),
        ("knowledge/full.md", HERE, "bank/knowledge/full.md"),
        ("knowledge/full.md", "tools/run.sh", None),
        ("$WS/bank/knowledge/full.md", "tools/run.sh", "bank/knowledge/full.md"),
        ("../bank/knowledge/full.md", "tools/run.sh", "bank/knowledge/full.md"),
        ("other/bank/knowledge/full.md", "tools/run.sh", None),
        ("bank/img/", "tools/run.sh", "bank/img"),
    ],
)
def test_bare_paths_count_from_the_workspace(target: str, source: str, path: str | None) -> None:
    found = resolve_reference(link(target, LinkKind.BARE), source, NAMES)

    assert (found.path if found else None) == path


@pytest.mark.parametrize(
    ("target", "kind", "written"),
    [
        ("full.md", LinkKind.INLINE, "../entities/new name.md".replace(" ", "%20")),
        ("./full.md", LinkKind.INLINE, "./../entities/new%20name.md"),
        ("/knowledge/full", LinkKind.INLINE, "/entities/new%20name"),
        ("full.html", LinkKind.INLINE, "../entities/new%20name.html"),
        ("full", LinkKind.WIKI, "new name"),
        ("knowledge/full", LinkKind.WIKI, "entities/new name"),
        ("full.md", LinkKind.WIKI, "new name.md"),
    ],
)
def test_another_page_is_named_in_the_same_style(target: str, kind: LinkKind, written: str) -> None:
    after = NAMES.changed(["bank/knowledge/full.md"], ["bank/entities/new name.md"])
    reference = link(target, kind)
    found = resolve_reference(reference, HERE, NAMES)
    assert found is not None

    again = render_path(reference, replace(found, path="bank/entities/new name.md"), HERE, after)

    assert again == written


@pytest.mark.parametrize(
    ("target", "is_alone", "path", "written"),
    [
        ("bank/knowledge/full.md", False, "bank/entities/new.md", "bank/entities/new.md"),
        ("$WS/bank/knowledge/full.md", True, "bank/entities/new name.md", "$WS/bank/entities/new name.md"),
        ("knowledge/full.md", True, "bank/entities/new name.md", "entities/new name.md"),
        ("knowledge/full.md", False, "bank/entities/new name.md", None),
        ("knowledge/full.md", True, "bank/new.md", "bank/new.md"),
        ("../knowledge/full.md", False, "bank/knowledge/new.md", "../knowledge/new.md"),
    ],
)
def test_a_bare_path_is_written_only_as_it_will_be_read_back(
    target: str, is_alone: bool, path: str, written: str | None
) -> None:
    after = NAMES.changed(["bank/knowledge/full.md"], [path])
    reference = replace(link(target, LinkKind.BARE), is_angled=is_alone)
    found = resolve_reference(reference, HERE, NAMES)
    assert found is not None

    assert render_path(reference, replace(found, path=path), HERE, after) == written


@pytest.mark.parametrize(
    ("target", "written"),
    [
        ("a%20b.md", "../world/c,%20%28d%29.md"),
        ("(x)/../a%20b.md", "../world/c,%20(d).md"),
        ("%28x%29/../a%20b.md", "../world/c,%20%28d%29.md"),
        ("%2C/../a%20b.md", "../world/c%2C%20%28d%29.md"),
    ],
)
def test_signs_stand_bare_only_where_readers_take_them_so(target: str, written: str) -> None:
    after = NAMES.changed(["bank/knowledge/a b.md"], ["bank/world/c, (d).md"])
    found = resolve_reference(link(target), HERE, NAMES)
    assert found is not None

    assert render_path(link(target), replace(found, path="bank/world/c, (d).md"), HERE, after) == written


def test_encoding_follows_what_was_written() -> None:
    after = NAMES.changed([], ["bank/knowledge/가 나(.md"])
    written = []
    for target, angled in (
        ("full.md", False),
        ("./%66ull.md", False),
        ("full.md", True),
        ("../%EB%8F%84%EA%B5%AC/../knowledge/full.md", False),
    ):
        reference = replace(link(target), is_angled=angled)
        found = resolve_reference(reference, HERE, NAMES)
        assert found is not None
        written.append(render_path(reference, replace(found, path="bank/knowledge/가 나(.md"), HERE, after))

    assert written == [
        "가%20나%28.md",
        "./가%20나%28.md",
        "가 나(.md",
        "../knowledge/%EA%B0%80%20%EB%82%98%28.md",
    ]


def test_names_follow_what_goes_and_comes() -> None:
    after = NAMES.changed(["bank/daily/same.md", "bank/img/p.png"], ["bank/x/new.md"])

    assert after.named("same") == ("bank/entities/same.md",)
    assert not after.has_folder("bank/img")
    assert after.has_folder("bank/x")
    assert NAMES.has_folder("bank/img")
