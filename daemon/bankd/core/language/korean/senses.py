"""What Korean words say together with their neighbours: 한 달에 한 번 and 월 1회 are 매달 한 번."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from bankd.core.language.statement import Token, TokenKind

_OFTEN: Mapping[str, str] = MappingProxyType(
    {
        word: often
        for often, words in (
            ("매일", "1일 일"),
            ("매주", "1주 주"),
            ("매달", "1개월 달 월"),
            ("매년", "1년 연 년"),
        )
        for word in words.split()
    }
)
_EACH: Mapping[str, str] = MappingProxyType({"날": "매일", "주": "매주", "달": "매달", "해": "매년"})
_DAYS: Mapping[str, str] = MappingProxyType(
    {"하루": "1일", "이틀": "2일", "사흘": "3일", "나흘": "4일", "일주일": "1주", "보름": "15일", "반년": "6개월"}
)
"""Spans of time that are one word each."""
_COUNTS = ("번", "잔", "개", "시간", "분", "알", "정", "병", "권", "끼")


def note_frequencies(tokens: Sequence[Token]) -> None:
    """Give the tokens of a statement the senses that they have together."""
    for token in tokens:
        if token.base in _EACH and "each" in token.marks:
            token.sense = _EACH[token.base]
        elif token.base in _DAYS:
            token.base, token.kind = _DAYS[token.base], TokenKind.VALUE
    for token, after in pairwise(tokens):
        is_count = after.kind is TokenKind.VALUE and after.base.removesuffix("씩").endswith(_COUNTS)
        if is_count and token.base in _OFTEN and not set(token.marks) - {"each"}:
            token.sense = _OFTEN[token.base]
