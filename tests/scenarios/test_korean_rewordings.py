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
        ("전시회는 12/1에 열린다", "전시회 날짜는 12월 1일이다"),
        ("첼로를 배운 지 2년 되었다", "2년째 첼로를 배우고 있다"),
        ("주말마다 조카 집에 간다", "매 주말 조카 집에 간다"),
        ("악보를 30일 동안 창고에 보관한다", "악보는 창고에 30일간 저장한다"),
        ("문 열기에 다섯 번 실패하면 금고가 잠긴다", "문 열기 5회 실패 시 금고 잠금"),
        ("금고 비밀번호는 악보 안에 적혀 있다", "금고 비번은 악보 안에 적혀 있다"),
        ("타임아웃 기본값을 10초로 설정한다", "기본 타임아웃은 10초다"),
        ("합창단 회의 시작 시간은 오후 2시다", "합창단 회의는 14시에 시작한다"),
        ("창고 월세는 85만 원이다", "창고 월세로 850,000원을 낸다"),
        ("지연이 첼로를 맡는다", "지연이 첼로 담당"),
        ("악보는 금고에 저장했다", "악보는 금고에 보관되어 있다"),
        ("악보는 금고에 저장해 뒀다", "악보는 금고에 보관되어 있다"),
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
        ("창고 월세로 85만 원을 냈다", "창고 월세는 85만 원이다"),
        ("문 열기에 실패하면 금고가 잠긴다", "문 열기 실패 후 금고 잠금"),
        ("악보는 금고에 저장되어 있었다", "악보는 금고에 보관되어 있다"),
        ("악보는 금고에 저장되어 있었다", "악보는 금고에 보관해 뒀다"),
        ("악보는 금고에 저장했다", "악보는 금고에 보관한다"),
        ("PR은 두 명이 승인해야 머지할 수 있다", "PR 머지에는 2명의 발송이 필요하다"),
    ],
)
def test_turns_that_say_another_thing(analyse: Callable[[str], Wording], old: str, new: str) -> None:
    assert outcome_of(analyse, old, new) is not Relation.SAME


def test_a_cancelling_that_is_spoken_of_updates_nothing(analyse: Callable[[str], Wording]) -> None:
    """What is said of cancelling tells nothing of the booking."""
    old, new = "회의실 예약은 일주일 전부터 가능하다", "회의실 예약 취소는 하루 전까지 가능하다"

    assert outcome_of(analyse, old, new) is not Relation.UPDATE
