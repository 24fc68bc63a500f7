"""What a rule of the grammar is: a pattern, and what a match of it means.

Days as Korean notes cut them short: 9/26, 10/5(금), 8/13~14, 25년 3/15. A fraction, and a share of tests, is none.

Feasts that people date by: those of a fixed day, and those that move.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import gcd
from types import MappingProxyType
from typing import Any, Literal, NamedTuple, TypeAlias

from bankd.words.days import (
    DAY,
    Anchor,
    Span,
    month_of,
    nearest_span,
    on,
    part_of,
    shifted,
    week_of,
    weekend_of,
    year_of,
)

Grain: TypeAlias = Literal["day", "weekday", "span"]
Groups: TypeAlias = Mapping[str, Any]
Meaning: TypeAlias = Callable[[Groups, Anchor], Span | None]


class Rule(NamedTuple):
    """What stands in every match, the pattern over lower-case text, what it means, and what it names.

    A pattern is compiled when a text has one of the `hints`: most texts name few days, in few ways.
    """

    hints: Collection[str]
    pattern: str
    meaning: Meaning
    grain: Grain = "span"

    def find(self, text: str) -> Iterable[re.Match[str]]:
        """Where the rule holds."""
        return _compiled(self.pattern).finditer(text) if any(map(text.__contains__, self.hints)) else ()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_unique_groups(pattern))


def alternatives(words: Sequence[str] | Mapping[str, object]) -> str:
    """Words as an alternation, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def units_away(day: date, unit: str, count: int) -> Span:
    """The day, week, weekend, month or year so many units away."""
    if unit == "day":
        return shifted(day, count)
    if unit == "week":
        return week_of(day, count)
    if unit == "weekend":
        return weekend_of(day, count)
    return month_of(day.year, day.month + count) if unit == "month" else year_of(day.year + count)


def exactly_away(day: date, unit: str, count: int) -> Span:
    """The one day so many units away, as "three years ago today" has it."""
    if unit in {"day", "week"}:
        return shifted(day, count * (7 if unit == "week" else 1))
    month = month_of(day.year, day.month + count * (12 if unit == "year" else 1))
    return on(month.first.replace(day=min(day.day, month.last.day)))


def window_of(day: date, unit: str, count: int) -> Span:
    """The days up to this one, or from it on where `count` is positive: the last three weeks, the next two months."""
    far = exactly_away(day, unit, count).first
    return Span(min(far, day), max(far, day))


def part_in(span: Span, part: str, anchor: Anchor) -> Span:
    """A part of a span; `earlier` and `later` are before and after the day of the text; none is all of it."""
    if part == "earlier":
        return Span(span.first, max(span.first, anchor.day))
    if part == "later":
        return Span(min(span.last, anchor.day), span.last)
    return part_of(span, part) if part else span


def _numeric_rules() -> Iterator[Rule]:
    year, month, day = (
        r"(?<![\d.-])(?P<year>(?:19|20)\d\d)",
        r"(?P<month>1[0-2]|0?[1-9])",
        r"(?P<day>3[01]|[12]\d|0?[1-9])",
    )
    for mark, hint in (("-", "-"), ("/", "/"), (r"\. ?", ".")):
        yield Rule((hint,), rf"{year}{mark}{month}{mark}{day}(?![\d-])", _day_in_digits, "day")
    yield Rule((".",), rf"(?<![\d.-]){day}\.{month}\.(?P<year>(?:19|20)\d\d)(?![\d-]|\.\d)", _day_in_digits, "day")
    yield Rule(
        ("/",),
        rf"(?<![\d/.-]){month}/(?P<year>(?:19|20)\d\d)(?![\d/])",
        lambda found, _: month_of(int(found["year"]), int(found["month"])),
    )
    yield Rule(
        ("-", "/"), rf"{year}[-/]{month}(?![\d/-])", lambda found, _: month_of(int(found["year"]), int(found["month"]))
    )


def _day_in_digits(found: Groups, _: Anchor) -> Span:
    return on(date(int(found["year"]), int(found["month"]), int(found["day"])))


def _unique_groups(pattern: str) -> str:
    """Let the same group stand on both sides of an `or`: the later ones get another name, see `groups_of`."""
    seen: dict[str, int] = {}

    def renamed(found: re.Match[str]) -> str:
        name = found[1]
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}>" if seen[name] == 1 else f"(?P<{name}_{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", renamed, pattern)


def groups_of(found: re.Match[str]) -> Groups:
    """The groups of a match, by the names that they have in the tables."""
    groups: dict[str, Any] = {}
    for name, said in found.groupdict().items():
        groups[name.partition("_")[0]] = groups.get(name.partition("_")[0]) or said
    return groups


NUMERIC_RULES = tuple(_numeric_rules())
"""Days and months in digits, in either language."""


_COUNTED = (
    r"(?:통과|성공|실패|완료|정도|수준|가량|크기|이상|이하|지점|밖에|번째"
    r"|(?:개|명|건|점|쪽|장|권|강|회|주|학기|분기|인치|컵|만)(?:[이가은는을를만로씩]|밖에)?(?![가-힣]))"
)
"""What tells behind two numbers that they are a share or a size; 점 is one, 점심 is none."""
_WHEN = (
    r"일|에(?!서)|부터|까지|이후|이전|전(?![가-힣])|쯤|경|날|[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣]))"
    r"| ?(?:오전|오후|아침|점심|저녁|밤|새벽|낮|\d{1,2}시|\d{1,2}:\d\d)"
)
"""What tells that they are a day."""
_DAY = r"3[01]|[12]\d|0?[1-9]"
_FRACTIONS = (2, 3, 4, 5, 10)
"""What a number is usually divided by: 1/3 names a day only where something beside it says so."""
_CENTURY = 2000


def _slashed(found: Groups, anchor: Anchor) -> Span | None:
    month, day = int(found["month"]), int(found["day"])
    is_fraction = month < day and gcd(month, day) == 1 and day in _FRACTIONS
    is_share = bool(found["counted"]) and month <= day
    if is_share or (is_fraction and not found["when"]):
        return None
    last = int(found["last"] or day)
    if found["year"]:
        return _days_of(_CENTURY + int(found["year"]), month, day, last)
    return nearest_span(anchor, lambda year: _days_of(year, month, day, last))


def _days_of(year: int, month: int, day: int, last: int) -> Span:
    first = month_of(year, month).first.replace(day=day)
    return Span(first, max(first, first.replace(day=last)))


RULES: Sequence[Rule] = (
    Rule(
        ("/",),
        rf"(?<![\w/.+-])(?:(?P<year>\d\d)년 ?)?(?P<month>1[0-2]|0?[1-9])/(?P<day>{_DAY})(?:일| ?[~\u2013-] ?(?P<last>{_DAY})일?)?"
        rf"(?![\d/%:]|\.\d)(?= ?(?P<counted>{_COUNTED})?)(?=(?P<when>{_WHEN})?)(?:[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣])))?",
        _slashed,
        "day",
    ),
)


_FIRST_YEAR = 2000
_MOVING = {
    "seollal": """
0205 0124 0212 0201 0122 0209 0129 0218 0207 0126 0214 0203 0123 0210 0131 0219 0208 0128 0216 0205
0125 0212 0201 0122 0210 0129 0217 0207 0127 0213 0203 0123 0211 0131 0219 0208 0128 0215 0204 0124
0212 0201 0122 0210 0130 0217 0206 0126 0214 0202 0123""",
    "chuseok": """
0912 1001 0921 0911 0928 0918 1006 0925 0914 1003 0922 0912 0930 0919 0908 0927 0915 1004 0924 0913
1001 0921 0910 0929 0917 1006 0925 0915 1003 0922 0912 1001 0919 0908 0927 0916 1004 0924 0913 1002
0921 0910 0928 0917 1005 0925 0915 1004 0922 0911 0930""",
    "buddha": """
0511 0501 0519 0508 0526 0515 0505 0524 0512 0502 0521 0510 0528 0517 0506 0525 0514 0503 0522 0512
0430 0519 0508 0527 0515 0505 0524 0513 0502 0520 0509 0528 0516 0506 0525 0515 0503 0522 0511 0430
0518 0507 0526 0516 0505 0524 0513 0502 0520 0509 0528""",
}
"""Month and day from 2000 to 2050: days 1/1, 8/15 and 4/8 of the Korean lunar calendar (KASI's tables)."""

_FIXED = {
    "new year": (1, 1), "valentine": (2, 14), "independence movement": (3, 1), "labour": (5, 1), "children": (5, 5),
    "parents": (5, 8), "teachers": (5, 15), "memorial": (6, 6), "constitution": (7, 17), "liberation": (8, 15),
    "foundation": (10, 3), "hangul": (10, 9), "halloween": (10, 31), "christmas eve": (12, 24), "christmas": (12, 25),
    "boxing": (12, 26), "new year eve": (12, 31),
}  # fmt: skip

_AROUND = {"seollal": (1, 1), "chuseok": (1, 1)}
"""Feasts of several days: so many before and after; a holiday that runs on into the weekend has that too."""

KOREAN: Mapping[str, str] = MappingProxyType({
    "설날": "seollal", "구정": "seollal", "추석": "chuseok", "한가위": "chuseok", "신정": "new year",
    "새해 첫날": "new year", "삼일절": "independence movement", "3·1절": "independence movement", "노동절": "labour",
    "근로자의 날": "labour", "어린이날": "children", "어버이날": "parents", "스승의 날": "teachers", "현충일": "memorial",
    "제헌절": "constitution", "광복절": "liberation", "개천절": "foundation", "한글날": "hangul", "핼러윈": "halloween",
    "크리스마스 이브": "christmas eve", "성탄절": "christmas", "크리스마스": "christmas", "부처님 오신 날": "buddha",
    "석가탄신일": "buddha", "발렌타인데이": "valentine", "밸런타인데이": "valentine",
})  # fmt: skip

ENGLISH: Mapping[str, str] = MappingProxyType({
    "new year's eve": "new year eve", "new year's day": "new year", "new year": "new year", "christmas eve": "christmas eve",
    "christmas": "christmas", "xmas": "christmas", "boxing day": "boxing", "halloween": "halloween", "easter": "easter",
    "valentine's day": "valentine", "thanksgiving": "thanksgiving", "labour day": "labour", "seollal": "seollal",
    "lunar new year": "seollal", "chuseok": "chuseok", "children's day": "children", "parents' day": "parents",
    "hangul day": "hangul", "liberation day": "liberation", "buddha's birthday": "buddha",
})  # fmt: skip


def holiday_of(year: int, name: str, *, is_whole: bool = False) -> Span:
    """A feast of a year; `is_whole` with the days off around it. ValueError for a moving one outside 2000 to 2050."""
    day = _day_of(year, name)
    if not is_whole or name not in _AROUND:
        return on(day)
    before, after = _AROUND[name]
    last = day + after * DAY
    return Span(day - before * DAY, last + DAY if last.weekday() == 5 else last)


def _day_of(year: int, name: str) -> date:
    if name in _FIXED:
        return date(year, *_FIXED[name])
    if name == "easter":
        return _easter(year)
    if name == "thanksgiving":
        first = date(year, 11, 1)
        return first + ((3 - first.weekday()) % 7 + 21) * DAY
    days = _MOVING[name].split()
    if not _FIRST_YEAR <= year < _FIRST_YEAR + len(days):
        raise ValueError(f"no table of {name} for {year}")
    found = days[year - _FIRST_YEAR]
    return date(year, int(found[:2]), int(found[2:]))


def _easter(year: int) -> date:
    """Easter Sunday of the Gregorian calendar, as Meeus, Jones and Butcher have it."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    r = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * r) // 451
    month, day = divmod(h + r - 7 * m + 114, 31)
    return date(year, month, day + 1)
