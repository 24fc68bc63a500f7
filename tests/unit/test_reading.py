"""What readings keep apart and what they read as one, seen by whoever compares statements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.same.compare import Relation, compare_statements
from bankd.same.reading import read_statement
from bankd.words.statement import Wording
from tests.examples import examples

Analyse = Callable[[str], Wording]


@pytest.mark.parametrize(("one", "other"), examples("values", "one value"))
def test_two_ways_to_write_one_value_are_read_as_one(analyse: Analyse, one: str, other: str) -> None:
    assert compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).outcome is Relation.SAME


@pytest.mark.parametrize(("one", "other"), examples("values", "something else"))
def test_what_says_something_else_is_read_as_something_else(analyse: Analyse, one: str, other: str) -> None:
    assert compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).outcome is not Relation.SAME


def test_days_in_one_word_are_numbers(analyse: Analyse) -> None:
    old, new = (read_statement(analyse(f"재택은 일주일에 {days}까지 된다")) for days in ("이틀", "사흘"))

    assert compare_statements(old, new, cosine=0.99).outcome is Relation.NEWER


def test_what_has_been_so_since_then_goes_on_and_can_change(analyse: Analyse) -> None:
    old, new = "Erik has worked at Google since May", "Erik has worked at Meta since May"

    assert compare_statements(read_statement(analyse(old)), read_statement(analyse(new))).outcome is Relation.NEWER
