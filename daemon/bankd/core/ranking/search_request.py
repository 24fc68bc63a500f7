"""A search as programs ask for it: a JSON object, read with every problem named."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any, TypeVar

from bankd.core.language.dates.question_days import read_days
from bankd.core.language.dates.spans import Span, read_iso_moment
from bankd.core.markdown.utf8 import readable_text
from bankd.core.ranking.query import GROUPS, Filters, Query
from bankd.errors import UsageError


def read_request(request: Mapping[str, Any], today: date) -> Query:
    """Read a query and its options from JSON, asked on this day if it names none; UsageError names every option that cannot be read."""
    problems: list[str] = []
    asked_on = _day(request, "now", problems)
    today = asked_on or today
    since, until = _between(request, today, problems)
    as_of = _span(request, "as_of", today, problems)
    filters = Filters(
        tuple(tag.upper() for tag in _texts(request, "tags", problems)),
        tuple(filter(None, map(_node, _texts(request, "nodes", problems)))),
        tuple(entity.lstrip("@") for entity in _texts(request, "entities", problems)),
        since,
        until,
        _hundredths(request.get("min_confidence"), problems),
        as_of.last if as_of else asked_on,
    )
    text, limit = _one(request, "query", str, problems), _one(request, "limit", int, problems)
    if limit is not None and limit < 0:
        problems.append(f"limit: {_shortly(limit)} is below 0, which is for all")
    everything, groups = _one(request, "everything", bool, problems), _groups(request, problems)
    margin = _margin(request.get("margin"), problems)
    _one(request, "keep", bool, problems)  # who answers reads it; a wrong one is said before that
    switches = {name: bool(_one(request, name, bool, problems)) for name in ("timeline", "is_korean", "by_page")}
    switches["is_past"] = as_of is not None
    switches["see_also"] = _one(request, "see_also", bool, problems) is not False
    if problems:
        raise UsageError(*problems)
    asked = readable_text(text or "")[:4_000]
    return Query(asked, number_of_hits(limit), filters, bool(everything), margin, today, groups, **switches)


def number_of_hits(limit: int | None) -> int:
    """How many answers are wanted: ten when nothing is said, all that may be given for 0."""
    wanted = 10 if limit is None else limit or _MOST
    return max(1, min(wanted, _MOST))


_UNDERSTOOD = "understood are such as 2026-05-02, 2026-05, 2026, yesterday, last week, 3 days ago, 어제, 지난주, 3일 전"

_MOST = 100
"""The most answers, whoever asks."""

_Value = TypeVar("_Value", str, int, bool)
_KINDS: Mapping[type, str] = {str: "a text", int: "a whole number", bool: "true or false"}


def _one(request: Mapping[str, Any], name: str, kind: type[_Value], problems: list[str]) -> _Value | None:
    """A field of one kind; None when it is not there."""
    value = request.get(name)
    if value is None or type(value) is kind:
        return value
    problems.append(f"{name}: {_shortly(value)} is not {_KINDS[kind]}")
    return None


def _texts(request: Mapping[str, Any], name: str, problems: list[str]) -> list[str]:
    value = request.get(name) or []
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return [readable_text(one) for one in value]
    problems.append(f"{name}: {_shortly(value)} is not a list of texts")
    return []


def _groups(request: Mapping[str, Any], problems: list[str]) -> tuple[str, ...]:
    groups = _texts(request, "in", problems)
    problems += [f"in: {_shortly(group)} is not one of {', '.join(GROUPS)}" for group in groups if group not in GROUPS]
    return tuple(groups)


def _node(text: str) -> str:
    return text.strip("/")


def _between(request: Mapping[str, Any], today: date, problems: list[str]) -> tuple[date | None, date | None]:
    """The days that are asked for: `since` and `until` both included, or those `on` which it is."""
    since, until, on = (_span(request, name, today, problems) for name in ("since", "until", "on"))
    if on and (since or until):
        problems.append("on: stands alone, without since or until")
    first, last = on or since, on or until
    return first.first if first else None, last.last if last else None


def _span(request: Mapping[str, Any], name: str, today: date, problems: list[str]) -> Span | None:
    """A day, month or year as it is written or said; None when it is not there."""
    value = request.get(name)
    span = read_days(readable_text(value), today) if value and isinstance(value, str) else None
    if value and not span:
        problems.append(f"{name}: {_shortly(value)} is not a day, or days\n{_UNDERSTOOD}")
    return span


def _day(request: Mapping[str, Any], name: str, problems: list[str]) -> date | None:
    value = request.get(name)
    moment = read_iso_moment(value) if isinstance(value, str) else None
    if value and moment is None:
        problems.append(f"{name}: {_shortly(value)} is not a day such as 2026-05-02")
    return moment.date() if moment else None


def _hundredths(value: object, problems: list[str]) -> int | None:
    if value is None:
        return None
    try:
        number = round(float(str(value)) * 100)
    except (ValueError, OverflowError):
        number = -1
    if not 0 <= number <= 100:
        problems.append(f"min_confidence: {_shortly(value)} is not between 0 and 1")
    return number


def _margin(value: object, problems: list[str]) -> float:
    """How many times the floor an answer must reach; once when nothing is said."""
    if value is None:
        return 1.0
    if isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= _MOST:
        return float(value)
    problems.append(f"margin: {_shortly(value)} is not a number above 0, up to {_MOST}")
    return 1.0


def _shortly(value: object) -> str:
    return readable_text(str(value))[:40]
