"""Which memories look alike, as it was found at the last look: only those that changed since are looked for again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple


class KnownPairs(NamedTuple):
    """The text key of each memory that was looked at, by its id, and the pairs of ids that look alike, sorted each."""

    keys: Mapping[str, str] = {}
    pairs: frozenset[tuple[str, str]] = frozenset()

    def changed(self, keys: Mapping[str, str]) -> set[str]:
        """The ids of memories that are new, or say something else than at the last look."""
        return {id_ for id_, key in keys.items() if self.keys.get(id_) != key}


def renew_pairs(known: KnownPairs, keys: Mapping[str, str], near: Mapping[str, Iterable[str]]) -> KnownPairs:
    """What is known now: `keys` of all memories that are there, and of the changed ones what they are near to."""
    same = keys.keys() - known.changed(keys)
    kept = {pair for pair in known.pairs if same.issuperset(pair)}
    found = {(min(one, other), max(one, other)) for one, others in near.items() for other in others if other in keys}
    return KnownPairs(keys, frozenset(kept | {pair for pair in found if pair[0] != pair[1]}))
