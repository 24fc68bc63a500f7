"""How the closed word lists of the rules are written down: words in a row, read once."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType


def split_words(*rows: str) -> frozenset[str]:
    """Read words separated by spaces."""
    return frozenset(word for row in rows for word in row.split())


def by_form(*rows: tuple[str, str]) -> Mapping[str, str]:
    """Read rows of a meaning and its forms, separated by spaces, into form -> meaning."""
    return MappingProxyType({form: meaning for meaning, forms in rows for form in forms.split()})
