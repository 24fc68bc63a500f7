"""Who does it and to whom it is done, in an English sentence: Karim interviewed Lena, Karim was interviewed by Lena.

The words alone do not tell: a passive has one small word more, and the writer (I, we, me, us) is no word that tells one
fact from another.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

from bankd.core.language.english.reading import open_contraction
from bankd.core.language.english.stemming import stem_words
from bankd.core.language.english.tense import DETERMINERS, HELPING, PREPOSITIONS, carrier_of, is_done_for, is_passive
from bankd.core.language.statement import Statement
from bankd.core.language.word_lists import split_words

_WRITER = "I"
_WRITERS = dict.fromkeys(("i", "me", "we", "us"), _WRITER)
_SUBJECTS = split_words("i we")
_FINITE = HELPING - {"to"} | split_words("am is are was were 's 're 'm")
_NO_VERBS = DETERMINERS | PREPOSITIONS | _FINITE | {"to"}
_PLACING = PREPOSITIONS | {"to"}
_AGENT, _COMPANION = "by", "with"
_TURNING = split_words("stop rememb forget regret tri")
"""Verbs, by their stems, that English grammars name as meaning one thing before "to" and another before -ing."""
_WORD = re.compile(r"[\w'\u2019]+")


class _Clause(NamedTuple):
    """The words of a sentence in small letters, and what each stands for: its stem, or the writer."""

    words: Sequence[str]
    stems: Sequence[str]


class _Deed(NamedTuple):
    """A verb by its stem, who does it, and whom it is done to, or told, or given."""

    verb: str
    doers: frozenset[str]
    done_to: frozenset[str]


def voices_clash(old: Statement, new: Statement) -> bool:
    """Whether who does something in one has it done to him in the other, or by others; in Korean particles tell that."""
    if old.has_free_order or new.has_free_order:
        return False
    return _is_turned(old, new) or _is_turned(new, old) or _aims_differ(old, new)


def _is_turned(one: Statement, other: Statement) -> bool:
    """Whether what is told of one deed, in the passive or by who did it, is otherwise where the other tells of it plainly."""
    deed, clause = _deed_of(one), _clause_of(other)
    at = clause.stems.index(deed.verb) if deed and deed.verb in clause.stems else 0
    if deed is None or at == 0 or not _is_plainly_done(clause.words, at):
        return False
    is_writers = carrier_of(clause.words, at, HELPING) in _SUBJECTS
    doers = frozenset({_WRITER}) if is_writers else _things(clause, range(at))
    return bool(deed.doers & _objects(clause, at)) or bool(deed.done_to & doers and not deed.doers & doers)


def _aims_differ(old: Statement, new: Statement) -> bool:
    """Whether one verb is followed by "to" in one and by a verb in -ing in the other: stopped to talk, stopped talking."""
    ours, theirs = _turning_verbs(old), _turning_verbs(new)
    return any(theirs.get(verb, follower) != follower for verb, follower in ours.items())


@lru_cache(maxsize=50_000)
def _turning_verbs(statement: Statement) -> Mapping[str, str]:
    """Each verb that means another thing before "to" than before -ing, with which of the two follows."""
    clause = _clause_of(statement)
    followers = {
        stem: "to" if after == "to" else after[-3:] for stem, after in zip(clause.stems, clause.words[1:], strict=False)
    }
    return {stem: after for stem, after in followers.items() if stem in _TURNING and after in ("to", "ing")}


def _is_plainly_done(words: Sequence[str], at: int) -> bool:
    """Whether a word may be an active verb: no noun either, as in "the limit" and "the upload limit is"."""
    follows_noun = at + 1 < len(words) and words[at + 1] in _FINITE
    return not (follows_noun or is_passive(words, at) or carrier_of(words, at) in DETERMINERS | PREPOSITIONS)


@lru_cache(maxsize=50_000)
def _clause_of(statement: Statement) -> _Clause:
    words = [part.casefold() for word in _WORD.findall(statement.text) for part in open_contraction(word)]
    stems = [_WRITERS.get(word) or stem for word, stem in zip(words, stem_words(words), strict=True)]
    return _Clause(words, stems)


@lru_cache(maxsize=50_000)
def _deed_of(statement: Statement) -> _Deed | None:
    """What is told in the passive, else what the writer does; None where neither is."""
    clause = _clause_of(statement)
    for at in range(1, len(clause.words)):
        if is_passive(clause.words, at):
            return _Deed(clause.stems[at], _agents(clause, at), _things(clause, range(at)))
        if is_done_for(clause.words, at):
            return _Deed(clause.stems[at], frozenset(), _things(clause, range(at)))
        if clause.words[at] not in _NO_VERBS and carrier_of(clause.words, at, HELPING) in _SUBJECTS:
            behind = range(at + 1, len(clause.words))
            return _Deed(clause.stems[at], frozenset({_WRITER}), _things(clause, behind, {_COMPANION}))
    return None


def _agents(clause: _Clause, at: int) -> frozenset[str]:
    """Who does it: what stands behind "by", up to the next preposition."""
    behind = clause.words[at:]
    return _objects(clause, at + behind.index(_AGENT)) if _AGENT in behind else frozenset()


def _objects(clause: _Clause, at: int) -> frozenset[str]:
    """What stands behind a word, up to the next preposition."""
    behind = takewhile(lambda place: clause.words[place] not in _PLACING, range(at + 1, len(clause.words)))
    return _things(clause, behind)


def _things(clause: _Clause, places: Iterator[int] | range, skipped: Set[str] = _PLACING) -> frozenset[str]:
    """What stands at some places, but for small words and what follows one of those prepositions."""
    return frozenset(
        clause.stems[at]
        for at in places
        if (clause.words[at] in _SUBJECTS or clause.words[at] not in _NO_VERBS)
        and carrier_of(clause.words, at, DETERMINERS) not in skipped
    )
