"""One quantity in one way: an hour and a half, 90 minutes and 1.5 hours are the same 5400 seconds.

Calendar days and clock times are no quantities, but two weeks are 14 days; currencies keep to themselves.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache
from types import MappingProxyType

from bankd.core.language.statement import Token, TokenKind
from bankd.core.language.values import show_number

_SCALES: Mapping[str, tuple[int | Decimal, str]] = MappingProxyType(
    {
        "ms": (Decimal("0.001"), "초"), "분": (60, "초"), "시간": (3600, "초"), "주": (7, "일"), "년": (12, "개월"),
        "km": (1000, "m"), "cm": (Decimal("0.01"), "m"), "mm": (Decimal("0.001"), "m"),
        "kg": (1000, "g"), "mg": (Decimal("0.001"), "g"), "ml": (Decimal("0.001"), "l"),
        "mb": (1024, "kb"), "gb": (1024**2, "kb"), "tb": (1024**3, "kb"),
    }
)  # fmt: skip
"""Unit -> what one of it is, and in which unit."""
MEASURES = frozenset(_SCALES) | frozenset(unit for _, unit in _SCALES.values())
"""The units of which there are smaller or larger ones."""
_CALENDAR = 1000
"""From here on a number of years is the name of one."""
_WEEKS = "주"
_QUANTITY = re.compile(r"(\d+(?:\.\d+)?)(\D+)")


@lru_cache(maxsize=50_000)  # the values of a run
def base_quantity(value: str) -> str:
    """A value as written by `values` in the smallest unit of its kind; as given when it is no quantity of several units."""
    found = _QUANTITY.fullmatch(value)
    if found is None or found[2] not in _SCALES or (found[2] == "년" and Decimal(found[1]) >= _CALENDAR):
        return value
    times, unit = _SCALES[found[2]]
    return show_number(Decimal(found[1]) * times) + unit


def and_a_half(value: str) -> str:
    """A whole number of a unit and half of it: 1시간 -> 1.5시간; as given when it is no such value."""
    found = re.fullmatch(r"(\d+)(\D+)", value)
    return f"{found[1]}.5{found[2]}" if found else value


def join_quantities(tokens: list[Token]) -> None:
    """Write what a quantity and one of a smaller unit behind it make as one: 1시간 35분, 1 hour and 35 minutes -> 95분."""
    for at in range(len(tokens) - 2, -1, -1):
        behind = at + 2 if tokens[at + 1].base == "and" and at + 2 < len(tokens) else at + 1
        is_of_values = tokens[at].kind is tokens[behind].kind is TokenKind.VALUE and not tokens[behind].negation
        if is_of_values and (total := _add_smaller(tokens[at].base, tokens[behind].base)):
            tokens[behind].base, tokens[behind].negation = total, tokens[at].negation
            del tokens[at:behind]


def _add_smaller(larger: str, smaller: str) -> str:
    """Two quantities together, in the unit of the smaller; empty where it is no part of one of the larger unit."""
    whole, part = _QUANTITY.fullmatch(larger), _QUANTITY.fullmatch(smaller)
    if not (whole and part) or base_quantity(larger) == larger:
        return ""
    (size, base), (small, of_same) = _SCALES[whole[2]], _SCALES.get(part[2], (1, part[2]))
    is_part = base == of_same and Decimal(part[1]) * small < size
    return show_number(Decimal(whole[1]) * size / small + Decimal(part[1])) + part[2] if is_part else ""
