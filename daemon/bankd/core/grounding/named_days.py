"""The days that a passage names, by what they may mean on the day of its log: people leave the week, the year or the month open."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from itertools import chain
from operator import attrgetter
from typing import NamedTuple

from bankd.core.grounding.passages import Passage
from bankd.core.grounding.rewriting import as_read
from bankd.core.language.analysis import has_hangul
from bankd.core.language.dates.mentions import read_mentions
from bankd.core.language.dates.rules import Grain
from bankd.core.language.dates.spans import Anchor, Span, on

_BESIDE = (
    (timedelta(days=-1), re.compile(r"전날|전 날|하루 (?:전|앞)|\b(?:day|night|evening) before\b")),
    (timedelta(days=1), re.compile(r"다음 ?날|이튿날|\b(?:day after|next day|following day)\b")),
)
"""What is said of the day before, or after, one that is named."""
_WEEK, _YEAR, _LONGEST_MONTH, _MONTHS = timedelta(days=7), timedelta(days=366), 31, 12
_DAY_OF_MONTH = re.compile(r"\d ?월|\d/\d|[a-z]{3}", re.IGNORECASE)
_OF_MONTH = re.compile(r"\d ?월|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)", re.IGNORECASE)
_SLASHED = re.compile(r"(?<![\w/.+-])(\d\d?)/(\d\d?)(?:/\d\d)?(?![\d/%:]|\.\d)")
"""4/10, of which English leaves open whether it is in April or in October."""
_ONLY_DAY = re.compile(r"(?:on )?(?:the )?\d\d?(?:일|st|nd|rd|th)(?: ?\(?[월화수목금토일]요일\)?)?", re.IGNORECASE)
_AWAY = re.compile(r"\bin (?:a|an|one|two|three|four|\d+)\b|[후뒤]$")
_BETWEEN = re.compile(r"[\s,(]*(?:the |a )?")
_ENDS = re.compile(r"\bend of\b|말", re.IGNORECASE)
_WITH_YEAR = re.compile(r"\d{4}|년")


class NamedDay(NamedTuple):
    """A day, or several, that a passage names: as it stands there and where, and what it means on the day of the log."""

    written: str
    start: int
    span: Span
    grain: Grain
    is_settled: bool = False
    """Whether it is a weekday with its date beside it."""

    def meanings(self, day: date) -> Iterator[Span]:
        """What it may mean: which week a bare weekday is of, which year or month a day, and how near an end, people leave open."""
        yield self.span
        if self.grain == "weekday" and not self.is_settled:
            yield from (_shift(self.span, week) for week in (-_WEEK, _WEEK))
        elif self.grain == "day" and _ONLY_DAY.fullmatch(self.written):
            yield from _of_next_months(self.span.first.day, day)
        elif self.grain != "weekday" and self._leaves_year_open():
            yield from _of_next_years(self.span, day)
        if _AWAY.search(self.written):
            yield _to_the_day(self.span, day)
        if _ENDS.search(self.written):
            yield Span(self.span.last, self.span.last)

    def _leaves_year_open(self) -> bool:
        pattern = _DAY_OF_MONTH if self.grain == "day" else _OF_MONTH
        return pattern.search(self.written) is not None and not _WITH_YEAR.search(self.written)


def days_named_in(passage: Passage, day: date | None) -> list[NamedDay]:
    """The days that a passage names, read on the day of its log; none where that is not known."""
    text = as_read(passage.text)
    found = read_mentions(text, Anchor(day, 1)) if day else ()
    days = [NamedDay(text[one.start : one.end], one.start, one.span, one.grain) for one in found]
    return [_settle(named, days, text) for named in days]


def _settle(named: NamedDay, days: Sequence[NamedDay], text: str) -> NamedDay:
    """A weekday beside a date as that date."""
    date_beside = next((other.span for other in days if _is_beside(named, other, text)), None)
    return named._replace(span=date_beside, is_settled=True) if date_beside else named


def _is_beside(named: NamedDay, other: NamedDay, text: str) -> bool:
    """Whether a weekday stands right at a date that falls on it, and so leaves no week open: Sunday 14 June."""
    first, second = sorted((named, other), key=attrgetter("start"))
    is_pair = (named.grain, other.grain) == ("weekday", "day")
    is_day = is_pair and named.span.first.weekday() == other.span.first.weekday()
    return is_day and _BETWEEN.fullmatch(text[first.start + len(first.written) : second.start]) is not None


def days_written_in(passage: Passage, day: date | None) -> list[str]:
    """The same as they stand in it."""
    return [named.written for named in days_named_in(passage, day)]


def is_within(span: Span, known: Span) -> bool:
    """The same days, or the month or year around a known day: who says less invents nothing."""
    return span == known or (span.first <= known.first and known.last <= span.last)


def days_meant_in(sources: Sequence[Passage], day: date | None) -> Iterator[Span]:
    """The days that the sources may speak of; a day without a month may be of one that they name."""
    for source in sources:
        days = days_named_in(source, day)
        for named in days:
            of_months = [_of_next_months(named.span.first.day, other.span.first) for other in days]
            yield from chain(*of_months) if _ONLY_DAY.fullmatch(named.written) else ()
            yield from named.meanings(day) if day else ()
            yield from (_shift(named.span, days) for days, told in _BESIDE if told.search(source.text))
        yield from _slashed_in(source.text, day) if day else ()


def _slashed_in(text: str, day: date) -> Iterator[Span]:
    """Both days that two numbers with a slash between them may be, in the years around the log."""
    numbers = () if has_hangul(text) else _SLASHED.finditer(text)  # Korean writes the month first
    for one, other in (map(int, found.groups()) for found in numbers):
        for month, number in ((one, other), (other, one)):
            if 1 <= month <= _MONTHS and 1 <= number <= monthrange(day.year, month)[1]:
                known = on(day.replace(month=month, day=number))
                yield from (known, *_of_next_years(known, day))


def _to_the_day(span: Span, day: date) -> Span:
    """Of a week that is so many weeks away the same weekday, of a month the same day; a year is as it is."""
    days = (span.last - span.first + timedelta(days=1)).days
    if days > _LONGEST_MONTH:
        return span
    ahead = (day.weekday() - span.first.weekday()) % days if days == _WEEK.days else day.day - span.first.day
    there = min(span.first + timedelta(days=ahead), span.last)
    return Span(there, there)


def _shift(span: Span, days: timedelta) -> Span:
    return Span(span.first + days, span.last + days)


def _of_next_years(known: Span, day: date) -> Iterator[Span]:
    """The same days of the years around it, where they begin within a year of the log."""
    for shift in (-1, 1):
        first, last = (_in_year(one, one.year + shift) for one in known)
        if first and last and abs(first - day) < _YEAR:
            yield Span(first, last)


def _of_next_months(number: int, day: date) -> Iterator[Span]:
    """That day of the month of the log, and of those beside it."""
    for month in (day.replace(day=1) + timedelta(days=days) for days in (-1, 0, 31)):
        if number <= monthrange(month.year, month.month)[1]:
            there = month.replace(day=number)
            yield Span(there, there)


def _in_year(day: date, year: int) -> date | None:
    try:
        return day.replace(year=year)
    except ValueError:  # February 29, or the calendar ends
        return None
