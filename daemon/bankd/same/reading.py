"""Reads a memory, in any language, into a statement with its subjects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from bankd.pages.memory import Memory
from bankd.words.analysis import has_hangul
from bankd.words.english import read_english
from bankd.words.korean import read_korean
from bankd.words.statement import Statement, Wording, plain_wording

_PIN = re.compile(r"(?:^|\s)#pinned(?=\s|$)")


def read_statement(wording: Wording, entities: Sequence[str] = ()) -> Statement:
    """Read an analysed text. A text without Hangul is read by its characters, so that it needs no analyser.

    A run reads the same memory several times (as a new line, as a candidate, in comparing again) and gets the same
    object each time, because results are cached by its identity.
    """
    return _read(wording, tuple(entities))


@lru_cache(maxsize=20_000)  # enough for the lines of some runs and the memories compared with them
def _read(wording: Wording, entities: tuple[str, ...]) -> Statement:
    if has_hangul(wording.text):
        return read_korean(wording, entities)
    return read_english(plain_wording(wording.text), entities)


def compared_text(memory: Memory) -> str:
    """The text of a memory to compare, without `#pinned`."""
    text = _PIN.sub(" ", memory.text) if "#pinned" in memory.text else memory.text
    return text.strip()
