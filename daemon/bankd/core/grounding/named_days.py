"""The days that a text names, by what they may mean on the day of its log: people leave the week, the year or the month open."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import NamedTuple

from bankd.core.language.dates.mentions import read_mentions
from bankd.core.language.dates.rules import Grain
from bankd.core.language.dates.spans import Anchor, Span, on

_WEEK, _YEAR, _LONGEST_MONTH = timedelta(days=7), timedelta(days=366), 31
_DAY_OF_MONTH = re.compile(r"\d ?월|\d/\d|[a-z]{3}", re.IGNORECASE)
_OF_MONTH = re.compile(r"\d ?월|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_ONLY_DAY = re.compile(r"(?:on )?(?:the )?\d\d?(?:일|st|nd|rd|th)(?: ?\(?[월화수목금토일]요일\)?)?", re.IGNORECASE)
_AWAY = re.compile(r"\bin (?:a|an|one|two|three|four|\d+)\b|[후뒤]$")
_WITH_YEAR = re.compile(r"\d{4}|년")


class NamedDay(NamedTuple):
    """A day, or several, that a text names: as it stands there, and what it means on the day of the log."""

    written: str
    span: Span
    grain: Grain


def days_named_in(text: str, day: date | None) -> list[NamedDay]:
    """The days that a text names, read on the day of its log; none where that is not known."""
    found = read_mentions(text, Anchor(day, 1)) if day else ()
    return [NamedDay(text[one.start : one.end], one.span, one.grain) for one in found]


def days_meant_in(texts: Sequence[str], day: date | None) -> Iterator[Span]:
    """The days that texts may speak of."""
    for named in (one for text in texts for one in days_named_in(text, day)):
        yield from _meanings(named, day) if day else ()


def is_within(span: Span, known: Span) -> bool:
    """The same days, or a known day and not all of what is around it: who names a month for its day invents nothing."""
    return span.first <= known.first and known.last <= span.last


def _meanings(named: NamedDay, day: date) -> Iterator[Span]:
    """What a named day may mean: the week of a weekday, the month of a day and the year of a date are often left open."""
    written, span, grain = named
    yield span
    if grain == "weekday":
        yield from (Span(span.first + week, span.last + week) for week in (-_WEEK, _WEEK))
    elif grain == "day" and _ONLY_DAY.fullmatch(written):
        yield from _of_next_months(span.first.day, day)
    elif (_DAY_OF_MONTH if grain == "day" else _OF_MONTH).search(written) and not _WITH_YEAR.search(written):
        yield from _of_next_years(span, day)
    if _AWAY.search(written):
        yield _to_the_day(span, day)


def _to_the_day(span: Span, day: date) -> Span:
    """Of a week that is so many weeks away the same weekday, of a month the same day; a year is as it is."""
    days = (span.last - span.first).days + 1
    if days > _LONGEST_MONTH:
        return span
    ahead = (day.weekday() - span.first.weekday()) % days if days == _WEEK.days else day.day - span.first.day
    return on(min(span.first + timedelta(days=ahead), span.last))


def _of_next_years(known: Span, day: date) -> Iterator[Span]:
    """The same days of the years around it, where they begin within a year of the log."""
    for shift in (-1, 1):
        try:
            first, last = (one.replace(year=one.year + shift) for one in known)
        except ValueError:  # February 29, or the calendar ends
            continue
        if abs(first - day) < _YEAR:
            yield Span(first, last)


def _of_next_months(number: int, day: date) -> Iterator[Span]:
    """That day of the month of the log, and of those beside it."""
    for month in (day.replace(day=1) + timedelta(days=days) for days in (-1, 0, 31)):
        if number <= monthrange(month.year, month.month)[1]:
            yield on(month.replace(day=number))
