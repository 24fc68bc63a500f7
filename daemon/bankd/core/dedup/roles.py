"""What each thing in a statement has to do with what is done: by its particle in Korean, by its preposition in English."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import pairwise

from bankd.core.dedup.voice import voices_clash
from bankd.core.language.statement import SPOKEN_OF, Statement, Token, TokenKind

_COMPANION, _ABOUT, _BENEFIT, _INSIDE = "companion", "about", "benefit", "inside"
_PREPOSITIONS = {
    "by": "agent", "from": "source", "to": "goal", "into": _INSIDE, "onto": "goal", "for": _BENEFIT, "with": _COMPANION, "as": "as",
    "about": _ABOUT, "in": "place", "on": "place", "at": "place", "near": "place",
}  # fmt: skip
_BEHIND = {"위하": _BENEFIT, "대하": _ABOUT, "관하": _ABOUT, "통하": "means"}
"""Korean verbs that say of the noun before them what a preposition says."""
_TIME = re.compile(r"\b(for|in|within) [\w-]+ (?:second|minute|hour|day|week|month|year)s?\b")
"""A stretch of time, which lasts or is waited for; a day by its date is none."""
_FEELING = re.compile(r"\b(?:am|is|are|was|were|be|'[sm]|'re) (?:\w+ly |so |very )?(\w+) (of|for)\b")
"""What somebody is of or for something: afraid of his mother, afraid for her."""
_CLASHES = frozenset(
    frozenset({role, other})
    for role, others in {
        "subject": ("object", "receiver", _COMPANION, _ABOUT, _BENEFIT, "means"),
        "topic": ("receiver", _COMPANION, _ABOUT, _BENEFIT, "means"),
        "agent": ("source", "goal", _INSIDE, _BENEFIT, _COMPANION, "as", _ABOUT, "place"),
        "source": ("goal", _INSIDE, _BENEFIT, _COMPANION, _ABOUT, "place"),
        _COMPANION: ("goal", _INSIDE, _BENEFIT, _ABOUT, "as"),
        _ABOUT: ("goal", _INSIDE, _BENEFIT, "means"),
        _BENEFIT: ("means", _INSIDE),
    }.items()
    for other in others
)
"""What cannot be said of one thing in the same fact: a letter by Anna is none to her. What else differs, people exchange freely."""


def roles_clash(old: Statement, new: Statement) -> bool:
    """Whether somebody who does something in one has it done to them in the other, or with, for or about them."""
    theirs = _roles(new)
    times = (_time_of(old), _time_of(new))
    clashes = any(frozenset({case, theirs.get(base, "")}) in _CLASHES for base, case in _roles(old).items())
    feels = _feelings_of(new)
    is_felt_otherwise = any(feels.get(word, behind) != behind for word, behind in _feelings_of(old).items())
    return clashes or is_felt_otherwise or set(times) == {"for", "in"} or voices_clash(old, new)


@lru_cache(maxsize=50_000)
def _feelings_of(statement: Statement) -> Mapping[str, str]:
    """What somebody is, with the "of" or "for" behind it."""
    return dict(_FEELING.findall(statement.text.casefold()))


@lru_cache(maxsize=50_000)
def _time_of(statement: Statement) -> str:
    """Whether something is so for some time or after some time: it ships for three days, it ships in three days."""
    found = _TIME.search(statement.text.casefold())
    return "" if found is None else "for" if found[1] == "for" else "in"


@lru_cache(maxsize=50_000)
def _roles(statement: Statement) -> Mapping[str, str]:
    """The case of each base that stands there once and has one."""
    bases = [token.base for token in statement.tokens]
    cases = _cases_by_particle(statement) if statement.has_free_order else _cases_by_preposition(statement)
    return {token.base: case for token, case in cases if case and bases.count(token.base) == 1}


def _cases_by_particle(statement: Statement) -> Iterator[tuple[Token, str]]:
    """Each token with its case; the only one that somebody does something with is a companion, where nobody is said to do it."""
    has_doer = any(token.case in SPOKEN_OF for token in statement.tokens)
    along = [token for token in statement.tokens if "with" in token.marks and not token.case]
    for token, behind in pairwise((*statement.tokens, Token(""))):
        case = _COMPANION if not has_doer and [token] == along else token.case
        yield token, _BEHIND.get(behind.base, case)


def _cases_by_preposition(statement: Statement) -> Iterator[tuple[Token, str]]:
    """Each word right behind a preposition, with what that says; of a time prepositions say much the same: by, on, at."""
    for before, token in pairwise(statement.tokens):
        if token.kind is not TokenKind.VALUE:
            yield token, _PREPOSITIONS.get(before.base, token.case)
