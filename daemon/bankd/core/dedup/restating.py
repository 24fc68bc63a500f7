"""Whether one statement says again what another says, by the gist of both (`says_again`).

It is careful where the words are not: numbers, names, negation, limits, time and who does what must agree to the last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from bankd.core.dedup.gist import (
    RECURRING_DAYS,
    Gist,
    bare_concept,
    gist_of,
    is_empty,
    telling_tokens,
    turned_concept,
)
from bankd.core.dedup.roles import roles_clash
from bankd.core.language.paraphrases import stem_phrase
from bankd.core.language.statement import Statement, Token, TokenKind

LEAST_SHARED = 2
"""What says something in both statements, at least: one word in common is a subject, not a fact."""

_NOMINAL = frozenset("함됨음임짐김")


def _is_nominal(statement: Statement) -> bool:
    """Whether it ends without a verb that says when: 이후 삭제, 취소함, or any English."""
    last = statement.tokens[-1]
    return (last.kind is TokenKind.NOUN and not last.is_predicate) or statement.text.rstrip(" .")[-1:] in _NOMINAL


def says_again(old: Statement, new: Statement) -> str:
    """Why a new statement says again what the old one says, in other words; empty when it may say anything else."""
    ours, theirs = gist_of(old), gist_of(new)
    if ours.bag != theirs.bag or len(ours.words) < LEAST_SHARED:
        return ""
    if Counter(old.keys) == Counter(new.keys):  # of the same words the guard knows more
        return ""
    is_so = agree_in_time(old, new) and stand_for_one(old, new) and _keeps_roles(old, new, ours, theirs)
    return "the same in other words" if is_so else ""


def agree_in_time(old: Statement, new: Statement) -> bool:
    """Whether both tell of the same time, once or again and again, and of one or of several alike."""
    ours, theirs = gist_of(old), gist_of(new)
    tenses_agree = _are_of_one_time(ours, theirs) or _is_nominal(old) or _is_nominal(new)
    is_as_often = not (ours.periods and theirs.periods) or ours.periods == theirs.periods
    return tenses_agree and ours.recurs == theirs.recurs and is_as_often and not _counts_differ(old, new)


def _are_of_one_time(ours: Gist, theirs: Gist) -> bool:
    """Whether the tenses agree; what is so since it was done is told as what is, or as what was done: 저장되어 있다, 저장했다."""
    states = {ours.state, theirs.state}
    return (ours.is_past == theirs.is_past or "now" in states) and states != {"now", "then"}


def _counts_differ(old: Statement, new: Statement) -> bool:
    """Whether an English word is one in one and several in the other: a son and sons are two facts, cat food and food for cats one."""
    ours, theirs = ({token.base for token in statement.tokens if token.base.isascii()} for statement in (old, new))
    gone, came = ours - theirs - RECURRING_DAYS, theirs - ours - RECURRING_DAYS
    pairs = [(word, old, new) for word in gone if f"{word}s" in came]
    pairs += [(word, new, old) for word in came if f"{word}s" in gone]
    return not all(_is_of_a_kind(*pair) for pair in pairs)


def _is_of_a_kind(word: str, one: Statement, several: Statement) -> bool:
    """Whether a word describes the next one, which stands before the several (an allergy to cats), or behind in another form.

    Errors are reported in error reports; but a son who studies and sons who do are one and many.
    """
    heads = [after for token, after in pairwise(telling_tokens(one)) if token.base == word]
    for before, token in pairwise(telling_tokens(several)):
        if token.base == f"{word}s" and bare_concept(before) in map(bare_concept, heads):
            return True
        is_verb = before.base == f"{word}s" and any(_is_other_form(head, token) for head in heads)
        if is_verb and not re.search(rf"\ban? {word}\b", one.text, re.IGNORECASE):
            return True
    return False


def _is_other_form(one: Token, other: Token) -> bool:
    short, long = sorted((one.base, other.base), key=len)
    return bare_concept(one) == bare_concept(other) and long not in (short, f"{short}s", f"{short}es")


def _keeps_roles(old: Statement, new: Statement, ours: Gist, theirs: Gist) -> bool:
    """Of the row of words one stretch may move, no name past another, and only where particles or nothing say who does what."""
    if roles_clash(old, new):
        return False
    if ours.words == theirs.words:
        return True
    may_move = not (ours.has_order or theirs.has_order) and names_keep_order(
        *([token for token in one.tokens if not is_empty(token)] for one in (old, new))
    )
    return may_move and (is_one_move(ours.words, theirs.words) or only_times_move(old, new))


def only_times_move(old: Statement, new: Statement) -> bool:
    """Whether all else keeps its order, and so do the values of each sort: at 7 on Friday, on Friday at 7."""
    ours, theirs = telling_tokens(old), telling_tokens(new)
    return _unvalued(ours) == _unvalued(theirs) and _by_sort(ours) == _by_sort(theirs)


def _unvalued(said: Sequence[Token]) -> list[str]:
    return [turned_concept(token) for token in said if token.kind is not TokenKind.VALUE]


def _by_sort(said: Sequence[Token]) -> Mapping[str, Sequence[str]]:
    """The values of each unit in their order; clock times are of one sort, and so are those without a number."""
    found: dict[str, list[str]] = {}
    for token in said:
        if token.kind is TokenKind.VALUE:
            unit = token.base.lstrip("0123456789.") if token.base[0].isdigit() else "word"
            found.setdefault(unit[:1] if unit.startswith(":") else unit, []).append(turned_concept(token))
    return found


def names_keep_order(ours: Sequence[Token], theirs: Sequence[Token]) -> bool:
    """Whether the names of both follow one another alike; what begins a sentence is a name where the other says so."""
    said = [(token.base.casefold(), bare_concept(token)) for token in (*ours, *theirs) if token.kind is TokenKind.NAME]
    names = {concept.casefold() for base, concept in said if stem_phrase(base) == concept.casefold() or base == concept}
    here, there = (
        [word for token in one if (word := bare_concept(token).casefold()) in names] for one in (ours, theirs)
    )
    return here == there


def is_one_move(ours: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether two rows of words are equal, or one stretch of one is moved in the other: what differs is turned."""
    if len(ours) != len(theirs):  # one says a word twice, which counts as left over of none
        return False
    differing = [at for at, (one, other) in enumerate(zip(ours, theirs, strict=True)) if one != other]
    if not differing:
        return True
    here = slice(differing[0], differing[-1] + 1)
    before, after = [*ours[here]], [*theirs[here]]
    return any(before[at:] + before[:at] == after for at in range(1, len(before)))


def stand_for_one(old: Statement, new: Statement) -> bool:
    """Whether the pronouns of both are the same, or only one of the two has any: her husband is not his."""
    ours, theirs = gist_of(old).pronouns, gist_of(new).pronouns
    return ours == theirs or not (ours and theirs)
