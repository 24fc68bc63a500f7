"""A memory as tokens that are the same for different wordings.

Politeness, case particles, spacing and punctuation leave no trace; numbers, names, negation, tense, limits (only, also,
from, until) and mood do. Hangul is taken apart by an analyser outside, everything else by `plain_wording`. Without an
analyser a Hangul word stays whole and counts as another word, so comparison is never bolder.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from bankd.words.tables import table_rows, words_in

SOFT_MARKS = words_in("korean", "soft_marks")
"""Meanings that people exchange freely when they reword: 30 of 30 calibration pairs that differ only in them are equal."""

_SILENT = re.compile(
    r"""[!~\u2026]+(?=\s|$) | \.+(?=\s|$) | ,(?!\d)
      | (?<![^\W_])["'\u2018\u2019\u201c\u201d*_`]+ | ["'\u2018\u2019\u201c\u201d*_`]+(?![^\W_])""",
    re.VERBOSE,
)
"""Ends of sentences, commas outside numbers, and marks of quotation and emphasis around words."""

_GAP = re.compile(r"(?<![a-zA-Z0-9])\s+|\s+(?![a-zA-Z0-9])")
"""White space that may be removed: not between two Latin words or numbers (1 2 is not 12, a way is not away)."""


class TokenKind(StrEnum):
    """The kinds of tokens, by what it means when one differs."""

    WORD = "word"
    NAME = "name"
    VALUE = "value"
    MARK = "mark"


SPOKEN_OF = ("topic", "subject")
"""The cases of the subject: topic and agent are not told apart in comparing."""


@dataclass(slots=True)
class Token:
    """A unit of meaning: its base form, its negations and limits, and its case if a particle names it."""

    base: str
    kind: TokenKind = TokenKind.WORD
    negation: str = ""
    marks: list[str] = field(default_factory=list)
    case: str = ""
    is_predicate: bool = False
    is_optional: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A memory as tokens, in phrases; `about` are the entities named before the colon.

    One statement is compared with many, so results are cached by its identity.

    `letters` is its text without spacing and punctuation.
    """

    text: str
    phrases: tuple[tuple[Token, ...], ...]
    tokens: tuple[Token, ...]
    letters: str
    mood: str = ""
    about: frozenset[str] = frozenset()

    @property
    def has_free_order(self) -> bool:
        """Whether phrases may change places: in Korean particles say who does what, in English the order does."""
        return len(self.phrases) > 1


def make_statement(text: str, phrases: Sequence[Sequence[Token]], mood: str, entities: Sequence[str]) -> Statement:
    """Make a statement of tokens; an entity that the text itself names first is not counted twice."""
    about = frozenset(entity.casefold() for entity in entities)
    kept = [list(phrase) for phrase in phrases if phrase]
    if kept and kept[0][0].base.casefold() in about and not kept[0][0].negation:
        kept[0] = kept[0][1:]
    closed = tuple(tuple(phrase) for phrase in kept if phrase)
    tokens = tuple(token for phrase in closed for token in phrase)
    letters = _GAP.sub("", " ".join(_SILENT.sub(" ", unicodedata.normalize("NFC", text)).split()))
    return Statement(text, closed, tokens, letters, mood, about)


_LEXEMES = re.compile("|".join(f"(?P<{tag}>{shape})" for tag, _, shape in table_rows("lexemes")))
"""The pieces of a text, in the order in which they are tried, each with its tag."""


class Morpheme(NamedTuple):
    """A morpheme with its part of speech in the Sejong tag set, such as ("먹", "VV")."""

    form: str
    tag: str


@dataclass(frozen=True, slots=True)
class Wording:
    """A text and its morphemes in order."""

    text: str
    morphemes: tuple[Morpheme, ...]


def plain_wording(text: str) -> Wording:
    """Split a text by its characters alone; a Hangul word stays whole, with the tag UN (unknown)."""
    composed = unicodedata.normalize("NFC", text)
    return Wording(text, tuple(Morpheme(found[0], found.lastgroup or "SW") for found in _LEXEMES.finditer(composed)))
