"""Numbers with their units, dates and times, in one way of writing each: 29만원, 290,000원 and 290000 won agree.

A quantity is compared in the smallest unit: 90 minutes and 1.5 hours are 5400 seconds. Two weeks are 14 days, but a
calendar day and a clock time are no quantities, and each currency stays as it is. Parts of the day (morning, 밤) and amounts
of two units (an hour and 35 minutes) stay as they are written: reading them brought less than .01 of what is the same, or
newer (`python -m bench.sameness`), and of true lines of a model (`python -m bench.grounding`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from bankd.words.statement import Morpheme
from bankd.words.tables import meanings_in, number_meanings, split_words, table_rows

UNITS = meanings_in("units", "units")
"""Unit as written (lower case) -> its one name. 분 and 시 of the clock keep their own names."""

DATE_UNITS = split_words("년 월 일 시 분 초 am pm")

_NUMBERS, _ENGLISH_SCALES = number_meanings("english", "numbers"), number_meanings("english", "scales")
_DIGITS, _NATIVE = number_meanings("korean", "digits"), number_meanings("korean", "native_numerals")
PLACES, MYRIADS = number_meanings("korean", "places"), number_meanings("korean", "myriads")

_ISO_DATE = re.compile(r"((?:19|20)\d\d)[-./](0?[1-9]|1[0-2])[-./](0?[1-9]|[12]\d|3[01])")
_TENS = 20

KOREAN_NUMERALS = frozenset(_NATIVE)


def numerals_of(number: int) -> tuple[str, ...]:
    """The Korean words for a number, if it has any: 일곱 and 칠 for 7, 열여섯 for 16."""
    tables, ones = (_NATIVE, _DIGITS, PLACES, MYRIADS), number % 10
    tens = [form for form, value in _NATIVE.items() if ones and 10 <= value == number - ones]
    joined = [ten + form for ten in tens for form, value in _NATIVE.items() if value == ones]
    return (*(form for table in tables for form, value in table.items() if value == number), *joined)


def iso_date(number: str) -> Sequence[str]:
    """The year, month and day of a date in figures, each with its unit; empty if it is not a date."""
    found = _ISO_DATE.fullmatch(number)
    return [f"{int(part)}{unit}" for part, unit in zip(found.groups(), "년월일", strict=True)] if found else []


def korean_number(morphemes: Sequence[Morpheme]) -> str:
    """The number that a run of digits and numerals makes, e.g. 29 만 -> 290000; the run as written if it makes none.

    Digits alone stay as written, without commas: version 3.10 is not version 3.1, and 007 is not 7.
    """
    if len(morphemes) == 1 and morphemes[0].tag in ("SN", "W_SERIAL"):
        return morphemes[0].form.replace(",", "")
    number = _add_up([piece for form, _ in morphemes for piece in _pieces(form)])
    return "".join(form for form, _ in morphemes) if number is None else show_number(number)


def _add_up(pieces: Sequence[str]) -> Decimal | None:
    """The number of digits, numerals, places and myriads in a row; None when they make none.

    After 억 a final 천 or 백 counts 만, which people leave out: 2억 7천 is 270,000,000.
    """
    total, part, digit = Decimal(0), Decimal(0), Decimal(0)
    for piece in pieces:
        value = _plain(piece)
        if piece in MYRIADS:
            total += (part + digit or 1) * MYRIADS[piece]
            part = digit = Decimal(0)
        elif piece in PLACES:
            part += (digit or 1) * PLACES[piece]
            digit = Decimal(0)
        elif value is None or (digit and (value >= 10 or digit % 10)):
            return None
        else:
            digit += value
    is_short = total and not total % MYRIADS["억"] and part and not digit
    return total + (part * MYRIADS["만"] if is_short else part + digit)


def _pieces(form: str) -> Sequence[str]:
    """Sino-Korean numerals syllable by syllable; native ones and digits whole."""
    return (form,) if form in _NATIVE or not all(letter in _SINO for letter in form) else tuple(form)


_SINO = frozenset(_DIGITS) | frozenset(PLACES) | frozenset(MYRIADS)


def _plain(piece: str) -> Decimal | None:
    if piece in _DIGITS:
        return Decimal(_DIGITS[piece])
    if piece in _NATIVE:
        return Decimal(_NATIVE[piece])
    try:
        return Decimal(piece.replace(",", ""))
    except InvalidOperation:
        return None


def show_number(number: Decimal) -> str:
    """A number without trailing zeros or exponent."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def english_number(words: Sequence[str]) -> tuple[str, int] | None:
    """The number that words begin with, and how many words it takes: three hundred twenty -> ("320", 3)."""
    total = part = count = 0
    for at, word in enumerate(words):
        if word == "-" and part % 100 >= _TENS and _NUMBERS.get("".join(words[at + 1 : at + 2]), 10) < 10:
            pass  # thirty-four
        elif word in _NUMBERS and (part % 10 == 0 or not count):
            part += _NUMBERS[word]
        elif word in _ENGLISH_SCALES and count:
            part = (part or 1) * _ENGLISH_SCALES[word]
            if _ENGLISH_SCALES[word] >= 1000:
                total, part = total + part, 0
        else:
            break
        count += 1
    return (str(total + part), count) if count else None


def unit_of(form: str) -> str | None:
    """The standard name of a unit; None for a word that is not a unit."""
    return UNITS.get(form.lower())


def clock_hour(hour: str, half: str) -> str:
    """The hour from 0 to 23 for an hour from 1 to 12 with am or pm; unchanged if that makes no sense."""
    if not hour.isdigit() or int(hour) > 12:
        return hour
    return str(int(hour) % 12 + (12 if half == "pm" else 0))


_SCALES = {unit: (Decimal(times), smaller) for unit, times, smaller in table_rows("scales")}
"""Unit -> how much one of it is, and in which smaller unit."""
MEASURES = frozenset(_SCALES) | frozenset(unit for _, unit in _SCALES.values())
"""The units that have smaller or larger ones."""
_CALENDAR = 1000
"""From this number on, "… years" is the name of a year, not a duration."""
_WEEKS = "주"
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(\D+)")


@lru_cache(maxsize=50_000)  # enough for the values of a run
def base_quantity(value: str) -> str:
    """A value in the smallest unit of its kind; unchanged if its kind has only one unit."""
    found = _QUANTITY.fullmatch(value)
    if found is None or found[2] not in _SCALES or (found[2] == "년" and Decimal(found[1]) >= _CALENDAR):
        return value
    times, unit = _SCALES[found[2]]
    return show_number(Decimal(found[1]) * times) + unit
