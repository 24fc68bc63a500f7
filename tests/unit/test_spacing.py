"""Spaces that do not belong, and spaces that are missing."""

from __future__ import annotations

import pytest

from bankd.search.read import cut_run, restore_spaces

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
    (
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
    )
)


def read(text: str) -> str:
    return restore_spaces(text, READINGS.get, KNOWN.__contains__)


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("세 종대왕의 업적은?", "세종대왕의 업적은?"),
        ("세종 대왕의 업 적은?", "세종대왕의 업적은?"),
        ("김 을동이 누구야", "김을동이 누구야"),  # a word of the bank in a form that it has not
        ("세 종대 왕의 업적은", "세 종대 왕의 업적은"),  # three parts: no two of them are a word
        ("한국 전쟁은", "한국 전쟁은"),  # both are words of the bank as they stand
        ("이 과제는", "이 과제는"),
        ("모르는 말은", "모르는 말은"),
        ("요즘 하루 에 몇 시간", "요즘 하루에 몇 시간"),  # a particle belongs to what it follows
        ("고양이 는 부터", "고양이는 부터"),  # unless the bank has it as a word
        ("API 에", "API 에"),
        ("v4.2 세종 대왕의 API", "v4.2 세종대왕의 API"),
        ("세종, 대왕의", "세종, 대왕의"),
        ("", ""),
    ],
)
def test_two_runs_are_one_where_only_the_bank_has_them_so(typed: str, meant: str) -> None:
    assert read(typed) == meant


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("담배를피우는 편이야?", "담배를 피우는 편이야?"),
        ("나는차를마시지 않아", "나는 차를 마시지 않아"),
        ("어떤클라우드를 써", "어떤 클라우드를 써"),
        ("새벽에마시는", "새벽에 마시는"),
        ("업적은무엇인가?", "업적은 무엇인가?"),
        ("세종대왕의업적은무엇인가", "세종대왕의 업적은 무엇인가"),
        ("대한민국의", "대한민국의"),  # 대한 is a word of the bank, but a longer one begins here
        ("대선에서는", "대선에서는"),
        ("개혁과제의", "개혁과제의"),
        ("업적이라는 말", "업적이라는 말"),  # what is left is only a particle
        ("모르는말은", "모르는말은"),
        ("(API, 담배를피우는)", "(API, 담배를 피우는)"),
    ],
)
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


@pytest.mark.parametrize(
    ("run", "terms", "pieces"),
    [
        ("담배를피우는편이야", ["담배", "피우", "편"], ["담배를", "피우는", "편이야"]),
        ("개혁과제의", ["개혁", "과제"], ["개혁과제의"]),
        ("을지로에서", [], ["을지로에서"]),
        ("아이의이름은", ["아이", "이름"], ["아이의", "이름은"]),
    ],
)
def test_words_begin_after_particles_and_endings(run: str, terms: list[str], pieces: list[str]) -> None:
    assert cut_run(run, terms) == pieces
