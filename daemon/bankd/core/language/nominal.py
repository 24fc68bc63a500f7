"""The verb in a noun made of it: retention is retaining, 잠금 is 잠그다; by how such nouns end, not by a list of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

_LATINATE = tuple(
    (re.compile(f"(?<=.){noun}s?$"), verb)
    for noun, verb in (
        ("tention", "tain"), ("ception", "ceive"), ("scription", "scribe"), ("cision", "cide"), ("sponse", "spond"),
        ("pansion", "pand"), ("tension", "tend"), ("pension", "pend"), ("mission", "mit"), ("clusion", "clude"),
        ("sumption", "sume"), ("solution", "solve"), ("lication", "ly"), ("fication", "fy"), ("version", "vert"),
        ("duction", "duce"), ("vasion", "vade"), ("ceipt", "ceive"), ("iption", "ibe"), ("pulsion", "pel"),
    )
)  # fmt: skip
_FIRST, _LAST, _FINALS, _M = 0xAC00, 0xD7A3, 28, 16
"""Where the syllables of Hangul begin and end, how many finals each may have, and which of them is ㅁ."""


def verbs_in(noun: str) -> Iterator[str]:
    """The verbs that a noun may be made of, as they would be written; most of them are none."""
    if noun.isascii():
        yield from (ending.sub(verb, noun) for ending, verb in _LATINATE if ending.search(noun))
    elif len(noun) > 1 and noun[-1] in "기음":
        yield noun[:-1]
    elif len(noun) > 1 and _FIRST <= ord(noun[-1]) <= _LAST and (ord(noun[-1]) - _FIRST) % _FINALS == _M:
        yield noun[:-1] + chr(ord(noun[-1]) - _M)
