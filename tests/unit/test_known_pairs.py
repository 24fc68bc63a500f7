"""Look-alikes are looked for again only where something changed, and what is known is what a first look would find."""

from __future__ import annotations

from bankd.core.dedup.known_pairs import KnownPairs, renew_pairs

KNOWN = KnownPairs({"a": "1", "b": "2", "c": "3"}, frozenset({("a", "b"), ("b", "c")}))


def test_what_is_new_or_says_something_else_is_looked_at() -> None:
    assert KNOWN.changed({"a": "1", "b": "changed", "d": "4"}) == {"b", "d"}


def test_pairs_of_what_changed_or_went_are_not_believed() -> None:
    now = renew_pairs(KNOWN, {"a": "1", "b": "changed", "d": "4"}, {"b": ["d", "gone", "b"], "d": ["b"]})

    assert now == KnownPairs({"a": "1", "b": "changed", "d": "4"}, frozenset({("b", "d")}))


def test_pairs_of_what_stayed_are_kept() -> None:
    keys = {**KNOWN.keys, "d": "4"}

    assert renew_pairs(KNOWN, keys, {"d": ["a"]}).pairs == {("a", "b"), ("b", "c"), ("a", "d")}
