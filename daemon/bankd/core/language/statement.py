"""What a memory says, as a row of tokens that two wordings of it share.

Politeness, particles of case, spacing and punctuation leave no trace here; numbers, names, negation, tense, limits
(only, also, from, until) and mood do. `korean` and `english` hold the closed lists; comparing is for `duplicates`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from bankd.core.language.korean.function_words import SOFT_MARKS

_SILENT = re.compile(
    r"""[!~\u2026]+(?=\s|$) | \.+(?=\s|$) | ,(?!\d)
      | (?<![^\W_])["'\u2018\u2019\u201c\u201d*_`]+ | ["'\u2018\u2019\u201c\u201d*_`]+(?![^\W_])""",
    re.VERBOSE,
)
"""Ends of sentences, commas outside numbers, and marks of quotation and emphasis around words."""

_GAP = re.compile(r"(?<![a-zA-Z0-9])\s+|\s+(?![a-zA-Z0-9])")
"""White space that no two Latin words or numbers meet at: 1 2 is not 12, and a way is not away."""


class TokenKind(StrEnum):
    """What a token is, by what a change of it means."""

    WORD = "word"
    NOUN = "noun"
    ADVERB = "adverb"
    NAME = "name"
    VALUE = "value"
    MARK = "mark"


_APART = frozenset({TokenKind.VALUE, TokenKind.MARK})
"""Kinds that never join their neighbours: 1 and 2번 are not 12번."""


SPOKEN_OF = ("topic", "subject")
"""The cases of what a statement says something of: the topic and who does it are one to who compares."""

SAID_BEFORE = "-"
"""The sense of a token that belongs to the word before it."""


@dataclass(slots=True)
class Token:
    """A unit of meaning: its base form, what turns or limits it, and its case when a particle says so.

    `sense` is what it says together with its neighbours, where that is another thing: "gave up" is one word to who
    compares meanings, and `SAID_BEFORE` stands at "up".
    """

    base: str
    kind: TokenKind = TokenKind.WORD
    negation: str = ""
    marks: list[str] = field(default_factory=list)
    case: str = ""
    is_predicate: bool = False
    is_optional: bool = False
    sense: str = ""

    @property
    def key(self) -> str:
        """Everything about the token that counts, in one string."""
        if not self.marks and not self.negation:
            return self.base
        marks = "".join("|" + mark for mark in sorted(set(self.marks) - SOFT_MARKS))
        return f"{'¬' + self.negation + ' ' if self.negation else ''}{self.base}{marks}"


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """A memory as tokens, in phrases that may change places; `about` are the entities named before the colon.

    One statement is compared with many, so what is drawn from it is kept by its identity.

    `letters` is its text without what spacing and punctuation add, `signature` its keys in a row, without the gaps
    that spacing makes inside compound words of Hangul.
    """

    text: str
    phrases: tuple[tuple[Token, ...], ...]
    tokens: tuple[Token, ...]
    keys: tuple[str, ...]
    letters: str
    signature: str
    mood: str = ""
    about: frozenset[str] = frozenset()

    @property
    def has_free_order(self) -> bool:
        """Particles say who does what in Korean, so that phrases may change places; in English order says it."""
        return len(self.phrases) > 1


def make_statement(text: str, phrases: Sequence[Sequence[Token]], mood: str, entities: Sequence[str]) -> Statement:
    """Close the tokens of a text into a statement; an entity named first in the text itself is said only once."""
    about = frozenset(entity.casefold() for entity in entities)
    kept = [list(phrase) for phrase in phrases if phrase]
    if kept and kept[0][0].base.casefold() in about and not kept[0][0].negation:
        kept[0] = kept[0][1:]
    return _close(text, [tuple(phrase) for phrase in kept if phrase], _letters_of(text), mood, about)


def spell_otherwise(statement: Statement, phrases: Sequence[tuple[Token, ...]]) -> Statement:
    """The same statement of other tokens."""
    return _close(statement.text, phrases, statement.letters, statement.mood, statement.about)


def restate(statement: Statement, text: str, phrases: Sequence[tuple[Token, ...]]) -> Statement:
    """A statement of the same mood and entities that says something else."""
    return _close(text, phrases, _letters_of(text), statement.mood, statement.about)


def _close(
    text: str, phrases: Sequence[tuple[Token, ...]], letters: str, mood: str, about: frozenset[str]
) -> Statement:
    tokens = tuple(token for phrase in phrases for token in phrase)
    keys = tuple(token.key for token in tokens)
    return Statement(text, tuple(phrases), tokens, keys, letters, _signature_of(tokens, keys), mood, about)


def _letters_of(text: str) -> str:
    words = _SILENT.sub(" ", unicodedata.normalize("NFC", text)).split()
    return _GAP.sub("", " ".join(words))


def _signature_of(tokens: Sequence[Token], keys: Sequence[str]) -> str:
    return "".join(
        f"\0{key}\0" if token.kind in _APART or key.isascii() else key for token, key in zip(tokens, keys, strict=True)
    )
