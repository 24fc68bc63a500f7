"""Which of many of a kind a statement is about, where a number or name alone tells it: sprint 12, 3번 서버, the office in Seoul."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import pairwise
from string import digits
from typing import NamedTuple

from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.statement import Statement, Token, TokenKind

_NAMING = (TokenKind.NAME, TokenKind.VALUE)
_NUMBERED = frozenset({"number", "번호"})
_ORDINALS = frozenset({"번", "호", "호기", "차"})
"""What makes a number before a noun the name of one: 3번 서버, 4호기."""
_AUXILIARY = re.compile(r"\b(?:is|are|was|were|has|have|had|will|can|could|must|should|may|might)\b")
"""Where the subject of an English statement has ended."""
_NOUN_AND_PLACE = re.compile(r"(?:the|our|my|your|his|her|their) [\w-]+ (?:of|in|at|to|from|for|on|with) [\w-]+")
"""A noun and what tells which one, at the beginning: no verb stands between them, as in the team in Seoul."""


class _Label(NamedTuple):
    """A number that tells which one of what a word stands for, and whether the statement is about that one."""

    word: str
    number: str
    is_of_subject: bool


def is_subject_matter(token: Token) -> bool:
    """Whether a token says what a statement is about: no value, no preposition, no ending."""
    return (
        token.kind in (TokenKind.WORD, TokenKind.NOUN, TokenKind.NAME)
        and not token.is_optional
        and token.base not in RELATIONS
    )


def is_about_another(old: Statement, new: Statement) -> bool:
    """Whether two statements name what they are about, and name another: the office in Seoul, in Busan; ticket 12, 13."""
    ours, theirs = _names_of_subject(old), _names_of_subject(new)
    return numbers_another(old, new) or bool(ours - theirs and theirs - ours)


def numbers_another(old: Statement, new: Statement) -> bool:
    """Whether numbers tell that two statements are about another one each: ticket 12 is done, ticket 13 is done.

    Where two things have other numbers, one is what it is about: note 5 of invoice 4, note 36 of invoice 9.
    """
    ours, theirs = _labels_of(old), _labels_of(new)
    other = [word for word in ours.keys() & theirs.keys() if ours[word].keys().isdisjoint(theirs[word])]
    return len(other) > 1 or any(any(ours[word].values()) and any(theirs[word].values()) for word in other)


def is_of_series(old: Statement, changed: Sequence[Token]) -> bool:
    """Whether a number that changed may name one of many, so that whatever else changed is said of another.

    It does where it begins the statement or follows its first word, and as a label elsewhere: 3번 서버, batch 12.
    """
    gone = {token.base for token in changed}
    labels = (number for numbers in _labels_of(old).values() for number in numbers)
    return bool(gone) and not gone.isdisjoint((*_first_numbers(old), *labels))


def names_two(old: Statement, changed: Sequence[Token]) -> bool:
    """Whether a name changed and, further on, another value: Leo married in Verona and Gaia in Turin, both are so."""
    gone = {*map(id, changed)}
    values = [at for at, token in enumerate(old.tokens) if id(token) in gone and token.kind in _NAMING]
    has_name = bool(values) and old.tokens[values[0]].kind is TokenKind.NAME
    return has_name and values[-1] - values[0] >= len(values)


def _first_numbers(statement: Statement) -> Iterator[str]:
    first, *more = statement.tokens[:2] or (None,)
    if first is not None and first.kind is TokenKind.VALUE:
        yield first.base
    elif first is not None and is_subject_matter(first):
        yield from (token.base for token in more if token.base.isdigit())


@lru_cache(maxsize=50_000)
def _names_of_subject(statement: Statement) -> frozenset[str]:
    """The names in an English subject, and the days of the week that it does not begin with: our Monday meeting.

    A Korean one is told by its particle, which `phrase_structure.subject_of` reads.
    """
    words = before_verb(statement).split()
    names = {token.base for token in statement.tokens if token.kind is TokenKind.NAME}
    days = {token.base for token in statement.tokens if token.kind is TokenKind.VALUE}
    return frozenset(names.intersection(words) | days.intersection(word for word in words[1:] if word.isalpha()))


@lru_cache(maxsize=50_000)
def _labels_of(statement: Statement) -> Mapping[str, Mapping[str, bool]]:
    """The numbers by which each word of a statement is labelled, and whether they tell what it is about."""
    labels: dict[str, dict[str, bool]] = {}
    for word, number, is_of_subject in (*_ordinal(statement), *_of_event(statement), *_bare_labels(statement)):
        labels.setdefault(word, {})[number] = is_of_subject
    return labels


def _ordinal(statement: Statement) -> Iterator[_Label]:
    """The number with a counter that begins a statement before a noun: 3번 서버."""
    for number, noun in pairwise(statement.tokens[:2]):
        if number.kind is TokenKind.VALUE and noun.kind is TokenKind.NOUN:
            bare = number.base.lstrip(digits)
            if bare in _ORDINALS:
                yield _Label(noun.base, number.base.removesuffix(bare), is_of_subject=True)


def _of_event(statement: Statement) -> Iterator[_Label]:
    """The values in the object of what was done, for who paid the rent of May (5월 월세를 냈다) has paid that of June as well."""
    if _is_event(statement):
        for phrase in (phrase for phrase in statement.phrases if phrase[-1].case == "object"):
            values = [token.base for token in phrase if token.kind is TokenKind.VALUE]
            yield from (_Label(phrase[-1].base.lstrip(digits), value, is_of_subject=True) for value in values)


def _is_event(statement: Statement) -> bool:
    """Whether a statement tells what was done: by its last word in Korean, by its first one in English notes."""
    told = statement.tokens[-1:] if statement.has_free_order else statement.tokens[:1]
    return any("past" in token.marks for token in told)


def _bare_labels(statement: Statement) -> Iterator[_Label]:
    """The bare numbers right behind a word of the statement, with no "is", "of" or "with" between."""
    said, before = _plain(statement), before_verb(statement)
    for at, (word, number) in enumerate(pairwise(statement.tokens)):
        together = f"{word.base} {number.base}"
        is_label = _is_bare(number) and is_subject_matter(word) and together in said
        if is_label and not _counts(*statement.tokens[at + 1 : at + 4]):
            yield _Label(word.base, number.base, together in before or _begins(statement, at) or _is_event(statement))


def _is_bare(token: Token) -> bool:
    """Whether a token is a number with no unit, or a letter that serves as one: room A."""
    return token.base.isdigit() or (token.kind is TokenKind.NAME and len(token.base) == 1 and token.base.isascii())


def _begins(statement: Statement, at: int) -> bool:
    """Whether the label of the word at a place names what is said something of.

    One that ends the statement is what it says (timeout 30), and one behind a name may be its version (GPT 4).
    """
    word, number = statement.tokens[at : at + 2]
    if word.base in _NUMBERED:
        return at < 2
    is_plain = word.kind is not TokenKind.NAME or f"#{number.base}" in statement.text
    return at == 0 and is_plain and number is not statement.tokens[-1]


def _counts(number: Token, counted: Token | None = None, *behind: Token) -> bool:
    """Whether a number tells how many of what stands behind it: 3 rooms in Seoul, though not 12 likes tea."""
    is_many = number.base.isdigit() and counted is not None and counted.base.endswith("s")
    return is_many and all(token.base in RELATIONS for token in behind)


def before_verb(statement: Statement) -> str:
    """What an English statement says before its first auxiliary verb, or what it surely begins with where it has none."""
    said = "" if statement.has_free_order else _plain(statement)
    before, *more = _AUXILIARY.split(said, maxsplit=1)
    begins = _NOUN_AND_PLACE.match(said)
    return before if more else begins[0] if begins else ""


def _plain(statement: Statement) -> str:
    return " ".join(statement.text.casefold().replace("#", "").split())
