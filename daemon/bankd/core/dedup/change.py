"""Changed facts in whatever words: 이사했다, switched to, no longer, 끊었다.

A statement that tells of a change, about what another says something of, supersedes it. Said of somebody or something else,
or in addition (도, also), it does not.
"""

from __future__ import annotations

from functools import lru_cache

from bankd.core.dedup.ending import ceases_another, may_end, what_ceased, what_ended
from bankd.core.dedup.gist import bare_concept, concepts_of, gist_of, said_concepts
from bankd.core.dedup.measuring import measured_again
from bankd.core.dedup.series import is_about_another
from bankd.core.dedup.subjects import is_of_one, is_one_subject, subject_concepts
from bankd.core.dedup.telling import changes_of, tells_change
from bankd.core.language.statement import Statement, TokenKind

LEAST_SHARE = 0.4
"""The share of what the shorter of the two says, changes apart, that both must speak of."""
_ADDING = frozenset({"also", "too"})


def find_change(old: Statement, new: Statement) -> str:
    """Why a new statement tells that what the old one says has changed: a word, a measure, a denial; empty when it tells none."""
    return (
        _told(old, new)
        or (measured_again(old, new) if not adds(new) else "")
        or _denied(old, new)
        or what_ceased(old, new)
        or _as_often(old, new)
        or (what_ended(old, new) if not adds(new) else "")
    )


def may_tell_change(statement: Statement) -> bool:
    """Whether a statement by itself may tell that another has changed: a word of it tells so, denies, gives up, or ends."""
    return tells_change(statement) or bool(_denied_by(statement)) or may_end(statement)


def _denied(old: Statement, new: Statement) -> str:
    """The thing that the new statement puts another in place of, and the old one has: 전화 말고 앱으로."""
    denied = _denied_by(new)
    gone = denied & concepts_of(token for token in old.tokens if not token.negation) if denied else denied
    return f"no longer: {min(gone)}" if gone and _speak_of_one(old, new) else ""


@lru_cache(maxsize=50_000)
def _denied_by(statement: Statement) -> frozenset[str]:
    return frozenset(
        bare_concept(token)
        for token in statement.tokens
        if token.negation == "stop" and token.kind is TokenKind.NOUN and not token.is_predicate
    )


def _as_often(old: Statement, new: Statement) -> str:
    """How often something is, when that alone is another: 하루 세 번, 일주일에 세 번."""
    ours, theirs = gist_of(old), gist_of(new)
    is_other = bool(ours.periods and theirs.periods) and ours.periods != theirs.periods and ours.bag == theirs.bag
    return f"how often: {min(ours.periods)} → {min(theirs.periods)}" if is_other else ""


def _speak_of_one(old: Statement, new: Statement) -> bool:
    ours = subject_concepts(old)
    return bool(ours) and ours == subject_concepts(new) and not adds(new)


def adds(statement: Statement) -> bool:
    """Whether a statement says something in addition: 도, also."""
    return bool(_ADDING & {word for token in statement.tokens for word in (*token.marks, token.base)})


def _told(old: Statement, new: Statement) -> str:
    """The word that tells of a change of what both speak of."""
    word = next((token.base for token in changes_of(new) if not concepts_of([token]) & said_concepts(old)), "")
    if not word or is_about_another(old, new) or ceases_another(old, new):
        return ""
    if adds(new) or not (is_one_subject(old, new) and is_of_one(old, new)):
        return ""
    ours, theirs = (_spoken_of(statement) for statement in (old, new))
    shared = ours & theirs
    return f"change: {word}" if shared and len(shared) >= LEAST_SHARE * min(len(ours), len(theirs)) else ""


@lru_cache(maxsize=50_000)
def _spoken_of(statement: Statement) -> frozenset[str]:
    """What a statement speaks of: its concepts without the words that tell of a change."""
    told = concepts_of(changes_of(statement))
    return concepts_of(token for token in statement.tokens if token.kind is not TokenKind.VALUE) - told
