"""What Korean words say together with their neighbours: 한 달에 한 번 and 월 1회 are 매달 한 번."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from bankd.core.language.paraphrases import stands_in_a_group
from bankd.core.language.quantities import split_quantity
from bankd.core.language.statement import SAID_BEFORE, Token, TokenKind

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
_EVERY, _LASTING, _SINCE, _BECOMING = "매", "간", "지", "되"
_COUNTS = ("번", "잔", "개", "시간", "분", "알", "정", "병", "권", "끼", "원", "달러", "유로", "엔", "km", "g", "l")


def note_neighbours(tokens: Sequence[Token]) -> None:
    """Give the tokens of a statement the senses that they have together."""
    for before, token in pairwise(tokens):
        _note_pair(before, token)
    _note_frequencies(tokens)
    _note_spans(tokens)


def _note_pair(before: Token, token: Token) -> None:
    """매 주말 is 주말마다, 30일간 is 30일, and what the analyser took apart of a known compound is one word."""
    is_plain = not (before.marks or before.case or before.negation or before.is_predicate)
    joined = before.base + token.base
    if before.base == _EVERY and is_plain:
        before.sense = SAID_BEFORE
        token.marks.append("each")
    elif token.base == _LASTING and before.kind is TokenKind.VALUE:
        token.sense = SAID_BEFORE
    elif is_plain and before.kind is token.kind is TokenKind.NOUN and stands_in_a_group(joined):
        before.sense, token.sense = SAID_BEFORE, joined


def _note_spans(tokens: Sequence[Token]) -> None:
    """What somebody has done for two years he does: 배운 지 2년 되었다."""
    for token, since, after in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if since.base == _SINCE and token.marks == ["past"] and after.kind is TokenKind.VALUE:
            token.marks.clear()
            for end in tokens:
                if end.base == _BECOMING and end is tokens[-1]:
                    end.marks[:] = [mark for mark in end.marks if mark != "past"]


def _note_frequencies(tokens: Sequence[Token]) -> None:
    for token in tokens:
        if token.base in _EACH and "each" in token.marks:
            token.sense = _EACH[token.base]
        elif token.base.removesuffix(_LASTING) in _DAYS:
            token.base, token.kind = _DAYS[token.base.removesuffix(_LASTING)], TokenKind.VALUE
        elif token.kind is TokenKind.VALUE and split_quantity(token.base.removesuffix(_LASTING)):
            token.base = token.base.removesuffix(_LASTING)
    for token, after in pairwise(tokens):
        is_count = after.kind is TokenKind.VALUE and after.base.removesuffix("씩").endswith(_COUNTS)
        if is_count and token.base in _OFTEN and not set(token.marks) - {"each"}:
            token.sense = _OFTEN[token.base]
