"""What bears on an answer beside words, and what the confidence of memories is worth on the day."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.core.ranking.priors import Usage
from bankd.core.ranking.query import Filters, FoundRow
from bankd.core.ranking.relations import StoredRelations
from bankd.core.ranking.scoring import TREE_WEIGHT

if TYPE_CHECKING:
    from bankd.ports.reading import Vectors
    from bankd.ports.searching import IndexView

UsageOf: TypeAlias = Callable[[Sequence[str]], Mapping[str, Usage]]
"""Ids of memories -> by those that were used, how."""


LossesOf: TypeAlias = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]
"""Ids of memories -> the questions at which one was ignored while another of the answer was used."""


class KnownRelations:
    """What runs found of memories; this knows nothing."""

    def of(self, ids: Collection[str]) -> StoredRelations:
        """What is known of these."""
        return StoredRelations()

    def state(self) -> int:
        """A number that is another one when something else may have been found."""
        return 0


class RankingOptions(NamedTuple):
    """What bears on an answer beside words: the weight of the tree, what fades a day, what memories are to each other."""

    tree_weight: float = TREE_WEIGHT
    fading_hundredths: float = 2.0
    relations: KnownRelations = KnownRelations()
    vectors: "Vectors | None" = None
    """Sentence vectors, where they are wanted."""
    usage_of: UsageOf | None = None
    """Who tells the use of memories, where it is not the index: an evaluation, which supposes it."""
    losses_of: LossesOf | None = None
    """Who tells where memories were beaten; None where the settings do not ask for suppression."""


def keep_sure(
    found: Sequence[int], filters: Filters, index: "IndexView", today: date, options: RankingOptions
) -> Sequence[int]:
    """Those memories whose confidence is still worth what was asked for."""
    least = filters.min_confidence
    if least is None:
        return found
    sure = {row.row for row in index.rows(found) if confidence_today(row, today, options) >= least}
    return [number for number in found if number in sure]


def confidence_today(row: FoundRow, today: date, options: RankingOptions) -> float:
    """What the confidence of a memory is worth today, in hundredths; one without confidence is a fact: 100."""
    if row.hundredths is None:
        return 100.0
    days = max((today - row.day).days, 0) if row.day and row.tag == "O" else 0
    return row.hundredths - options.fading_hundredths * days
