"""What a rule for days is: a pattern, and the meaning of a match. Rules for digits (2026-05-02, 9/26, 25년 3/15) and feasts.

A fraction and a share of tests ("9/26 passed") are not days.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from math import gcd
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
from bankd.words.tables import table_rows

Grain: TypeAlias = Literal["day", "weekday", "span"]
Groups: TypeAlias = Mapping[str, Any]
Meaning: TypeAlias = Callable[[Groups, Anchor], Span | None]


class Rule(NamedTuple):
    """Hints (each match has one), the pattern over lower-case text, the meaning of a match, and the grain that it names.

    A pattern is compiled only when a text has one of the `hints`: most texts name few days.
    """

    hints: Collection[str]
    pattern: str
    meaning: Meaning
    grain: Grain = "span"

    def find(self, text: str) -> Iterable[re.Match[str]]:
        """The matches of the rule."""
        return _compiled(self.pattern).finditer(text) if any(map(text.__contains__, self.hints)) else ()


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(_unique_groups(pattern))


def alternatives(words: Sequence[str] | Mapping[str, object]) -> str:
    """Words as an alternation, the longest first."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


def units_away(day: date, unit: str, count: int) -> Span:
    """The day, week, weekend, month or year that is this many units away."""
    if unit == "day":
        return shifted(day, count)
    if unit == "week":
        return week_of(day, count)
    if unit == "weekend":
        return weekend_of(day, count)
    return month_of(day.year, day.month + count) if unit == "month" else year_of(day.year + count)


def exactly_away(day: date, unit: str, count: int) -> Span:
    """The single day that is this many units away, as in "three years ago today"."""
    if unit in {"day", "week"}:
        return shifted(day, count * (7 if unit == "week" else 1))
    month = month_of(day.year, day.month + count * (12 if unit == "year" else 1))
    return on(month.first.replace(day=min(day.day, month.last.day)))


def window_of(day: date, unit: str, count: int) -> Span:
    """The days up to this one, or from this one on if `count` is positive: the last three weeks, the next two months."""
    far = exactly_away(day, unit, count).first
    return Span(min(far, day), max(far, day))


def vaguely_away(day: date, unit: str, sign: int) -> Span:
    """A few days ago, 며칠 뒤: two to seven days away, and two to five of other units."""
    near, far = (units_away(day, unit, sign * count) for count in (2, 7 if unit == "day" else 5))
    return Span(min(near.first, far.first), max(near.last, far.last))


def part_in(span: Span, part: str, anchor: Anchor) -> Span:
    """A part of a span (empty: all of it); `earlier` and `later` are before and after the day of the text."""
    if part == "earlier":
        return Span(span.first, max(span.first, anchor.day))
    if part == "later":
        return Span(min(span.last, anchor.day), span.last)
    return part_of(span, part) if part else span


def _numeric_rules() -> Iterator[Rule]:
    year = r"(?<![\d.-])(?P<year>(?:19|20)\d\d)"
    month, day = r"(?P<month>1[0-2]|0?[1-9])", r"(?P<day>3[01]|[12]\d|0?[1-9])"
    for mark, hint in (("-", "-"), ("/", "/"), (r"\. ?", ".")):
        yield Rule((hint,), rf"{year}{mark}{month}{mark}{day}(?![\d-])", _day_in_digits, "day")
    yield Rule(
        ("-", "/"), rf"{year}[-/]{month}(?![\d/-])", lambda found, _: month_of(int(found["year"]), int(found["month"]))
    )


def _day_in_digits(found: Groups, _: Anchor) -> Span:
    return on(date(int(found["year"]), int(found["month"]), int(found["day"])))


def _unique_groups(pattern: str) -> str:
    """Allow the same group on both sides of an `or`: later ones get another name, see `groups_of`."""
    seen: dict[str, int] = {}

    def renamed(found: re.Match[str]) -> str:
        name = found[1]
        seen[name] = seen.get(name, 0) + 1
        return f"(?P<{name}>" if seen[name] == 1 else f"(?P<{name}_{seen[name]}>"

    return re.sub(r"\(\?P<(\w+)>", renamed, pattern)


def groups_of(found: re.Match[str]) -> Groups:
    """The groups of a match, by their names in the tables."""
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
"""Words after two numbers that make them a share or a size: 점, but not 점심."""
_WHEN = (
    r"일|에(?!서)|부터|까지|이후|이전|전(?![가-힣])|쯤|경|날|[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣]))"
    r"| ?(?:오전|오후|아침|점심|저녁|밤|새벽|낮|\d{1,2}시|\d{1,2}:\d\d)"
)
"""Words that make them a day."""
_DAY = r"3[01]|[12]\d|0?[1-9]"
_FRACTIONS = (2, 3, 4, 5, 10)
"""Usual denominators: 1/3 is a day only if a word beside it says so."""
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


SLASHED_RULE = Rule(
    ("/",),
    rf"(?<![\w/.+-])(?:(?P<year>\d\d)년 ?)?(?P<month>1[0-2]|0?[1-9])/(?P<day>{_DAY})(?:일| ?[~\u2013-] ?(?P<last>{_DAY})일?)?"
    rf"(?![\d/%:]|\.\d)(?= ?(?P<counted>{_COUNTED})?)(?=(?P<when>{_WHEN})?)(?:[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣])))?",
    _slashed,
    "day",
)


_FIRST_YEAR = 2000
_HOLIDAYS = {name: days.split() for name, _, _, days in table_rows("holidays")}
"""Month and day of each feast: one for every year, or those from 2000 to 2050: for days 1/1, 8/15 and 4/8 of the Korean
lunar calendar (KASI's tables), Easter (Meeus' rule) and Thanksgiving (the fourth Thursday of November)."""
KOREAN, ENGLISH = (
    {form: row[0] for row in table_rows("holidays") for form in row[column].split(",") if form} for column in (1, 2)
)


def holiday_of(year: int, name: str, *, is_whole: bool = False) -> Span:
    """A feast of a year; `is_whole` with the days off around it. ValueError for a moving one outside 2000 to 2050.

    Seollal and Chuseok have a day off before and after. Where the last is a Saturday, the Sunday after it counts too.
    """
    days = _HOLIDAYS[name]
    if len(days) > 1 and not _FIRST_YEAR <= year < _FIRST_YEAR + len(days):
        raise ValueError(f"no table of {name} for {year}")
    found = days[year - _FIRST_YEAR if len(days) > 1 else 0]
    day = date(year, int(found[:2]), int(found[2:]))
    if not is_whole or name not in {"seollal", "chuseok"}:
        return on(day)
    last = day + DAY
    return Span(day - DAY, last + DAY if last.weekday() == 5 else last)
