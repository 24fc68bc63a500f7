"""Which words of an answer to mark: those that brought it here."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

from bankd.core.language.analysis import fold_text, is_hangul
from bankd.core.language.english.stemming import irregular_forms, stem_word

_WORD = re.compile(r"[^\W\d_가-힣]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*")


def marks_of(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """The spans of a text that hold a term of the query: whole Latin words by stem, Hangul by the part that matched."""
    letters, hangul = _looked_for(tuple(terms))
    return sorted([*_latin_marks(text, terms, letters), *_hangul_marks(text, hangul)])


@lru_cache(maxsize=16)  # each hit of an answer asks for the same
def _looked_for(terms: tuple[str, ...]) -> tuple[frozenset[str], Sequence[str]]:
    """The letters that words of the other terms begin with, and those of them that are Hangul."""
    hangul = [term for term in terms if is_hangul(term)]
    words = [word for term in set(terms).difference(hangul) for word in (term, *irregular_forms(term))]
    return frozenset(form for word in words for form in (word[0], word[0].upper())), hangul


def _latin_marks(text: str, terms: Collection[str], letters: Collection[str]) -> Iterator[tuple[int, int]]:
    """Most words begin as none that is looked for, and need not be stemmed."""
    for word in _WORD.finditer(text) if letters else ():
        written = word[0]
        if (written[0] in letters or not written.isascii()) and _stem_as_written(written) in terms:
            yield word.span()


@lru_cache(maxsize=10_000)
def _stem_as_written(word: str) -> str:
    return stem_word(fold_text(word))


def _hangul_marks(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """In each run the longest term, the first of them; of one syllable only at its start."""
    longest: dict[int, tuple[int, int]] = {}
    for term in terms:
        at = text.find(term)
        while at >= 0:
            start = _start_of_run(text, at)
            if len(term) > 1 or at == start:
                longest[start] = max(longest.get(start, (0, 0)), (len(term), -at))
            at = text.find(term, at + 1)
    return ((-at, -at + length) for length, at in longest.values())


def _start_of_run(text: str, at: int) -> int:
    while at and is_hangul(text[at - 1]):
        at -= 1
    return at
