"""Words that say the same, Korean and English, a group a line: Korean lemmas, a bar, English words without their endings.

Everyday life, work and technology: what people exchange when they say a thing again, or in the other language. A word may
stand in one group only. Written for bankd; a group holds no two words that a fact could tell apart (coffee and latte).

The words that anybody's Korean is made of, as terms: a noun, or the stem of a verb.

A long sentence has some of them by accident, whatever it is about, so they show less than others that it answers.
They are what is learnt in a first year of Korean, about people, time, the body, food, home, places, school, money and
feelings; written down from that, not counted in any text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType

from bankd.words.analysis import stem_word
from bankd.words.tables import table_rows, words_in


def synonym_groups() -> Iterator[Sequence[str]]:
    """The words of each group, as they are written."""
    return (" ".join(row).split() for row in table_rows("thesaurus"))


@cache
def _by_word() -> Mapping[str, str]:
    """Each word with the group that it stands for: its first word."""
    found: dict[str, str] = {}
    for words in synonym_groups():
        for word in words:
            found.setdefault(stem_word(word.casefold()), words[0])
    return MappingProxyType(found)


@lru_cache(maxsize=100_000)
def concept_of(word: str) -> str:
    """The word that stands for a word, in any of its forms, and its synonyms in both languages; its stem when none does."""
    stem = stem_word(word.casefold())
    return _by_word().get(stem, stem)


def is_in_a_group(word: str) -> bool:
    """Whether a word, in any of its forms, stands in a group."""
    return stem_word(word.casefold()) in _by_word()


@cache
def _by_group() -> Mapping[str, tuple[str, ...]]:
    """By the first word of a group its words, as terms."""
    found: dict[str, tuple[str, ...]] = {}
    for word, group in _by_word().items():
        found[group] = (*found.get(group, ()), word)
    return MappingProxyType(found)


def synonyms_of(term: str) -> tuple[str, ...]:
    """The other terms of its group, in both languages; none where it has no group."""
    group = _by_word().get(term)
    return tuple(other for other in _by_group()[group] if other != term) if group else ()


EVERYDAY = words_in("korean_everyday", "everyday")
