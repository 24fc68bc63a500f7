"""Which of many of a kind a statement is about, where a number alone tells it: sprint 12, server 3, 3번 서버."""

from __future__ import annotations

from collections.abc import Sequence

from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.statement import Statement, Token, TokenKind


def is_subject_matter(token: Token) -> bool:
    """Whether a token says what a statement is about: no value, no preposition, no ending."""
    return (
        token.kind in (TokenKind.WORD, TokenKind.NOUN, TokenKind.NAME)
        and not token.is_optional
        and token.base not in RELATIONS
    )


def numbers_its_subject(statement: Statement, changed: Sequence[Token]) -> bool:
    """Whether a number that changed begins the statement, or stands bare behind its first word: 3번 서버, Sprint 12."""
    first, *more = statement.tokens[:2] or (None,)
    gone = {id(token) for token in changed if token.kind is TokenKind.VALUE}
    if first is None or id(first) in gone:
        return first is not None
    return is_subject_matter(first) and any(id(token) in gone and token.base.isdigit() for token in more)


def is_another_of_series(old: Statement, new: Statement) -> bool:
    """Whether bare numbers behind the same first word tell what the two are about: ticket 12 is not ticket 21."""
    (first, *ours), (other, *theirs) = old.tokens[:2], new.tokens[:2]
    pair = [token.base for token in (*ours, *theirs)]
    return first.base == other.base and len(pair) == 2 and all(map(str.isdigit, pair)) and pair[0] != pair[1]
