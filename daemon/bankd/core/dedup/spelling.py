"""One spelling for two statements: what one of them writes in one word, the other may write in two, or by first letters.

타임 아웃 and 타임아웃, code base and codebase; VPN and virtual private network; 레디스 and Redis. Where the analyser takes a
compound apart in one line alone it is put together again too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from bankd.core.language.korean.loanwords import sounds_like
from bankd.core.language.statement import Statement, Token, TokenKind, spell_otherwise

_MOST, _SHORTEST, _FEWEST = 4, 3, 2
"""So many tokens make one word; so many letters has an English one, and so many a Korean one or a name."""


class _Run(NamedTuple):
    """A stretch of tokens."""

    start: int
    end: int


def spelt_alike(old: Statement, new: Statement) -> tuple[Statement, Statement]:
    """The two, each with the words together that the other has as one."""
    return _spelt_as(old, new), _spelt_as(new, old)


def _spelt_as(statement: Statement, other: Statement) -> Statement:
    shared = _joined(statement).keys() & _words(other).keys()
    if shared:
        shared -= _words(statement).keys()
        statement = _put_together(statement, other, shared) if shared else statement
    return _heard_as(statement, other) if _heard(statement) and _latin(other) else statement


def _heard_as(statement: Statement, other: Statement) -> Statement:
    """A statement with each Latin word of the other that one of its own writes by its sound."""
    latin = _latin(other).keys() - _words(statement).keys()
    hangul = _heard(statement) - _words(other).keys() if latin else ()
    found = {heard: _latin(other)[word] for heard in hangul for word in latin if sounds_like(heard, word)}
    return _spell_words(statement, found) if found else statement


def _spell_words(statement: Statement, found: Mapping[str, Token]) -> Statement:
    phrases = [
        tuple(_written_as(found[token.base], token) if token.base in found else token for token in phrase)
        for phrase in statement.phrases
    ]
    return spell_otherwise(statement, phrases)


def _written_as(word: Token, token: Token) -> Token:
    """A token with what turns and places it, in the spelling of another statement."""
    return replace(token, base=word.base, kind=word.kind, sense=word.sense)


@lru_cache(maxsize=50_000)
def _latin(statement: Statement) -> Mapping[str, Token]:
    """The words of Latin letters in a Korean statement, in small ones."""
    if not statement.has_free_order:
        return MappingProxyType({})
    return MappingProxyType(
        {word: token for word, token in _words(statement).items() if word.isascii() and word.isalpha()}
    )


@lru_cache(maxsize=50_000)
def _heard(statement: Statement) -> frozenset[str]:
    """The nouns and names of Hangul that may be written by their sound."""
    nouns = (token.base for token in statement.tokens if token.kind in (TokenKind.NOUN, TokenKind.NAME))
    return frozenset(base for base in nouns if not base.isascii())


def _put_together(statement: Statement, other: Statement, shared: frozenset[str] | set[str]) -> Statement:
    """A statement with each run of tokens as the one token that the other has for it."""
    by_start = {run.start: (run, _words(other)[word]) for word in shared for run in (_joined(statement)[word],)}
    tokens, phrases, at = statement.tokens, [], 0
    for phrase in statement.phrases:
        kept, end = [], at + len(phrase)
        while at < end:
            run, word = by_start.get(at, (_Run(at, at + 1), None))
            last = tokens[run.end - 1]
            kept.append(_written_as(word, last) if word else last)
            at = run.end
        phrases.append(tuple(kept))
    return spell_otherwise(statement, phrases)


@lru_cache(maxsize=50_000)
def _words(statement: Statement) -> Mapping[str, Token]:
    """The words that may be written apart, by their letters."""
    tokens = (token for token in statement.tokens if token.kind is not TokenKind.VALUE)
    return MappingProxyType({token.base.casefold(): token for token in tokens if len(token.base) >= _least(token)})


def _least(token: Token) -> int:
    return _SHORTEST if token.base.isascii() and token.kind is not TokenKind.NAME else _FEWEST


@lru_cache(maxsize=50_000)
def _joined(statement: Statement) -> Mapping[str, _Run]:
    """What neighbours in one phrase, of which only the last is marked, make in one word, and by their first letters."""
    found: dict[str, _Run] = {}
    start = 0
    for phrase in statement.phrases:
        for first in range(len(phrase) - 1):
            for end in range(first + 2, min(len(phrase), first + _MOST) + 1):
                if not (all(map(_is_plain, phrase[first : end - 1])) and all(map(_is_word, phrase[first:end]))):
                    break
                _note(found, phrase[first:end], _Run(start + first, start + end))
        start += len(phrase)
    return MappingProxyType(found)


def _note(found: dict[str, _Run], tokens: Sequence[Token], run: _Run) -> None:
    bases = [token.base.casefold() for token in tokens]
    found.setdefault("".join(bases), run)
    if all(base.isascii() and base.isalpha() for base in bases):
        found.setdefault("".join(base[0] for base in bases), run)


def _is_plain(token: Token) -> bool:
    return not (token.marks or token.negation or token.case)


def _is_word(token: Token) -> bool:
    """Team A B is not team AB, nor file 1 file1."""
    return token.kind not in (TokenKind.VALUE, TokenKind.MARK) and (len(token.base) > 1 or not token.base.isascii())
