"""The story of a query: read it, find what may answer, score that exactly, keep what is an answer."""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import date
from functools import cache, partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from bankd.core.language.analysis import Analysis, bigrams_of, has_hangul, is_hangul, normal_form, runs_of
from bankd.core.language.lexicon import Readings, known_words, lexicon_of
from bankd.core.ranking.floor import floor_of
from bankd.core.ranking.marking import marks_of
from bankd.core.ranking.priors import prior_of
from bankd.core.ranking.query import Answer, Filters, FoundRow, Freshness, Hit, Query
from bankd.core.ranking.query_form import phrasing_of
from bankd.core.ranking.scoring import (
    TREE_WEIGHT,
    Candidate,
    Corpus,
    Weights,
    choose_finalists,
    idf,
    score_finalists,
    score_first,
    weigh_query,
)
from bankd.core.ranking.spacing import cut_run, restore_spaces
from bankd.core.ranking.succession import newest_first
from bankd.core.ranking.typos import mend_typos

if TYPE_CHECKING:
    from bankd.ports import IndexView, QueryReader

_FILTERED_CANDIDATES = 1_000
"""More when what is found is filtered once more by what its confidence is worth today."""
_FINALISTS = 25
"""So many candidates are scored in full, or as many as are asked for; of twice as many."""


NewerOf: TypeAlias = Callable[[Collection[str]], Mapping[str, str]]
"""Ids of memories -> by those that were superseded, the ids of the newer ones."""

_TAIL = 0.5
"""The share of the floor that the further answers must reach, once one has reached it."""


class RankingOptions(NamedTuple):
    """What bears on an answer beside words: the weight of the tree, what fades a day, and what was superseded."""

    tree_weight: float = TREE_WEIGHT
    fading_hundredths: float = 2.0
    newer_of: NewerOf = lambda _: {}


class Ranked(NamedTuple):
    """A memory found, on its page, with the parts of its score."""

    path: str
    row: FoundRow
    candidate: Candidate
    parts: dict[str, float]


def answer_query(
    query: Query,
    index: "IndexView",
    reader: "QueryReader",
    fresh: Freshness,
    today: date,
    options: RankingOptions = RankingOptions(),  # noqa: B008
) -> Answer:
    """Answer a query.

    read | find | rank | floor
    """
    weights = read_query(query, index, reader)
    finalists = max(query.limit, _FINALISTS)
    found = find_candidates(weights, query.filters, index, today, options, 2 * finalists)
    ranked = rank_candidates(found, weights, index, today, options, finalists)
    newer = options.newer_of([one.row.id for one in ranked if one.row.id])
    ranked = newest_first(ranked, lambda one: one.row.id, newer) if newer else ranked
    best = ranked[: query.limit]
    answers = best if query.everything else above_floor(best, weights, index.corpus, query.margin)
    hits = tuple(hit_of(one, weights, newer) for one in answers if one.parts["score"] > 0)
    return Answer(query.text, index.generation, fresh, hits)


def above_floor(ranked: Sequence[Ranked], weights: Weights, corpus: Corpus, margin: float = 1.0) -> Sequence[Ranked]:
    """What is an answer: nothing when no memory reaches the floor, else all that reach half of it.

    With a margin above 1, only what is above the floor by so much.
    """
    reached = [one.parts["score"] / floor_of(one.candidate, weights, corpus) for one in ranked]
    if max(reached, default=0.0) < margin:
        return ()
    return [one for one, share in zip(ranked, reached, strict=True) if share >= (_TAIL if margin <= 1 else margin)]


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
    weights = weigh_query(analysis, runs, index.corpus.memories, index.frequency)
    return weights._replace(phrasing=phrasing_of(normal_form(query.text), weights.terms, known))


class NeighbourQueries:
    """Reads memories as questions for those that are alike; what was asked of the index for one is kept for the next."""

    def __init__(self, index: "IndexView", reader: "QueryReader") -> None:
        """Ask this index, as long as it stays as it is."""
        self._index, self._reader = index, reader
        self._frequency = cache(index.frequency)
        self._lexicon = lexicon_of(index.reading, cache(partial(_is_known, index)))

    def read(self, text: str) -> tuple[Mapping[str, float], Mapping[str, float]]:
        """The words and the bigrams of a memory: a twin has nearly all of them, so none is taken for a slip or for two."""
        analysis = self._reader.analyse_query(normal_form(text), self._lexicon)
        return self._weighed("terms", analysis.terms), self._weighed("bigrams", analysis.bigrams)

    def _weighed(self, kind: str, terms: Iterable[str]) -> Mapping[str, float]:
        """Those that the bank has, by how rare they are there."""
        memories, counts = self._index.corpus.memories, ((term, self._frequency(kind, term)) for term in terms)
        return {term: idf(memories, many) for term, many in counts if many}


def _as_words(run: str, terms: Sequence[str], readings: Readings) -> Sequence[str]:
    """A run that the bank does not have, as the words that it was read as."""
    return cut_run(run, terms) if is_hangul(run) and readings(run) is None else [run]


def _is_known(index: "IndexView", term: str) -> bool:
    """Whether a memory has a term, or stands under it."""
    return index.frequency("terms", term) > 0 or index.frequency("heading", term) > 0


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
    least = filters.min_confidence
    found = index.find(weights.terms, weights.bigrams, filters, _FILTERED_CANDIDATES)
    sure = {row.row for row in index.rows(found) if confidence_today(row, today, options) >= least}
    return [number for number in found if number in sure][:most]


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


def in_order(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Best first; ties stand in the order of the bank."""
    return sorted(ranked, key=lambda one: (-round(one.parts["score"], 6), one.path, one.row.line))


def _with_prior(parts: dict[str, float], row: FoundRow, today: date, options: RankingOptions) -> dict[str, float]:
    sure = None if row.hundredths is None else confidence_today(row, today, options)
    prior = prior_of(sure, (today - row.day).days if row.day else None, is_pinned="#pinned" in row.text)
    if not prior or not parts["score"]:
        return parts
    return {**parts, "score": parts["score"] + prior, "prior": prior}


def hit_of(ranked: Ranked, weights: Weights, newer: Mapping[str, str]) -> Hit:
    """A ranked memory as an answer shows it; `newer` names the one that supersedes it."""
    row = ranked.row
    parts = {name: part for name, part in ranked.parts.items() if name != "score"}
    marks = tuple(marks_of(row.text, weights.terms))
    total, superseded_by = ranked.parts["score"], newer.get(row.id or "")
    return Hit(
        f"bank/{ranked.path}", row.line, row.heading, row.id, row.tag, row.text, total, parts, marks, superseded_by
    )
