"""The days that a query asks about: what there is of them, and what fits them."""

from collections.abc import Sequence
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING

from bankd.core.language.analysis import is_hangul, normal_form
from bankd.core.language.dates.question_days import AskedTime, says_nothing, without_what_says_nothing
from bankd.core.language.dates.spans import Span
from bankd.core.language.lexicon import lexicon_of
from bankd.core.ranking.query import Filters, FoundRow, Query
from bankd.core.ranking.question_words import term_weight
from bankd.core.ranking.ranked import Ranked, raised
from bankd.core.ranking.timing import NOW_WEIGHT, TELLING, TIME_WEIGHT, day_within, fit_of, happened_in, held_before
from bankd.core.ranking.weighing import Weights
from bankd.search.ranking_options import RankingOptions, keep_sure
from bankd.search.reading_query import is_known

if TYPE_CHECKING:
    from bankd.ports.reading import QueryReader
    from bankd.ports.searching import IndexView

_IN_WINDOW = 1_000
"""So many memories of some days are put in order, the newest; a timeline longer than that nobody reads."""


def list_timeline(query: Query, index: "IndexView") -> list[Ranked]:
    """What there is of the days in the filters, in the order of the days."""
    window = Span(query.filters.since or date.min, query.filters.until or date.max)
    found = rank_days(index.find_within(None, query.filters, _IN_WINDOW), [window], index)
    return sorted(found, key=lambda one: _place_in_time(one, [window])[1:])


def list_days(
    query: Query, asked: AskedTime, index: "IndexView", reader: "QueryReader", today: date, options: RankingOptions
) -> list[Ranked]:
    """What there is of the days that a question asks about, if it is about nothing else: what happened first, day by day."""
    if not asked.windows or not asks_for_days_alone(asked, index, reader):
        return []
    numbers = {n: n for window in asked.windows for n in index.find_within(window, query.filters, _IN_WINDOW)}
    return rank_days(keep_sure(list(numbers), query.filters, index, today, options), asked.windows, index)


def knows_days(windows: Sequence[Span], filters: Filters, index: "IndexView") -> bool:
    """Whether a memory of known day is of these days; else the words of time are words as others."""
    newest = [number for window in windows for number in index.find_within(window, filters, 1)]
    return any(row.learned for row in index.rows(newest))


def asks_for_days_alone(asked: AskedTime, index: "IndexView", reader: "QueryReader") -> bool:
    """Whether a question has no subject beside its days; what nobody read yet of Korean, such as an ending, is none."""
    known = cache(partial(is_known, index))
    rest = normal_form(without_what_says_nothing(asked.rest))
    terms = reader.analyse_query(rest, lexicon_of(cache(index.reading), known)).terms
    subjects = (term for term in terms if term_weight(term) == 1 and not says_nothing(term))
    return all(is_hangul(term) and not known(term) for term in subjects)


def rank_days(numbers: Sequence[int], windows: Sequence[Span], index: "IndexView") -> list[Ranked]:
    """The memories of some days; those that fit them well first, in the order of their days."""
    rows = {row.row: (row, happened_in(row, windows)) for row in index.rows(numbers)}
    paths = index.paths({row.page for row, _ in rows.values()})
    ranked = [
        Ranked(paths[row.page], in_window(row, windows), one, {"score": fit, "time": fit})
        for one in index.candidates(list(rows))
        for row, fit in (rows[one.row],)
        if fit and row.page in paths
    ]
    return sorted(ranked, key=lambda one: _place_in_time(one, windows))


def in_window(row: FoundRow, windows: Sequence[Span]) -> FoundRow:
    """A memory whose days in these windows stand first, so that they are shown."""
    inside = [span for span in row.about if any(span.overlap(window) for window in windows)]
    return row._replace(about=tuple(dict.fromkeys([*inside, *row.about])))


def _place_in_time(one: Ranked, windows: Sequence[Span]) -> tuple[bool, date, str, int]:
    return one.parts["time"] <= TELLING, day_within(one.row, windows), one.path, one.row.line


def find_inside(weights: Weights, filters: Filters, window: Span, index: "IndexView", most: int) -> Sequence[int]:
    """The numbers of the memories of some days, those that match first."""
    within = filters._replace(
        since=max(filters.since or date.min, window.first), until=min(filters.until or date.max, window.last)
    )
    return [*index.find(weights.terms, weights.bigrams, within, most), *index.find_within(window, filters, most)]


def prefer_days(one: Ranked, windows: Sequence[Span], today: date) -> Ranked:
    """A ranked memory, raised as it fits the days that are asked about."""
    if one.row.learned is None:
        return one
    return raised(one, TIME_WEIGHT * max(fit_of(one.row, windows), held_before(one.row, windows, today)))


def prefer_newest(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Ranked memories, each raised as it is newer than the others."""
    days = sorted({one.row.learned for one in ranked if one.row.learned})
    share = {day: (place + 1) / len(days) for place, day in enumerate(days)}
    return [raised(one, NOW_WEIGHT * share[one.row.learned] if one.row.learned else 0.0) for one in ranked]
