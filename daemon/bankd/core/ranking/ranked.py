"""Memories, or their pages, in the order of an answer, and how an answer shows them.

A page says in several paragraphs what a memory says in one, so that none of them matches as well as the whole: it
stands where its memories together put it.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from bankd.core.ranking.marking import marks_of
from bankd.core.ranking.query import GROUPS, FoundRow, Hit
from bankd.core.ranking.scoring import Candidate
from bankd.core.ranking.weighing import Weights

NEXT_SHARE = 0.1
"""What each further memory of a page adds, as a share of what the one before it could; chosen by `bankctl eval --pages`."""
OF_TITLES = 0.3
"""The same where a query only names its subject, as a title does: that is of a page as a whole (`bench.titles`)."""
SHOWN = 3
"""So many memories of a page are shown."""


class Ranked(NamedTuple):
    """A memory found, on its page, with the parts of its score."""

    path: str
    row: FoundRow
    candidate: Candidate
    parts: dict[str, float]


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first; ties stand in the order of the bank."""
    return sorted(ranked, key=lambda one: (-round(one.parts["score"], 6), one.path, one.row.line))


def order_pages(ranked: Sequence[Ranked], most: int, *, asks: bool) -> list[Ranked]:
    """The best memories of the best pages, page by page; their part `page` is what the page scores."""
    share = NEXT_SHARE if asks else OF_TITLES
    pages: dict[str, list[Ranked]] = {}
    for one in sorted(ranked, key=lambda one: -one.parts["score"]):
        pages.setdefault(one.path, []).append(one)
    scores = {path: page_score([one.parts["score"] for one in found], share) for path, found in pages.items()}
    best = islice(sorted(pages, key=lambda path: (-round(scores[path], 6), path)), most)
    return [one._replace(parts={**one.parts, "page": scores[path]}) for path in best for one in pages[path][:SHOWN]]


def page_score(scores: Sequence[float], share: float = NEXT_SHARE) -> float:
    """What memories with these scores, the best first, say together."""
    return sum(score * share**place for place, score in enumerate(scores))


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
