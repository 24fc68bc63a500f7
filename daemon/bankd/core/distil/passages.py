"""Texts taken apart, as the grounding compares them: sentences, the words of one, and which share most with a line."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence, Set
from itertools import pairwise
from typing import NamedTuple

from bankd.core.dedup.guard import stem
from bankd.core.language.statement import Statement, TokenKind

_NO_LONGER = re.compile(r"\bno longer\b|\b(?:stop(?:s|ped)?|quit|avoid(?:s|ed)?)(?= \w+ing\b)", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+")


def sentences_of(text: str) -> list[str]:
    """The sentences of a line, each without what ends it, so that a number at its end is that number."""
    return [part for sentence in _SENTENCE.split(text.strip()) if (part := sentence.rstrip(" .!\u3002"))]


def as_read(text: str) -> str:
    """A text as it is taken apart: what denies a verb stands before it."""
    return _NO_LONGER.sub("not", text)


class Passage(NamedTuple):
    """A text as it stands, taken apart: the line that is judged, or a sentence of those that it names."""

    text: str
    statement: Statement


def nearest(line: Passage, sources: Sequence[Passage]) -> list[Passage]:
    """The passages that share most words with the line; none where that is one word alone."""
    shared = [len(stems_of(line) & stems_of(source)) for source in sources]
    return [source for source, count in zip(sources, shared, strict=True) if 1 < count == max(shared)]


def stems_of(passage: Passage) -> Set[str]:
    """The words of a passage, and what two nouns in a row make: an analyser may part 정확도 or not."""
    tokens = [token for token in passage.statement.tokens if token.kind is not TokenKind.MARK]
    joined = {one.base + other.base for one, other in pairwise(tokens) if one.kind is other.kind is TokenKind.NOUN}
    return {stem(token.base) for token in tokens} | joined


def is_short_for(short: str, long: str) -> bool:
    """Whether the letters of a word stand in another in their order, the first one first: dir, directory; km, kilometre."""
    rest = iter(long)
    return short[:1] == long[:1] and short.isascii() and all(letter in rest for letter in short)


def denies(passage: Passage) -> bool:
    """Whether it denies anything."""
    return any(token.negation for token in passage.statement.tokens)


def said_in(sources: Sequence[Passage]) -> str:
    """The passages as they stand, in lower case, a line each."""
    return unicodedata.normalize("NFC", "\n".join(source.text for source in sources)).casefold()
