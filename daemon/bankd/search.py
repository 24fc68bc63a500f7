"""The story of a query: read it, find what may answer, score that exactly, keep what is an answer."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from bankd.core.analysis import runs_of
from bankd.core.query import Answer, Filters, FoundRow, Freshness, Hit, Query
from bankd.core.scoring import FLOOR, Weights, score, weigh
from bankd.ports import IndexView, QueryReader

_CANDIDATES = 150
_FILTERED_CANDIDATES = 1_000
"""More when what is found is filtered once more by what confidence is worth today."""


def search(query: Query, index: IndexView, reader: QueryReader, fresh: Freshness, now: datetime) -> Answer:
    """Answer a query.

        read | find | score | floor
    """
    weights = read(query, index, reader)
    found = find(weights, query.filters, index, now)
    scored = rank(found, weights, index)
    hits = [hit for hit in scored if query.everything or hit.score >= FLOOR]
    return Answer(query.text, index.generation, fresh, tuple(hits[: query.limit]))


def read(query: Query, index: IndexView, reader: QueryReader) -> Weights:
    """Turn the text of a query into weighted terms."""
    analysis = reader.analyse_query(query.text, index.reading, lambda term: index.frequency("terms", term) > 0)
    names = (run.removesuffix("'s") for run in runs_of(query.text))
    return weigh(analysis, names, index.corpus.memories, index.frequency)


def find(weights: Weights, filters: Filters, index: IndexView, now: datetime) -> list[FoundRow]:
    """The memories that may answer, and pass what is asked of them."""
    limit = _CANDIDATES if filters.min_confidence is None else _FILTERED_CANDIDATES
    return [row for row in index.find(weights, filters, limit)]


def rank(found: Sequence[FoundRow], weights: Weights, index: IndexView) -> list[Hit]:
    """Score what was found, best first; ties stand in the order of the bank."""
    pages = {row.page for row in found}
    paths, keywords = index.paths(pages), index.keywords(pages)
    scores = score([row.candidate for row in found], keywords, weights, index.corpus)
    hits = [
        Hit(paths[row.page], row.line, row.heading, row.id, row.text, parts.pop("score"), parts)
        for row, parts in zip(found, scores, strict=True)
    ]
    return sorted(hits, key=lambda hit: (-round(hit.score, 6), hit.path, hit.line))
