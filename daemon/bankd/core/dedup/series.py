"""Which of many of a kind a statement is about, where a number alone tells it: sprint 12, server 3, 3번 서버."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from string import digits

from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.statement import Statement, Token, TokenKind


def is_subject_matter(token: Token) -> bool:
    """Whether a token says what a statement is about: no value, no preposition, no ending."""
    return (
        token.kind in (TokenKind.WORD, TokenKind.NOUN, TokenKind.NAME)
        and not token.is_optional
        and token.base not in RELATIONS
    )


_NUMBERED = frozenset({"number", "번호"})
_ORDINALS = frozenset({"번", "호", "호기", "차"})
"""What makes a number before a noun the name of one: 3번 서버, 4호기."""


def names_another(old: Statement, new: Statement) -> bool:
    """Whether a number names what two statements are about, and another in each: ticket 12 is done, ticket 13 is done.

    A number that ends the statement is what it says (timeout 30), and one behind a name may be a version (GPT 4).
    """
    label, other = _label_of_subject(old), _label_of_subject(new)
    return label is not None and other is not None and label.base != other.base


@lru_cache(maxsize=50_000)
def _label_of_subject(statement: Statement) -> Token | None:
    """The number by which a statement names one of many, at its beginning."""
    first, *more = statement.tokens[:3] or (None,)
    if first is None or not more:
        return None
    if first.kind is TokenKind.VALUE:
        return first if _is_ordinal(first) and more[0].kind is TokenKind.NOUN else None
    *between, label = more[: 2 if more[0].base in _NUMBERED else 1]
    is_plain = first.kind is not TokenKind.NAME or f"#{label.base}" in statement.text
    is_label = is_plain and any(label is bare for bare in _labels_of(statement))
    return label if is_label and (between or label is not statement.tokens[-1]) else None


def _is_ordinal(value: Token) -> bool:
    return value.base.lstrip(digits) in _ORDINALS


def is_of_series(old: Statement, changed: Sequence[Token]) -> bool:
    """Whether a number that changed may name one of many, so that whatever else changed is said of another.

    It does where it begins the statement (3번 서버), or stands bare right behind a word, as 12 in "batch 12".
    """
    gone = {id(token) for token in changed if token.kind is TokenKind.VALUE}
    return bool(gone) and any(id(token) in gone for token in (*_first_number(old), *_labels_of(old)))


def _first_number(statement: Statement) -> tuple[Token, ...]:
    """A number that begins a statement, or stands bare behind its first word whatever it counts."""
    first, *more = statement.tokens[:2] or (None,)
    if first is None or first.kind is TokenKind.VALUE:
        return statement.tokens[:1]
    return tuple(token for token in more if token.base.isdigit() and is_subject_matter(first))


@lru_cache(maxsize=50_000)
def _labels_of(statement: Statement) -> tuple[Token, ...]:
    """The bare numbers that stand right behind a word of the statement, with no "is", "of" or "with" between."""
    said = " ".join(statement.text.casefold().replace("#", "").split())
    return tuple(
        token
        for at, (before, token) in enumerate(pairwise(statement.tokens), start=1)
        if token.base.isdigit()
        and is_subject_matter(before)
        and f"{before.base} {token.base}" in said
        and not _counts(statement.tokens[at + 1 : at + 3])
    )


def _counts(behind: Sequence[Token]) -> bool:
    """Whether a number tells how many of what stands behind it: 3 rooms in Seoul, though not 12 likes tea."""
    counted, *more = behind or (None,)
    return counted is not None and counted.base.endswith("s") and all(token.base in RELATIONS for token in more)


def is_another_of_series(old: Statement, new: Statement) -> bool:
    """Whether bare numbers behind the same first word tell what the two are about: ticket 12 is not ticket 21."""
    (first, *ours), (other, *theirs) = old.tokens[:2], new.tokens[:2]
    pair = [token.base for token in (*ours, *theirs)]
    return first.base == other.base and len(pair) == 2 and all(map(str.isdigit, pair)) and pair[0] != pair[1]
