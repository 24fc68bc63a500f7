"""The story of a query over one index: read it, find what may answer, score that exactly, keep what is an answer."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.core.language.analysis import Analysis, bigrams_of, has_hangul, is_hangul, normal_form, runs_of
from bankd.core.language.dates.question_days import (
    NO_TIME,
    AskedTime,
    read_asked_time,
    says_nothing,
    without_what_says_nothing,
)
from bankd.core.language.dates.spans import Span
from bankd.core.language.lexicon import Lexicon, Readings, known_words, lexicon_of
from bankd.core.ranking.floor import CosineBounds, answers_across, floor_of, witness_factor
from bankd.core.ranking.fusion import NEAREST, fuse_scores
from bankd.core.ranking.marking import marks_of
from bankd.core.ranking.priors import newest_first, prior_of
from bankd.core.ranking.query import GROUPS, Filters, FoundRow, Hit, Query
from bankd.core.ranking.query_form import phrasing_of
from bankd.core.ranking.question_words import term_weight
from bankd.core.ranking.scoring import (
    TREE_WEIGHT,
    Candidate,
    Corpus,
    Weights,
    choose_finalists,
    score_finalists,
    score_first,
    weigh_query,
)
from bankd.core.ranking.spacing import cut_run, restore_spaces
from bankd.core.ranking.timing import NOW_WEIGHT, TELLING, TIME_WEIGHT, day_within, fit_of, happened_in, held_before
from bankd.core.ranking.typos import mend_typos

if TYPE_CHECKING:
    from bankd.ports.reading import QueryReader, Vectors
    from bankd.ports.searching import IndexView

_FILTERED_CANDIDATES = 1_000
"""More when what is found is filtered once more by what its confidence is worth today."""
_IN_WINDOW = 1_000
"""So many memories of some days are put in order, the newest; a timeline longer than that nobody reads."""
_FINALISTS = 25
"""Candidates that are scored in full, or as many as are asked for; of twice as many."""


NewerOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
"""Ids of memories -> by those that were superseded, the ids of the newer ones."""

_TAIL = 0.5
"""The share of the floor that the further answers must reach, once one has reached it."""


class RankingOptions(NamedTuple):
    """What bears on an answer beside words: the weight of the tree, what fades a day, and what was superseded."""

    tree_weight: float = TREE_WEIGHT
    fading_hundredths: float = 2.0
    newer_of: NewerOf = lambda _: {}
    vectors: "Vectors | None" = None
    """Sentence vectors, where they are wanted."""


class Ranked(NamedTuple):
    """A memory found, on its page, with the parts of its score."""

    path: str
    row: FoundRow
    candidate: Candidate
    parts: dict[str, float]


class Found(NamedTuple):
    """What answers a query in one index, best first, how the query was read there, and by whom memories are superseded."""

    weights: Weights
    ranked: Sequence[Ranked]
    newer: Mapping[str, str]


def find_answers(
    query: Query, index: "IndexView", reader: "QueryReader", today: date, options: RankingOptions, around: int = 0
) -> Found:
    """Find what answers a query in one index; `around` counts the memories beside which its floor has to hold.

    read | find | rank | floor
    """
    asked = read_asked_time(query.text, today)
    listed = list_timeline(query, index) if query.timeline else list_days(query, asked, index, reader, today, options)
    asked = asked if asked.now or knows_days(asked.windows, query.filters, index) else NO_TIME
    weights = read_query(query._replace(text=asked.rest) if asked.windows else query, index, reader)
    ranked = listed if listed or query.timeline else find_by_words(query, asked, weights, index, today, options)
    newer = options.newer_of([one.row.id for one in ranked if one.row.id])
    newer = newer_by(query.filters.known_on, newer, index)
    then = newer_by(max((window.last for window in asked.windows), default=None), newer, index)
    ranked = newest_first(ranked, lambda one: one.row.id, then) if then and not listed else ranked
    best = ranked[: query.limit]
    corpus = index.corpus._replace(memories=max(index.corpus.memories, around))
    bounds = options.vectors.bounds if options.vectors else None
    answers = best if query.everything or listed else answers_among(best, asked, weights, corpus, query.margin, bounds)
    return Found(weights, [one for one in answers if one.parts["score"] > 0], newer)


def list_timeline(query: Query, index: "IndexView") -> list[Ranked]:
    """What there is of the days in the filters, the last of it, in the order of the days."""
    window = Span(query.filters.since or date.min, query.filters.until or date.max)
    found = rank_days(index.find_within(None, query.filters, _IN_WINDOW), [window], index)
    return sorted(found, key=lambda one: _place_in_time(one, [window])[1:])[-query.limit :]


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


def newer_by(day: date | None, newer: Mapping[str, str], index: "IndexView") -> Mapping[str, str]:
    """What was superseded by a day already, or ever."""
    if day is None or not newer:
        return newer
    learned = index.learned(list(newer.values()))
    return {old: new for old, new in newer.items() if learned.get(new, date.min) <= day}


def asks_for_days_alone(asked: AskedTime, index: "IndexView", reader: "QueryReader") -> bool:
    """Whether a question has no subject beside its days; what nobody read yet of Korean, such as an ending, is none."""
    known = cache(partial(_is_known, index))
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


def find_by_words(
    query: Query, asked: AskedTime, weights: Weights, index: "IndexView", today: date, options: RankingOptions
) -> list[Ranked]:
    """The memories that match the words of a query best, and the days that it names."""
    finalists = max(query.limit, _FINALISTS)
    found = find_candidates(weights, query.filters, index, today, options, 2 * finalists)
    inside = [n for window in asked.windows for n in find_inside(weights, query.filters, window, index, 2 * finalists)]
    cosines = find_near(query, asked, [*found, *inside], index, options)
    more = keep_sure([*inside, *cosines], query.filters, index, today, options)
    found = [*dict.fromkeys([*found, *more])]
    ranked = rank_candidates(found, weights, index, today, options, len(found) if more else finalists)
    ranked = fuse_meaning(ranked, cosines) if cosines else ranked
    if asked.windows:
        ranked = in_order(prefer_days(one, asked.windows, today) for one in ranked)
    return (in_order(prefer_newest(ranked)) if asked.now and not asked.windows else ranked)[:finalists]


def find_near(
    query: Query, asked: AskedTime, found: Sequence[int], index: "IndexView", options: RankingOptions
) -> Mapping[int, float]:
    """The cosines to a question of what was found by words, and of the memories nearest to it; none without vectors."""
    vectors = options.vectors
    if vectors is None or not index.count_vectors(vectors.identity):
        return {}
    keys, is_filtered = index.vector_keys(found), query.filters != Filters()
    text, most = asked.rest if asked.windows else query.text, _FILTERED_CANDIDATES if is_filtered else NEAREST
    cosines = vectors.near(text, [*keys.values()], most)
    if cosines is None:
        return {}
    others = index.rows_with_vectors([*cosines.keys() - keys.values()], query.filters)
    nearest = sorted(others, key=lambda row: (-cosines[others[row]], row))[:NEAREST]
    all_keys = {**keys, **{row: others[row] for row in nearest}}
    return {row: cosines[key] for row, key in all_keys.items() if key in cosines}


def fuse_meaning(ranked: Sequence[Ranked], cosines: Mapping[int, float]) -> list[Ranked]:
    """Ranked memories in the order of words and meaning together."""
    near = [cosines.get(one.row.row) for one in ranked]
    scores = fuse_scores([one.parts["score"] for one in ranked], near)
    return in_order(
        one
        if cosine is None
        else one._replace(parts={**one.parts, "score": score, "by_words": one.parts["score"], "meaning": cosine})
        for one, score, cosine in zip(ranked, scores, near, strict=True)
    )


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
    return _raised(one, TIME_WEIGHT * max(fit_of(one.row, windows), held_before(one.row, windows, today)))


def prefer_newest(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Ranked memories, each raised as it is newer than the others."""
    days = sorted({one.row.learned for one in ranked if one.row.learned})
    share = {day: (place + 1) / len(days) for place, day in enumerate(days)}
    return [_raised(one, NOW_WEIGHT * share[one.row.learned] if one.row.learned else 0.0) for one in ranked]


def _raised(one: Ranked, time: float) -> Ranked:
    return one._replace(parts={**one.parts, "score": one.parts["score"] + time, "time": time})


def answers_among(
    best: Sequence[Ranked],
    asked: AskedTime,
    weights: Weights,
    corpus: Corpus,
    margin: float,
    bounds: "CosineBounds | None",
) -> Sequence[Ranked]:
    """What of the best is an answer; where nothing of the days asked about is, what there is of them."""
    answers = above_floor(best, weights, corpus, margin, bounds)
    if margin > 1 or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)] if asked.windows else answers


def _is_of_days(one: Ranked) -> bool:
    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT


def above_floor(
    ranked: Sequence[Ranked],
    weights: Weights,
    corpus: Corpus,
    margin: float = 1.0,
    bounds: "CosineBounds | None" = None,
) -> Sequence[Ranked]:
    """What is an answer: nothing when no memory reaches the floor, else all that reach half of it.

    With a margin above 1, only what is above the floor by so much; `bounds` say what cosines tell, where there are any.
    """
    factor = witness_factor(
        max((one.parts["meaning"] for one in ranked if "meaning" in one.parts), default=None), bounds
    )
    floors = [factor * floor_of(one.candidate, weights, corpus) for one in ranked]
    across = [answers_across(one.candidate, weights, one.parts.get("meaning"), bounds) for one in ranked]
    if max((_by_words(one) / floor for one, floor in zip(ranked, floors, strict=True)), default=0.0) < margin:
        return [one for one, is_answer in zip(ranked, across, strict=True) if is_answer and margin <= 1]
    reached = [
        (one.parts["score"] - one.parts.get("time", 0.0)) / floor for one, floor in zip(ranked, floors, strict=True)
    ]
    return [one for one, share in zip(ranked, reached, strict=True) if share >= (_TAIL if margin <= 1 else margin)]


def _by_words(one: Ranked) -> float:
    """What a memory scores without the days asked about, and without meaning."""
    return one.parts.get("by_words", one.parts["score"] - one.parts.get("time", 0.0))


def read_query(query: Query, index: "IndexView", reader: "QueryReader") -> Weights:
    """Turn the text of a query into weighted terms."""
    known, readings = cache(partial(_is_known, index)), cache(index.reading)  # each is asked several times of a word
    is_korean = has_hangul(query.text)
    text = restore_spaces(normal_form(query.text), readings, known) if is_korean else query.text
    analysis, runs = reader.analyse_query(text, lexicon_of(readings, known)), runs_of(text)
    terms = mend_typos(analysis.terms, known, index.terms_with)
    if is_korean:
        terms = [word for term in terms for word in known_words(term, known)]
        runs = [piece for run in runs for piece in _as_words(run, terms, readings)]
    analysis = Analysis((tuple(terms),), tuple(bigrams_of(runs)), analysis.denies)
    weights = weigh_query(analysis, runs, index.corpus.memories, partial(_frequency, index))
    return weights._replace(phrasing=phrasing_of(normal_form(query.text), weights.terms, known))


def _as_words(run: str, terms: Sequence[str], readings: Readings) -> Sequence[str]:
    """A run that the bank does not have, as the words that it was read as."""
    return cut_run(run, terms) if is_hangul(run) and readings(run) is None else [run]


def lexicon_within(index: "IndexView") -> Lexicon:
    """How words are read in an index."""
    return lexicon_of(index.reading, cache(partial(_is_known, index)))


def _is_known(index: "IndexView", term: str) -> bool:
    """Whether a memory has a term, stands under it, or answers a question with it."""
    return any(index.frequency(kind, term) > 0 for kind in ("terms", "heading", "asked"))


_ASKED = {"terms": "asked", "bigrams": "asked_bigrams"}


def _frequency(index: "IndexView", kind: str, term: str) -> int:
    """In how many memories a term occurs; one that none has, in the questions of how many."""
    return index.frequency(kind, term) or index.frequency(_ASKED[kind], term)


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


def keep_sure(
    found: Sequence[int], filters: Filters, index: "IndexView", today: date, options: RankingOptions
) -> Sequence[int]:
    """Those memories whose confidence is still worth what was asked for."""
    least = filters.min_confidence
    if least is None:
        return found
    sure = {row.row for row in index.rows(found) if confidence_today(row, today, options) >= least}
    return [number for number in found if number in sure]


def confidence_today(row: FoundRow, today: date, options: RankingOptions) -> float:
    """What the confidence of a memory is worth today, in hundredths; one without confidence is a fact: 100."""
    if row.hundredths is None:
        return 100.0
    days = max((today - row.day).days, 0) if row.day and row.tag == "O" else 0
    return row.hundredths - options.fading_hundredths * days


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
    ranked = [
        Ranked(paths[row.page], row, one.candidate, _with_prior(parts, row, today, options))
        for one, parts in zip(finalists, scores, strict=True)
        if (row := rows.get(one.candidate.row)) and row.page in paths
    ]
    return in_order(ranked)


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Best first; ties stand in the order of the bank."""
    return sorted(ranked, key=lambda one: (-round(one.parts["score"], 6), one.path, one.row.line))


def _with_prior(parts: dict[str, float], row: FoundRow, today: date, options: RankingOptions) -> dict[str, float]:
    sure = None if row.hundredths is None else confidence_today(row, today, options)
    prior = prior_of(sure, (today - row.day).days if row.day else None, is_pinned="#pinned" in row.text)
    if not prior or not parts["score"]:
        return parts
    return {**parts, "score": parts["score"] + prior, "prior": prior}


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
    )
