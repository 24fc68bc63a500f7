"""Synonyms in Korean and English, and the everyday words of Korean.

`thesaurus.tsv` has one group per line: Korean lemmas, a tab, English words. A word is in one group only, and a group has
no two words with a difference that a fact may depend on (coffee and latte).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from bankd.words.analysis import stem_word
from bankd.words.tables import table_rows, words_in


@cache
def _by_word() -> Mapping[str, str]:
    """Each word with its group, which is named by its first word."""
    found: dict[str, str] = {}
    for words in (" ".join(row).split() for row in table_rows("thesaurus")):
        for word in words:
            found.setdefault(stem_word(word.casefold()), words[0])
    return MappingProxyType(found)


@cache
def _by_group() -> Mapping[str, tuple[str, ...]]:
    """The words of each group, as terms, by its first word."""
    found: dict[str, tuple[str, ...]] = {}
    for word, group in _by_word().items():
        found[group] = (*found.get(group, ()), word)
    return MappingProxyType(found)


def synonyms_of(term: str) -> tuple[str, ...]:
    """The synonyms of a term, in both languages; empty if it has none."""
    group = _by_word().get(term)
    return tuple(other for other in _by_group()[group] if other != term) if group else ()


EVERYDAY = words_in("korean_everyday", "everyday")
"""Everyday Korean of a first-year learner, as terms: nouns and stems of verbs. A long sentence has some of them by accident,
whatever its subject. The list was not counted from any texts."""
