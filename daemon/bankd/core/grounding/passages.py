"""Texts taken apart, as the grounding compares them."""

from __future__ import annotations

import re
from typing import NamedTuple

from bankd.core.language.statement import Statement

_SENTENCE = re.compile(r"(?<=[.!?\u3002])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\bca\.)\s+")
_ITEM = re.compile(r"^(?:[-*+\u2022]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
"""What makes a line an item of a list: before a number it would be its sign."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def sentences_of(text: str) -> list[str]:
    """The sentences of a line, each without what ends it, so that a number at its end is that number, and no mark of a list."""
    said = _ITEM.sub("", text.strip())
    return [part for sentence in _SENTENCE.split(said) if (part := sentence.rstrip(" .!\u3002"))]


class Passage(NamedTuple):
    """A text as it stands, taken apart: the line that is judged, or a sentence of those that it names."""

    text: str
    statement: Statement

    def as_written(self, value: str) -> str:
        """How a value stands in the text: what is compared as 29분 may be 29 minutes there."""
        number = _NUMBER.match(value)
        if number is None or value in self.text:
            return value
        found = re.search(rf"(?<!\d){re.escape(number[0])}(?!\.?\d)(?: ?[A-Za-z%]+)?", self.text)
        return found[0] if found else value


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name, both in lower case: as a word of its own, but that particles may hang on Hangul."""
    if not name.isascii():
        return squeeze_text(name) in squeeze_text(text)
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None


def squeeze_text(text: str) -> str:
    """A text without what people write differently in one name: spaces, points, hyphens."""
    return re.sub(r"[\s'\u2019.-]+", "", text)
