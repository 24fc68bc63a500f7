"""A line laid over a sentence of a log: which word of one is which of the other, in one order, and what is left over.

A model seldom invents a sentence; it exchanges a word. So most words of a line are found in the sentence that it
rests on, and what stands between the same two words tells what became of what.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from bankd.core.dedup.guard import stem
from bankd.core.grounding.passages import Passage
from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.english.stemming import stem_word
from bankd.core.language.korean.loanwords import spelt_in_latin
from bankd.core.language.opposites import are_opposites
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.thesaurus import concept_of
from bankd.core.language.word_lists import split_words

_NEIGHBOUR = 0.3
"""What it is worth that two words which stand side by side in one do so in the other: less than a word."""
_OPPOSITE = 0.9
"""A word rather stands for itself than for its opposite."""
_SYLLABLES, _LETTERS = 2, 4
"""By which a word is known whatever hangs on it, in Hangul and in Latin letters."""
_LIGHT = frozenset({"있", "되", "하"})
"""Korean verbs that say of the word before them that it is, or is done: 필요 없다, 처리가 되지 않았다."""
_PASSED_OVER = split_words("gone become grown turned any ever yet even really quite")
"""What a denial does not end with: it is of the word behind."""
PRONOUNS = split_words(
    "i we you he she they it me us him them her his my our your their its 나 우리 너 것 "
    "사용자 user 에이전트 agent 어시스턴트 assistant"
)
"""Who speaks, and whom a model calls the user or the agent, stand for each other and for names."""
_PARTICLE = re.compile(r"(?<=\d)(?:으?로|만|도|에서?|까지|부터|[은는이가을를의])$")
"""What was not taken off a code: #271로."""
_VERBAL = ("되", "하", "시키", "당하")


class Word(NamedTuple):
    """A word that says something: what it is made of, and whether it is denied."""

    base: str
    kind: TokenKind
    case: str
    is_denied: bool
    is_predicate: bool
    is_first: bool = False
    """Whether the text begins with it, where a capital tells nothing."""
    around: tuple[str, str] = ("", "")
    """What stands before and behind it, relations too."""


class Alignment(NamedTuple):
    """A line over a sentence: by the place of a word in the line, that in the sentence."""

    line: Sequence[Word]
    source: Sequence[Word]
    pairs: dict[int, int]

    size: int
    """How many words of the line the sentence has, in whatever order."""

    @property
    def lacking(self) -> int:
        """How many words of the line the sentence has not."""
        return len(self.line) - self.size


@lru_cache(maxsize=5_000)
def words_to_align(statement: Statement) -> tuple[Word, ...]:
    """The words of a statement that are no mere relations; who or what is denied by a light verb is denied itself."""
    found: list[Word] = []
    is_denied = False
    bases = ["", *(stem(token.base) for token in statement.tokens), ""]
    for at, token in enumerate(statement.tokens):
        is_denied ^= bool(token.negation)
        if token.base in _PASSED_OVER and is_denied and at + 1 < len(statement.tokens):
            continue  # not gone mouldy, not any better
        if token.base in _LIGHT and found:
            is_twice = is_denied and found[-1].kind is not TokenKind.WORD  # 안 나서 못 했다 denies both
            found[-1] = found[-1]._replace(is_denied=found[-1].is_denied ^ is_twice)
            is_denied = False
        elif _is_relation(token, is_last=at == len(statement.tokens) - 1):
            is_denied &= not token.negation or token.base.isascii()  # 나 말고: it is denied, not what follows
        else:
            is_first = not at and statement.text[:1].isupper() and statement.text.casefold().startswith(token.base)
            around = bases[at], bases[at + 2]
            found.append(
                Word(bare_word(token), token.kind, token.case, is_denied, token.is_predicate, is_first, around)
            )
            is_denied = False
    return tuple(found)


def _is_relation(token: Token, *, is_last: bool) -> bool:
    """Whether a word only tells how others stand to each other; a preposition with nothing behind it is none."""
    is_preposition = token.base in RELATIONS and not is_last
    return token.kind is TokenKind.MARK or is_preposition or (token.base in PRONOUNS and not token.is_predicate)


def bare_word(token: Token) -> str:
    """A word without what makes a noun a verb: 중단되다 and 중단하다 tell of one 중단."""
    base = _PARTICLE.sub("", token.base.casefold())
    ending = next((one for one in _VERBAL if base.endswith(one) and len(base) > len(one) + 1), "")
    return base.removesuffix(ending) if token.kind is not TokenKind.WORD else base


def is_one_word(one: str, other: str) -> bool:
    """Whether two words have one stem, stand for one concept, or are one in two scripts: Slack and 슬랙."""
    if stem(one) == stem(other) or stem_word(one) == stem_word(other) or concept_of(one) == concept_of(other):
        return True
    return one.isascii() != other.isascii() and _sound_alike(*sorted((one, other)))


@lru_cache(maxsize=200_000)
def _sound_alike(latin: str, hangul: str) -> bool:
    """Whether a word of Hangul is how a Latin one sounds; in sorted order Latin letters come first."""
    is_word = len(latin) >= _LETTERS and latin.isalpha() and latin.isascii()
    return is_word and latin in spelt_in_latin(hangul, lambda beginning: [latin] * latin.startswith(beginning))


@lru_cache(maxsize=200_000)
def is_alike(one: str, other: str) -> bool:
    """Whether two words say the same, or one is short for the other, or within it."""
    if is_one_word(one, other) or is_short_for(one, other) or is_short_for(other, one):
        return True
    short, long = sorted((one, other), key=len)
    if are_opposites(one, other) or any(map(str.isdigit, one + other)):
        return False
    least = _LETTERS if long.isascii() else _SYLLABLES
    return len(short) >= least and (short in long or (long.isascii() and short[:-1] == long[: len(short) - 1]))


def is_short_for(short: str, long: str) -> bool:
    """Whether the letters of a word stand in another in their order, the first one first: dir, directory; km, kilometre."""
    rest = iter(long)
    return short[:1] == long[:1] and short.isalpha() and short.isascii() and all(letter in rest for letter in short)


def _worth(one: Word, other: Word) -> float:
    """What it is worth to take two words for one; 0 where they are two."""
    if TokenKind.VALUE in (one.kind, other.kind):
        return float(one.base == other.base)
    if is_alike(one.base, other.base):
        return 1.0
    return _OPPOSITE if is_opposite(one, other) else 0.0


def is_opposite(one: Word, other: Word) -> bool:
    """Whether two words are known opposites."""
    is_known = are_opposites(one.base, other.base) or are_opposites(stem(one.base), stem(other.base))
    return is_known and not is_alike(one.base, other.base)


def align(line: Passage, source: Passage) -> Alignment:
    """Find the pairs of words, in one order, that are worth most together."""
    return _align(words_to_align(line.statement), words_to_align(source.statement))


def align_words(ours: Sequence[Word], theirs: Sequence[Word]) -> Alignment:
    """The same for words."""
    return _align(tuple(ours), tuple(theirs))


@lru_cache(maxsize=5_000)
def _align(ours: tuple[Word, ...], theirs: tuple[Word, ...]) -> Alignment:
    best = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    met = [[0.0] * (len(theirs) + 1) for _ in range(len(ours) + 1)]
    for at, one in enumerate(ours, start=1):
        for there, other in enumerate(theirs, start=1):
            worth = _worth(one, other)
            before = max(best[at - 1][there - 1], met[at - 1][there - 1] + _NEIGHBOUR * bool(met[at - 1][there - 1]))
            met[at][there] = worth + before if worth else 0.0
            best[at][there] = max(met[at][there], best[at - 1][there], best[at][there - 1])
    size = sum(any(row[1:]) for row in met[1:])
    return Alignment(ours, theirs, _walk_back(best, met), size)


def _walk_back(best: Sequence[Sequence[float]], met: Sequence[Sequence[float]]) -> dict[int, int]:
    at, there, pairs = len(best) - 1, len(best[0]) - 1, dict[int, int]()
    is_bound = False
    while at and there:
        if is_bound or (met[at][there] and met[at][there] >= best[at][there]):
            pairs[at - 1] = there - 1
            at, there = at - 1, there - 1
            is_bound = bool(met[at][there]) and met[at][there] + _NEIGHBOUR > best[at][there]
        elif best[at - 1][there] >= best[at][there - 1]:
            at -= 1
        else:
            there -= 1
    return pairs
