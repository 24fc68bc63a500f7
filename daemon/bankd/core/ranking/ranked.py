"""Memories in the order of an answer, and how an answer shows them."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from bankd.core.ranking.marking import marks_of
from bankd.core.ranking.query import GROUPS, FoundRow, Hit
from bankd.core.ranking.scoring import Candidate, Weights


class Ranked(NamedTuple):
    """A memory found, on its page, with the parts of its score."""

    path: str
    row: FoundRow
    candidate: Candidate
    parts: dict[str, float]


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first; ties stand in the order of the bank."""
    return sorted(ranked, key=lambda one: (-round(one.parts["score"], 6), one.path, one.row.line))


def raised(one: Ranked, time: float) -> Ranked:
    """A ranked memory with so much more for its days."""
    return one._replace(parts={**one.parts, "score": one.parts["score"] + time, "time": time})


def hit_of(ranked: Ranked, weights: Weights, newer: Mapping[str, str], group: str = "bank") -> Hit:
    """A ranked memory as an answer shows it; `newer` names the one that supersedes it."""
    row = ranked.row
    parts = {name: part for name, part in ranked.parts.items() if name != "score"}
    marks = tuple(marks_of(row.text, weights.terms))
    total, superseded_by = ranked.parts["score"], newer.get(row.id or "")
    return Hit(
        f"{GROUPS[group]}/{ranked.path}",
        row.line,
        row.heading,
        row.id,
        row.tag,
        row.text,
        total,
        parts,
        marks,
        superseded_by,
        row.learned,
        row.about,
        row.changed,
        group,
        row=row.row,
        mentions=row.mentions,
    )
