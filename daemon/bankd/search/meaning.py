"""What sentence vectors add to words: the memories nearest to a question, how near they are, and one score of both.

Likeness of meaning and of words make one score by a convex sum. The cosines of one model lie elsewhere than those of
another, so they are scaled over the candidates of one question: the farthest to 0, the nearest to the best that words
scored. The sum stays on the scale of the words, so that days, pins and the tree weigh what they weigh without vectors.
`bench/ranking.md` has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.request import Filters, Query

if TYPE_CHECKING:
    from bankd.ports import IndexView, Vectors
    from bankd.words.day_questions import AskedTime

MEANING_SHARE = 0.6
LEAST_SCALE = 0.2
"""The nearest memory is worth at least this much, even if no words score higher."""
NEAREST = 100
"""The number of nearest memories that are candidates, besides those that share words."""

_NEARLY_ALL = 0.95
"""If this share of the memories has vectors, the nearest of them counts as the nearest of all."""

NO_VECTOR = -1
"""The key for a text that the model refuses: such a text is found by words only, and not sent again."""

BEGINNING = 700
"""The model reads this many letters of a text: measured with titles of three vaults, they say what a note is about (`bench/meaning.md`).

What a model needs grows with the text, a second of CPU for a thousand letters: the notes of a vault waited for their
vectors for ten minutes. Longer memories are few, and the words of all of it are found as before.
"""


def beginning_of(text: str) -> str:
    """The part of a text that the model reads."""
    return text[:BEGINNING]


def fuse_scores(words: Sequence[float], cosines: Sequence[float | None]) -> list[float]:
    """One score for each candidate, on the scale of the words; None is a cosine not known yet.

    A candidate without a vector keeps the score of its words unchanged.
    """
    known = [cosine for cosine in cosines if cosine is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    most = max(LEAST_SCALE, *words) if words else 0.0
    return [
        word
        if cosine is None
        else (1 - MEANING_SHARE) * word + MEANING_SHARE * most * ((cosine - low) / (high - low) if high > low else 1.0)
        for word, cosine in zip(words, cosines, strict=True)
    ]


class Near(NamedTuple):
    """The cosines to a question, by number of the memory; and the usual nearest cosine for unrelated questions."""

    cosines: Mapping[int, float]
    usual: float | None
    """None while the nearest memory may be one that has no vector yet."""


def find_near(
    query: Query, asked: AskedTime, found: Sequence[int], index: IndexView, vectors: Vectors, most_filtered: int
) -> Near | None:
    """The cosines of what was found by words, and of the memories nearest to the question; None while none has a vector."""
    known = index.count_vectors(vectors.identity)
    if not known:
        return None
    keys, is_filtered = index.vector_keys(found), query.filters != Filters()
    text, most = asked.rest if asked.windows else query.text, most_filtered if is_filtered else NEAREST
    near = vectors.near(text, [*keys.values()], most)
    if near is None:
        return None
    cosines, usual = near
    others = index.rows_with_vectors([*cosines.keys() - keys.values()], query.filters)
    nearest = sorted(others, key=lambda row: (-cosines[others[row]], row))[:NEAREST]
    all_keys = {**keys, **{row: others[row] for row in nearest}}
    is_whole = known >= _NEARLY_ALL * index.corpus.memories
    return Near({row: cosines[key] for row, key in all_keys.items() if key in cosines}, usual if is_whole else None)
