"""A text taken apart into morphemes, as the rules of `statement` read it.

Hangul is taken apart by an analyser outside (a port); everything else, and Hangul without one, by `plain_wording`,
which leaves Hangul words whole: what it cannot tell apart then counts as another word, so it is never bolder.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import NamedTuple

_LEXEMES = re.compile(
    r"""
      (?P<W_URL>(?:https?://|www\.)[^\s<>"']+)
    | (?P<W_EMAIL>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    | (?P<W_SERIAL>\d+(?:[-:/.]\d+){2,}|\d+[-:/]\d+)
    | (?P<SN>\d+(?:,\d{3})*(?:\.\d+)?)
    | (?P<UN>[\uac00-\ud7a3]+)
    | (?P<SL>(?:(?<!\S)\.)?[^\W\d_\uac00-\ud7a3](?:[^\W_\uac00-\ud7a3]|['\u2019](?=[^\W\d_]))*(?:\#(?!\w))?)
    | (?P<SF>[.!?]+)
    | (?P<SO>[-~\u223c\u2013\u2014])
    | (?P<SS>["'\u2018\u2019\u201c\u201d()\[\]{}])
    | (?P<SP>[,:;/])
    | (?P<SW>[^\s])
    """,
    re.VERBOSE,
)


class Morpheme(NamedTuple):
    """A smallest piece with its part of speech in the Sejong tag set, such as ("먹", "VV")."""

    form: str
    tag: str


@dataclass(frozen=True, slots=True)
class Wording:
    """A text and its morphemes in order."""

    text: str
    morphemes: tuple[Morpheme, ...]


def plain_wording(text: str) -> Wording:
    """Take a text apart by its characters alone; a Hangul word stays whole, under the tag UN (unknown)."""
    composed = unicodedata.normalize("NFC", text)
    return Wording(text, tuple(Morpheme(found[0], found.lastgroup or "SW") for found in _LEXEMES.finditer(composed)))
