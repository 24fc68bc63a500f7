"""Ways to forbid, ask and request that are one."""

from __future__ import annotations

import re

import pytest

from bankd.core.dedup.duplicates import Relation, compare_statements
from bankd.core.language.reading import read_statement
from bankd.core.language.statement import Statement
from bankd.core.language.wording import Morpheme, Wording


def said(text: str, tagged: str) -> Statement:
    return read_statement(Wording(text, tuple(Morpheme(*pair.rsplit("/", 1)) for pair in tagged.split())))


FORBIDDEN = {
    "밤에 먹지 마라": "밤/NNG 에/JKB 먹/VV 지/EC 말/VX 라/EF",
    "밤에 먹으면 안 된다": "밤/NNG 에/JKB 먹/VV 으면/EC 안/MAG 되/VV ᆫ다/EF",
    "밤에 먹지 않도록 합니다": "밤/NNG 에/JKB 먹/VV 지/EC 않/VX 도록/EC 하/VX ᆸ니다/EF",
}
ASKED = {
    "일출 시간은?": "일출/NNG 시간/NNG 은/JX ?/SF",
    "일출 시간 알려줘": "일출/NNG 시간/NNG 을/JKO 알리/VV 어/EC 주/VX 어/EF",
}
REQUESTED = {
    "불을 켜줘": "불/NNG 을/JKO 켜/VV 어/EC 주/VX 어/EF",
    "불을 켜줄래?": "불/NNG 을/JKO 켜/VV 어/EC 주/VX ᆯ래/EF ?/SF",
}


@pytest.mark.parametrize("ways", [FORBIDDEN, ASKED, REQUESTED], ids=["forbid", "ask", "request"])
def test_all_ways_are_the_same(ways: dict[str, str]) -> None:
    statements = [said(text, tagged) for text, tagged in ways.items()]
    outcomes = {compare_statements(old, new).outcome for old in statements for new in statements}

    assert outcomes == {Relation.SAME}


def test_what_is_forbidden_is_not_what_is_done() -> None:
    eats = said("밤에 먹는다", "밤/NNG 에/JKB 먹/VV 는다/EF")
    may_not = said("밤에 먹지 마라", FORBIDDEN["밤에 먹지 마라"])

    assert compare_statements(eats, may_not).outcome is not Relation.SAME


def test_having_told_is_not_asking() -> None:
    told = said("일출 시간을 알려줬다", "일출/NNG 시간/NNG 을/JKO 알리/VV 어/EC 주/VX 었/EP 다/EF")

    assert compare_statements(said("일출 시간은?", ASKED["일출 시간은?"]), told).outcome is Relation.DIFFERENT


WEIGHED = said("내 몸무게는 78kg 정도다", "나/NP 의/JKG 몸무게/NNG 는/JX 78/SN kg/SL 정도/NNG 이/VCP 다/EF")
PHONED = said("예약은 총무팀에 전화로 한다", "예약/NNG 은/JX 총무팀/NNG 에/JKB 전화/NNG 로/JKB 하/VV ᆫ다/EF")


@pytest.mark.parametrize(
    ("old", "text", "tagged"),
    [
        (
            WEIGHED,
            "재 보니 몸무게가 72kg이었다",
            "재/VV 어/EC 보/VX 니/EC 몸무게/NNG 가/JKS 72/SN kg/SL 이/VCP 었/EP 다/EF",
        ),
        (PHONED, "예약은 전화 말고 앱으로 받는다", "예약/NNG 은/JX 전화/NNG 말/VX 고/EC 앱/NNG 으로/JKB 받/VV 는다/EF"),
    ],
)
def test_what_is_measured_again_or_put_in_place_of_it_is_an_update(old: Statement, text: str, tagged: str) -> None:
    assert compare_statements(old, said(text, tagged)).outcome is Relation.UPDATE


def test_what_happened_at_another_measure_happened_too() -> None:
    walked = said("산책은 5km였다", "산책/NNG 은/JX 5/SN km/SL 이/VCP 었/EP 다/EF")
    again = said(
        "산책은 비가 오는 숲에서 친구와 3km였다",
        "산책/NNG 은/JX 비/NNG 가/JKS 오/VV 는/ETM 숲/NNG 에서/JKB 친구/NNG 와/JKB 3/SN km/SL 이/VCP 었/EP 다/EF",
    )

    assert compare_statements(walked, again).outcome is Relation.DIFFERENT


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("회의/NNG 는/JX 한/MM 시간/NNG 반/NNG 걸리/VV ᆫ다/EF", "회의/NNG 는/JX 90/SN 분/NNB 걸리/VV ᆫ다/EF"),
        ("반/NNG 시간/NNG 씩/XSN 뛰/VV ᆫ다/EF 숲/NNG", "30/SN 분/NNB 씩/XSN 달리/VV ᆫ다/EF 숲/NNG"),
        ("수업/NNG 은/JX 오후/NNG 2/SN 시/NNB 30/SN 분/NNB 에/JKB 있/VV 다/EF", "수업/NNG 은/JX 14:30/W_SERIAL 에/JKB 있/VV 다/EF"),
    ],
)  # fmt: skip
def test_a_quantity_is_the_same_in_any_unit(one: str, other: str) -> None:
    assert compare_statements(said("가", one), said("나", other)).outcome is Relation.SAME


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (
            "2/SN 번/NNB 서버/NNG 를/JKO 재/XPN 시작/NNG 하/XSV ᆫ다/EF",
            "서버/NNG 를/JKO 2/SN 번/NNB 재/XPN 시작/NNG 하/XSV ᆫ다/EF",
            False,
        ),
        ("버스/NNG 를/JKO 2/SN 번/NNB 갈아타/VV ᆫ다/EF", "2/SN 번/NNB 버스/NNG 를/JKO 갈아타/VV ᆫ다/EF", False),
        (
            "3/SN 개/NNB 팀/NNG 이/JKS 서버/NNG 를/JKO 보/VV ᆫ다/EF",
            "팀/NNG 이/JKS 서버/NNG 3/SN 개/NNB 를/JKO 보/VV ᆫ다/EF",
            False,
        ),
        ("3/SN 개/NNB 사과/NNG 를/JKO 사/VV 었/EP 다/EF", "사과/NNG 를/JKO 3/SN 개/NNB 사/VV 었/EP 다/EF", True),
        ("매주/MAG 2/SN 회/NNB 운동/NNG 을/JKO 하/VV ᆫ다/EF", "운동/NNG 을/JKO 매주/MAG 2/SN 회/NNB 하/VV ᆫ다/EF", True),
        (
            "3/SN 대/NNB 서버/NNG 를/JKO 점검/NNG 하/XSV ᆫ다/EF",
            "서버/NNG 를/JKO 3/SN 대/NNB 점검/NNG 하/XSV ᆫ다/EF",
            True,
        ),
        (
            "민지/NNP 는/JX 3/SN 시/NNB 에/JKB 회의/NNG 를/JKO 하/VV ᆫ다/EF",
            "민지/NNP 는/JX 회의/NNG 를/JKO 3/SN 시/NNB 에/JKB 하/VV ᆫ다/EF",
            True,
        ),
        (
            "민지/NNP 는/JX 3/SN 시/NNB 에/JKB 약/NNG 을/JKO 먹/VV 는다/EF",
            "민지/NNP 는/JX 약/NNG 을/JKO 3/SN 시/NNB 에/JKB 먹/VV 는다/EF",
            True,
        ),
        (
            "계좌/NNG 로/JKB 30/SN 만/NR 원/NNB 을/JKO 내/VV 었/EP 다/EF",
            "30/SN 만/NR 원/NNB 을/JKO 계좌/NNG 로/JKB 내/VV 었/EP 다/EF",
            True,
        ),
        (
            "민지/NNP 는/JX 3/SN 층/NNG 에서/JKB 회의/NNG 를/JKO 하/VV ᆫ다/EF",
            "민지/NNP 는/JX 회의/NNG 를/JKO 3/SN 층/NNG 에서/JKB 하/VV ᆫ다/EF",
            True,
        ),
    ],
)
def test_a_value_that_moves_stays_with_what_it_counts(one: str, other: str, *, is_same: bool) -> None:
    old, new = (said("".join(re.findall(r"(\S+)/", tagged)), tagged) for tagged in (one, other))

    assert (compare_statements(old, new).outcome is Relation.SAME) is is_same
