"""How far away a day is, in the words of the reader: 2 weeks ago, 2주 전, in 3 days."""

from __future__ import annotations

from datetime import date

from bankd.core.language.dates.spans import Span

_NAMED = {
    -2: ("2 days ago", "그저께"),
    -1: ("yesterday", "어제"),
    0: ("today", "오늘"),
    1: ("tomorrow", "내일"),
    2: ("in 2 days", "모레"),
}
_UNITS = ((365.25, 700, "year", "년"), (30.44, 60, "month", "개월"), (7, 14, "week", "주"), (1, 0, "day", "일"))
"""Days of a unit, from how many days on it is used, and its names."""


def label_of(days: Span, today: date, *, is_korean: bool) -> str:
    """Some days and where they are, seen from today: `2026-05-02, 2 weeks ago`."""
    first, last = days
    if first == last:
        return f"{first}, {relative_label(first, today, is_korean=is_korean)}"
    away = ("now", "지금")[is_korean] if first <= today <= last else None
    nearest = first if today < first else last
    return f"{first}…{last}, {away or relative_label(nearest, today, is_korean=is_korean)}"


def relative_label(day: date, today: date, *, is_korean: bool) -> str:
    """Where a day is, seen from today."""
    away = (day - today).days
    if away in _NAMED:
        return _NAMED[away][is_korean]
    days, _, english, korean = next(unit for unit in _UNITS if abs(away) >= unit[1])
    count = max(1, round(abs(away) / days))
    if is_korean:
        return f"{count}{korean} {'전' if away < 0 else '뒤'}"
    counted = f"{count} {english}{'s' if count > 1 else ''}"
    return f"{counted} ago" if away < 0 else f"in {counted}"
