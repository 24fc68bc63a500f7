"""What the sentences of a log say that a line names: their words, values and days, gathered once for all that is looked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date

from bankd.core.grounding.aligning import is_alike, is_one_word, is_short_for, words_to_align
from bankd.core.grounding.named_days import days_meant_in
from bankd.core.grounding.passages import Passage, english_words, said_in
from bankd.core.grounding.reckoning import reckon
from bankd.core.language.korean.loanwords import spelt_in_latin
from bankd.core.language.quantities import base_quantity
from bankd.core.language.statement import Statement, TokenKind

LEADING_NUMBER = re.compile(r"\d+(?:\.\d+)?(?!\.?\d)")
DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?!\.?\d)")
"""A number, with its fraction; no part of a version with two points or of an address."""
_EACH = re.compile(r"(?<=\D)(?:[째씩쯤당분치]|가량|짜리|어치)$|여$")
_ATTACHED = re.compile(r"(?<=..)(?:용|행|짜리|가량|쯤|네|씩|이고|이며)$|(?<=..)[가는를의]$")
"""What hangs on a Korean noun and is no part of a name: Ollama용, 부산행, and a particle that was not taken off."""
_PART = 2
"""Syllables of a word, at least."""


class SaidInLog:
    """What the sentences say that a line names: their text, words, values and days."""

    def __init__(self, sources: Sequence[Passage], day: date | None) -> None:
        self.day = day
        self.text = said_in(sources)
        self.letters = squeeze_text(self.text)
        words = [word for source in sources for word in words_to_align(source.statement)]
        self.words = {word.base for word in words}
        self.common = {word.base for word in words if word.kind is not TokenKind.NAME and not word.is_first}
        said = [{*_values_in(source.statement)} for source in sources]
        self.values = set[str]().union(*said)
        self.worked_out = {value for values in said for value in reckon(values)}
        written = {run for source in sources for run in _NUMBER.findall(source.text)}
        self.digits = written | {found[0] for value in self.values if (found := LEADING_NUMBER.match(value))}
        self.spans = set(days_meant_in(sources, day))

    def names(self, word: str) -> bool:
        """Whether a name is said, in any of its forms, or another word for it."""
        bare = _ATTACHED.sub("", word.casefold().removesuffix("'s"))
        is_written = is_named(bare, self.text) or (not bare.isascii() and self._is_written_in_hangul(bare))
        return is_written or any(is_one_word(bare, other) for other in self.words) or self._is_joined(bare)

    def _is_joined(self, word: str) -> bool:
        """Whether a Korean word is two that are said: 현대카드 of 카드는 현대."""
        cuts = range(_PART, len(word) - _PART + 1) if not word.isascii() else ()
        return any({word[:cut], word[cut:]} <= self.words for cut in cuts)

    def _is_written_in_hangul(self, name: str) -> bool:
        """Whether it stands in a longer word, or is what a Latin word sounds like: 엔비디아 and nvidia."""
        words = english_words(self.text)
        spelt = spelt_in_latin(name, lambda beginning: [word for word in words if word.startswith(beginning)])
        return squeeze_text(name).removesuffix("이") in self.letters or bool(spelt)

    def has_part(self, word: str) -> bool:
        """Whether a word is said that it begins or ends with, and the rest is one too: 초등, 초등학교; or one is short for it."""
        if word.isascii():
            return any(is_short_for(other, word) for other in self.words)
        parts = (word.removeprefix(other).removesuffix(other) for other in self.words if len(other) >= _PART)
        return any(_PART <= len(part) < len(word) for part in parts)

    def has(self, word: str) -> bool:
        """Whether a word is said, or one that is short for it."""
        return self.names(word) or any(is_alike(word, other) for other in self.words)


def strip_value(value: str) -> str:
    """A value without what says for how long, or of each: 3년째, 100원씩, 1인당, 3일분."""
    return _EACH.sub("", value)


def _values_in(statement: Statement) -> Iterator[str]:
    """The values of a passage, and what two of them in a row make: 3만 5천원 is 35000원."""
    before = ""
    for token in statement.tokens:
        value = strip_value(token.base) if token.kind is TokenKind.VALUE else ""
        yield from [value, base_quantity(value)] if value else []
        digits = DIGITS.match(value)
        if before and digits and int(digits[0]) < int(before) and int(before) % 10_000 == 0:
            yield f"{int(before) + int(digits[0])}{value[digits.end() :]}"
        before = value if value.isdecimal() else ""


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name, both in lower case: as a word of its own, but that particles may hang on Hangul."""
    if not name.isascii():
        return squeeze_text(name) in squeeze_text(text)
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None


def squeeze_text(text: str) -> str:
    """A text without what people write differently in one name: spaces, points, hyphens."""
    return re.sub(r"[\s'\u2019.-]+", "", text)
