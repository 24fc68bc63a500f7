"""What belongs to what in a statement: in what order it stands, what a value counts, what it speaks of, and what may be left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from string import digits

from bankd.core.language.korean.function_words import LIMITS, PARTICLES
from bankd.core.language.korean.synonyms import TURNING_WORDS
from bankd.core.language.statement import SPOKEN_OF, Statement, Token, TokenKind
from bankd.core.language.values import DATE_UNITS


def is_reordered(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Say whether one run of tokens merely moved past another, as when a phrase goes to the front.

    Exchanging two tokens around a third binds words to other partners (red hat and blue shoe), and does not pass.
    Values, and names that no particle places, must keep their order: it alone says which is which.
    """
    ours, theirs = [token.key for token in old], [token.key for token in new]
    if _fixed(old) != _fixed(new) or _turns_doers(old, new):
        return False
    differing = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    moved = slice(differing[0], differing[-1] + 1) if differing else slice(0)
    return _row(theirs[moved]) in _row(ours[moved] * 2)


def _turns_doers(old: Sequence[Token], new: Sequence[Token]) -> bool:
    """Whether who does the first of several things does the second in the other."""
    ours, theirs = sorted(_deeds(old)), sorted(_deeds(new))
    return len(ours) == len(theirs) > 1 and ours != theirs


def _deeds(tokens: Sequence[Token]) -> Iterator[tuple[str, str]]:
    """Each verb with who does it: the last one named before it that has no verb yet."""
    waiting: list[str] = []
    for token in tokens:
        if token.case in SPOKEN_OF:
            waiting.append(token.key)
        elif token.is_predicate and waiting:
            yield token.key, waiting.pop()


def _row(keys: Sequence[str]) -> str:
    """Keys in a row, each between separators, so that one row is found in another as a whole."""
    return "\0" + "\0".join(keys) + "\0"


def _fixed(tokens: Sequence[Token]) -> list[str]:
    return [
        token.key
        for token in tokens
        if token.kind is TokenKind.VALUE or (token.kind is TokenKind.NAME and not token.case)
    ]


_OF_PARTICLES = frozenset(PARTICLES.values())
_OFTEN = "번"
"""A counter that numbers the noun behind it, and says how often where it stands by the verb or as 회 or 두 번."""


def counts_same(old: Statement, new: Statement) -> bool:
    """Whether every Korean value belongs to the same noun: server 2 is restarted, the server is restarted 2 times."""
    return list(_counted(old)) == list(_counted(new))


def _counted(statement: Statement) -> Iterator[tuple[str, str]]:
    """Each value with the noun of its phrase, else, by the verb, of the phrase before; none for when and how often."""
    before = ""
    for phrase in statement.phrases:
        nouns = [token.base for token in phrase if _is_countable(token)]
        by_verb = "" if nouns or phrase is not statement.phrases[-1] else before
        for token in phrase:
            if token.kind is TokenKind.VALUE:
                noun = nouns[-1] if nouns else "" if token.case else by_verb
                yield token.key, "" if _says_when(token, statement, is_by_verb=not nouns) else noun
        before = nouns[-1] if nouns else before


def _is_countable(token: Token) -> bool:
    """A noun, but none that is the verb, without a particle: 재시작 of 재시작한다."""
    is_verb = token.is_predicate and not token.case and _OF_PARTICLES.isdisjoint(token.marks)
    return token.kind in (TokenKind.NOUN, TokenKind.NAME) and not is_verb


def _says_when(value: Token, statement: Statement, *, is_by_verb: bool) -> bool:
    unit = value.base.lstrip(digits)
    return unit in DATE_UNITS or (unit == _OFTEN and (is_by_verb or value.base not in statement.text))


def may_leave_out(old: Statement, left_out: Sequence[Token]) -> bool:
    """Say whether a shorter wording without these tokens still says only what the longer one said.

    Adverbs may go, and what describes or places something other than the subject and object: without its object or
    part of its subject (my sister's friend, my sister), a statement is about something else. In English, where no
    particle tells, what somebody has stays (Rosa's cat), and what a hyphen joins (ex-wife).
    """
    if not old.has_free_order:
        return not any(_is_joined(old.text.casefold(), re.escape(token.base)) for token in left_out)
    gone = {id(token) for token in left_out}
    return all(
        token.kind is TokenKind.ADVERB or _is_speaker(token) or (at > 0 and _is_aside(old, phrase, token, gone))
        for at, phrase in enumerate(old.phrases)
        for token in phrase
        if id(token) in gone
    ) and all(map(_is_light, left_out))


def _is_joined(text: str, word: str) -> bool:
    return re.search(rf"['\u2019]s? {word}\b|\b{word}-", text) is not None


def _is_speaker(token: Token) -> bool:
    """Who writes a log speaks of himself unless he says otherwise."""
    return token.base == "나" and token.case in SPOKEN_OF


def _is_light(token: Token) -> bool:
    """Nothing that names, counts, turns or limits."""
    is_word = token.kind in (TokenKind.NOUN, TokenKind.WORD, TokenKind.ADVERB)
    is_free = not token.negation and not LIMITS.intersection(token.marks)
    return is_word and is_free and token.base not in TURNING_WORDS


def _is_aside(old: Statement, phrase: Sequence[Token], token: Token, gone: set[int]) -> bool:
    head = phrase[-1]
    if head.case in SPOKEN_OF or _is_what_is_done(old, phrase, token):
        return False
    return token is not head or (not head.case and all(id(other) in gone for other in phrase))


def _is_what_is_done(old: Statement, phrase: Sequence[Token], token: Token) -> bool:
    """Whether a noun is the verb at the end, or makes one with it (권유받다); or a verb is, where several do something."""
    is_noun_of_verb = phrase is old.phrases[-1] and token.kind is TokenKind.NOUN
    return is_noun_of_verb or (token.is_predicate and sum(one.case in SPOKEN_OF for one in old.tokens) > 1)


@lru_cache(maxsize=50_000)
def subject_of(statement: Statement) -> tuple[str, ...]:
    """Who or what it speaks of: names and head of the phrase that is its topic or subject, else its first word.

    Values stand for no subject: the fourth rule and the fifth rule are two values of one subject.
    """
    for phrase in statement.phrases:
        if phrase[-1].case in SPOKEN_OF:
            return tuple(
                t.base
                for t in phrase
                if t.kind is TokenKind.NAME or (t is phrase[-1] and t.kind is not TokenKind.VALUE)
            )
    words = [token.base for token in statement.tokens if token.kind in (TokenKind.WORD, TokenKind.NOUN, TokenKind.NAME)]
    return tuple(words[:1])
