"""What sentence vectors add to words: the memories nearest to a question, and how near those are that words found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from bankd.core.ranking.fusion import NEAREST, fuse_scores, share_cosines
from bankd.core.ranking.query import Filters, Query
from bankd.core.ranking.ranked import Ranked, in_order

if TYPE_CHECKING:
    from bankd.core.language.dates.question_days import AskedTime
    from bankd.core.ranking.fusion import CosineBounds
    from bankd.core.ranking.weighing import Weights
    from bankd.ports.reading import Vectors
    from bankd.ports.searching import IndexView

_NEARLY_ALL = 0.95
"""The share of memories with a vector from which on the nearest of them is taken for the nearest of all."""


def known_bounds(weights: Weights, index: IndexView, vectors: Vectors) -> CosineBounds | None:
    """What cosines tell of what is an answer; nothing while the nearest memory may be one that has no vector yet."""
    if index.count_vectors(vectors.identity) < _NEARLY_ALL * index.corpus.memories:
        return None
    return vectors.bounds_for(in_hangul=bool(weights.bigrams))


def find_near(
    query: Query, asked: AskedTime, found: Sequence[int], index: IndexView, vectors: Vectors, most_filtered: int
) -> Mapping[int, float]:
    """The cosines to a question of what was found by words, and of the memories nearest to it; none while none has a vector."""
    if not index.count_vectors(vectors.identity):
        return {}
    keys, is_filtered = index.vector_keys(found), query.filters != Filters()
    text, most = asked.rest if asked.windows else query.text, most_filtered if is_filtered else NEAREST
    cosines = vectors.near(text, [*keys.values()], most)
    if cosines is None:
        return {}
    others = index.rows_with_vectors([*cosines.keys() - keys.values()], query.filters)
    nearest = sorted(others, key=lambda row: (-cosines[others[row]], row))[:NEAREST]
    all_keys = {**keys, **{row: others[row] for row in nearest}}
    return {row: cosines[key] for row, key in all_keys.items() if key in cosines}


def fuse_meaning(ranked: Sequence[Ranked], cosines: Mapping[int, float], brevity: float) -> list[Ranked]:
    """Ranked memories in the order of words and meaning together; `brevity` is that of the query's weights."""
    terms = [frozenset(term for sentence in one.candidate.sentences for term in sentence) for one in ranked]
    near = share_cosines([cosines.get(one.row.row) for one in ranked], terms)
    scores = fuse_scores([one.parts["score"] for one in ranked], near, brevity)
    usual = sum(sorted(cosines.values())[-NEAREST:]) / NEAREST if len(cosines) >= NEAREST else None
    return in_order(
        one if cosine is None else _with_meaning(one, score, cosine, usual)
        for one, score, cosine in zip(ranked, scores, near, strict=True)
    )


def _with_meaning(one: Ranked, score: float, cosine: float, usual: float | None) -> Ranked:
    """`usual` is what the cosines of the nearest memories are on average, where there are enough."""
    lead = {} if usual is None else {"lead": cosine - usual}
    return one._replace(parts={**one.parts, "score": score, "by_words": one.parts["score"], "meaning": cosine, **lead})
