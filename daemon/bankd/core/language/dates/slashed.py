"""Days as Korean notes cut them short: 9/26, 10/5(금), 8/13~14, 25년 3/15. A fraction, and a share of tests, is none."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from bankd.core.language.dates.rules import Groups, Rule
from bankd.core.language.dates.spans import Anchor, Span, month_of, nearest_span

_COUNTED = (
    r"(?:통과|성공|실패|완료|정도|수준|가량|크기|이상|이하|지점|밖에|번째"
    r"|(?:개|명|건|점|쪽|장|권|강|회|주|학기|분기|인치|컵|만)(?:[이가은는을를만로씩]|밖에)?(?![가-힣]))"
)
"""What tells behind two numbers that they are a share or a size; 점 is one, 점심 is none."""
_WHEN = (
    r"일|에(?!서)|부터|까지|이후|이전|전(?![가-힣])|쯤|경|날|[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣]))"
    r"| ?(?:오전|오후|아침|점심|저녁|밤|새벽|낮|\d{1,2}시|\d{1,2}:\d\d)"
)
"""What tells that they are a day."""
_DAY = r"3[01]|[12]\d|0?[1-9]"
_FRACTIONS = (2, 3, 4, 5, 10)
"""What a number is usually divided by: 1/3 names a day only where something beside it says so."""
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


RULES: Sequence[Rule] = (
    Rule(
        ("/",),
        rf"(?<![\w/.+-])(?:(?P<year>\d\d)년 ?)?(?P<month>1[0-2]|0?[1-9])/(?P<day>{_DAY})(?:일| ?[~\u2013-] ?(?P<last>{_DAY})일?)?"
        rf"(?![\d/%:]|\.\d)(?= ?(?P<counted>{_COUNTED})?)(?=(?P<when>{_WHEN})?)(?:[ (]*[월화수목금토일](?:요일|욜)?(?:\)|(?![가-힣])))?",
        _slashed,
        "day",
    ),
)
