"""Spaces that do not belong, and spaces that are missing."""

from __future__ import annotations

import pytest

from bankd.search.read import restore_spaces
from tests.examples import examples

READINGS = {
    "세종대왕의": ["세종대왕"],
    "업적은": ["업적"],
    "이": [],
    "순신": ["순신"],
    "이순신": ["이순신"],
    "한국": ["한국"],
    "전쟁은": ["전쟁"],
    "한국전쟁은": ["한국", "전쟁"],
    "나는": ["나"],
    "대한": ["대하"],
    "라는": [],
    "새벽에": ["새벽"],
    "에": [],
    "부터": ["부터"],
}
KNOWN = frozenset(
    [
        "세종대왕",
        "업적",
        "담배",
        "피우",
        "마시",
        "차",
        "나",
        "대한민국",
        "김을동",
        "대선",
        "클라우드",
        "과제",
        "개혁",
        "새벽",
    ]
)


def read(text: str) -> str:
    return restore_spaces(text, READINGS.get, KNOWN.__contains__)


@pytest.mark.parametrize(("typed", "meant"), examples("spacing", "joined"))
def test_two_runs_are_one_where_only_the_bank_has_them_so(typed: str, meant: str) -> None:
    assert read(typed) == meant


@pytest.mark.parametrize(("typed", "meant"), examples("spacing", "parted"))
def test_words_are_parted_where_the_bank_has_them(typed: str, meant: str) -> None:
    assert read(typed) == meant


@pytest.mark.parametrize("text", ["가나다" * 2_000, "담배를" * 1_000, "가 " * 3_000])
def test_no_run_is_too_long(text: str) -> None:
    asked: list[str] = []

    def known(term: str) -> bool:
        asked.append(term)
        return term in KNOWN

    restore_spaces(text, READINGS.get, known)

    assert len(asked) < 40 * len(text)
    assert max(map(len, asked), default=0) <= 12
