"""Korean rewordings and what only looks like one, with Kiwi's real analyses."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.language.reading import read_statement
from bankd.core.language.wording import Wording


def outcome_of(analyse: Callable[[str], Wording], old: str, new: str) -> Relation:
    return compare_statements(*(read_statement(analyse(text)) for text in (old, new))).outcome


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("동아리 모임은 한 달에 한 번 한다", "동아리 모임은 월 1회 한다"),
        ("조카는 여섯 살이다", "조카 나이는 6살이다"),
        ("이모는 간호사다", "이모의 직업은 간호사다"),
        ("창고 문은 8시에 열린다", "창고는 8시에 문을 연다"),
        ("정오에 도시락을 먹는다", "낮 12시에 도시락을 먹는다"),
        ("저녁 7시에 안약을 넣는다", "오후 7시에 안약을 넣는다"),
        ("관람객은 서른두 명이다", "관람객 수는 32명이다"),
        ("전시회는 2025-06-12에 열린다", "전시회 날짜는 2025년 6월 12일이다"),
    ],
)
def test_turns_that_say_the_same(analyse: Callable[[str], Wording], old: str, new: str) -> None:
    assert outcome_of(analyse, old, new) is Relation.SAME


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("병원 이름을 바꿨다", "병원을 바꿨다"),
        ("동아리 모임은 월 1회 한다", "동아리 모임은 주 1회 한다"),
        ("저녁 7시에 안약을 넣는다", "아침 7시에 안약을 넣는다"),
        ("PR은 두 명이 승인해야 머지할 수 있다", "PR 머지에는 2명의 발송이 필요하다"),
    ],
)
def test_turns_that_say_another_thing(analyse: Callable[[str], Wording], old: str, new: str) -> None:
    assert outcome_of(analyse, old, new) is not Relation.SAME
