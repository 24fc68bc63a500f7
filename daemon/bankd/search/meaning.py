"""How likeness of meaning and of words make one order: a convex sum, each scaled over the candidates of both.

The cosines of one model lie elsewhere than those of another, and what words score differs from bank to bank; scaled over
the candidates of one question, the least to 0 and the most to 1, both say "of what there is to choose from". The sum is
put back on the scale of the words, so that days, pins and the floor weigh what they weigh without vectors.

The surer the words are of their best, the less meaning moves: one weight for all questions that is good for short facts
is bad for dialogue. `bench/meaning.py` has the figures that the values were chosen by, and on which halves.

What sentence vectors add to words: the memories nearest to a question, and how near those are that words found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.find import Ranked, in_order
from bankd.search.request import Filters, Query

if TYPE_CHECKING:
    from bankd.ports import IndexView, Vectors
    from bankd.search.weigh import Weights
    from bankd.words.day_questions import AskedTime

LEAST_SHARE, MOST_SHARE = 0.2, 0.8
"""The share of meaning in the order, where the words are sure and where they found nothing."""
OF_NOTES = 0.5
"""The share where words are sure, the nearer to it the longer the memories are, for what only names its subject: what a
note is about is seldom all said by its title (`python -m bench.meaning --titles`)."""
SURE = 0.35
"""A score by words from which they are sure of it."""
SILENT = 0.1
"""Where no word tells candidates apart, meaning orders them within so much."""
NEAREST = 25
"""So many of the nearest memories are candidates beside those that share words."""

NO_VECTOR = -1
"""Stands for the key of a vector where the model refuses the text: it is left to the words, and not asked for again."""

BEGINNING = 700
"""Letters of a text that a model reads: what a note is about stands there, by titles of three vaults (`bench/meaning.md`).

What a model needs grows with the text, a second of CPU for a thousand letters: the notes of a vault waited for their
vectors for ten minutes. Longer memories are few, and the words of all of it are found as before.
"""


class CosineBounds(NamedTuple):
    """What one model calls near, to questions of one script: in the same, and together with the lead in another."""

    near: float
    across: float


def beginning_of(text: str) -> str:
    """What of a text a model reads."""
    return text[:BEGINNING]


def meaning_share(best: float, brevity: float = 1.0) -> float:
    """The share of meaning where the best memory scores so much by its words; `brevity` is that of the query's weights."""
    least = LEAST_SHARE + (OF_NOTES - LEAST_SHARE) * (1 - brevity)
    return least + (MOST_SHARE - least) * (1 - min(1.0, max(0.0, best) / SURE))


def fuse_scores(words: Sequence[float], cosines: Sequence[float | None], brevity: float = 1.0) -> list[float]:
    """One score for each candidate, between the least and the most that words gave; None is a cosine not known yet.

    What has no vector yet keeps the score of its words: it is neither raised nor put down for that.
    """
    known = [cosine for cosine in cosines if cosine is not None]
    least, most = min(words, default=0.0), max(words, default=0.0)
    low, high = min(known, default=0.0), max(known, default=0.0)
    if not known or (high <= low and most > least):
        return list(words)
    share, ceiling = meaning_share(most, brevity), max(most, least + SILENT)
    span = (ceiling - least) / (high - low) if high > low else 0.0
    return [
        word if cosine is None else (1 - share) * word + share * (ceiling - span * (high - cosine))
        for word, cosine in zip(words, cosines, strict=True)
    ]


def share_cosines(cosines: Sequence[float | None], terms: Sequence[Set[str]]) -> list[float | None]:
    """Give near copies one cosine, the highest of theirs; `terms` are those of each candidate.

    A vector hardly sees the one word by which a statement is denied, and may well be nearer with it: among near copies
    words decide. They have the same terms, but for one at most that the other lacks.
    """
    shared = list(cosines)
    for at, ours in enumerate(terms):
        for other in range(at):
            one, another = shared[at], shared[other]
            if one is not None and another is not None and len(ours ^ terms[other]) <= 1 < len(ours & terms[other]):
                shared[at] = shared[other] = max(one, another)
    return shared


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
