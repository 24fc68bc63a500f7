"""How days are said in Korean."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bankd.words import day_rules as rules
from bankd.words import days
from bankd.words.day_rules import KOREAN as HOLIDAYS
from bankd.words.day_rules import alternatives
from bankd.words.tables import meanings_in, number_meanings

_DAYS, _COUNTED_DAYS = number_meanings("days", "korean_days"), number_meanings("days", "korean_counted_days")
_NUMBERS, _UNITS = number_meanings("days", "korean_counts"), meanings_in("days", "korean_units")
_WEEK, _MONTH, _YEAR = (number_meanings("days", f"korean_{unit}s") for unit in ("week", "month", "year"))
_SEASONS = {"봄": 0, "여름": 1, "가을": 2, "겨울": 3}
_PARTS = meanings_in("days", "korean_parts")
_HALVES = {"상반기": (1, 6), "하반기": (7, 12), "1분기": (1, 3), "2분기": (4, 6), "3분기": (7, 9), "4분기": (10, 12)}
_WAYS = ("전", "뒤", "후")
_AROUND = ("지난", "최근", "앞으로", "향후")
_WEEKDAYS = "월화수목금토일"
CUT_WEEKDAY = rf"[{_WEEKDAYS}](?= (?:오전|오후|아침|점심|저녁|밤|새벽|낮|\d{{1,2}}시(?!간)|\d{{1,2}}:\d\d))"
"""A weekday shortened to its first syllable, recognised by the time after it: 목 저녁 8시, 금 18:30."""
_VAGUE = {"몇", "며칠", "몇몇"}

_COUNT = rf"(?P<count>\d{{1,3}}|{alternatives(_NUMBERS)})"
_UNIT = rf"(?P<unit>{alternatives(_UNITS)})"
_WEEKDAY = rf"(?P<weekday>[{_WEEKDAYS}])(?:요일|욜)(?!마다)"
_IN_YEAR = rf"(?:(?P<year>(?:19|20)\d\d)년 ?|(?P<of>{alternatives(_YEAR)}) ?|(?P<years>\d{{1,2}}|{alternatives(_NUMBERS)}) ?년 전 ?)"
_PART_WORDS = "|".join(re.sub("(째|첫|막)주", r"\1 ?주", word) for word in sorted(_PARTS, key=len, reverse=True))
_PART = (
    rf"(?: ?(?P<part>{_PART_WORDS})(?![가-힣])|(?: ?(?P<part>{_PART_WORDS})(?=에|부터|까지|쯤|경|께|로|의|엔|이|도)))?"
)
_AT = r"(?=에|엔|부터|까지|이후|이래|내내|동안|철|쯤|때|$|[ ,.?!]*$)"
_NO_HANGUL = r"(?<![가-힣])"

_SET_FOR = re.compile(
    r"(?:기로 ?(?:했|약속|정)|예정|계획|(?:로|에) ?(?:예약|잡[았혀히]|잡아|정했|정해|정하|미뤘|미뤄|연기|옮겼|확정|변경|바꿨|바꾸))"
)
_AHEAD = re.compile(r"겠|을 ?것|ㄹ ?것|[가-힣]ㄹ|일정|약속|다가오|앞으로|예정|계획|해야|야 ?(?:한다|해|돼|된다)")


def read_korean_lean(clause: str) -> int:
    """Whether a clause is about the past (-1) or the future (1); 0 if it does not say."""
    if _SET_FOR.search(clause) or _AHEAD.search(clause):
        return 1
    return -1 if "적 있" in clause or "적이 있" in clause or any(map(_is_past, clause)) else 0


def _is_past(syllable: str) -> bool:
    """Whether a syllable ends in ㅆ of the past tense; 있 and 겠 end in ㅆ without being past."""
    return "가" <= syllable <= "힣" and (ord(syllable) - 0xAC00) % 28 == 20 and syllable not in "있겠"


def _count(written: str) -> int:
    return int(written) if written.isdecimal() else _NUMBERS[written]


def _sign(found: rules.Groups) -> int:
    return -1 if found["way"] == "전" else 1


def _away(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    unit, count = _UNITS[found["unit"]], _sign(found) * _count(found["count"])
    if found["count"] in _VAGUE:
        return rules.vaguely_away(anchor.day, unit, _sign(found))
    return rules.exactly_away(anchor.day, unit, count) if found["today"] else rules.units_away(anchor.day, unit, count)


def _days_away(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    if found["count"] == "며칠":
        return rules.vaguely_away(anchor.day, "day", _sign(found))
    return days.shifted(anchor.day, _sign(found) * _COUNTED_DAYS[found["count"]])


def _around(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    ahead = 1 if found["way"] in {"앞으로", "향후"} else -1
    return rules.window_of(anchor.day, _UNITS[found["unit"]], ahead * _count(found["count"]))


def _part(found: rules.Groups) -> str:
    return _PARTS.get((found.get("part") or "").replace(" ", ""), "")


def _week(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    shift = _WEEK[found["relative"]]
    if found.get("weekday"):
        return days.weekday_of_week(anchor.day, _WEEKDAYS.index(found["weekday"]), shift)
    if found.get("weekend"):
        return days.weekend_of(anchor.day, shift)
    return rules.part_in(rules.units_away(anchor.day, "week", shift), _part(found), anchor)


def _relative_weekday(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    weekday, relative = _WEEKDAYS.index(found["weekday"]), found["relative"]
    if relative in {"지난", "저번", "지난번"}:
        return days.weekday_near(anchor._replace(lean=-1), weekday)
    if relative in {"오는", "돌아오는"}:
        return days.weekday_near(anchor._replace(lean=1), weekday)
    return days.weekday_of_week(anchor.day, weekday, 0 if relative == "이번" else 1)


def _month_away(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    month = days.month_of(anchor.day.year, anchor.day.month + _MONTH[found["relative"]])
    if found.get("day"):
        return days.on(month.first.replace(day=int(found["day"])))
    return rules.part_in(month, _part(found), anchor)


def _of_year(found: rules.Groups, anchor: days.Anchor, of_year: Callable[[int], days.Span]) -> days.Span:
    """A yearly day or season: in the named year, or else the nearest one."""
    if found.get("year"):
        return of_year(int(found["year"]))
    if found.get("of"):
        return of_year(anchor.day.year + _YEAR[found["of"]])
    if found.get("years"):
        return of_year(anchor.day.year - _count(found["years"]))
    return days.nearest_span(anchor, of_year)


def _month(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    span = _of_year(found, anchor, lambda year: days.month_of(year, int(found["month"])))
    return rules.part_in(span, _part(found), anchor)


def _month_day(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    month, day = int(found["month"]), int(found["day"])
    first = _of_year(found, anchor, lambda year: days.on(days.month_of(year, month).first.replace(day=day))).first
    return days.Span(first, max(first, first.replace(day=int(found.get("last") or day))))


def _season(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    def of_year(year: int) -> days.Span:
        return days.season_of(year, _SEASONS[found["season"]])

    if found.get("relative") in {"지난"}:
        spans = map(of_year, range(anchor.day.year - 2, anchor.day.year + 1))
        return max(span for span in spans if span.last < anchor.day)
    if found.get("relative"):
        return of_year(anchor.day.year + (1 if found["relative"].startswith("다음") else 0))
    return rules.part_in(_of_year(found, anchor, of_year), _part(found), anchor)


def _half(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    return _of_year(found, anchor, lambda year: days.months_of(year, *_HALVES[found["half"].replace(" ", "")]))


def _whole_year(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    span = _of_year(found, anchor, days.year_of)
    part = _part(found)
    if part in {"early", "late"}:
        return days.months_of(span.first.year, *((1, 2) if part == "early" else (11, 12)))
    return days.part_of(span, part) if part else span


def _holiday(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    name, is_whole = HOLIDAYS.get(found["holiday"], "seollal"), bool(found["whole"])
    return _of_year(found, anchor, lambda year: rules.holiday_of(year, name, is_whole=is_whole))


def _ends_of_year(found: rules.Groups, anchor: days.Anchor) -> days.Span:
    if found["end"] == "연말":
        return _of_year(found, anchor, lambda year: days.part_of(days.months_of(year, 12, 12), "late"))
    return _of_year(found, anchor, lambda year: days.months_of(year, 1, 1))


_DELIVERED = r"(?!(?<=전달)(?:[하되받함해했한할된될됨돼드]|사항))"
"""전달 is last month, but 전달하다 means to deliver."""
_IN_MONTH = r"(?P<month>1[0-2]|0?[1-9])월"
RULES: Sequence[rules.Rule] = (
    rules.Rule(_DAYS, rf"{_NO_HANGUL}(?P<word>{alternatives(_DAYS)})(?!날)", lambda found, anchor: days.shifted(anchor.day, _DAYS[found["word"]]), "day"),
    rules.Rule(("월",), rf"{_IN_YEAR}?{_IN_MONTH} ?(?P<day>3[01]|[12]\d|0?[1-9])(?:일? ?[~\u2013-] ?(?P<last>3[01]|[12]\d|0?[1-9]))?일(?!간| ?동안)(?:[ (]*[{_WEEKDAYS}]요?일?\)?(?![가-힣]))?(?: ?[{_WEEKDAYS}]요일)?", _month_day, "day"),
    rules.Rule(("월",), rf"{_IN_YEAR}?{_IN_MONTH}(?!요일){_PART}", _month, "span"),
    rules.Rule(_SEASONS, rf"{_IN_YEAR}(?P<season>{alternatives(_SEASONS)}){_PART}", _season, "span"),
    rules.Rule(_SEASONS, rf"(?P<relative>지난|이번|올|다음) ?(?P<season>{alternatives(_SEASONS)})", _season, "span"),
    rules.Rule(_SEASONS, rf"{_NO_HANGUL}(?P<season>{alternatives(_SEASONS)}){_AT}", _season, "span"),
    rules.Rule(("반기", "분기"), rf"{_IN_YEAR}(?P<half>[상하]반기|[1-4] ?분기)|{_NO_HANGUL}(?P<half>[상하]반기|[1-4] ?분기){_AT}", _half, "span"),
    rules.Rule(("주일",), rf"{_NO_HANGUL}(?P<count>일|1) ?주일 ?(?P<way>전|뒤|후)", lambda found, anchor: rules.exactly_away(anchor.day, "week", _sign(found)), "day"),
    rules.Rule(_WAYS, rf"{_NO_HANGUL}{_COUNT} ?{_UNIT} ?(?P<way>전|뒤|후)(?![가-힣]*쟁)(?P<today> 오늘)?", _away, "span"),
    rules.Rule(_WAYS, rf"{_NO_HANGUL}(?P<count>며칠|{alternatives(_COUNTED_DAYS)}) ?(?P<way>전|뒤|후)", _days_away, "day"),
    rules.Rule(_AROUND, rf"(?P<way>{alternatives(_AROUND)}) ?{_COUNT} ?{_UNIT}(?: ?(?:동안|간|사이))?", _around, "span"),
    rules.Rule(("주",), rf"{_NO_HANGUL}(?P<relative>{alternatives(_WEEK)}) ?(?:(?P<weekend>주말)|주 ?{_WEEKDAY}|주(?!말|하) ?(?P<part>초|중반|말|후반)?(?![가-힣]*일에 ))", _week, "span"),
    rules.Rule(("요일", "욜"), rf"(?P<relative>지난번|지난|저번|이번|다음|오는|돌아오는) ?{_WEEKDAY}", _relative_weekday, "day"),
    rules.Rule(("달",), rf"{_NO_HANGUL}(?P<relative>{alternatives(_MONTH)}) ?달 ?(?P<day>3[01]|[12]\d|0?[1-9])일", _month_away, "day"),
    rules.Rule(("달",), rf"{_NO_HANGUL}(?P<relative>{alternatives(_MONTH)}) ?달{_DELIVERED}{_PART}", _month_away, "span"),
    rules.Rule((*HOLIDAYS, "설"), rf"(?:{_IN_YEAR}|{_NO_HANGUL})(?P<holiday>{alternatives(HOLIDAYS)}|설(?=날| ?연휴| ?명절|에 |엔 |에는 |에,))(?P<whole> ?(?:연휴|명절))?(?!거지)", _holiday, "day"),
    rules.Rule(("연말", "연초"), rf"{_IN_YEAR}?(?P<end>연말|연초)", _ends_of_year, "span"),
    rules.Rule(("새해",), rf"{_NO_HANGUL}(?P<end>새해)", lambda _, anchor: days.nearest_span(anchor, lambda year: days.months_of(year, 1, 1)), "span"),
    rules.Rule(("월",), r"(?<![가-힣])월(?P<end>초|말)", lambda found, anchor: days.part_of(days.month_of(anchor.day.year, anchor.day.month), "late" if found["end"] == "말" else "early"), "span"),
    rules.Rule(("년", "해"), rf"{_IN_YEAR}{_PART}", _whole_year, "span"),
    rules.Rule(("일",), rf"(?<![\d월][.,] )(?<![\d월] )(?<![\d월.,])(?P<day>3[01]|[12]\d|[1-9])일(?=에(?!서| 한)| 사이|까지|부터|쯤|경|날|이다|이야|이고| ?\(?[{_WEEKDAYS}]요일| (?:오전|오후|아침|저녁|밤|새벽|점심))(?: ?\(?[{_WEEKDAYS}]요일\)?)?", lambda found, anchor: days.day_of_month(anchor, int(found["day"])), "day"),
    rules.Rule(("요일", "욜"), rf"{_NO_HANGUL}(?<!매주 ){_WEEKDAY}", lambda found, anchor: days.weekday_near(anchor, _WEEKDAYS.index(found["weekday"])), "weekday"),
    rules.Rule(tuple(_WEEKDAYS), rf"(?<!\S)(?P<weekday>{CUT_WEEKDAY})", lambda found, anchor: days.weekday_near(anchor, _WEEKDAYS.index(found["weekday"])), "weekday"),
    rules.Rule(("주말",), rf"{_NO_HANGUL}주말", lambda _, anchor: days.weekend_of(anchor.day, min(anchor.lean, 0)), "span"),
)  # fmt: skip
"""The rules; rules that match more words come first."""
