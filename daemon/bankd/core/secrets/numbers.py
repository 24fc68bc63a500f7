"""Numbers that identify or pay for a person: known by their check digits, so that an order number is none."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Two digits each of year, month and day, then sex and century, as the Korean resident registration act numbers people.
_RESIDENT = re.compile(r"(?<![\d-])\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?P<gap>[ \-–]?)[1-8]\d{6}(?![\d-])")
_CARD = re.compile(r"(?<![\d.-])(?:[2-69]\d{3}([ -]?)\d{4}\1\d{4}\1\d{4}|3[47]\d{2}([ -]?)\d{6}\2\d{5})(?![\d.-])")
_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_RESIDENT_NAMES = re.compile(r"주민|등록번호|외국인|resident|rrn", re.IGNORECASE)
_CARD_PREFIXES = re.compile(r"4|5[1-5]|2[2-7]|3[457]|6[0245]|9")  # the networks' own ranges; 9 is Korea's own


def find_numbers(text: str) -> Iterator[tuple[str, int, int]]:
    """Give kind, start and end of each resident number and card number in a text."""
    for found in _RESIDENT.finditer(text):
        if _is_resident(_digits(found[0])) or _RESIDENT_NAMES.search(text):
            yield "resident number", found.start(), found.end()
    for found in _CARD.finditer(text):
        if _CARD_PREFIXES.match(found[0]) and is_luhn(_digits(found[0])):
            yield "card number", found.start(), found.end()


def _digits(text: str) -> list[int]:
    return [int(c) for c in text if c.isdigit()]


def _is_resident(digits: list[int]) -> bool:
    """The check digit of residents, or of registered foreigners, whose own is two higher."""
    total = sum(weight * digit for weight, digit in zip(_RESIDENT_WEIGHTS, digits, strict=False))
    return digits[12] in {(11 - total % 11) % 10, (13 - total % 11) % 10}


def is_luhn(digits: list[int]) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1, annex B)."""
    doubled = [digit if i % 2 == 0 else sum(divmod(digit * 2, 10)) for i, digit in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
