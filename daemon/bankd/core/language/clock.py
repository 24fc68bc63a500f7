"""An hour beside a part of the day: eleven at night, 밤 11시, 23:00 and 오후 11시 are one time."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankd.core.language.statement import Token, TokenKind
from bankd.core.language.values import PARTS_OF_DAY, hour_of_part

_HOUR = re.compile(r"(\d\d?)(시|:\d\d)")
_NOON = 12
_AT = frozenset({"at", "by", "around", "until", "before", "after"})


_NAMED = {"noon": "12:00", "midnight": "0:00", "정오": "12시", "자정": "0시"}


def read_named_hours(tokens: Sequence[Token]) -> None:
    """Write noon and midnight as the hours that they are; "noon" is an hour behind "at" alone."""
    for at, token in enumerate(tokens):
        is_hour = not token.base.isascii() or (at > 0 and tokens[at - 1].base in _AT)
        token.base = _NAMED.get(token.base, token.base) if is_hour else token.base


def read_parts_of_day(tokens: Sequence[Token], *, are_settled: bool = False) -> None:
    """Write an hour of 12 by the part of the day right before it, the only one by the only part; the part then says no more.

    Hours that are settled have their am or pm: "before 10 a.m., I work nights" is of ten in the morning.
    """
    read_named_hours(tokens)
    parts = [token for token in tokens if token.base in PARTS_OF_DAY]
    hours = [at for at, token in enumerate(tokens) if _is_hour(tokens, at)]
    beside = [at for at in hours if at and tokens[at - 1].base in PARTS_OF_DAY]
    for at in beside:
        _join(tokens[at - 1], tokens[at], are_settled=are_settled)
    if not beside and len(parts) == len(hours) == 1:
        _join(parts[0], tokens[hours[0]], are_settled=are_settled)


def _join(part: Token, token: Token, *, are_settled: bool) -> None:
    hour, rest = _split(token.base)
    there = hour_of_part(hour % _NOON or _NOON, PARTS_OF_DAY[part.base])
    if (0 < hour <= _NOON and not are_settled) or there == hour:
        token.base = f"{there}{rest}"
        part.is_optional = True


def _is_hour(tokens: Sequence[Token], at: int) -> bool:
    token = tokens[at]
    if token.kind is not TokenKind.VALUE:
        return False
    is_bare = token.base.isdigit() and int(token.base) <= _NOON and at > 0 and tokens[at - 1].base in _AT
    return is_bare or bool(_HOUR.fullmatch(token.base))


def _split(base: str) -> tuple[int, str]:
    """The hour, and how the minutes are written."""
    found = _HOUR.fullmatch(base)
    return (int(found[1]), found[2]) if found else (int(base), ":00")
