"""The tables of words are read as they are written, and a form has one meaning."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from bankd.words import tables
from bankd.words.tables import meanings_in, table_rows, words_in

FILES = [one for one in Path(tables.__file__).parent.glob("*.tsv") if one.stem not in {"thesaurus", "holidays"}]


def test_a_list_has_its_words_and_a_form_its_meaning() -> None:
    assert "the" in words_in("english", "empty_words")
    assert words_in("english", "no such list") == frozenset()
    assert meanings_in("english_irregular", "past")["went"] == "go"
    assert meanings_in("units", "units")["킬로미터"] == "km"
    assert ["에디터 편집기", "editor"] in table_rows("thesaurus")


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_no_form_stands_in_a_list_with_two_meanings(file: Path) -> None:
    rows = list(table_rows(file.stem))
    assert all(len(row) == 3 and row[0] and row[2] for row in rows)
    told = {(row[0], form, row[1]) for row in rows for form in row[2].split()}
    twice = Counter((name, form) for name, form, _ in told)
    assert not [one for one, times in twice.items() if times > 1]
