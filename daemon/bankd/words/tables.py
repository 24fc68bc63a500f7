"""The word tables `words/*.tsv`: data files beside the code, read when a module first needs them.

A row has three columns, parted by tabs: the name of a list, a meaning (empty in a list of plain words), and the forms,
parted by spaces; `_` is a space in a form. The rows of `thesaurus`, `holidays`, `lexemes` and `scales` have columns of
their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def split_words(*rows: str) -> frozenset[str]:
    """Read words separated by spaces."""
    return frozenset(word for row in rows for word in row.split())


@cache
def table_rows(table: str, room: str = "words") -> Sequence[Sequence[str]]:
    """The rows of a table, in this room or another. The loader of this module reads them, so that they are found wherever the package lies."""
    loader: Any = __spec__.loader
    data: bytes = loader.get_data(f"{__file__.rpartition('/words/')[0]}/{room}/{table}.tsv")
    return [line.split("\t") for line in data.decode("utf-8").splitlines()]


def words_in(table: str, name: str) -> frozenset[str]:
    """The forms of a list."""
    return frozenset(meanings_in(table, name))


def meanings_in(table: str, name: str) -> Mapping[str, str]:
    """The forms of a list, each with its meaning."""
    rows = (row for row in table_rows(table) if row[0] == name)
    return MappingProxyType({form.replace("_", " "): meaning for _, meaning, forms in rows for form in forms.split()})


def number_meanings(table: str, name: str) -> dict[str, int]:
    """The forms of a list whose meanings are numbers."""
    return {form: int(number) for form, number in meanings_in(table, name).items()}
