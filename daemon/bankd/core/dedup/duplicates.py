"""Says of two memories whether the new one is the same, an update, near, or different; likeness first, then the guard.

Where candidates come from (the index) and what is done with a verdict (the cycle) is not decided here.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from rapidfuzz.distance import Indel

from bankd.core.dedup.another_value import with_value_of
from bankd.core.dedup.change import adds, find_change, may_tell_change
from bankd.core.dedup.gist import concepts_of, said_concepts
from bankd.core.dedup.guard import Difference, find_difference
from bankd.core.dedup.phrase_structure import counts_same, is_reordered, may_leave_out, subject_of
from bankd.core.dedup.restating import only_times_move, says_again
from bankd.core.dedup.rewording import (
    NEAR,
    is_reworded,
    may_be_reworded,
    may_speak_of_one,
    says_of_one,
    score_wordings,
    weigh_wordings,
)
from bankd.core.dedup.roles import roles_clash
from bankd.core.dedup.series import numbers_another
from bankd.core.dedup.spelling import spelt_alike
from bankd.core.dedup.subjects import is_of_one, is_one_subject
from bankd.core.language.english.function_words import EMPTY_WORDS
from bankd.core.language.opposites import OPPOSITES
from bankd.core.language.statement import Statement, Token, TokenKind

THRESHOLD = 80
"""Likeness in percent above which the guard is asked; `dedup.threshold`."""

ONLY_EQUAL = 100
"""The threshold at which only the same words are the same, and no other wording is looked for."""

LEFT_OUT = 2
"""How many words a new wording may leave out and still be the same."""

_ROUNDING = 1e-6
"""What a threshold may be above the likeness that it was made of, and still be met."""

_TIMES_AS_LONG, _LETTERS_MORE = 2, 20
"""How much longer the longer of two memories may be; in 12,250 labelled pairs of five sets it was 3 letters over twice."""

LONGEST = 600
"""Words beyond which only equal texts are the same: comparing takes the square of them, and no memory is so long."""


class Relation(StrEnum):
    """What a new memory is to an old one; what is near is kept, and shown together with it."""

    SAME = "same"
    UPDATE = "update"
    NEAR = "near"
    DIFFERENT = "different"


class Verdict(NamedTuple):
    """The outcome, why in a few words, and the likeness in percent."""

    outcome: Relation
    reason: str
    score: float


def compare_statements(old: Statement, new: Statement, threshold: float = THRESHOLD) -> Verdict:
    """Compare a new memory with one that is there."""
    old, new = spelt_alike(old, new)
    if obstacle := _obstacle(old, new):
        return Verdict(Relation.DIFFERENT, obstacle, 0.0)
    if sameness := _sameness(old, new):
        return Verdict(Relation.SAME, sameness, 100.0)
    if threshold < ONLY_EQUAL and (said := says_again(old, new)):
        return Verdict(Relation.SAME, said, threshold)
    score = likeness(old, new)
    verdict = _judge(old, new, find_difference(old, new), score) if score >= threshold else _unlike(score)
    is_open = threshold < ONLY_EQUAL and verdict.outcome is Relation.DIFFERENT
    if is_open and (change := find_change(old, new)):
        return Verdict(Relation.UPDATE, change, score)
    return _reworded(old, new, verdict) if is_open else verdict


def _reworded(old: Statement, new: Statement, verdict: Verdict) -> Verdict:
    """What two statements are that nothing tells apart but their wording, or but that and a value; else as they were judged."""
    evidence = weigh_wordings(old, new)
    if evidence is not None and score_wordings(evidence) >= NEAR:
        outcome = Relation.SAME if is_reworded(evidence) else Relation.NEAR
        return Verdict(outcome, "much the same in other words", verdict.score)
    if _has_another_value(old, new):
        return Verdict(Relation.UPDATE, "another value in other words", verdict.score)
    return verdict


def _has_another_value(old: Statement, new: Statement) -> bool:
    """Whether a new statement says what an old one says but for one value, in whatever form of sentence."""
    told = with_value_of(old, new)
    if told is None or adds(new) or not (is_one_subject(told, new) and is_of_one(told, new)):
        return False
    return bool(_sameness(told, new) or says_again(told, new)) or says_of_one(told, new)


def _unlike(score: float) -> Verdict:
    return Verdict(Relation.DIFFERENT, "too little in common", score)


def _obstacle(old: Statement, new: Statement) -> str:
    """Why two statements need not be looked at word by word; empty when they must."""
    if old.about != new.about:
        return "about someone else"
    if not _moods_agree(old.mood, new.mood):
        return "one asks or orders, the other states"
    if old.letters == new.letters:
        return ""
    if numbers_another(old, new):
        return "about another of a series"
    fewest, most = sorted((len(old.tokens), len(new.tokens)))
    return "no words to compare" if not fewest else "too long to be compared" if most > LONGEST else ""


def _sameness(old: Statement, new: Statement) -> str:
    """Why two statements are the same without a closer look; empty when they may not be."""
    if old.letters == new.letters:
        return "the same but for spacing and punctuation"
    if _is_turned(old, new):
        return "the same, said the other way round"
    return "the same words" if old.signature == new.signature and not roles_clash(old, new) else ""


_COPULA = re.compile(r"\b(?:is|are)\b", re.IGNORECASE)


def _is_turned(old: Statement, new: Statement) -> bool:
    """Whether an English statement that one thing is another says it the other way round: Anna is my boss, my boss is Anna."""
    if old.has_free_order or new.has_free_order or len(old.keys) != len(new.keys):
        return False
    ours, theirs = _sides_of(old), _sides_of(new)
    return len(ours) == 2 and ours == theirs[::-1]


@lru_cache(maxsize=50_000)
def _sides_of(statement: Statement) -> Sequence[str]:
    """The bare letters of what stands before, between and behind each "is"."""
    return [*map(_bare_letters, _COPULA.split(statement.text))]


def _bare_letters(text: str) -> str:
    words = re.findall(r"\w+", text.casefold())
    return " ".join(word for word in words if word not in EMPTY_WORDS)


class Match(NamedTuple):
    """The memory that a new one was found to repeat or to update, and the verdict on the two."""

    id: str
    verdict: Verdict


def find_match(
    candidates: Iterable[tuple[str, Statement]], new: Statement, threshold: float = THRESHOLD
) -> Match | None:
    """Find what a new memory repeats, else what it updates, else nothing; the likest one, then the first."""
    worthy = ((id_, old) for id_, old in candidates if is_worth_comparing(old, new, threshold))
    verdicts = [(id_, compare_statements(old, new, threshold)) for id_, old in worthy]
    matches = [Match(id_, verdict) for id_, verdict in verdicts if verdict.outcome is not Relation.DIFFERENT]
    for outcome in (Relation.SAME, Relation.UPDATE):
        found = [match for match in matches if match.verdict.outcome is outcome]
        if found:
            return max(found, key=lambda match: match.verdict.score)
    return None


def lengths_worth_reading(new: Statement) -> range:
    """How long, in letters, a memory may be to be more than different; any length where the new one may change it."""
    if may_tell_change(new):
        return range(sys.maxsize)
    length = len(new.text)
    return range((length - _LETTERS_MORE) // _TIMES_AS_LONG, length * _TIMES_AS_LONG + _LETTERS_MORE + 1)


def is_worth_comparing(old: Statement, new: Statement, threshold: float) -> bool:
    """Whether two can be anything but different: most share a few words, which is seen in a tenth of the time."""
    ours, theirs = _outline(old), _outline(new)
    return (
        theirs.tells_change
        or theirs.frame.may_be_as_alike(ours.frame, threshold)
        or old.letters == new.letters
        or old.signature == new.signature
        or may_be_reworded(ours.concepts, theirs.concepts)
        or may_speak_of_one(ours.matter, theirs.matter)
    )


def likeness(old: Statement, new: Statement) -> float:
    """How alike two statements are in percent when values, names and turns are left open, in whatever order."""
    return 100 * Indel.normalized_similarity(_outline(old).frame.row, _outline(new).frame.row)


class _Frame(NamedTuple):
    """The words of a statement, values, names and turns left open, sorted; and how many of them stand there again.

    Sorted: what two rows of words have in common in some order is at most what they have in common sorted.
    """

    row: list[str]
    words: frozenset[str]
    again: int

    def may_be_as_alike(self, other: _Frame, least: float) -> bool:
        """Whether they share enough words for that likeness in percent, were they in one order."""
        shared = len(self.words & other.words) + min(self.again, other.again)
        return 200 * shared + _ROUNDING >= least * (len(self.row) + len(other.row))


class _Outline(NamedTuple):
    """What is looked at first, drawn once for all the statements that one is compared with."""

    tells_change: bool
    frame: _Frame
    concepts: frozenset[str]
    matter: frozenset[str]
    """The concepts that are no names and values."""


@lru_cache(maxsize=50_000)
def _outline(statement: Statement) -> _Outline:
    matter = concepts_of(token for token in statement.tokens if token.kind not in (TokenKind.NAME, TokenKind.VALUE))
    return _Outline(may_tell_change(statement), _frame(statement), said_concepts(statement), matter)


def _frame(statement: Statement) -> _Frame:
    row = sorted(map(_opened, statement.tokens))
    words = frozenset(row)
    return _Frame(row, words, len(row) - len(words))


def _opened(token: Token) -> str:
    if token.base in OPPOSITES:
        return "±"
    return "#" if token.kind is TokenKind.VALUE else "@" if token.kind is TokenKind.NAME else token.base


def _judge(old: Statement, new: Statement, found: Difference, score: float) -> Verdict:
    if not found.only_new and not roles_clash(old, new) and (said := _says_no_more(old, new, found)):
        return Verdict(Relation.SAME, said, score)
    if found.is_none:
        return Verdict(Relation.DIFFERENT, "the same words in other places", score)
    if found.changes and found.is_explained and subject_of(old) == subject_of(new):
        is_update = found.is_one_subject and found.is_one_change and is_one_subject(old, new) and is_of_one(old, new)
        return Verdict(Relation.UPDATE if is_update else Relation.DIFFERENT, "; ".join(found.changes), score)
    extra = ", ".join(token.key for token in found.only_new or found.only_old)
    return Verdict(Relation.DIFFERENT, f"only one says: {extra}", score)


def _says_no_more(old: Statement, new: Statement, found: Difference) -> str:
    """Why a new statement without words of its own says nothing new; empty when it may."""
    if found.only_old and not _may_be_left_out(found.only_old, old):
        return ""
    gone = {id(token) for token in found.only_old}
    ours = [token for token in old.tokens if not token.is_optional and id(token) not in gone]
    theirs = [token for token in new.tokens if not token.is_optional]
    if [token.key for token in ours] == [token.key for token in theirs]:
        return "the same with fewer words" if found.only_old else "the same words but for emphasis"
    is_moved = is_reordered(ours, theirs) and counts_same(old, new) if new.has_free_order else only_times_move(old, new)
    if is_moved:
        return "the same words in another order"
    return ""


def _may_be_left_out(tokens: Sequence[Token], old: Statement) -> bool:
    """Only where particles show what depends on what, and never the word that the statement ends in."""
    few = len(tokens) <= LEFT_OUT and old.tokens[-1] is not tokens[-1]
    return old.has_free_order and few and may_leave_out(old, tokens)


def _moods_agree(old: str, new: str) -> bool:
    """A question agrees with a question only; an ending that leaves it open agrees with stating and ordering."""
    return old == new if "?" in (old, new) else {old, new} != {".", "!"}
