"""Finds the numbers of a Korean text among its morphemes: digits, numerals, counters, signs, half hours.

What a run of digits and numerals amounts to is for `values`; the rest of the text is for `korean_reading`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bankd.core.language.korean.function_words import OBJECT, SUBJECT, TOPIC
from bankd.core.language.quantities import MEASURES
from bankd.core.language.values import DATE_UNITS, HALF, KOREAN_NUMERALS, MYRIADS, PLACES, korean_number, unit_of
from bankd.core.language.wording import Morpheme

_NUMERIC = frozenset({"SN", "NR", "W_SERIAL"})
_UNIT_TAGS = frozenset({"NNG", "NNP", "SL", "SW", "SH", "UN"})
_CURRENCIES = ("원", "달러", "유로", "엔")
_JOINERS = "-~∼–—"
_SIGNS = frozenset("-~<>≤≥±")
_PARTICLES = SUBJECT | TOPIC | OBJECT


@dataclass(frozen=True, slots=True)
class FoundNumber:
    """A number as text, its unit ("" when none stands there), and where the morphemes after both begin."""

    number: str
    unit: str
    end: int


def is_number(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Say whether a number begins or goes on here; 한 before a noun is an article (한 남자), not a count."""
    form, tag = morphemes[at]
    if tag == "NR":
        return korean_number([morphemes[at]]).isdigit()
    if tag in _NUMERIC or not (tag == "MM" or form == HALF):
        return tag in _NUMERIC
    noun, its_tag = morphemes[at + 1] if at + 1 < len(morphemes) else ("", "")
    is_measured = unit_of(noun) in MEASURES
    is_count = tag == "MM" and form in KOREAN_NUMERALS and (form != "한" or its_tag == "NNB" or is_measured)
    return is_count or (form == HALF and is_measured)


def is_particle_of_number(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Say whether a noun is a particle after bare digits, which the analyser mistakes (8080을)."""
    return at > 0 and morphemes[at].form in _PARTICLES and morphemes[at - 1].tag == "SN"


def find_number(morphemes: Sequence[Morpheme], start: int) -> FoundNumber:
    """Read the number that begins at `start`, with the unit behind it."""
    end = start + 1
    while end < len(morphemes) and (_goes_on(morphemes, end) or _joins(morphemes, end)):
        end += 1
    run = morphemes[start:end]
    number = _joined(run) if any(tag == "SO" for _, tag in run) else korean_number(run)
    if start and morphemes[start - 1].form in _SIGNS:
        number = morphemes[start - 1].form + number
    unit = _unit(morphemes, end)
    return FoundNumber(number, unit, end + bool(unit))


def _joined(run: Sequence[Morpheme]) -> str:
    """Numbers with signs between them, such as 10~20 or 010-1234-5678, with one sign for all kinds of dash."""
    return "".join("-" if form in _JOINERS else form for form, _ in run)


def _goes_on(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Say whether a numeral continues the number before it: 29 만, 열 두; two runs of digits are two, but 4만 8천 is one."""
    if morphemes[at - 1].tag == "SO":
        return morphemes[at].tag in _NUMERIC
    if morphemes[at].tag == "SN" and morphemes[at - 1].form in MYRIADS:
        after = morphemes[at + 1].form if at + 1 < len(morphemes) else ""
        is_place = bool(after) and all(letter in PLACES or letter in MYRIADS for letter in after)
        return is_place or unit_of(after) in _CURRENCIES
    return morphemes[at].tag in ("NR", "MM") and is_number(morphemes, at)


def _joins(morphemes: Sequence[Morpheme], at: int) -> bool:
    form, tag = morphemes[at]
    after = morphemes[at + 1].tag if at + 1 < len(morphemes) else ""
    return tag == "SO" and form in _JOINERS and after in _NUMERIC


def _unit(morphemes: Sequence[Morpheme], at: int) -> str:
    if at >= len(morphemes):
        return ""
    form, tag = morphemes[at]
    if tag == "NNB" or (tag == "UN" and form in DATE_UNITS):
        return form if form in DATE_UNITS else unit_of(form) or form
    return (unit_of(form) or "") if tag in _UNIT_TAGS else ""
