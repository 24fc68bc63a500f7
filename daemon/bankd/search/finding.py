"""The story of a query over one index: read it, find what may answer, score that exactly, keep what is an answer."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Mapping, Sequence, Set
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from bankd.core.language.dates.question_days import NO_TIME, AskedTime, read_asked_time
from bankd.core.ranking.answers import NEAREST_SHOWN, answers_among, nearest_among
from bankd.core.ranking.priors import NOT_USED, Usage, newest_first, prior_of
from bankd.core.ranking.query import Filters, FoundRow, Query
from bankd.core.ranking.ranked import Ranked, in_order, order_pages
from bankd.core.ranking.relations import Relations, fold_near, last_said_first, relate
from bankd.core.ranking.scoring import choose_finalists, score_finalists, score_first
from bankd.core.ranking.weighing import Weights
from bankd.search.ranking_options import RankingOptions, confidence_today, keep_sure
from bankd.search.reading_query import read_query

if TYPE_CHECKING:
    from bankd.core.ranking.fusion import CosineBounds
    from bankd.ports.reading import QueryReader
    from bankd.ports.searching import IndexView

_FILTERED_CANDIDATES = 1_000
"""More when what is found is filtered once more by what its confidence is worth today."""


_FINALISTS = 25
"""Candidates that are scored in full, or as many as are asked for; of twice as many."""
_OF_PAGE = 2
"""So many times as many where pages are asked for, which answer with several memories."""


class Found(NamedTuple):
    """What answers a query in one index, best first, how the query was read there, and what the answers are to others.

    `folded` is what is so near to an answer that this stands for it, by the number of that; `left_off` is how much more
    there is of the days that were asked about. Where nothing is an answer, `nearest` is what comes nearest to one.
    """

    weights: Weights
    ranked: Sequence[Ranked]
    relations: Relations
    folded: Mapping[int, Sequence[Ranked]] = {}
    left_off: int = 0
    nearest: Sequence[Ranked] = ()
    close: Set[str] = frozenset()
    """The ids of answers that are close to another one."""

    @property
    def every(self) -> list[Ranked]:
        """The answers, and what they stand for."""
        return [*self.ranked, *(one for shown in self.ranked for one in self.folded.get(shown.row.row, ()))]


def find_answers(
    query: Query, index: "IndexView", reader: "QueryReader", today: date, options: RankingOptions, around: int = 0
) -> Found:
    """Find what answers a query in one index; `around` counts the memories beside which its floor has to hold.

    read | find | rank | floor
    """
    asked, listed = _read_days(query, index, reader, today, options)
    weights = read_query(query._replace(text=asked.rest) if asked.windows else query, index, reader)
    ranked = listed if listed or query.timeline else find_by_words(query, asked, weights, index, today, options)
    if options.losses_of and not (listed or query.timeline):
        from bankd.search.suppressing import suppress_beaten  # noqa: PLC0415 -- off unless the settings ask for it

        ranked = suppress_beaten(ranked, weights, options.losses_of, index, reader)
    relations = relate(ranked, options.relations.of([one.row.id for one in ranked if one.row.id]))
    newer = newer_by(query.filters.known_on, relations.newer, index)
    then = newer_by(max((window.last for window in asked.windows), default=None), newer, index)
    ranked = newest_first(ranked, lambda one: one.row.id, then) if then and not listed else ranked
    near = frozenset() if listed or query.by_page or query.everything else relations.near
    shown, folded = fold_near(ranked, near, {*newer, *newer.values()})
    best = shown if query.by_page else shown[-query.limit :] if query.timeline else shown[: query.limit]
    corpus = index.corpus._replace(memories=max(index.corpus.memories, around))
    bounds = _known_bounds(weights, index, options)
    answers = best if query.everything or listed else answers_among(best, asked, weights, corpus, query.margin, bounds)
    nearest = () if answers or query.margin > 1 else nearest_among(best, weights)
    relations, left_off = relations._replace(newer=newer), len(shown) - len(best) if listed else 0
    few, asks = min(query.limit, NEAREST_SHOWN), weights.asks
    answers, nearest = _cut(answers, query, query.limit, asks=asks), _cut(nearest, query, few, asks=asks)
    is_of_time = bool(listed or asked.windows or query.timeline or query.by_page or query.is_past)
    answers, close = last_said_first(answers, frozenset() if is_of_time else relations.close)
    return Found(weights, answers, relations, folded, left_off, nearest, close)


def _read_days(
    query: Query, index: "IndexView", reader: "QueryReader", today: date, options: RankingOptions
) -> tuple[AskedTime, list[Ranked]]:
    """What a query asks of time, as far as the bank has days; what there is of them, where it is asked for nothing else."""
    asked = read_asked_time(query.text, today)
    if not (asked.windows or query.timeline):
        return asked, []
    from bankd.search.asked_days import knows_days, list_days, list_timeline  # noqa: PLC0415 -- most questions name no day

    listed = list_timeline(query, index) if query.timeline else list_days(query, asked, index, reader, today, options)
    return asked if asked.now or knows_days(asked.windows, query.filters, index) else NO_TIME, listed


def newer_by(day: date | None, newer: Mapping[str, str], index: "IndexView") -> Mapping[str, str]:
    """What was superseded by a day already, or ever."""
    if day is None or not newer:
        return newer
    learned = index.learned(list(newer.values()))
    return {old: new for old, new in newer.items() if learned.get(new, date.min) <= day}


def _known_bounds(weights: Weights, index: "IndexView", options: RankingOptions) -> "CosineBounds | None":
    if options.vectors is None:
        return None
    from bankd.search.by_meaning import known_bounds  # noqa: PLC0415 -- most have no vectors

    return known_bounds(weights, index, options.vectors)


def _cut(found: Sequence[Ranked], query: Query, most: int, *, asks: bool) -> Sequence[Ranked]:
    """What of it matches at all; as many as are wanted, or of as many pages."""
    found = [one for one in found if one.parts["score"] > 0]
    return order_pages(found, most, asks=asks) if query.by_page else found[:most]


def find_by_words(
    query: Query, asked: AskedTime, weights: Weights, index: "IndexView", today: date, options: RankingOptions
) -> list[Ranked]:
    """The memories that match the words of a query best, and the days that it names."""
    finalists = max(query.limit, _FINALISTS) * (_OF_PAGE if query.by_page else 1)
    found = find_candidates(weights, query.filters, index, today, options, 2 * finalists)
    inside = _find_inside(weights, query.filters, asked, index, 2 * finalists)
    cosines = _find_near(query, asked, [*found, *inside], index, options)
    more = keep_sure([*inside, *cosines], query.filters, index, today, options)
    found = [*dict.fromkeys([*found, *more])]
    ranked = rank_candidates(found, weights, index, today, options, len(found) if more else finalists)
    if cosines:
        from bankd.search.by_meaning import fuse_meaning  # noqa: PLC0415 -- most have no vectors

        ranked = fuse_meaning(ranked, cosines, weights.brevity)
    return (_prefer_asked(ranked, asked, today) if asked.windows or asked.now else ranked)[:finalists]


def _find_inside(weights: Weights, filters: Filters, asked: AskedTime, index: "IndexView", most: int) -> Sequence[int]:
    if not asked.windows:
        return ()
    from bankd.search.asked_days import find_inside  # noqa: PLC0415 -- most questions name no day

    return [number for window in asked.windows for number in find_inside(weights, filters, window, index, most)]


def _find_near(
    query: Query, asked: AskedTime, found: Sequence[int], index: "IndexView", options: RankingOptions
) -> Mapping[int, float]:
    if options.vectors is None:
        return {}
    from bankd.search.by_meaning import find_near  # noqa: PLC0415 -- most have no vectors

    return find_near(query, asked, found, index, options.vectors, _FILTERED_CANDIDATES)


def _prefer_asked(ranked: Sequence[Ranked], asked: AskedTime, today: date) -> list[Ranked]:
    from bankd.search.asked_days import prefer_days, prefer_newest  # noqa: PLC0415 -- most questions name no day

    if asked.windows:
        return in_order(prefer_days(one, asked.windows, today) for one in ranked)
    return in_order(prefer_newest(ranked))


def find_candidates(
    weights: Weights,
    filters: Filters,
    index: "IndexView",
    today: date,
    options: RankingOptions,
    most: int = 2 * _FINALISTS,
) -> Sequence[int]:
    """The numbers of the memories that may answer, and are what was asked for."""
    if filters.min_confidence is None:
        return index.find(weights.terms, weights.bigrams, filters, most)
    found = index.find(weights.terms, weights.bigrams, filters, _FILTERED_CANDIDATES)
    return keep_sure(found, filters, index, today, options)[:most]


def rank_candidates(
    found: Sequence[int],
    weights: Weights,
    index: "IndexView",
    today: date,
    options: RankingOptions,
    size: int = _FINALISTS,
) -> list[Ranked]:
    """Score what was found, those in full that stand best at first sight, and put it best first."""
    first_passes = score_first(index.candidates(found), weights, index.corpus)
    finalists = choose_finalists(first_passes, weights, size, options.tree_weight)
    pages = {one.candidate.page for one in finalists}
    paths, scores = (
        index.paths(pages),
        score_finalists(finalists, index.vocabularies(pages), weights, options.tree_weight),
    )
    rows = {row.row: row for row in index.rows([one.candidate.row for one in finalists])}
    usage_of = index.usage_of if options.usage_of is None else options.usage_of
    usages = usage_of([row.id for row in rows.values() if row.id])
    ranked = [
        Ranked(paths[row.page], row, one.candidate, _with_prior(parts, row, usages, today, options))
        for one, parts in zip(finalists, scores, strict=True)
        if (row := rows.get(one.candidate.row)) and row.page in paths
    ]
    return in_order(ranked)


def _with_prior(
    parts: dict[str, float], row: FoundRow, usages: Mapping[str, Usage], today: date, options: RankingOptions
) -> dict[str, float]:
    sure = None if row.hundredths is None else confidence_today(row, today, options)
    usage = usages.get(row.id or "", NOT_USED)
    prior = prior_of(sure, row.day, today, is_pinned="#pinned" in row.text, usage=usage)
    if not prior or not parts["score"]:
        return parts
    return {**parts, "score": parts["score"] + prior, "prior": prior}
