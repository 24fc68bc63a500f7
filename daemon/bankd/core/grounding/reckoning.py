"""The amounts that a sentence does not name, and who reads it works out: of 640 euros 210 are paid, so 430 are left."""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from decimal import Decimal
from itertools import combinations

from bankd.core.language.quantities import base_quantity
from bankd.core.language.values import show_number

_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)((?!년|월|일|시)\D*)")
_CLOCK, _HOURS = re.compile(r"(\d\d?):([0-5]\d)"), re.compile(r"(\d+)시간")
_BY_CHANCE = 10
"""Smaller numbers any two of a sentence make: 3 and 2, 5 and 1."""


def reckon(values: Set[str]) -> Iterator[str]:
    """What the values of a sentence make, as `base_quantity` writes it: two of one unit together, or their difference.

    A number without a unit may be of any: from 212 to 147 kB. And 1:52 and 5 h 40 may be how long something takes.
    """
    amounts = [found.groups() for value in values if (found := _AMOUNT.fullmatch(value))]
    for (one, unit), (other, its_unit) in combinations(amounts, 2):
        units = {unit, its_unit} - {""}
        if len(units) == 1:
            yield from _of_both(Decimal(one), Decimal(other), units.pop())
    clocks = [found.groups() for value in values if (found := _CLOCK.fullmatch(value))]
    hours = [found[1] for value in values if (found := _HOURS.fullmatch(value))]
    clocks += [(hour, rest) for hour in hours for rest in filter(str.isdigit, values)]
    yield from (base_quantity(f"{60 * int(hour) + int(minutes)}분") for hour, minutes in clocks)


def _of_both(one: Decimal, other: Decimal, unit: str) -> Iterator[str]:
    """The sum and the difference, with their unit and without."""
    for number in (one + other, abs(one - other)):
        if number >= _BY_CHANCE:
            yield from (base_quantity(show_number(number) + unit), show_number(number))
