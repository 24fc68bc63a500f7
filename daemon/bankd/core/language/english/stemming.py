"""English words by their stem: Snowball's English stemmer, with the irregular forms that no rule reaches.

It owns single lower-case words; where words begin and end is decided in `analysis`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from Stemmer import Stemmer

from bankd.core.language.tables import meanings_in

_STEMMER = Stemmer("english", 0)  # Porter's second algorithm; without a cache of its own, since ours holds more

_IRREGULAR_PAST = meanings_in("english_irregular", "past")
_IRREGULAR = {**_IRREGULAR_PAST, **meanings_in("english_irregular", "other")}


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Reduce a lower-case word to its stem: `painting`, `painted` and `paints` become `paint`, `went` becomes `go`."""
    return stem_words([word])[0]


def stem_words(words: Iterable[str]) -> list[str]:
    """The stems of lower-case words, not remembered: for a text that is read once."""
    bare = [word.removesuffix("'s").replace("'", "") for word in words]
    plain = [_IRREGULAR.get(word, word) for word in bare]
    stems = iter(_STEMMER.stemWords([word for word in plain if word.isascii()]))
    return [next(stems) if word.isascii() else word for word in plain]


def is_irregular_past(word: str) -> bool:
    """Whether a lower-case word is a past form that no rule reaches: `went`."""
    return word in _IRREGULAR_PAST


def irregular_forms(stem: str) -> Sequence[str]:
    """The forms that are reduced to a stem by no rule, and may well begin otherwise than that: `went`, `gone` and `goes`."""
    return _forms_by_stem().get(stem, ())


@cache  # only what marks words asks
def _forms_by_stem() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form in _IRREGULAR:
        forms.setdefault(stem_word(form), []).append(form)
    return forms
