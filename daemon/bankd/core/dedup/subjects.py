"""Of whom or what a statement says something, whether two say it of one, and whose it is."""

from __future__ import annotations

import re
from functools import lru_cache

from bankd.core.dedup.gist import concepts_of, is_empty, said_concepts
from bankd.core.dedup.telling import is_word_of_change
from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.statement import SPOKEN_OF, Statement, TokenKind

_POSSESSED = re.compile(r"(?:[\w-]+ ){0,2}?(?:[\w-]+(?:['\u2019]s|s['\u2019]) )+\w+")
"""Whose something is and what, at the beginning of an English statement: the train of Iris, her mother's maiden name."""
_SPEAKER = "I"
"""Who is spoken of where a line says I or we."""


def is_one_subject(old: Statement, new: Statement) -> bool:
    """Whether neither says its subject of somebody or something that the other does not speak of."""
    ours, theirs = subject_concepts(old), subject_concepts(new)
    if not (ours and theirs):
        return True
    return ours == theirs or ours <= said_concepts(new) or theirs <= said_concepts(old)


def is_of_one(old: Statement, new: Statement) -> bool:
    """Whether both speak of what either begins with, where that is of somebody: Iris's train, which is not her flight."""
    return (_possessed(old) | _possessed(new)) <= said_concepts(old) & said_concepts(new)


@lru_cache(maxsize=50_000)
def _possessed(statement: Statement) -> frozenset[str]:
    """What an English statement begins with, and whose it is; empty where it is nobody's."""
    found = None if statement.has_free_order else _POSSESSED.match(statement.text.casefold())
    words = frozenset(re.findall(r"\w+", found[0])) if found else frozenset()
    return concepts_of(token for token in statement.tokens if token.base.casefold() in words)


@lru_cache(maxsize=50_000)
def subject_concepts(statement: Statement) -> frozenset[str]:
    """The words of the first phrase that a particle calls the topic or subject; in English the first word that tells."""
    if statement.has_free_order:
        named = (phrase for phrase in statement.phrases if phrase[-1].case in SPOKEN_OF)
        return next((words for phrase in named if (words := concepts_of(phrase))), frozenset())
    for token in statement.tokens:
        if token.base in {"i", "we"}:
            return frozenset({_SPEAKER})
        if not (
            is_empty(token) or is_word_of_change(token) or token.kind is TokenKind.VALUE or token.base in RELATIONS
        ):
            return concepts_of([token])
    return frozenset()


def doer_concepts(statement: Statement) -> frozenset[str]:
    """Who does something, none for the writer."""
    return subject_concepts(statement) - {_SPEAKER}
