"""Texts taken apart, as the grounding compares them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from bankd.core.language.analysis import has_hangul
from bankd.core.language.statement import Statement

_SENTENCE = re.compile(r"(?<=[.!?\u3002])(?<!\b[DMS][rst]\.)(?<!\bMrs\.)(?<!\bNo\.)(?<!\bvs\.)(?<!\bca\.)\s+")
_ITEM = re.compile(r"^(?:[-*+\u2022]|\d{1,2}[.)])\s+(?:\[[ xX]\]\s+)?")
_OPEN_TASK = re.compile(r"^[-*+] \[ \] ")
"""What makes a line an item of a list: before a number it would be its sign."""
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def sentences_of(text: str) -> list[str]:
    """The sentences of a line, each without what ends it, so that a number at its end is that number, and no mark of a list."""
    said = _ITEM.sub("", text.strip())
    return [part for sentence in _SENTENCE.split(said) if (part := sentence.rstrip(" .!\u3002"))]


def clauses_of(text: str) -> list[str]:
    """The sentences of a line, and what semicolons part in them; a task that is open also says that it is not done."""
    clauses = [clause for sentence in sentences_of(text) for clause in sentence.split("; ")]
    if clauses and _OPEN_TASK.match(text.strip()):
        clauses[:1] = _of_open_task(clauses[0])
    return clauses


def _of_open_task(task: str) -> list[str]:
    """What the open box before a task says of it: that it is not done, and, which Korean leaves as it is, that it is to be."""
    if has_hangul(task):
        return [f"{re.split('[,:(]', task)[0].rstrip()} 안 함", task]
    return [f"not to {task}", f"to {task}"]


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


def english_words(text: str) -> list[str]:
    """The words in Latin letters of a text, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Za-z]+", text)]


def said_in(sources: Sequence[Passage]) -> str:
    """The passages as they stand, in lower case, a line each."""
    return unicodedata.normalize("NFC", "\n".join(source.text for source in sources)).casefold()
