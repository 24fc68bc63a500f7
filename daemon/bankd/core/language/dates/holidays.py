"""Feasts that people date by: those of a fixed day, and those that move."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from types import MappingProxyType

from bankd.core.language.dates.spans import DAY, Span, on

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
