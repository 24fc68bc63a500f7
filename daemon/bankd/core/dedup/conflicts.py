"""Pairs of memories that say different values of the same thing, newest first, the older one marked.

It reports; which of the two is true, only a person knows.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from bankd.core.dedup.duplicates import THRESHOLD, Relation, compare_statements
from bankd.core.language.statement import Statement


@dataclass(frozen=True, slots=True)
class Dated:
    """A memory as it is compared: its id, what it says, and the day and line of its source when known."""

    id: str
    statement: Statement
    day: date | None = None
    line: int = 0


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two memories that cannot both hold now, and what they differ in."""

    older: Dated
    newer: Dated
    reason: str


def find_conflicts(pairs: Iterable[tuple[Dated, Dated]], threshold: float = THRESHOLD) -> Sequence[Conflict]:
    """Find the conflicts among candidate pairs, each pair once, in whatever order it comes; newest first."""
    found: dict[tuple[str, str], Conflict] = {}
    for one, other in pairs:
        older, newer = sorted((one, other), key=_age)
        if older.id == newer.id or (older.id, newer.id) in found:
            continue
        verdict = compare_statements(older.statement, newer.statement, threshold)
        if verdict.outcome is Relation.UPDATE:
            found[older.id, newer.id] = Conflict(older, newer, verdict.reason)
    return sorted(found.values(), key=lambda conflict: _age(conflict.newer), reverse=True)


def _age(memory: Dated) -> tuple[date, int, str]:
    """Oldest first, and within a log the line that stands higher; what has no day counts as oldest."""
    return memory.day or date.min, memory.line, memory.id
