"""Whether a text may name a day at all: so quickly told that it costs texts that do not nothing."""

from __future__ import annotations

import re

_HINTS = (
    "day", "night", "week", "month", "year", "morrow", "morning", "evening", "noon", "spring", "summer", "autumn", "fall", "winter",
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
    "first half", "second half", "christmas", "xmas", "halloween", "easter", "thanksgiving", "seollal", "chuseok", "decade",
    "오늘", "어제", "그제", "그저께", "어젯", "어저께", "그끄저께", "내일", "낼", "모레", "글피", "간밤", "지난", "저번", "이번", "요번", "다음", "담",
    "요일", "욜", "주말", "달", "월", "년", "해", "봄", "여름", "가을", "겨울", "구정", "추석", "한가위", "절", "날", "크리스마스", "이브", "핼러윈",
    "데이", "설 ", "설에", "신정", "현충일", "석가탄신일", "며칠", "하루", "이틀", "사흘", "나흘", "닷새", "엿새", "열흘", "보름", "분기", "반기",
    "전", "뒤", "후", "주", "연초", "연말", "금일", "작일", "명일",
)  # fmt: skip
_CUT_SHORT = re.compile(
    r"\b(?:mon|tue|tues|wed|thur?|thurs|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|tmr|tmrw|tmw)\b"
)


def may_name_a_day(lowered: str) -> bool:
    """Whether a text in lower case has a digit, or a word that stands in every name of a day."""
    is_named = any(map(lowered.__contains__, _HINTS)) or any(map(str.isdecimal, lowered))
    return is_named or _CUT_SHORT.search(lowered) is not None
