"""Which words of an answer to mark: those that brought it here."""

from __future__ import annotations

import re
from collections.abc import Collection

from bankd.core.analysis import fold, is_hangul
from bankd.core.english import is_irregular, stem_word

_WORD = re.compile(r"[가-힣]+|[^\W\d_가-힣]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*")


def marks_of(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """The spans of a text that hold a term of the query: whole Latin words by stem, Hangul by the part that matched."""
    marks: list[tuple[int, int]] = []
    letters = {term[0] for term in terms}
    korean = [term for term in terms if is_hangul(term) and term in text]
    for word in _WORD.finditer(text):
        if "가" <= word[0][0] <= "힣":
            marks += _inside(word.start(), word[0], korean) if korean else ()
        elif _is_meant(fold(word[0]), terms, letters):
            marks.append(word.span())
    return marks


def _is_meant(word: str, terms: Collection[str], letters: Collection[str]) -> bool:
    """Whether a word is a form of a term; a stem begins as its word does, but for the irregular ones."""
    return (word[0] in letters or is_irregular(word)) and stem_word(word) in terms


def _inside(start: int, word: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """The longest term in a Hangul word, if any; of one syllable only at its start."""
    found = [(len(term), word.find(term)) for term in terms if term in word]
    usable = [(length, at) for length, at in found if length > 1 or at == 0]
    if not usable:
        return []
    length, at = max(usable)
    return [(start + at, start + at + length)]
