"""Memories that stand more than once because the user copied a line with its id: named, and lived with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

ADVICE = "take the id off all but one of them, or delete what is too many"


@dataclass(frozen=True, slots=True)
class Copied:
    """A memory and the places where it stands, each `page:line`."""

    id: str
    places: tuple[str, ...]

    @property
    def words(self) -> str:
        """Where it stands, for people."""
        return f"stands {len(self.places)} times: {', '.join(self.places)}"


def find_copied(places: Mapping[str, Sequence[str]]) -> list[Copied]:
    """The ids that have more than one place."""
    return [Copied(id_, tuple(held)) for id_, held in sorted(places.items()) if len(held) > 1]
