"""How days are said in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bankd.words import day_rules as rules
from bankd.words import days
from bankd.words.analysis import is_irregular_past
from bankd.words.day_rules import ENGLISH as HOLIDAYS
from bankd.words.day_rules import alternatives
from bankd.words.tables import meanings_in, number_meanings

_SEASONS = {"spring": 0, "summer": 1, "autumn": 2, "fall": 2, "winter": 3}
_DAYS, _NUMBERS = number_meanings("days", "english_days"), number_meanings("days", "english_counts")
_VAGUE = {"a few", "few", "several"}
_RELATIVES, _ORDINALS = number_meanings("days", "english_relatives"), number_meanings("days", "english_ordinals")
_PARTS = meanings_in("days", "english_parts")
_MONTHS = [name for name in number_meanings("english", "months") if len(name) > 4 or name in {"may", "june", "july"}]
_SHORT_MONTHS = [name[:3] for name in _MONTHS]
_UNITS = ("day", "week", "month", "year", "decade")
_AWAY = ("ago", "back", "earlier", "from now", "from today", "later", "hence")
_NAMES_OF_MONTHS = number_meanings("english", "months") | {
    f"{name}.": number for number, name in enumerate(_SHORT_MONTHS, 1)
}
_MONTH = rf"(?P<month>{alternatives(_NAMES_OF_MONTHS)})\b"
_FULL_MONTH = rf"(?P<month>{alternatives(_MONTHS)})\b"
_NAMES_OF_WEEKDAYS = number_meanings("days", "english_weekdays")
_SHORT_WEEKDAYS = [name for name in _NAMES_OF_WEEKDAYS if len(name) == 3]
_WEEKDAY = rf"(?P<weekday>{alternatives(_NAMES_OF_WEEKDAYS)})\b"
_YEAR = r"(?P<year>(?:19|20)\d\d)\b"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_TO, _LAST = r"(?: ?[-–] ?| (?:to|through|till|until) (?:the )?)", _DAY.replace("day", "last")
_NUMBER = rf"(?P<count>\d{{1,3}}|{alternatives(_NUMBERS)})"
_UNIT = r"(?P<unit>day|week|weekend|month|year|decade)s?\b"
_PART = rf"(?:(?:the )?(?P<part>{alternatives(_PARTS)})[ -](?:in )?)?(?:the )?"
_NAMES_TOO = "jan|jun|mar"
"""Short forms of months that are also names of people: reviewed by Jan."""
_IN_MONTHS, _BY_MONTHS, _BEFORE_DAYS = (
    "|".join(rf"(?<=\b{word} )" for word in words.split())
    for words in ("in since until till during", "by before after from to for", "till until by before since")
)
_CUT_MONTH = rf"(?:(?:{_IN_MONTHS}){_PART}{_MONTH}|(?:{_BY_MONTHS})(?!{_NAMES_TOO}){_PART}{_MONTH})(?!')"
"""A short form of a month that is not a name here: in Jan, till Sept, by Nov."""
_RELATIVE = rf"(?P<relative>{alternatives(_RELATIVES)})"
_HALVES = {"first half": (1, 6), "second half": (7, 12), "q1": (1, 3), "q2": (4, 6), "q3": (7, 9), "q4": (10, 12)}

_PAST = re.compile(r"\b(?:[a-z]{2,}[^e\W]ed|was|were|had|did|didn't|wasn't|been|began|cut|put|since|ago|done)\b")
_FUTURE = re.compile(
    r"\b(?:will|'ll|won't|going to|has to|have to|must|should|needs? to|coming|upcoming|(?:(?:due|booked|scheduled|planned|set|reserved|invited|deadline|meant|arranged)\b"
    r"[^.;!?]*?\b(?:for|on|at|by|to))|for (?:the |\w+day)|agenda|due|ahead|plans?|(?:is|are|am|i'm|he's|she's|it's|we're|they're) [a-z]+ing)\b|'ll\b|\bby (?:the |\w+day)"
)
_WORD = re.compile(r"[a-z]+")


def read_english_lean(clause: str) -> int:
    """Whether a clause is about the past (-1) or the future (1); 0 if it does not say."""
    if _FUTURE.search(clause):
        return 1
    return -1 if _PAST.search(clause) or any(map(is_irregular_past, _WORD.findall(clause))) else 0


def _count(found: rules.Groups) -> int:
    written = found["count"]
    return int(written) if written.isdecimal() else _NUMBERS[written]


def _unit(found: rules.Groups) -> tuple[str, int]:
    """A unit and a count; a decade is ten years."""
    return ("year", 10 * _count(found)) if found["unit"] == "decade" else (found["unit"], _count(found))


def _ago(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    unit, count = _unit(found)
    sign = -1 if found["way"] in {"ago", "back", "earlier"} else 1
    if found["count"] in _VAGUE:
        return rules.vaguely_away(anchor.day, unit, sign)
    away = rules.exactly_away if found["today"] else rules.units_away
    return away(anchor.day, unit, sign * count)


def _in_units(found: rules.Groups, anchor: days.Anchor) -> days.Span | None:
    unit, count = _unit(found)
    return None if anchor.lean < 0 else rules.units_away(anchor.day, unit, count)


def _around(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    unit, count = _unit(found) if found["count"] else (found["unit"], 1)
    sign = 1 if found["way"] in {"next", "coming"} else -1
    return rules.window_of(anchor.day, "day" if unit == "weekend" else unit, sign * count)


def _relative_unit(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    span = rules.units_away(anchor.day, found["unit"], _RELATIVES[found["relative"]])
    return rules.part_in(span, _part(found), anchor)


def _part(found: rules.Groups) -> str:
    return _PARTS.get(found.get("part") or "", "")


def _relative_weekday(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    relative, weekday = found["relative"], _NAMES_OF_WEEKDAYS[found["weekday"]]
    shift = _RELATIVES[relative]
    if shift < 0:
        return days.weekday_near(anchor._replace(lean=-1), weekday)
    if relative == "next":
        return days.weekday_of_week(anchor.day, weekday, 1)
    return (
        days.weekday_near(anchor._replace(lean=1), weekday) if shift else days.weekday_of_week(anchor.day, weekday, 0)
    )


def _of_year(found: rules.Groups, anchor: days.Anchor, of_year: Callable[[int], days.Span]) -> days.Span:
    """A yearly day or season: in the named year, or else the nearest one.

    Last summer is the latest one that is over, next spring the first one that has not begun.
    """
    if found.get("year"):
        return of_year(int(found["year"]))
    shift = _RELATIVES[found["relative"]] if found.get("relative") else 0
    spans = (of_year(anchor.day.year + step) for step in (-2, -1, 0, 1, 2))
    if shift < 0:
        return max(span for span in spans if span.last < anchor.day)
    if shift > 0:
        return min(span for span in spans if span.first > anchor.day)
    return days.nearest_span(anchor, of_year)


def _month(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    month = _NAMES_OF_MONTHS[found["month"]]
    if found.get("of"):
        return rules.part_in(days.month_of(anchor.day.year + _RELATIVES[found["of"]], month), _part(found), anchor)
    return rules.part_in(_of_year(found, anchor, lambda year: days.month_of(year, month)), _part(found), anchor)


def _month_day(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    month, day = _NAMES_OF_MONTHS[found["month"]], found.get("day") or str(_ORDINALS.get(found.get("ordinal") or "", 1))
    last = found.get("last") or day
    span = _of_year(found, anchor, lambda year: days.on(days.month_of(year, month).first.replace(day=int(day))))
    return days.Span(span.first, max(span.first, span.first.replace(day=int(last))))


def _season(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    season = _SEASONS[found["season"]]
    return rules.part_in(_of_year(found, anchor, lambda year: days.season_of(year, season)), _part(found), anchor)


def _half(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    return _of_year(found, anchor, lambda year: days.months_of(year, *_HALVES[found["half"]]))


def _holiday(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    name, is_whole = HOLIDAYS[found["holiday"]], bool(found["whole"])
    return _of_year(found, anchor, lambda year: rules.holiday_of(year, name, is_whole=is_whole))


RULES: Sequence[rules.Rule] = (
    rules.Rule(("before last", "after next"), r"\b(?P<unit>week|weekend|month|year) (?P<way>before last|after next)\b", lambda found, anchor: rules.units_away(anchor.day, found["unit"], -2 if found["way"] == "before last" else 2), "span"),
    rules.Rule(_AWAY, rf"\b{_NUMBER} {_UNIT} (?P<way>{alternatives(_AWAY)})(?P<today> today)?\b", _ago, "span"),
    rules.Rule(("yesterday", "night", "today", "this ", "tomorrow", "tmr", "tmw"), rf"\b(?P<word>{alternatives(_DAYS)})\b", lambda found, anchor: days.shifted(anchor.day, _DAYS[found["word"]]), "day"),
    rules.Rule(_UNITS, rf"\b(?:in|in about) {_NUMBER} {_UNIT}(?!')", _in_units, "span"),
    rules.Rule(_RELATIVES, rf"\b(?P<way>last|past|previous|next|coming) (?:{_NUMBER} )(?P<unit>day|week|weekend|month|year)s?\b", _around, "span"),
    rules.Rule(("past ",), r"\b(?P<count>)(?P<way>past) (?P<unit>week|month|year)\b", _around, "span"),
    rules.Rule(("other day",), r"\bthe other day\b", lambda _, anchor: rules.vaguely_away(anchor.day, "day", -1), "span"),
    rules.Rule(("week",), rf"\b{_RELATIVE} week(?! of)(?:'s)?,? (?:on )?{_WEEKDAY}|\b{_WEEKDAY} (?:of )?{_RELATIVE} week\b", lambda found, anchor: days.weekday_of_week(anchor.day, _NAMES_OF_WEEKDAYS[found["weekday"]], _RELATIVES[found["relative"]]), "day"),
    rules.Rule(_SHORT_WEEKDAYS, rf"\b{_RELATIVE} {_WEEKDAY}", _relative_weekday, "day"),
    rules.Rule(_SHORT_MONTHS, rf"\b{_MONTH} {_DAY}(?:{_TO}{_LAST})?\b(?!:)(?:,? {_YEAR})?", _month_day, "day"),
    rules.Rule(_SHORT_MONTHS, rf"\b{_DAY}(?:(?:{_TO}| and ){_LAST})? (?:of )?{_MONTH}(?:,? {_YEAR})?", _month_day, "day"),
    rules.Rule(_ORDINALS, rf"\bthe (?P<ordinal>{alternatives(_ORDINALS)}) of {_FULL_MONTH}(?:,? {_YEAR})?", _month_day, "day"),
    rules.Rule(_SHORT_MONTHS, rf"\b{_PART}{_MONTH}\.?,? {_YEAR}", _month, "span"),
    rules.Rule(_MONTHS, rf"\b{_PART}{_FULL_MONTH}(?:,? (?:of )?(?:{_YEAR}|(?P<of>last|this|next) year\b))?(?:'s)?", _month, "span"),
    rules.Rule(_SHORT_MONTHS, _CUT_MONTH, _month, "span"),
    rules.Rule(_UNITS, rf"\b{_PART}{_RELATIVE} (?P<unit>week|weekend|month|year)\b", _relative_unit, "span"),
    rules.Rule(_SEASONS, rf"\b{_PART}{_RELATIVE} (?P<season>{alternatives(_SEASONS)})\b", _season, "span"),
    rules.Rule(_SEASONS, rf"\b(?:in|during|over|since|until|by|for|from) {_PART}(?P<season>{alternatives(_SEASONS)})\b(?: (?:of )?{_YEAR})?", _season, "span"),
    rules.Rule(_SEASONS, rf"\b(?P<season>{alternatives(_SEASONS)}) (?:of )?{_YEAR}", _season, "span"),
    rules.Rule(_HALVES, rf"\b(?P<half>{alternatives(_HALVES)})\b(?:,? (?:of )?(?:{_YEAR}|the year|this year))?", _half, "span"),
    rules.Rule(HOLIDAYS, rf"\b(?:(?P<whole>over|during) )?(?:(?P<relative>last|this|next) )?(?P<holiday>{alternatives(HOLIDAYS)})\b(?P<whole> holidays?| break| weekend)?(?: (?:of )?{_YEAR})?", _holiday, "day"),
    rules.Rule(("year",), r"\b(?:the end of the year|(?:by|at|before|until) (?:the )?(?:year[- ]end|year's end))\b", lambda _, anchor: days.part_of(days.months_of(anchor.day.year, 12, 12), "late"), "span"),
    rules.Rule(_UNITS, rf"\b(?:the )?(?P<part>{alternatives(_PARTS)}) the (?P<unit>week|month|year)\b", lambda found, anchor: rules.part_in(rules.units_away(anchor.day, found["unit"], 0), _part(found), anchor), "span"),
    rules.Rule(("19", "20"), rf"\b(?:in|of|since|until|till|by|from|during|before|after|back in|to) {_PART}{_YEAR}|\b(?P<part>early|mid|late)[ -]{_YEAR}", lambda found, anchor: rules.part_in(days.year_of(int(found["year"])), _part(found), anchor), "span"),
    rules.Rule(("st", "nd", "rd", "th"), rf"(?:\bthe |{_BEFORE_DAYS})(?P<day>3[01]|[12]\d|[1-9])(?:st|nd|rd|th)\b(?! (?:time|floor|place|year|century|grade|birthday))", lambda found, anchor: days.day_of_month(anchor, int(found["day"])), "day"),
    rules.Rule(_SHORT_WEEKDAYS, rf"(?<!every )(?<!each )(?<!other )\b{_WEEKDAY}(?!s)", lambda found, anchor: days.weekday_near(anchor, _NAMES_OF_WEEKDAYS[found["weekday"]]), "weekday"),
    rules.Rule(("weekend",), r"\b(?:over|at|on|for) the weekend\b|\bthe weekend\b", lambda _, anchor: days.weekend_of(anchor.day, min(anchor.lean, 0)), "span"),
)  # fmt: skip
"""The rules; rules that match more words come first."""
