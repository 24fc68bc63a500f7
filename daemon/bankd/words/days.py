"""Spans of days, the arithmetic of the calendar (weeks begin on Monday), and how far away a day is in words.

Also a quick test whether a text may name a day at all, so that most texts cost nothing; and the days that a
question asks about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import date, datetime, timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bankd.words.tables import meanings_in, words_in

if TYPE_CHECKING:
    from bankd.words.day_mentions import Mention

DAY = timedelta(days=1)
_MONTH = 31
"""Days of the longest."""
_OFF_LEAN = 6
"""How much farther a day may be in the direction of the tense: "booked for May 3" is past tense, but about the future."""


class Span(NamedTuple):
    """Days from the first to the last, both included."""

    first: date
    last: date

    @property
    def days(self) -> int:
        """How many days it has."""
        return (self.last - self.first).days + 1

    def overlap(self, other: Span) -> int:
        """How many days two spans share."""
        return max(0, (min(self.last, other.last) - max(self.first, other.first)).days + 1)


class Anchor(NamedTuple):
    """The reference for a text: its day, and whether it is about the past (-1), the future (1), or does not say (0).

    With `is_strict` the tense decides, whatever the distance, as in questions.
    """

    day: date
    lean: int = 0
    is_strict: bool = False


def may_be_today(day: date) -> bool:
    """Whether the calendar reaches far enough before and after a day for all computations."""
    return date.min.year + 100 < day.year < date.max.year - 100


def read_iso_moment(text: str) -> datetime | None:
    """A moment in ISO form, with or without a zone; None if it is not one, or too near the ends of the calendar."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return moment if may_be_today(moment.date()) else None


def on(day: date) -> Span:
    """A span of one day."""
    return Span(day, day)


def shifted(day: date, days: int) -> Span:
    """The day that is this many days away."""
    return on(day + days * DAY)


def week_of(day: date, shift: int = 0) -> Span:
    """The week of a day, or a week this many weeks away."""
    monday = day - day.weekday() * DAY + 7 * shift * DAY
    return Span(monday, monday + 6 * DAY)


def weekend_of(day: date, shift: int = 0) -> Span:
    """Saturday and Sunday of the week of a day, or of a week this many weeks away."""
    return Span(week_of(day, shift).last - DAY, week_of(day, shift).last)


def month_of(year: int, month: int) -> Span:
    """A month; months before January and after December are those of other years."""
    year, month = year + (month - 1) // 12, (month - 1) % 12 + 1
    return Span(date(year, month, 1), date(year + month // 12, month % 12 + 1, 1) - DAY)


def months_of(year: int, first: int, last: int) -> Span:
    """Months of one year, the last of which may be in the next."""
    return Span(month_of(year, first).first, month_of(year, last).last)


def year_of(year: int) -> Span:
    """A year."""
    return months_of(year, 1, 12)


def season_of(year: int, season: int) -> Span:
    """Spring (0) to winter (3) in whole months; the winter of a year begins in its December."""
    return months_of(year, 3 + 3 * season, 5 + 3 * season)


def part_of(span: Span, part: str) -> Span:
    """The `early`, `mid` or `late` part of a span, its `last day`, its `first` or `second` half, or its `week 1` to `week 5`."""
    first, end = _part_in_days(span.days, part)
    return Span(span.first + first * DAY, span.first + (end - 1) * DAY)


def _part_in_days(days: int, part: str) -> tuple[int, int]:
    """The first day of a part of a span and the day after its last, counted from 0; week 5 is the rest."""
    if part.startswith("week"):
        week = int(part[-1])
        return (7 * week - 7, 7 * week) if week < 5 else (days - 7, days)
    half = 15 if days <= _MONTH else days // 2
    early, mid, middle, late = _cuts(days)
    return {
        "early": (0, early),
        "mid": (mid, middle),
        "late": (late, days),
        "last day": (days - 1, days),
        "first": (0, half),
        "second": (half, days),
    }[part]


def _cuts(days: int) -> tuple[int, int, int, int]:
    """Where "early" ends, "mid" begins and ends, and "late" begins, for a month, a year, and anything shorter."""
    if days <= 7:
        return 2, 2, 4, 4
    return (10, 10, 20, 20) if days <= _MONTH else (days // 6, days // 3, 2 * days // 3, days - days // 6)


def weekday_near(anchor: Anchor, weekday: int) -> Span:
    """The nearest such weekday before or after today; the next one if the text does not say which."""
    ahead = (weekday - anchor.day.weekday() - 1) % 7 + 1
    return shifted(anchor.day, ahead - 7 if anchor.lean < 0 and ahead < 7 else -7 if anchor.lean < 0 else ahead)


def weekday_of_week(day: date, weekday: int, shift: int) -> Span:
    """A weekday in the week of this day, or in a week this many weeks away."""
    return on(week_of(day, shift).first + weekday * DAY)


def nearest_span(anchor: Anchor, of_year: Callable[[int], Span]) -> Span:
    """The right one of yearly spans: the nearest in the direction of the tense."""
    found = []
    for year in (anchor.day.year - 1, anchor.day.year, anchor.day.year + 1):
        try:
            found.append(of_year(year))
        except ValueError:
            continue  # the 29th of February
    return min(found, key=lambda span: _distance(anchor, span))


def _distance(anchor: Anchor, span: Span) -> float:
    """The distance of a span, larger against the direction of the tense; 0 for a span that includes today."""
    if span.first <= anchor.day <= span.last:
        return 0
    is_ahead = span.first > anchor.day
    away = (span.first - anchor.day).days if is_ahead else (anchor.day - span.last).days
    if anchor.lean != (-1 if is_ahead else 1):
        return away
    return away * (1_000 if anchor.is_strict else _OFF_LEAN)


def day_of_month(anchor: Anchor, day: int) -> Span:
    """The day with this number, in this month or the nearest one in the direction of the tense."""
    found = []
    for shift in (-1, 0, 1):
        month = month_of(anchor.day.year, anchor.day.month + shift)
        if day <= month.days:
            found.append(on(month.first + (day - 1) * DAY))
    lean = Anchor(anchor.day, anchor.lean or 1, is_strict=True)
    return min(found, key=lambda span: _distance(lean, span))


_NAMED = {
    -2: ("2 days ago", "그저께"),
    -1: ("yesterday", "어제"),
    0: ("today", "오늘"),
    1: ("tomorrow", "내일"),
    2: ("in 2 days", "모레"),
}
_UNITS = ((365.25, 700, "year", "년"), (30.44, 60, "month", "개월"), (7, 14, "week", "주"), (1, 0, "day", "일"))
"""For each unit: its length in days, the distance in days from which it is used, and its names."""


def label_of(days: Span, today: date, *, is_korean: bool) -> str:
    """A span in words, with its distance from today: `2026-05-02, 2 weeks ago`."""
    first, last = days
    if first == last:
        return f"{first}, {relative_label(first, today, is_korean=is_korean)}"
    away = ("now", "지금")[is_korean] if first <= today <= last else None
    nearest = first if today < first else last
    return f"{first}…{last}, {away or relative_label(nearest, today, is_korean=is_korean)}"


def relative_label(day: date, today: date, *, is_korean: bool) -> str:
    """The distance of a day from today, in words."""
    away = (day - today).days
    if away in _NAMED:
        return _NAMED[away][is_korean]
    days, _, english, korean = next(unit for unit in _UNITS if abs(away) >= unit[1])
    count = max(1, round(abs(away) / days))
    if is_korean:
        return f"{count}{korean} {'전' if away < 0 else '뒤'}"
    counted = f"{count} {english}{'s' if count > 1 else ''}"
    return f"{counted} ago" if away < 0 else f"in {counted}"


_HINTS = words_in("days", "hints")
_CUT_SHORT = re.compile(
    r"\b(?:mon|tue|tues|wed|thur?|thurs|fri|sat|sun|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|tmr|tmrw|tmw)\b"
)


def may_name_a_day(lowered: str) -> bool:
    """A quick test: whether a text in lower case has a digit or one of the words that names of days are made of."""
    is_named = any(map(lowered.__contains__, _HINTS)) or any(map(str.isdecimal, lowered))
    return is_named or _CUT_SHORT.search(lowered) is not None


SAYING_NOTHING = words_in("days", "saying_nothing")
"""Terms of a question that is only about days: what happened, 무슨 일이 있었지, what is planned; and leftovers of words of time."""

_SAYING_NOTHING_AS_WRITTEN = [*meanings_in("days", "saying_nothing_as_written")]
"""Such terms as written, for when no analyser removes endings."""


class AskedTime(NamedTuple):
    """The time in a question; all empty if it names none."""

    windows: tuple[Span, ...] = ()
    rest: str = ""
    """The question without its words of time."""


NO_TIME = AskedTime()


@lru_cache(maxsize=16)  # once for each asked bank, and for its logs and archive
def read_asked_time(text: str, today: date) -> AskedTime:
    """Read the time in a question; fast for a question without any."""
    if not may_name_a_day(text.lower()):
        return NO_TIME
    from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- slow to import; most questions name no day

    mentions = read_mentions(text, Anchor(today, 0, is_strict=True))
    windows = tuple(window for mention in mentions for window in windows_of(mention, today))
    return AskedTime(windows, _without(text, mentions)) if windows else NO_TIME


def read_days(text: str, today: date) -> Span | None:
    """Days that somebody types, as 2026-05-02, 2026-W18, 2026-05 or in words; the latest possible. None if they are not days."""
    try:
        day = date.fromisoformat(text)
        return week_of(day) if re.fullmatch(r"\d+-?W\d\d", text) else on(day)
    except ValueError:
        from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- seldom
    for said in (text, f"in {text}"):
        mentions = read_mentions(said, Anchor(today, -1, is_strict=True))
        if len(mentions) == 1 and not re.search(r"\w", _without(said, mentions).removeprefix("in ")):
            return windows_of(mentions[0], today)[0]
    return None


def windows_of(mention: Mention, today: date) -> tuple[Span, ...]:
    """The asked days; a weekday without a known tense means the last one and the next one."""
    first, last = mention.span
    if mention.edge < 0:
        return (Span(first, max(last, today if first <= today else date.max)),)
    if mention.edge > 0:
        return (Span(date.min, last if mention.edge == 1 else first - DAY),)
    if mention.grain == "weekday" and not mention.lean:
        return (Span(first - 7 * DAY, last - 7 * DAY), mention.span)
    return (mention.span,)


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        end = mention.end
        while end < len(text) and "가" <= text[end] <= "힣":
            end += 1  # the particle
        text = f"{text[: mention.start]} {text[end:]}"
    return text


def without_what_says_nothing(text: str) -> str:
    """A Korean question without the words that name no subject, as written."""
    forms = "|".join(_SAYING_NOTHING_AS_WRITTEN).replace("*", "[가-힣]*")
    return re.sub(f"(?<![가-힣])(?:{forms})(?![가-힣])", " ", text)
