"""Spaces that do not belong."""

from __future__ import annotations

import pytest

from bankd.core.spacing import rejoin

SEEN = frozenset(("세종대왕의", "업적은", "이", "이순신", "순신", "한국", "전쟁은", "한국전쟁은", "못", "못하는"))


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("세 종대왕의 업적은?", "세종대왕의 업적은?"),
        ("세종 대왕의 업 적은?", "세종대왕의 업적은?"),
        ("세 종대 왕의 업적은", "세 종대 왕의 업적은"),  # three parts: no two of them are a word
        ("한국 전쟁은", "한국 전쟁은"),  # both are words of the bank as they stand
        ("모르는 말은", "모르는 말은"),
        ("v4.2 세종 대왕의 API", "v4.2 세종대왕의 API"),
        ("세종, 대왕의", "세종, 대왕의"),
        ("", ""),
    ],
)
def test_two_runs_are_one_where_only_the_bank_has_them_so(typed: str, read: str) -> None:
    assert rejoin(typed, SEEN.__contains__) == read
