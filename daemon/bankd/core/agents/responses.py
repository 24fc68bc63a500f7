"""Which memories a response made use of, judged by how many of their words it has."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bankd.core.language.english.stemming import stem_word
from bankd.core.language.wording import Wording
from bankd.core.ranking.question_words import term_weight

USED_SHARE = 0.3
"""More than this share of a memory's telling words in a response: it was used (design section 17)."""
_TELLING = ("NNG", "NNP", "SL", "SN", "SH", "VV", "VA", "XR", "UN", "W_")
"""Tags, by their beginnings, of what tells one statement from another: names, nouns, verbs, numbers, unknown words."""


@dataclass(frozen=True, slots=True)
class Judged:
    """The memories, by id, that a response made use of, and those that it did not."""

    used: tuple[str, ...]
    ignored: tuple[str, ...]


def telling_words(wording: Wording) -> frozenset[str]:
    """The words of a text that tell it from others, in one form each."""
    words = (one.form.lower() for one in wording.morphemes if one.tag.startswith(_TELLING))
    stems = (stem_word(word) if word.isascii() else word for word in words)
    return frozenset(stem for stem in stems if term_weight(stem) == 1)


def judge_response(response: Wording, memories: Mapping[str, Wording]) -> Judged:
    """Tell, of the memories that answered, which of them a response says something of."""
    said = telling_words(response)
    used = [id_ for id_, wording in memories.items() if _is_used(telling_words(wording), said)]
    return Judged(tuple(used), tuple(id_ for id_ in memories if id_ not in used))


def _is_used(own: frozenset[str], said: frozenset[str]) -> bool:
    return bool(own) and len(own & said) > USED_SHARE * len(own)
