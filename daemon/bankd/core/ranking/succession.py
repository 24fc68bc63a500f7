"""Of two answers of which one supersedes the other, the newer comes first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")


def newest_first(ranked: Sequence[T], id_of: Callable[[T], str | None], newer: Mapping[str, str]) -> list[T]:
    """Put each newer answer where the older one stands, and the older one right after it; the others keep their order."""
    result = list(ranked)
    place = {id_: n for n, one in enumerate(result) if (id_ := id_of(one))}
    for old in sorted(place, key=place.__getitem__):
        new = _newest(old, newer, place)
        here = [id_of(one) for one in result]
        if new and here.index(new) > here.index(old):
            result.insert(here.index(old), result.pop(here.index(new)))
    return result


def _newest(old: str, newer: Mapping[str, str], place: Mapping[str, int]) -> str | None:
    """The last memory in the chain of those that supersede this one, as far as it was found."""
    seen, found = {old}, None
    while (old := newer.get(old, "")) and old not in seen:
        seen.add(old)
        found = old if old in place else found
    return found
