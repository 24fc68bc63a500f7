"""The relations of memories of the bank that look alike: each pair is compared once, the newer with the older.

Also the key of a text, by which a line is recognised that the bank already holds: equal after normalising, nothing looser.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple, TypeAlias

from bankd.errors import bug_in
from bankd.pages.memory import Memory, normalise_text
from bankd.same.compare import THRESHOLD, Relation, compare_statements
from bankd.words.statement import Statement

_LAST_STOPS = " .。!！~"


def text_key(memory: Memory) -> str:
    """A key that ignores case, white space and final stops; equal only for texts about the same entities."""
    text = normalise_text(memory.text).casefold().rstrip(_LAST_STOPS)
    parts = (memory.tag or "", *sorted(normalise_text(slug).casefold() for slug in memory.entities), text)
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogateescape")).hexdigest()[:32]


MOST_LIKELY, _A_WEEK = 5, 7
"""The most likely pairs that a person is asked about; the newer memory must be from the last seven days."""


@dataclass(frozen=True, slots=True)
class Dated:
    """A memory as it is compared: its id, what it says, and the day and line of its source when known."""

    id: str
    statement: Statement
    day: date | None = None
    line: int = 0


class Likeness(NamedTuple):
    """The relation of the newer of two memories to the older, and why; without dates it is not known which is newer."""

    relation: Relation = Relation.DIFFERENT
    reason: str = ""
    is_dated: bool = False
    score: float = 0.0
    """How alike they are in percent."""
    bug: str = ""
    """Why they could not be compared."""


Pairs: TypeAlias = Mapping[tuple[str, str], Likeness]
"""Likenesses by the ids of the older and the newer memory."""


def compare_pairs(
    pairs: Iterable[tuple[Dated, Dated]], threshold: float = THRESHOLD, cosines: Mapping[frozenset[str], float] = {}
) -> Pairs:
    """Compare candidate pairs, each once, in any order; `cosines` are by the two ids, if there are vectors."""
    found: dict[tuple[str, str], Likeness] = {}
    for one, other in pairs:
        older, newer = sorted((one, other), key=lambda of: age_of(of.day, of.line, of.id))
        if older.id != newer.id and (older.id, newer.id) not in found:
            cosine = cosines.get(frozenset((one.id, other.id)))
            found[older.id, newer.id] = _likeness(older, newer, threshold, cosine)
    return found


def _likeness(older: Dated, newer: Dated, threshold: float, cosine: float | None) -> Likeness:
    try:
        verdict = compare_statements(older.statement, newer.statement, threshold, cosine)
    except Exception as error:  # one pair must not stop the comparison of all others
        return Likeness(bug=bug_in(f"{older.id} and {newer.id} are taken for different", error))
    return Likeness(verdict.outcome, verdict.reason, newer.day is not None, round(verdict.score, 1))


def age_of(day: date | None, line: int, id_: str) -> tuple[date, int, str]:
    """A sort key for memories: oldest first, in a log from top to bottom; a memory without a day counts as oldest."""
    return day or date.min, line, id_


def near_groups(pairs: Pairs) -> list[tuple[str, ...]]:
    """Groups of memories that say nearly the same; A and C are in one group if both are near B. Sorted inside and overall."""
    groups: dict[str, set[str]] = {}
    for (older, newer), likeness in pairs.items():
        if likeness.relation in {Relation.SAME, Relation.NEAR}:
            joined = groups.get(older, {older}) | groups.get(newer, {newer})
            groups |= dict.fromkeys(joined, joined)
    return sorted({tuple(sorted(group)) for group in groups.values()})


def likely_changes(pairs: Pairs, days: Mapping[str, date | None], today: date) -> list[tuple[str, str]]:
    """The pairs for the question whether the newer memory replaces the older, the likeliest first.

    `days` are those of the memories, by id.
    """
    recent = [
        ids
        for ids, likeness in pairs.items()
        if likeness.relation is Relation.LIKELY
        and (day := days.get(ids[1])) is not None
        and 0 <= (today - day).days < _A_WEEK
    ]
    return sorted(recent, key=lambda ids: (-pairs[ids].score, ids))[:MOST_LIKELY]
