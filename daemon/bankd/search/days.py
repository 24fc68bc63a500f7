"""Questions about days: how well a memory fits the asked days, and lists of the memories of some days.

A memory belongs to the days that its text names, else to the day on which it was learned.
The values were chosen on the even-numbered questions of a year of dated memories, and measured on the odd ones.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING

from bankd.search.find import Ranked, RankingOptions, keep_sure
from bankd.search.request import Filters, FoundRow, Query
from bankd.search.score import Weights, is_known, term_weight
from bankd.words.analysis import analyse_query, is_hangul, lexicon_of, normal_form
from bankd.words.days import SAYING_NOTHING, AskedTime, Span, on, without_what_says_nothing

if TYPE_CHECKING:
    from bankd.ports import IndexView

TIME_WEIGHT = 0.2
"""The weight of fitting the days, beside a score for words that is seldom above 0.6."""
_BESIDE = 0.4
"""The fit of a memory that was learned on the asked days but speaks of others."""
_NO_EVENT = 0.6
"""The fit of habits, opinions and beliefs, as a share of that of events."""
_NARROWNESS = 0.25
"""How fast the fit falls with the length of the time that a memory speaks of: a whole year fits one of its days by a quarter."""
TELLING = 0.5
"""From this fit on a memory is of those days."""
_MONTH = 28
"""This many days and more are a month or longer."""


def happened_in(memory: FoundRow, windows: Iterable[Span]) -> float:
    """How well a memory tells what happened in some windows, 0 to 1; less for what held all the time."""
    fit = fit_of(memory, windows)
    return fit * fit * (1.0 if memory.tag in {"W", None} else _NO_EVENT)


def fit_of(memory: FoundRow, windows: Iterable[Span]) -> float:
    """How well a memory fits the best of some windows, 0 to 1."""
    return max((_fit(memory, window) for window in windows), default=0.0)


def _fit(memory: FoundRow, window: Span) -> float:
    spoken = max((_covered(span, window) for span in memory.about), default=0.0)
    if memory.learned is None or not on(memory.learned).overlap(window):
        return spoken
    return max(spoken, _BESIDE if memory.about else 1.0)


def _covered(span: Span, window: Span) -> float:
    """How much a span and a window overlap: as a share of the shorter one, and less for a span longer than the window."""
    return span.overlap(window) / min(span.days, window.days) * math.pow(min(1.0, window.days / span.days), _NARROWNESS)


def place_in_time(days: Span, window: Span) -> tuple[date, int, date]:
    """A sort key in a window: by the first day, but spans of a month or longer by the last; shorter ones first."""
    day = days.first if days.days < _MONTH else days.last
    return min(max(day, window.first), window.last), days.days, days.first


def place_within(memory: FoundRow, windows: Sequence[Span]) -> tuple[date, int, date]:
    """The sort key of a memory: of the first of its days in the windows, else of the day on which it was learned."""
    inside = [place_in_time(span, window) for window in windows for span in memory.about if span.overlap(window)]
    learned = memory.learned or date.min
    return min(inside, default=(learned, 1, learned))


def names_longer(memory: FoundRow, window: Span) -> bool:
    """Whether a memory belongs to some days only because it names a much longer time, such as their month."""
    if memory.learned and on(memory.learned).overlap(window):
        return False
    return all(_covered(span, window) <= TELLING for span in memory.about)


IN_WINDOW = 1_000
"""The most memories of a timeline, the newest ones: nobody reads a longer one."""


def list_timeline(query: Query, index: IndexView) -> list[Ranked]:
    """All memories of the days in the filters, in the order of the days."""
    window = Span(query.filters.since or date.min, query.filters.until or date.max)
    found = rank_days(index.terms.find_within(None, query.filters, IN_WINDOW), [window], index)
    placed = [one._replace(row=_placed(one.row, window)) for one in found]
    return sorted(placed, key=lambda one: _place_of(one, [window])[1:])


def list_passing(query: Query, index: IndexView, today: date, options: RankingOptions) -> list[Ranked]:
    """All memories that pass the filters, the newest first, in the order of their pages."""
    found = index.terms.find_within(None, query.filters, IN_WINDOW)
    rows = {row.row: row for row in index.rows.shown(keep_sure(found, query.filters, index, today, options))}
    ranked = [Ranked(rows[one.row], one, {"score": 1.0}) for one in index.rows.candidates(list(rows))]
    ranked.sort(key=lambda one: (one.row.path, one.row.line))
    return sorted(ranked, key=lambda one: one.row.learned or date.min, reverse=True)


def _placed(row: FoundRow, window: Span) -> FoundRow:
    """A memory with only its days inside a window, first the one that decides its place in a timeline."""
    inside = [span for span in row.about if span.overlap(window)]
    return row._replace(about=tuple(sorted(inside, key=lambda span: place_in_time(span, window))))


def list_days(query: Query, asked: AskedTime, index: IndexView, today: date, options: RankingOptions) -> list[Ranked]:
    """All memories of the days that a question asks about, if it names no other subject: events first, day by day."""
    if not asked.windows or not asks_for_days_alone(asked, index):
        return []
    numbers = {n: n for window in asked.windows for n in index.terms.find_within(window, query.filters, IN_WINDOW)}
    return rank_days(keep_sure(list(numbers), query.filters, index, today, options), asked.windows, index)


def knows_days(windows: Sequence[Span], filters: Filters, index: IndexView) -> bool:
    """Whether the bank has memories of these days; if not, words of time are searched like other words."""
    newest = [number for window in windows for number in index.terms.find_within(window, filters, 1)]
    return any(row.learned for row in index.rows.shown(newest))


def asks_for_days_alone(asked: AskedTime, index: IndexView) -> bool:
    """Whether a question has no subject besides its days; an unknown piece of Korean, such as an ending, is not a subject."""
    known = cache(partial(is_known, index))
    rest = normal_form(without_what_says_nothing(asked.rest))
    terms = analyse_query(rest, lexicon_of(cache(index.rows.reading), known)).terms
    subjects = (term for term in terms if term_weight(term) == 1 and term not in SAYING_NOTHING)
    return all(is_hangul(term) and not known(term) for term in subjects)


def rank_days(numbers: Sequence[int], windows: Sequence[Span], index: IndexView) -> list[Ranked]:
    """The memories of some days; those that fit them well first, in the order of their days."""
    rows = {row.row: (row, happened_in(row, windows)) for row in index.rows.shown(numbers)}
    ranked = [
        Ranked(in_window(row, windows), one, {"score": fit, "time": fit})
        for one in index.rows.candidates(list(rows))
        for row, fit in (rows[one.row],)
        if fit
    ]
    return sorted(ranked, key=lambda one: _place_of(one, windows))


def in_window(row: FoundRow, windows: Sequence[Span]) -> FoundRow:
    """A copy of a memory with its days in these windows first, so that these are shown."""
    inside = [span for span in row.about if any(span.overlap(window) for window in windows)]
    return row._replace(about=tuple(dict.fromkeys([*inside, *row.about])))


def _place_of(one: Ranked, windows: Sequence[Span]) -> tuple[bool, tuple[date, int, date], str, int]:
    return one.parts["time"] <= TELLING, place_within(one.row, windows), one.row.path, one.row.line


def find_inside(weights: Weights, filters: Filters, window: Span, index: IndexView, most: int) -> Sequence[int]:
    """The numbers of the memories of some days, those that match the question first."""
    within = filters._replace(
        since=max(filters.since or date.min, window.first), until=min(filters.until or date.max, window.last)
    )
    return [*index.terms.find(weights.terms, within, most), *index.terms.find_within(window, filters, most)]


def prefer_days(one: Ranked, windows: Sequence[Span]) -> Ranked:
    """A ranked memory with a higher score, the better it fits the asked days."""
    if one.row.learned is None:
        return one
    time = TIME_WEIGHT * fit_of(one.row, windows)
    return one._replace(parts={**one.parts, "score": one.parts["score"] + time, "time": time})
