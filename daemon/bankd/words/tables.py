"""How the closed word lists of the rules are written down: words in a row, read once.

The tables of words that rules read: `TABLE.tsv`, data beside the code, shipped with it.

A row has its columns parted by tabs. But in the thesaurus these are the name of a list, a meaning, and its forms with
spaces between them; a list of plain words leaves the meaning empty.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def split_words(*rows: str) -> frozenset[str]:
    """Read words separated by spaces."""
    return frozenset(word for row in rows for word in row.split())


def by_form(*rows: tuple[str, str]) -> Mapping[str, str]:
    """Read rows of a meaning and its forms, separated by spaces, into form -> meaning."""
    return MappingProxyType({form: meaning for meaning, forms in rows for form in forms.split()})


def table_rows(table: str) -> Iterator[list[str]]:
    """The rows of a table. Read by the loader of this module, so that it is found wherever the package lies."""
    loader: Any = __spec__.loader
    data: bytes = loader.get_data(f"{__file__.rpartition('/')[0]}/{table}.tsv")
    return (line.split("\t") for line in data.decode("utf-8").splitlines())


def words_in(table: str, name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(word for listed, _, forms in table_rows(table) if listed == name for word in forms.split())


def meanings_in(table: str, name: str) -> Mapping[str, str]:
    """The forms of a list, each with its meaning."""
    rows = (row for row in table_rows(table) if row[0] == name)
    return MappingProxyType({form: meaning for _, meaning, forms in rows for form in forms.split()})
