"""What a target leads to, that it is written again in its style, and which targets a change of names concerns."""

from __future__ import annotations

from dataclasses import replace

import pytest

from bankd.layouts.links import keys_to, link_key
from bankd.pages.names import Names
from bankd.pages.references import LinkKind, Reference
from bankd.pages.resolve import render_path, resolve_reference
from tests.examples import examples, texts

NAMES = Names(texts("links", "files"))
HERE = "bank/knowledge/notes.md"


def link(target: str, kind: LinkKind = LinkKind.INLINE) -> Reference:
    return Reference(kind, 0, 0, len(target), target)


KINDS = {"Markdown": LinkKind.INLINE, "wiki": LinkKind.WIKI}


@pytest.mark.parametrize(
    ("kind", "target", "path"), [(kind, *one) for name, kind in KINDS.items() for one in examples("links", name)]
)
def test_markdown_targets_lead_by_path_and_wikilinks_by_unique_name(kind: LinkKind, target: str, path: str) -> None:
    found = resolve_reference(link(target, kind), HERE, NAMES)

    assert (found.path if found else "") == path


@pytest.mark.parametrize(("target", "source", "path"), examples("links", "bare paths"))
def test_bare_paths_count_from_the_workspace(target: str, source: str, path: str) -> None:
    found = resolve_reference(link(target, LinkKind.BARE), source, NAMES)

    assert (found.path if found else "") == path


@pytest.mark.parametrize(("target", "kind", "written"), examples("links", "other pages"))
def test_another_page_is_named_in_the_same_style(target: str, kind: str, written: str) -> None:
    after = NAMES.changed(["bank/knowledge/full.md"], ["bank/entities/new name.md"])
    reference = link(target, LinkKind[kind])
    found = resolve_reference(reference, HERE, NAMES)
    assert found is not None

    assert render_path(reference, replace(found, path="bank/entities/new name.md"), HERE, after) == written


@pytest.mark.parametrize(("target", "is_alone", "path", "written"), examples("links", "bare paths again"))
def test_a_bare_path_is_written_only_as_it_will_be_read_back(
    target: str, is_alone: str, path: str, written: str
) -> None:
    after = NAMES.changed(["bank/knowledge/full.md"], [path])
    reference = replace(link(target, LinkKind.BARE), is_angled=is_alone == "yes")
    found = resolve_reference(reference, HERE, NAMES)
    assert found is not None

    assert render_path(reference, replace(found, path=path), HERE, after) == (written or None)


@pytest.mark.parametrize(("target", "written"), examples("links", "signs"))
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
        ("%EB%8F%84%EA%B5%AC/../full.md", False),
    ):
        reference = replace(link(target), is_angled=angled)
        found = resolve_reference(reference, HERE, NAMES)
        assert found is not None
        written.append(render_path(reference, replace(found, path="bank/knowledge/가 나(.md"), HERE, after))

    assert written == ["가%20나%28.md", "./가%20나%28.md", "가 나(.md", "%EA%B0%80%20%EB%82%98%28.md"]


def test_names_follow_what_goes_and_comes() -> None:
    after = NAMES.changed(["bank/daily/same.md", "bank/img/p.png"], ["bank/x/new.md"])

    assert after.named("same") == ("bank/entities/same.md",)
    assert not after.has_folder("bank/img")
    assert after.has_folder("bank/x")
    assert NAMES.has_folder("bank/img")


@pytest.mark.parametrize(("target", "key"), examples("links", "keys"))
def test_a_reference_is_kept_by_the_last_word_of_its_path(target: str, key: str) -> None:
    assert link_key("bank/d/here.md", Reference(LinkKind.INLINE, 0, 0, len(target), target)) == key


def test_an_index_page_is_found_by_its_folder_too() -> None:
    assert keys_to("bank/guide/README.md") == {"readme", "guide", ""}
    assert keys_to("bank/guide/x.md") == {"x"}


@pytest.mark.parametrize("target", ["daily/100%20b", "daily/100%2520b.md", "100%20b#^m-abcdefghijkl"])
def test_a_name_with_a_percent_sign_is_found_as_it_is_written_and_as_it_is_quoted(target: str) -> None:
    assert link_key("bank/x.md", Reference(LinkKind.WIKI, 0, 0, len(target), target)) in keys_to(
        "bank/daily/100%20b.md"
    )
