"""What a rule of the grammar is: a pattern, and what a match of it means."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any, Literal, NamedTuple, TypeAlias

from bankd.core.language.dates.spans import Anchor, Span, month_of, on, part_of, shifted, week_of, weekend_of, year_of

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
