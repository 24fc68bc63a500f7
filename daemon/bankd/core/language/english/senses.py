"""What English words say together with their neighbours: gave up, works as, every month, called Rex, eight years old."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType

from bankd.core.language.paraphrases import phrase_at
from bankd.core.language.statement import SAID_BEFORE, Token, TokenKind

_OFTEN: Mapping[str, str] = MappingProxyType(
    {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly", "minute": "minutely", "hour": "hourly"}
)
_EACH = frozenset({"every", "each", "per"})
_BEING = frozenset({"work", "works", "worked", "working", "employed", "serves"})
"""Who works as a nurse is one: with "as" behind them, these say no more."""
_NIGHTLY = "nightly"
_CALLED = frozenset({"called", "call"})
_MORE = frozenset({"over", "above", "exceeding"})
_TO = frozenset({"to", "through"})


def note_phrases(tokens: Sequence[Token]) -> None:
    """Give the tokens of a statement the senses that they have together."""
    words = [token.base for token in tokens]
    for at, token in enumerate(tokens):
        if most := phrase_at(words[at : at + 4]):
            _join(tokens[at : at + most])
        elif token.base == _NIGHTLY:
            token.base, token.kind = "night", TokenKind.VALUE
            token.marks.append("each")
        elif token.base in _BEING and "as" in words[at:]:
            token.sense = SAID_BEFORE
    for before, token in pairwise(tokens):
        _note_pair(before, token)
    _note_span(tokens)


def _join(phrase: Sequence[Token]) -> None:
    phrase[0].sense = "_".join(token.base for token in phrase)
    for token in phrase[1:]:
        token.sense = SAID_BEFORE


def _note_pair(before: Token, token: Token) -> None:
    """Every month, 900 dollars a month (the article is no token), called Rex, eight years old."""
    is_value = before.kind is TokenKind.VALUE
    if token.base in _OFTEN and (is_value or before.base in _EACH):
        token.sense = _OFTEN[token.base]
    elif token.base == "old" and is_value and before.base.endswith("년"):
        before.base, token.sense = before.base.removesuffix("년") + "세", SAID_BEFORE
    elif before.base in _MORE and token.kind is TokenKind.VALUE:
        before.sense = "exceeding"
    elif before.base in _CALLED and token.kind is TokenKind.NAME:
        before.sense = "named"


def _note_span(tokens: Sequence[Token]) -> None:
    """From May 3 to May 10, and May 3 through May 10: two values in a row say it."""
    values = [token.kind is TokenKind.VALUE for token in tokens]
    ends = [at for at in range(1, len(tokens) - 1) if tokens[at].base in _TO and values[at - 1] and values[at + 1]]
    for end in ends:
        tokens[end].sense = SAID_BEFORE
        for token, is_before_value in zip(tokens[:end], values[1 : end + 1], strict=True):
            if token.base == "from" and is_before_value:
                token.sense = SAID_BEFORE
