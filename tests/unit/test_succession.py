"""Of two answers the newer comes first, and the order of the others stays."""

from __future__ import annotations

import pytest

from bankd.search.score import newest_first


@pytest.mark.parametrize(
    ("ranked", "newer", "expected"),
    [
        ("abc", {}, "abc"),
        ("abc", {"a": "c"}, "cab"),
        ("abc", {"c": "a"}, "abc"),
        ("abc", {"a": "x"}, "abc"),
        ("abc", {"a": "x", "x": "c"}, "cab"),
        ("abcd", {"a": "b", "b": "d"}, "dabc"),
        ("ab", {"a": "b", "b": "a"}, "ab"),
    ],
)
def test_the_newer_takes_the_place_of_the_older(ranked: str, newer: dict[str, str], expected: str) -> None:
    assert "".join(newest_first(ranked, lambda one: one, newer)) == expected
