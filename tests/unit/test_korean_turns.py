"""Ways to forbid, ask and request that are one."""

from __future__ import annotations

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
