"""Memories that were beaten when nearly the same was asked step back."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from typing import TYPE_CHECKING

from bankd.core.ranking.query import Query
from bankd.core.ranking.ranked import Ranked, in_order
from bankd.core.ranking.weighing import Weights
from bankd.search.ranking_options import LossesOf
from bankd.search.reading_query import read_query

if TYPE_CHECKING:
    from bankd.ports.reading import QueryReader
    from bankd.ports.searching import IndexView


def suppress_beaten(
    ranked: list[Ranked], weights: Weights, losses_of: LossesOf, index: "IndexView", reader: "QueryReader"
) -> list[Ranked]:
    """Ranked memories, those last that lost at such a question; none of them is taken away."""
    losses = losses_of([one.row.id for one in ranked if one.row.id])
    if not losses:
        return ranked
    from bankd.core.use.suppression import suppression_of  # noqa: PLC0415 -- off unless the settings ask for it

    questions = {question for asked in losses.values() for question in asked}
    words = {question: read_query(Query(question), index, reader).terms.keys() for question in questions}
    lost = {id_: suppression_of(weights.terms, [words[one] for one in asked]) for id_, asked in losses.items()}
    return in_order(_lowered(one, lost.get(one.row.id or "", 0.0)) for one in ranked)


def _lowered(one: Ranked, lost: float) -> Ranked:
    """A ranked memory with so much less; still an answer, so that nothing disappears by being ignored."""
    score = max(one.parts["score"] - lost, min(one.parts["score"], _LEAST))
    return one._replace(parts={**one.parts, "score": score, "beaten": -lost}) if lost else one


_LEAST = 0.001
