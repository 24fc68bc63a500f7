"""What answers are to each other, as runs found it: newer or older, contradicting, or so near that one stands for all."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Collection, Mapping, Sequence, Set
from datetime import date
from typing import NamedTuple

from bankd.core.ranking.ranked import Ranked


class StoredPair(NamedTuple):
    """Two memories of the bank that were compared; `relation` is as `core.dedup.compare.Relation` has it."""

    older: str
    newer: str
    relation: str
    is_dated: bool


class StoredRelations(NamedTuple):
    """What runs found of some memories: by the older what superseded it, pairs, and the text keys they were compared by."""

    superseded: Mapping[str, str] = {}
    pairs: Sequence[StoredPair] = ()
    keys: Mapping[str, str] = {}


class Relations(NamedTuple):
    """By the id of an older memory the newer one; pairs that are near or close, both ways; by id what contradicts it, undated."""

    newer: Mapping[str, str] = {}
    near: Set[tuple[str, str]] = frozenset()
    contradicts: Mapping[str, Sequence[str]] = {}
    close: Set[tuple[str, str]] = frozenset()


def relate(ranked: Sequence[Ranked], stored: StoredRelations) -> Relations:
    """What these memories are to others, as far as they still say what they said when they were compared."""
    if not stored.pairs:
        return Relations(stored.superseded)
    said = {one.row.id for one in ranked if one.row.id and stored.keys.get(one.row.id) == _key_of(one)}
    near = {pair[:2] for pair in stored.pairs if pair.relation in {"same", "near"} and said.issuperset(pair[:2])}
    close = {pair[:2] for pair in stored.pairs if said.issuperset(pair[:2])}
    told = [
        pair
        for pair in stored.pairs
        if pair.relation == "newer"
        and stored.superseded.get(pair.newer) != pair.older
        and not said.isdisjoint(pair[:2])
    ]
    older = {pair.older for pair in told}
    dated = {  # of several that say it newer, one that is itself the newest
        pair.older: pair.newer
        for pair in sorted(told, key=lambda pair: (pair.newer not in older, pair.newer))
        if pair.is_dated and pair.older in said
    }
    contradicts: dict[str, tuple[str, ...]] = {}
    for one, other in (both for pair in told if not pair.is_dated for both in (pair[:2], pair[1::-1])):
        contradicts[one] = (*contradicts.get(one, ()), other)
    newer = {**dated, **stored.superseded}
    return Relations(newer, _both_ways(near), contradicts, _both_ways(close))


def _both_ways(pairs: Set[tuple[str, str]]) -> Set[tuple[str, str]]:
    return pairs | {(new, old) for old, new in pairs}


def _key_of(one: Ranked) -> str:
    from bankd.core.dedup.exact_match import text_key  # noqa: PLC0415 -- a query without near memories has no time for it
    from bankd.core.markdown.memory import Memory  # noqa: PLC0415 -- same

    return text_key(Memory(one.row.text, one.row.tag, entities=one.row.entities))


def last_said_first(ranked: Sequence[Ranked], close: Set[tuple[str, str]]) -> tuple[list[Ranked], Set[str]]:
    """Answers close to each other change places, so that the one said last stands first; and the ids of such answers.

    Each answer is grouped with the best one that it is close to; the group keeps its places.
    """
    order, grouped = list(ranked), set[str]()
    for at, first in enumerate(ranked):
        id_ = first.row.id or ""
        places = [at, *(n for n in range(at + 1, len(order)) if (id_, ranked[n].row.id) in close)]
        members = [ranked[n] for n in places]
        if len(members) > 1 and grouped.isdisjoint(ids := {one.row.id or "" for one in members}):
            grouped |= ids
            by_day = sorted(members, key=lambda one: one.row.learned or date.min, reverse=True)
            for n, one in zip(places, by_day, strict=True):
                order[n] = one
    return order, grouped


def fold_near(
    ranked: Sequence[Ranked], near: Set[tuple[str, str]], apart: Collection[str]
) -> tuple[list[Ranked], dict[int, list[Ranked]]]:
    """The best of each near group, and by its number what it stands for; those `apart` stand for themselves."""
    if not near:
        return list(ranked), {}
    shown: list[Ranked] = []
    folded: dict[int, list[Ranked]] = {}
    for one in ranked:
        pairs = ((first, (first.row.id or "", one.row.id or "")) for first in shown)
        first = next((first for first, pair in pairs if pair in near and not set(pair) & set(apart)), None)
        if first is None:
            shown.append(one)
        else:
            folded.setdefault(first.row.row, []).append(one)
    return shown, folded
