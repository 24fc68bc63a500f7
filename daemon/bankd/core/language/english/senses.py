"""What English words say together with their neighbours: gave up, works as, every month, called Rex."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from bankd.core.language.paraphrases import phrase_at
from bankd.core.language.statement import SAID_BEFORE, Token, TokenKind

_OFTEN: Mapping[str, str] = MappingProxyType(
    {"day": "daily", "week": "weekly", "month": "monthly", "year": "yearly", "minute": "minutely", "hour": "hourly"}
)
_EACH = frozenset({"every", "each", "per"})
_BEING = frozenset({"work", "works", "worked", "working", "employed", "serves"})
"""Who works as a nurse is one: with "as" behind them, these say no more."""
_CALLED = frozenset({"called", "call"})


def note_senses(tokens: Sequence[Token]) -> None:
    """Give the tokens of a statement the senses that they have together."""
    words = [token.base for token in tokens]
    for at, token in enumerate(tokens):
        before, after = tokens[at - 1] if at else None, tokens[at + 1] if at + 1 < len(tokens) else None
        if most := phrase_at(words[at : at + 4]):
            _join(tokens[at : at + most])
        elif token.base in _BEING and "as" in words[at:]:
            token.sense = SAID_BEFORE
        elif token.base in _CALLED and after and after.kind is TokenKind.NAME:
            token.sense = "named"
        elif token.base in _OFTEN and before and _tells_how_often(before):
            token.sense = _OFTEN[token.base]


def _tells_how_often(before: Token) -> bool:
    """Every month, and 900 dollars a month: the article is no token."""
    return before.base in _EACH or before.kind is TokenKind.VALUE


def _join(phrase: Sequence[Token]) -> None:
    phrase[0].sense = "_".join(token.base for token in phrase)
    for token in phrase[1:]:
        token.sense = SAID_BEFORE
