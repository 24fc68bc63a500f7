"""What a text says to a reader, when its letters are full-width, decomposed or broken up by invisible characters."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

# A letter with what is composed with it: a syllable in conjoining jamo, or a letter and its combining marks.
_CLUSTER = re.compile(r"[\u1100-\u1112][\u1161-\u1175][\u11a8-\u11c2]?|[\s\S][\u0300-\u036f]*")

# What stands for itself, which nearly all lines consist of: ASCII, composed syllables, quotation marks and dashes.
_PLAIN = re.compile(r"[\x00-\x7f가-힣‘’“”–—·→]*")


def undisguise_text(text: str) -> tuple[str, Sequence[int]]:
    """Give the plain form of a text, and for each of its characters, and its end, the place in the original."""
    if _PLAIN.fullmatch(text):
        return text, range(len(text) + 1)
    plain: list[str] = []
    places: list[int] = []
    for cluster in _CLUSTER.finditer(text):
        if unicodedata.category(cluster[0][0]) == "Cf":  # zero-width spaces and joiners, marks of direction
            continue
        letters = unicodedata.normalize("NFKC", cluster[0])
        plain.append(letters)
        places += [cluster.start()] * len(letters)
    return "".join(plain), [*places, len(text)]
