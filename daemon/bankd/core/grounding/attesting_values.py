"""Whether each amount, number and time of a line stands somewhere in the log's own sentences."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from datetime import date

from bankd.core.grounding.aligning import is_alike
from bankd.core.grounding.named_days import days_named_in
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.said_in_log import DIGITS, LEADING_NUMBER, SaidInLog, strip_value
from bankd.core.language.quantities import MEASURES, base_quantity
from bankd.core.language.statement import Token, TokenKind
from bankd.core.language.values import DATE_UNITS, PARTS_OF_DAY, numerals_of

_WEEKDAY = "(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_COUNT = r"두세네석넉섯곱덟홉열몇\d"
_EVERY = f"(?<![{_COUNT}])(?<![{_COUNT}] )"
"""Before what recurs each time, and not each second or third."""
_A_MONTH = r"(?<!\d)(?<!\d )월 ?\d"
_OTHERWISE = {
    "daily": "day", "weekly": rf"week(?!day|end)|(?:every|each) {_WEEKDAY}|{_WEEKDAY}s\b", "monthly": "month", "yearly": "year",
    "annual": "year", "매일": f"하루|{_EVERY}날마다", "매주": "한 주|요일마다", "매달": f"한 달|{_EVERY}달마다|{_A_MONTH}", "매월": f"한 달|{_EVERY}달마다|{_A_MONTH}",
    "매년": f"한 해|{_EVERY}해마다", "morning": r"\bam\b", "afternoon": r"\bpm\b", "evening": r"\bpm\b",
}  # fmt: skip
"""What recurs and parts of the day, and how they are said too: weekly, a week; 매주 목요일, 목요일마다; Friday am."""
_MILLI = {"mg", "ml", "mm"}
"""What 밀리 stands for."""
_OTHER_TURN = re.compile(r"다음|지난|저번")
_EACH_ONE = re.compile(r"1\D*당")
"""By what an amount is told: 1인당."""
_A_ONE = re.compile(r"(?<![\d.])1(?!\.?\d)")
_ONE_OF = {"시간": "hour", "분": "minute", "일": "day", "주": "week", "개월": "month", "년": "year"}
_CUT_SHORT = {"분": "m", "시간": "h", "일": "d", "주": "wks?", "개월": "mos?", "년": "y"}
"""Units by a letter or two, which elsewhere stand for other things: 11m -> 4m, 3 wks."""
BECAME = frozenset({"to", "→", "->"})
"""Before what something became: that is written in a log, and is no difference of two numbers."""
_SHARP, _NAMED_HOURS = ":00", {12: ("noon", "정오"), 0: ("midnight", "자정")}
_CLOCK = re.compile(r"(\d\d?)(?::[0-5]\d|시)")
_HOURS_OF = {
    "새벽": (0, 7), "아침": (5, 11), "오전": (0, 12), "점심": (11, 14), "오후": (12, 24), "저녁": (17, 22), "밤": (19, 24),
    "morning": (0, 12), "afternoon": (12, 18), "evening": (17, 23), "night": (19, 24),
}  # fmt: skip
"""The hours of a part of the day, from and to: who wrote at 02:40 wrote 새벽."""
_NOON, _MORNING = 12, re.compile(r"오전|아침|새벽|\dam\b| am\b")


def find_unsaid_value(line: Passage, said: SaidInLog) -> str | None:
    """The first of its values that nothing says, in words; None when there is none."""
    in_days = _said_as_days(line, said.day)
    tokens = line.statement.tokens
    for at, token in enumerate(tokens):
        before, behind = (tokens[near].base if 0 <= near < len(tokens) else "" for near in (at - 1, at + 1))
        if token.kind is TokenKind.VALUE and not _is_known(token, before, behind, line, said, in_days):
            return f"the value {line.as_written(token.base)} is not in its lines"
    return None


def _said_as_days(line: Passage, day: date | None) -> Set[str]:
    """The words and numbers of the days that a line names, which are looked at as days."""
    days = days_named_in(line, day)
    written = {part for named in days for part in named.written.lower().split()}
    numbers = {run.lstrip("0") for part in written for run in DIGITS.findall(part)}
    resolved = {str(part) for named in days for part in (named.span.first.month, named.span.first.year)}
    return written | numbers | resolved


def _is_known(token: Token, before: str, behind: str, line: Passage, said: SaidInLog, in_days: Set[str]) -> bool:
    if _EACH_ONE.fullmatch(token.base):
        return True
    value = strip_value(token.base)
    known = said.values if before in BECAME else said.values | said.worked_out
    runs = DIGITS.findall(value)
    if (
        value in in_days
        or {base_quantity(value), f"-{value}"} & known
        or (runs and {run.lstrip("0") for run in runs} <= in_days)
    ):
        return True
    if not runs:
        return _is_time_said(value, line, said) or value in " ".join(in_days)
    if value.endswith(_SHARP):
        return _is_hour_said(int(runs[0]), said)
    found = LEADING_NUMBER.match(value)
    if found is None or DIGITS.search(value[found.end() :]):
        return False
    number, unit = found[0], value[found.end() :]
    is_one = number == "1" and unit not in MEASURES | DATE_UNITS and not _A_ONE.search(line.text)
    is_bare = number in said.digits and (
        not unit or number in said.values
    )  # 8080 for 8080번, but 3 days are no 3 hours
    hours = _hours(int(number), unit, said) if number.isdecimal() else ()
    is_said = is_one or is_bare or _is_said_in_short(number, unit, said)
    return is_said or any(_is_written(hour, unit or behind, said) for hour in hours)


def _is_said_in_short(number: str, unit: str, said: SaidInLog) -> bool:
    """Whether an amount stands in the log without its number, or with a letter or nothing for its unit: the last hour, 11m, 28만."""
    forms = [rf"(?<![\w.]){number} ?{_CUT_SHORT[unit]}(?![a-z])"] if unit in _CUT_SHORT else []
    if number == "1" and unit in _ONE_OF:
        forms.append(rf"\b(?:an?|the|last|past|each|every|per|next|this) {_ONE_OF[unit]}\b")
    return any(re.search(form, said.text) for form in forms) or _is_money_said(number, unit, said)


def _is_money_said(number: str, unit: str, said: SaidInLog) -> bool:
    """Whether an amount of won is said as people cut it short: 28만; beside another of 만 원 also 150."""
    is_of_myriads = number.endswith("0000") and "만" in said.text
    return unit == "원" and (number in said.digits or (is_of_myriads and number[:-4] in said.digits))


def _is_hour_said(hour: int, said: SaidInLog) -> bool:
    """Whether an hour is said without its minutes, in figures or in words; past noon also as a clock shows it."""
    shown = _hours(hour, "시", said)
    words = [numeral for one in shown for numeral in (*numerals_of(one), str(one), *_NAMED_HOURS.get(one, ()))]
    return any(re.search(rf"(?<![a-z0-9]){word}(?![a-z0-9])", said.text) for word in words)


def _is_time_said(value: str, line: Passage, said: SaidInLog) -> bool:
    """Whether a word of time is said, in other words too; a part of the day is judged with the hour behind it."""
    if value in PARTS_OF_DAY and any(token.base.endswith("시") for token in line.statement.tokens):
        return True
    begin, end = _HOURS_OF.get(value, (0, 0))
    is_in_it = any(begin <= int(found[1]) < end for one in said.values if (found := _CLOCK.fullmatch(one)))
    is_otherwise = value in _OTHERWISE and re.search(_OTHERWISE[value], said.text) is not None
    is_said = value in said.text or any(is_alike(value, other) for other in said.values)
    is_this = value == "이번" and not _OTHER_TURN.search(said.text)
    return is_this or is_in_it or is_otherwise or is_said


def _hours(number: int, unit: str, said: SaidInLog) -> Sequence[int]:
    """A number; as an hour past noon also that which a clock shows, where no morning is spoken of: 저녁 7시."""
    is_late = unit == "시" and number > _NOON and not _MORNING.search(said.text)
    return (number, number - _NOON) if is_late else (number,)


def _is_written(number: int, unit: str, said: SaidInLog) -> bool:
    is_milli = unit in _MILLI and re.search(rf"(?<![\d.,]){number} ?밀리", said.text)
    return (
        bool(is_milli) or f"{number}{unit}" in said.values or any(f + unit in said.letters for f in numerals_of(number))
    )
