"""What readings keep apart and what they read as one, seen by whoever compares statements."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.same.compare import Relation, compare_statements
from bankd.same.reading import read_statement
from bankd.words.statement import Wording

Analyse = Callable[[str], Wording]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The trial lasts two weeks", "The trial lasts 14 days"),
        ("The bins go out on Thu", "The bins go out on Thursday"),
        ("23년 11월에 입사했다", "2023년 11월에 입사했다"),
        ("98년 3월에 태어났다", "1998년 3월에 태어났다"),
        ("매일 03:00에 백업한다", "매일 3시에 백업한다"),
        ("담당자는 강문수 님이다", "담당자는 강문수다"),
        ("정오에 도시락을 먹는다", "낮 12시에 도시락을 먹는다"),
        ("저녁 7시에 안약을 넣는다", "오후 7시에 안약을 넣는다"),
        ("Lunch is at noon", "Lunch is at 12:00"),
    ],
)
def test_two_ways_to_write_one_value_are_read_as_one(analyse: Analyse, one: str, other: str) -> None:
    assert compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).outcome is Relation.SAME


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("동생한테 빌렸다", "동생한테 빌려줬다"),
        ("전 남편은 의사다", "남편은 의사다"),
        ("아이가 담배를 끊게 했다", "아이가 담배를 끊었다"),
        ("퇴사할까 한다", "퇴사한다"),
        ("Floor -1 is closed", "Floor 1 is closed"),
        ("Temperature is -5", "Temperature is 5"),
        ("We use A/B tests", "We use B tests"),
        ("Phase I is done", "Phase is done"),
        ("The tool is used to deploy", "The tool used to deploy"),
    ],
)
def test_what_says_something_else_is_read_as_something_else(analyse: Analyse, one: str, other: str) -> None:
    assert compare_statements(read_statement(analyse(one)), read_statement(analyse(other))).outcome is not Relation.SAME


def test_days_in_one_word_are_numbers(analyse: Analyse) -> None:
    old, new = (read_statement(analyse(f"재택은 일주일에 {days}까지 된다")) for days in ("이틀", "사흘"))

    assert compare_statements(old, new, cosine=0.99).outcome is Relation.NEWER


def test_what_has_been_so_since_then_goes_on_and_can_change(analyse: Analyse) -> None:
    old, new = "Erik has worked at Google since May", "Erik has worked at Meta since May"

    assert compare_statements(read_statement(analyse(old)), read_statement(analyse(new))).outcome is Relation.NEWER
