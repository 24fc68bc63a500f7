"""How what notes cut short, and denials of several words, are spelt out before a text is taken apart."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from bankd.core.language.dates.korean import CUT_WEEKDAY

_Rewriting: TypeAlias = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]

_MONTHS = {
    name[:3]: name
    for name in (
        [
            "January",
            "February",
            "March",
            "April",
            "June",
            "July",
            "August",
            "September",
            "October",
            "November",
            "December",
        ]  # no May: it is whole
    )
}
_UNITS = "[만천억] ?원?|원|%|am|pm|ms|kg|km|GB|MB|분|시간|명|개|초|시(?!간)"
_WEEKDAYS = (
    rf"{CUT_WEEKDAY}|"
    r"[월화수목금토일](?:[·ㆍ/,~→-] ?[월화수목금토일](?=[은는에로과이까부마]|[^가-힣]|$))+|(?:월수금|화목토)(?![가-힣]{2})"
)
"""Weekdays by their first syllable, at least two of them or one before a time: one alone is any other word."""


def _spell_weekdays(listed: re.Match[str]) -> str:
    days = " ".join(f"{day}요일" for day in re.findall(r"\w", listed[0]))
    return f" {days} " if listed[0].startswith("(") else days


_SHORT: Sequence[_Rewriting] = (
    (re.compile(r"(?<!\w)w/o ?(?=\w)"), "without "),
    (re.compile(r"(?<!\w)w/ ?(?=\w)"), "with "),
    (re.compile(r"\bno\.? (?=\d)", re.IGNORECASE), "number "),  # no. 58 denies nothing
    (re.compile(r"(?<=\d:\d\d) ?[-\u2013~] ?(?=\d?\d:\d\d)"), " to "),
    (re.compile(r"(?<=시) ?[~\u2013-] ?(?=\d{1,2}시)"), "부터 "),
    (re.compile(r"(?<![\d:.])(\d{1,2}):(\d)(?![\d:])"), r"\1 to \2"),  # a score
    (re.compile(r"(?<![\w.])\.(?=\d)"), "0."),
    (re.compile(r"(?<![\d.])(\d+)m ?(\d+)s\b"), r"\1 min \2 s"),
    (
        re.compile(
            rf"(?<![\w.:/-])(\d[\d,.]*)( ?(?:→|->|~|-|\u2013|to|and|에서) ?)(\d[\d,.]*)( ?(?:{_UNITS}))"
            r"(?=(?:으?로|에서|까지|부터|에|[을를이가은는만])?(?![\w가-힣]))"
        ),
        r"\1\4\2\3\4",
    ),  # two numbers with one unit behind the second: 4-6pm, 월 120 → 80만원
    (re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE), r"\1m"),
    (re.compile(r"\bv(?=\d)"), ""),
    (
        re.compile(rf"(?<![\w'])({'|'.join(_MONTHS)})t?\b\.?(?=[:,;)&]|$| and | & | or )"),
        lambda short: _MONTHS[short[1]],
    ),
    (re.compile(rf"(?<!\w)(?:{_WEEKDAYS})|(?<=[가-힣])\([월화수목금토일]\)"), _spell_weekdays),
    (re.compile(r"\bwk(?=s?\b)"), "week"),
    (re.compile(r"\byr(?=s?\b)", re.IGNORECASE), "year"),
    (re.compile(r"\bXmas\b", re.IGNORECASE), "Christmas"),
    (re.compile(r"(?<=[A-Z])안(?![가-힣])|(?<=[A-Z])안(?=[은이을과도만의] )"), "방안"),  # plan A, which denies nothing
    (re.compile(r"(?<![\w~.])~ ?(?=[\d$€£₩])"), ""),  # about so many
    (re.compile(r"(?<=\d): (?=\d)"), ", "),  # v2: 42장 is no clock
)
_DENIALS: Sequence[_Rewriting] = (
    (re.compile(r"\b(?:left|leaves?|leaving) ((?:the )?\w+) out\b"), r"omitted \1"),
    (re.compile(r"\bturn(?:ed|s)? down\b"), "rejected"),
    (re.compile(r"\byes or no\b|\bor not\b", re.IGNORECASE), "or"),
    (re.compile(r"(?<![\d.,:])\b(?:0|zero) (?!degrees|percent|minutes|seconds|hours)(?=[a-z]{4,}\b)"), "no "),
    (re.compile(r"(?<=[가-힣]) 0(?:건|개|명|회)?(?=[,;)]|\. |\.?$)"), " 없음"),
    (re.compile(r"(?<=[가-힣]) X(?=[,.)]|\s|$)"), " 안 함"),
    (re.compile(r"\b(?!is\b|are\b|was\b|were\b|has\b|have\b)([a-z]{3,}) none\b"), r"not \1"),
    (re.compile(r"\bsa(?:id|ys?) no\b(?= to\b|[,;.:]|$)", re.IGNORECASE), "refused"),
    (re.compile(r"(상관|관계|어김|틀림|끊임|변함|빠짐)없이"), r"\1"),  # denies nothing
    (re.compile(r"\b(?:left|leaves?|leaving) (?:out|behind|off)\b"), "omitted"),
    (re.compile(r"\bstay(?:s|ed)? (?:off|away from)(?= (?:the|a|an|my|our|his|her|this|that)\b)"), "not"),
    (re.compile(r"\bnot before\b|\bnot? (?:earlier|sooner) than\b", re.IGNORECASE), "before"),
    # what will not be done until a day, or before it, will be done then; what must not be is forbidden
    (
        re.compile(
            r"\b(?:will|would|does|wo(?=n't)|(?<=\w')d) ?(?:not|n't)\b(?=[^.,;]*\b(?:until|before)\b)", re.IGNORECASE
        ),
        "will",
    ),
    (re.compile(r"없어(?=[지져졌진질짐집])"), "사라"),  # what comes not to be there disappears, which denies nothing
    (
        re.compile(
            r"\b(?:no longer|(?:instead of|rather than)(?! \d))\b|\b(?:unable|yet) to\b|\bagainst(?= \w+ing\b)"
            r"|\bout of(?= (?:use|order|service|stock)\b)|\b(?:stop(?:s|ped)?|quit|avoid(?:s|ed)?)(?= \w+ing\b)",
            re.IGNORECASE,
        ),
        "not",
    ),
    (re.compile(r"\b((?:keep|kept|stop|prevent)(?:s|ped|ed)?\b[^.,;]*?) from(?= \w+ing\b)", re.IGNORECASE), r"\1 not"),
    (re.compile(r"\b(\w+)-free\b", re.IGNORECASE), r"not \1"),
    # what somebody thought of doing, or was about to, and did not: 결제할까 하다가, 사려다
    (re.compile(r"(?<![가-힣])([가-힣]+(?:까 (?:하|고민하|생각하|싶)|려)다)(?=가|\s)"), r"안 \1"),
    (re.compile(r"(?<=[가-힣]{2})없(?=[가-힣])"), " 없"),
)


def as_read(text: str) -> str:
    """A text as it is taken apart: what denies a verb stands before it, 2 p.m. is 2 pm, v7.2 is 7.2; and 화·목 are two weekdays."""
    for pattern, spelt in (*_SHORT, *_DENIALS):
        text = pattern.sub(spelt, text)
    return text
