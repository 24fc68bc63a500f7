"""Reads what a text says of whom, whatever its language."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bankd.core.language.analysis import has_hangul
from bankd.core.language.english.reading import read_english
from bankd.core.language.korean.reading import read_korean
from bankd.core.language.statement import Statement
from bankd.core.language.wording import Wording, plain_wording
from bankd.core.markdown.memory import Memory

_PIN = re.compile(r"(?:^|\s)#pinned(?=\s|$)")


def read_statement(wording: Wording, entities: Sequence[str] = ()) -> Statement:
    """Read an analysed text; one without Hangul is read by its characters, so that no analyser is waited for."""
    if has_hangul(wording.text):
        return read_korean(wording, entities)
    return read_english(plain_wording(wording.text), entities)


def compared_text(memory: Memory) -> str:
    """The text of a memory as it is compared, without the tag that pins it."""
    text = _PIN.sub(" ", memory.text) if "#pinned" in memory.text else memory.text
    return text.strip()
