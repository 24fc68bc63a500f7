"""How a question in English is put, since it says how well it must be matched; in Hangul nothing shows what a name is.

Who types three keywords is glad of a memory that has one of them. Who asks for Caroline gets no answer from one who
never heard of her: what matches the rest of the question is about others.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Literal, TypeAlias

from bankd.core.language.analysis import fold_text
from bankd.core.language.english.stemming import stem_word
from bankd.core.language.lexicon import Known
from bankd.core.ranking.question_words import term_weight

Phrasing: TypeAlias = Literal["keywords", "sentence", "of strangers"]
_ASKING = 2
"""The most words that ask in one sentence: what does, where is, did he."""


def phrasing_of(text: str, terms: Collection[str], known: Known) -> Phrasing:
    """How a question of these terms is put; `known` says whether a memory, or what is over it, has one."""
    if sum(term_weight(term) < 1 for term in terms) < _ASKING:
        return "keywords"
    return "of strangers" if _names_strangers(text, terms, known) else "sentence"


def _names_strangers(text: str, terms: Collection[str], known: Known) -> bool:
    """Whether a term is written as a name and nobody has it; one that was mistyped and mended is no term any more."""
    if text.isupper():
        return False
    names = {stem_word(name) for name in _written_as_names(text)}
    return any(not known(name) for name in names.intersection(terms))


def _written_as_names(text: str) -> Iterator[str]:
    """The words with a capital that do not begin a sentence, and are not `I`."""
    is_inside = False
    for written in text.split():
        word = written.strip("\"'()[]{}<>*_,;:.!?")
        if is_inside and word[:1].isupper() and word.isascii() and word != "I" and not word.startswith("I'"):
            yield fold_text(word).removesuffix("'s")
        is_inside = written[-1] not in ".!?"
