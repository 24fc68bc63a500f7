"""Which references a change of names concerns, by the word under which they are kept."""

from __future__ import annotations

import pytest

from bankd.layouts.links import keys_to, link_key
from bankd.pages.references import LinkKind, Reference


@pytest.mark.parametrize(
    ("target", "key"),
    [
        ("../k/Full.md#x", "full"),
        ("full.html", "full"),
        ("/k/full", "full"),
        ("a%20b.md", "a b"),
        ("../recipes/", "recipes"),
        ("#x", "here"),
        ("./", "d"),
        ("도구.md?x=1", "도구"),
    ],
)
def test_a_reference_is_kept_by_the_last_word_of_its_path(target: str, key: str) -> None:
    reference = Reference(LinkKind.INLINE, 0, 0, len(target), target)

    assert link_key("bank/d/here.md", reference) == key


def test_an_index_page_is_found_by_its_folder_too() -> None:
    assert keys_to("bank/guide/README.md") == {"readme", "guide", ""}
    assert keys_to("bank/guide/x.md") == {"x"}


@pytest.mark.parametrize("target", ["daily/100%20b", "daily/100%2520b.md", "100%20b#^m-abcdefghijkl"])
def test_a_name_with_a_percent_sign_is_found_as_it_is_written_and_as_it_is_quoted(target: str) -> None:
    assert link_key("bank/x.md", Reference(LinkKind.WIKI, 0, 0, len(target), target)) in keys_to(
        "bank/daily/100%20b.md"
    )
