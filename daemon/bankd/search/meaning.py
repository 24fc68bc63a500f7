"""What sentence vectors add to words: the memories nearest to a question, how near they are, and one score of both.

How near a memory is to a question is how far their cosine is above the one that strangers' questions in the script of
the question have to the same memory: otherwise a question in Korean is nearer to everything in Korean than to its answer in English.

Likeness of meaning and of words make one score by a convex sum. The cosines of one model lie elsewhere than those of
another, so they are scaled over the candidates of one question: the farthest to 0, the nearest to the best that words
scored. The sum stays on the scale of the words, so that days, pins and the tree weigh what they weigh without vectors.
`bench/ranking.md` has the figures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.request import Filters, Query

if TYPE_CHECKING:
    from bankd.ports import IndexView, Vectors
    from bankd.words.days import AskedTime

MEANING_SHARE = 0.6
LEAST_SCALE = 0.2
"""The nearest memory is worth at least this much, even if no words score higher."""
NEAREST = 100
"""The number of nearest memories that are candidates, besides those that share words."""

BY_CHANCE = 0.04
"""The usual cosine of a text with ten vectors is this much higher than of one with a single vector: one of them is near by chance.

Of 114 right answers about logs this cost 3, and it stopped 7 of 16 answers where there was none (`bench/ranking.md`).
"""

NO_VECTOR = -1
"""The key for a text that the model refuses: such a text is found by words only, and not sent again."""

BEGINNING = 700
"""The model reads this many letters at a time: one vector of more says less (`bench/meaning.md`)."""
_OVERLAP, _MOST_PASSAGES = 100, 8
"""Letters that two passages share, and the most passages of one text. A model needs a second of CPU for a thousand letters."""


def beginning_of(text: str) -> str:
    """The first passage of a text."""
    return text[:BEGINNING]


def vector_key(text: str) -> int:
    """The key of a text's vector: 8 bytes of its checksum, as SQLite and numpy keep whole numbers."""
    return int.from_bytes(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big", signed=True)


def passages_of(text: str) -> list[str]:
    """The passages of a text that get a vector each; most texts are one."""
    starts = range(0, max(len(text) - _OVERLAP, 1), BEGINNING - _OVERLAP)
    return [text[at : at + BEGINNING] for at in starts[:_MOST_PASSAGES]]


def fuse_scores(words: Sequence[float], nearness: Sequence[float | None]) -> list[float]:
    """One score for each candidate, on the scale of the words; None is a nearness not known yet.

    A candidate without a vector keeps the score of its words unchanged.
    """
    known = [one for one in nearness if one is not None]
    low, high = min(known, default=0.0), max(known, default=0.0)
    most = max(LEAST_SCALE, *words) if words else 0.0
    return [
        word
        if near is None
        else (1 - MEANING_SHARE) * word + MEANING_SHARE * most * ((near - low) / (high - low) if high > low else 1.0)
        for word, near in zip(words, nearness, strict=True)
    ]


class Near(NamedTuple):
    """The cosines to a question, by number of the memory; and those that strangers would have in their place.

    Memories without a vector are in none, so that their words judge them.
    """

    cosines: Mapping[int, float]
    usual: Mapping[int, float]
    above: Mapping[int, float]
    """How far the nearest vector of each is above what strangers would have: what ranks them."""
    by_key: Mapping[int, float] = {}
    """The same for every vector, by its key."""


def find_near(
    query: Query, asked: AskedTime, found: Sequence[int], index: IndexView, vectors: Vectors, most_filtered: int
) -> Near | None:
    """The cosines of what was found by words, and of the memories nearest to the question; None while none has a vector."""
    if not index.count_vectors(vectors.identity):
        return None
    own, is_filtered = index.rows.vector_keys(found), query.filters != Filters()
    text, most = asked.rest if asked.windows else query.text, most_filtered if is_filtered else NEAREST
    keys = {key for some in own.values() for key in some}
    near = vectors.near(text, [*keys], most)
    if near is None:
        return None

    above = {key: cosine - usual for key, (cosine, usual) in near.items()}

    def nearest_passages(rows: Mapping[int, Sequence[int]]) -> dict[int, int]:
        known = {row: [key for key in some if key in near] for row, some in rows.items()}
        return {row: max(some, key=above.__getitem__) for row, some in known.items() if some}

    others = nearest_passages(index.rows_with_vectors([*near.keys() - keys], query.filters))
    nearest = sorted(others, key=lambda row: (-above[others[row]], row))[:NEAREST]
    keys_of = {**own, **index.rows.vector_keys(nearest)}
    every = nearest_passages(keys_of)
    cosines = {row: near[key][0] for row, key in every.items()}
    usual = {row: near[key][1] + BY_CHANCE * log10(len(keys_of[row])) for row, key in every.items()}
    return Near(cosines, usual, {row: above[key] for row, key in every.items()}, above)
