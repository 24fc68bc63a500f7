"""A query over one index: read it, find candidates, score them exactly, keep those that are an answer.

Also here: which words of an answer are marked; how memories or pages are ordered; how answers relate to each other, as
runs found it (newer, contradicting, or so near that one stands for all); and today's confidence of memories.

A page says in several paragraphs what a memory says in one, so a page is ranked by its memories together.

The floor says which of the memories found are an answer; "nothing relevant" is a result too.
By words, the best memory must have a share of the weight of the question's words, more where memories are long and have many
words of any question, and one word that does not only ask.
Where sentence vectors take part, a memory must be nearer than two strangers usually are: between how near it is to
questions that have nothing to do with a workspace, and how near the question is to the nearest of these (`workers.vector_worker`).
So the floor knows which memories and questions are near to everything, and in which languages they are, whatever model made the vectors.
The longer the memories of a bank are, and the more it has, the nearer one must be: a paragraph that answers stands out more
than a fact, and among many memories some are near by chance, as among the vectors of one (`meaning.BY_CHANCE`). A memory that
shares all words may be farther away.

`bench/floor.py` shows how many true answers this costs and how many false ones it stops, in banks of several sizes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from functools import lru_cache
from itertools import chain, islice
from math import log10
from typing import TYPE_CHECKING, NamedTuple

from bankd.pages.names import INBOX, is_within
from bankd.search.request import GROUPS, Filters, FoundRow, Hit, Query
from bankd.search.score import (
    NOT_USED,
    TREE_WEIGHT,
    Candidate,
    Corpus,
    Usage,
    Weights,
    newest_first,
    prior_of,
    read_query,
    score_memories,
    term_weight,
)
from bankd.words.analysis import fold_text, irregular_forms, is_hangul, stem_word
from bankd.words.days import NO_TIME, AskedTime, Span, read_asked_time

if TYPE_CHECKING:
    from bankd.ports import IndexView, Vectors
    from bankd.search.meaning import Near
    from bankd.workers.reranker import Reranker

_WORD = re.compile(r"[^\W\d_가-힣]+(?:'[^\W\d_]+)?|\d+(?:[.,]\d+)*")


def marks_of(text: str, terms: Collection[str]) -> list[tuple[int, int]]:
    """The spans of a text that hold a term of the query: whole Latin words by stem, Hangul by the part that matched."""
    letters, hangul = _looked_for(tuple(terms))
    return sorted([*_latin_marks(text, terms, letters), *_hangul_marks(text, hangul)])


@lru_cache(maxsize=16)  # each hit of an answer needs the same
def _looked_for(terms: tuple[str, ...]) -> tuple[frozenset[str], Sequence[str]]:
    """The first letters of words that may match a term, and the terms in Hangul."""
    hangul = [term for term in terms if is_hangul(term)]
    words = [word for term in set(terms).difference(hangul) for word in (term, *irregular_forms(term))]
    return frozenset(form for word in words for form in (word[0], word[0].upper())), hangul


def _latin_marks(text: str, terms: Collection[str], letters: Collection[str]) -> Iterator[tuple[int, int]]:
    """The spans of Latin words to mark. Most words have another first letter and need not be stemmed."""
    for word in _WORD.finditer(text) if letters else ():
        written = word[0]
        if (written[0] in letters or not written.isascii()) and _stem_as_written(written) in terms:
            yield word.span()


@lru_cache(maxsize=10_000)
def _stem_as_written(word: str) -> str:
    return stem_word(fold_text(word))


def _hangul_marks(text: str, terms: Collection[str]) -> Iterator[tuple[int, int]]:
    """The spans of Hangul to mark: in each run the first longest term; a term of one syllable only at the start of the run."""
    longest: dict[int, tuple[int, int]] = {}
    for term in terms:
        at = text.find(term)
        while at >= 0:
            start = _start_of_run(text, at)
            if len(term) > 1 or at == start:
                longest[start] = max(longest.get(start, (0, 0)), (len(term), -at))
            at = text.find(term, at + 1)
    return ((-at, -at + length) for length, at in longest.values())


def _start_of_run(text: str, at: int) -> int:
    while at and is_hangul(text[at - 1]):
        at -= 1
    return at


NEXT_SHARE = 0.1
"""What each further memory of a page adds, as a share of what the one before it could; chosen by `python -m bench.eval --pages`."""
OF_TITLES = 0.3
"""The same for a query that is like a title: it is about a page as a whole (`bench.sets titles`)."""
SHOWN = 3
"""The most memories shown of a page."""


class Ranked(NamedTuple):
    """A memory found, with the parts of its score."""

    row: FoundRow
    candidate: Candidate
    parts: dict[str, float]


def in_order(ranked: Iterable[Ranked]) -> list[Ranked]:
    """Sort best first; ties stay in the order of the bank."""
    return sorted(ranked, key=lambda one: (-round(one.parts["score"], 6), one.row.path, one.row.line))


def order_pages(ranked: Sequence[Ranked], most: int, *, asks: bool) -> list[Ranked]:
    """The best memories of the best pages, page by page; part `page` of their score is the score of the page."""
    share = NEXT_SHARE if asks else OF_TITLES
    pages: dict[str, list[Ranked]] = {}
    for one in sorted(ranked, key=lambda one: -one.parts["score"]):
        pages.setdefault(one.row.path, []).append(one)
    scores = {
        path: sum(one.parts["score"] * share**place for place, one in enumerate(found)) for path, found in pages.items()
    }
    best = islice(sorted(pages, key=lambda path: (-round(scores[path], 6), path)), most)
    return [one._replace(parts={**one.parts, "page": scores[path]}) for path in best for one in pages[path][:SHOWN]]


WORDS_FLOOR = 0.14
"""The share of the weight of a question's words that one memory must have, where memories have 25 terms."""
_WORDS_FOR_LENGTH = 0.05
"""Added to it where memories have ten times as many terms."""
WITNESS = 0.1
"""The value of sharing all words of a question, as a cosine."""
_FOR_LENGTH, _FOR_SIZE = 0.01, 0.005
"""A memory must be this much nearer in a bank whose memories have ten times as many terms, and in one of ten times as many memories."""
_UNASKED = 0.12
"""The share of the words for one floor of an answer that nobody asked for, where words alone judge; the margin of the hooks was chosen with it."""
_UNASKED_NEAR, _UNASKED_WORDS = 3.2, 10
"""With sentence vectors such an answer needs so many times the floors, and sharing all words counts as so many more of them."""
STEP = 0.02
"""A cosine this much above the floor counts as one floor more, for questions with a margin."""
_LINE, _LONG = 25, 120
"""Terms of a memory: at the first `WORDS_FLOOR` holds; more than the second count as it."""
_TAIL = 0.5
"""Other answers must reach this share of the best score."""
NEAREST_SHOWN = 5
"""The number of nearest memories shown if nothing is an answer (`python -m bench.sets short` measures it)."""


def evidence_of(words: float, cosine: float | None, usual: float | None, corpus: Corpus) -> float:
    """The evidence of shared words and nearness together, in floors; from 1 on it is an answer.

    `usual` is the cosine that strangers would have in the place of question and memory; None if words alone decide.
    """
    length = log10(min(max(corpus.words, 1.0), _LONG))
    if cosine is None or usual is None:
        return words / (WORDS_FLOOR + _WORDS_FOR_LENGTH * (length - log10(_LINE)))
    least = usual + _FOR_LENGTH * length + _FOR_SIZE * log10(max(corpus.memories, 1))
    return 1 + (cosine + WITNESS * words - least) / STEP


def share_asked(terms: Collection[str], weights: Weights) -> float:
    """The share of a question's words that a memory has; 0 if it has only words that ask."""
    if shares_subject(terms, weights):
        total = sum(weights.terms.values()) or 1.0
        return sum(weight for term, weight in weights.terms.items() if term in terms) / total
    return 0.0


def shares_subject(terms: Collection[str], weights: Weights) -> bool:
    """Whether a memory shares a word with a question that is more than an asking word, such as "of" or "where".

    True for a question that has only asking words.
    """
    subjects = _subjects_of(tuple(weights.terms))
    return not subjects or not subjects.isdisjoint(terms)


@lru_cache(maxsize=16)  # every memory of an answer needs the same
def _subjects_of(terms: tuple[str, ...]) -> frozenset[str]:
    return frozenset(term for term in terms if term_weight(term) == 1)


def answering_terms(candidate: Candidate) -> frozenset[str]:
    """The words by which a memory may answer: its own, its heading's, its subject's, and those of questions it answers."""
    return frozenset(chain.from_iterable((*candidate.sentences, candidate.heading, *candidate.asked)))


def answers_among(best: Sequence[Ranked], asked: AskedTime, query: Query) -> Sequence[Ranked]:
    """The best memories that are an answer; if none from the asked days is one, all memories of these days."""
    answers = above_floor(best, query)
    if query.margin > 1 or not asked.windows or any(_is_of_days(one) for one in answers):
        return answers
    return [one for one in best if one in answers or _is_of_days(one)]


def with_floors(ranked: Sequence[Ranked], weights: Weights, near: Near | None, corpus: Corpus) -> list[Ranked]:
    """The memories with more parts: `floors`, the evidence for each, `asked`, its share of the question's words, and `meaning`, its cosine."""
    found = []
    for one in ranked:
        share = share_asked(answering_terms(one.candidate), weights)
        cosine, usual = (near.cosines.get(one.row.row), near.usual.get(one.row.row)) if near else (None, None)
        parts = {"asked": share, "floors": evidence_of(share, cosine, usual, corpus)}
        found.append(one._replace(parts={**one.parts, **parts, **({} if cosine is None else {"meaning": cosine})}))
    return found


def above_floor(ranked: Sequence[Ranked], query: Query) -> Sequence[Ranked]:
    """The memories that reach the floor and half the best score, or have each word asked, or as many as are asked for.

    No memory if none reaches the floor. With a margin above 1, as for what nobody asked for, those with that much more
    evidence. `ranked` must have its floors.
    """
    if query.margin > 1:
        return [one for one in ranked if _unasked_evidence(one.parts) >= query.margin]
    if max((one.parts["floors"] for one in ranked), default=0.0) < 1:
        return []
    if query.is_limited:
        return ranked
    scores = [one.parts["score"] - one.parts.get("time", 0.0) for one in ranked]
    least = _TAIL * max(scores)
    return [
        one
        for one, score in zip(ranked, scores, strict=True)
        if one.parts["asked"] == 1 or (score >= least and one.parts["floors"] >= query.least)
    ]


def _unasked_evidence(parts: Mapping[str, float]) -> float:
    if "meaning" in parts:
        return (parts["floors"] + _UNASKED_WORDS * parts["asked"]) / _UNASKED_NEAR
    return min(parts["floors"], parts["asked"] / _UNASKED)


def nearest_among(best: Sequence[Ranked], weights: Weights) -> Sequence[Ranked]:
    """The nearest memories if nothing is an answer: those that share a telling word with the question, or may share its meaning."""
    return [one for one in best if "meaning" in one.parts or shares_subject(answering_terms(one.candidate), weights)]


def _is_of_days(one: Ranked) -> bool:
    from bankd.search.days import TELLING, TIME_WEIGHT  # noqa: PLC0415 -- most questions name no day

    return one.parts.get("time", 0.0) > TELLING * TIME_WEIGHT


class StoredPair(NamedTuple):
    """Two memories of the bank that were compared; `relation` is as `same.Relation` has it."""

    older: str
    newer: str
    relation: str
    is_dated: bool


class StoredRelations(NamedTuple):
    """What runs found about some memories: what superseded each older one, compared pairs, and the text keys compared."""

    superseded: Mapping[str, str] = {}
    pairs: Sequence[StoredPair] = ()
    keys: Mapping[str, str] = {}
    projects: Mapping[str, Sequence[str]] = {}
    """The projects of memories, by id; a memory without an entry holds everywhere."""
    doubted: Set[str] = frozenset()
    """The memories of which a line or memory that replaces them waits in the review."""


class Relations(NamedTuple):
    """The newer memory by the id of the older; near or close pairs, both ways; undated contradictions by id."""

    newer: Mapping[str, str] = {}
    near: Set[tuple[str, str]] = frozenset()
    contradicts: Mapping[str, Sequence[str]] = {}
    close: Set[tuple[str, str]] = frozenset()
    projects: Mapping[str, Sequence[str]] = {}
    doubted: Set[str] = frozenset()


def relate(ranked: Sequence[Ranked], stored: StoredRelations) -> Relations:
    """The relations of these memories, as far as their texts are still those that were compared."""
    if not stored.pairs:
        return Relations(stored.superseded, projects=stored.projects, doubted=stored.doubted)
    said = {one.row.id for one in ranked if one.row.id and stored.keys.get(one.row.id) == _key_of(one)}
    near = {pair[:2] for pair in stored.pairs if pair.relation in {"same", "near"} and said.issuperset(pair[:2])}
    close = {pair[:2] for pair in stored.pairs if said.issuperset(pair[:2])}
    told = [
        pair
        for pair in stored.pairs
        if pair.relation == "newer"
        and stored.superseded.get(pair.newer) != pair.older
        and (pair.is_dated or stored.superseded.get(pair.older) != pair.newer)
        and not said.isdisjoint(pair[:2])
    ]
    older = {pair.older for pair in told}
    dated = {  # of several newer ones, one that nothing replaces
        pair.older: pair.newer
        for pair in sorted(told, key=lambda pair: (pair.newer not in older, pair.newer))
        if pair.is_dated and pair.older in said
    }
    contradicts: dict[str, tuple[str, ...]] = {}
    for one, other in (both for pair in told if not pair.is_dated for both in (pair[:2], pair[1::-1])):
        contradicts[one] = (*contradicts.get(one, ()), other)
    newer = {**dated, **stored.superseded}
    return Relations(newer, _both_ways(near), contradicts, _both_ways(close), stored.projects, stored.doubted)


def _both_ways(pairs: Set[tuple[str, str]]) -> Set[tuple[str, str]]:
    return pairs | {(new, old) for old, new in pairs}


def _key_of(one: Ranked) -> str:
    from bankd.pages.memory import Memory, text_key  # noqa: PLC0415 -- a query without near memories has no time for it

    return text_key(Memory(one.row.text, one.row.tag, entities=one.row.entities))


def last_said_first(ranked: Sequence[Ranked], close: Set[tuple[str, str]]) -> tuple[list[Ranked], Set[str]]:
    """Reorder answers that are close to each other, the one said last first; also gives the ids of such answers.

    Each answer is grouped with the best one that it is close to; the group keeps its places.
    """
    order, grouped = list(ranked), set[str]()
    for at, first in enumerate(ranked):
        id_ = first.row.id or ""
        places = [at, *(n for n in range(at + 1, len(order)) if (id_, ranked[n].row.id) in close)]
        members = [ranked[n] for n in places]
        if len(members) > 1 and grouped.isdisjoint(ids := {one.row.id or "" for one in members}):
            grouped |= ids
            by_day = sorted(members, key=_said_on, reverse=True)
            for n, one in zip(places, by_day, strict=True):
                order[n] = one
    return order, grouped


def fold_near(
    ranked: Sequence[Ranked], near: Set[tuple[str, str]], apart: Collection[str]
) -> tuple[list[Ranked], dict[int, list[Ranked]]]:
    """Keep one of each near group, and tell by its number which others it stands for; those `apart` are not folded.

    The one that stands has the score of the best: one that is filed before one in the inbox, then the one said last.
    """
    if not near:
        return list(ranked), {}
    shown: list[Ranked] = []
    folded: dict[int, list[Ranked]] = {}
    for one in ranked:
        pairs = ((first, (first.row.id or "", one.row.id or "")) for first in shown)
        first = next((first for first, pair in pairs if pair in near and not set(pair) & set(apart)), None)
        if first is None:
            shown.append(one)
        elif (one.row.path != INBOX, _said_on(one)) > (first.row.path != INBOX, _said_on(first)):
            shown[shown.index(first)] = one._replace(parts=first.parts)
            folded[one.row.row] = [*folded.pop(first.row.row, ()), first]
        else:
            folded.setdefault(first.row.row, []).append(one)
    return shown, folded


def _said_on(one: Ranked) -> date:
    return one.row.learned or date.min


class KnownRelations:
    """What runs found about memories. This base class knows nothing."""

    def of(self, ids: Collection[str]) -> StoredRelations:
        """The relations of these memories."""
        return StoredRelations()

    def kept(self) -> Sequence[str]:
        """The pages on which no confidence fades, by their present names, relative to the bank."""
        return ()

    def state(self) -> int:
        """A number that changes when runs may have found something new."""
        return 0


class RankingOptions(NamedTuple):
    """The options of ranking: the weight of the tree, how fast opinions fade, the relations of memories."""

    tree_weight: float = TREE_WEIGHT
    fading_hundredths: float = 2.0
    kept: Sequence[str] = ()
    """The pages on which no confidence fades."""
    relations: KnownRelations = KnownRelations()
    vectors: Vectors | None = None
    """Sentence vectors, if they are wanted."""
    reranker: Reranker | None = None
    """Puts the best answers in order, if the settings name one."""


def keep_sure(
    found: Sequence[int], filters: Filters, index: IndexView, today: date, options: RankingOptions
) -> Sequence[int]:
    """The memories whose confidence is still as high as the question asks."""
    least = filters.min_confidence
    if least is None:
        return found
    sure = {row.row for row in index.rows.shown(found) if confidence_today(row, today, options) >= least}
    return [number for number in found if number in sure]


def confidence_today(row: FoundRow, today: date, options: RankingOptions) -> float:
    """What the confidence of a memory is worth today, in hundredths; one without confidence is a fact: 100."""
    if row.hundredths is None:
        return 100.0
    if row.day is None or row.tag != "O" or "#pinned" in row.text or is_within(row.path, options.kept):
        return row.hundredths
    return row.hundredths - options.fading_hundredths * max((today - row.day).days, 0)


_FILTERED_CANDIDATES = 1_000
"""The same if hits are filtered again by today's confidence."""


_CANDIDATES = 100
"""The most memories that share words and are scored."""
_LOOKED_AT = 200
"""The most scored memories that are fetched whole: pins, use and days may raise them."""
_FINALISTS = 25
"""The least number of memories considered for an answer; more if more are asked for."""
_OF_PAGE = 2
"""The factor for a question that asks for pages, each of which answers with several memories."""


_OF_ROW = [name for name in FoundRow._fields if name in Hit._fields and name != "path"]
"""What a hit has from its memory; its path begins at the workspace."""


class Found(NamedTuple):
    """The answers to a query in one index, best first; how the query was read there; the relations of the answers.

    `folded` has, by the number of an answer, the near memories that it stands for. `left_off` is how many more memories
    the asked days have. If nothing is an answer, `nearest` are the nearest memories.
    """

    weights: Weights
    ranked: Sequence[Ranked]
    relations: Relations
    folded: Mapping[int, Sequence[Ranked]] = {}
    left_off: int = 0
    nearest: Sequence[Ranked] = ()
    near: Near | None = None
    close: Set[str] = frozenset()
    """The ids of answers that are close to another one."""

    def hit_of(self, one: Ranked, group: str = "bank") -> Hit:
        """A memory found as an answer shows it, with its relations to other memories."""
        row, relations, id_ = one.row, self.relations, one.row.id or ""
        return Hit(
            path=f"{GROUPS[group]}/{row.path}",
            score=one.parts["score"],
            parts={name: part for name, part in one.parts.items() if name != "score"},
            marks=tuple(marks_of(row.text, self.weights.terms)),
            superseded_by=relations.newer.get(id_),
            group=group,
            supersedes=tuple(old for old, new in relations.newer.items() if new == id_),
            contradicts=tuple(relations.contradicts.get(id_, ())),
            like_it=tuple(other.row.id or "" for other in self.folded.get(row.row, ())),
            projects=tuple(relations.projects.get(id_, ())),
            is_doubted=id_ in relations.doubted,
            is_close=id_ in self.close,
            **{name: getattr(row, name) for name in _OF_ROW},
        )

    @property
    def every(self) -> list[Ranked]:
        """The answers, and the memories that they stand for."""
        return [*self.ranked, *(one for shown in self.ranked for one in self.folded.get(shown.row.row, ()))]


def find_answers(query: Query, index: IndexView, today: date, options: RankingOptions) -> Found:
    """Answer a query from one index.

    read | find | rank | floor
    """
    if options.kept:
        options = options._replace(kept=(*options.kept, *options.relations.kept()))
    asked, listed = _read_days(query, index, today, options)
    weights = read_query(query._replace(text=asked.rest) if asked.windows else query, index)
    near: Near | None = None
    if listed or query.timeline:
        ranked: Sequence[Ranked] = listed
    else:
        ranked, near = find_by_words(query, asked, weights, index, today, options)
        # A prompt waits for no other server.
        if options.reranker is not None and query.margin <= 1 and not query.by_page:
            ranked = _reranked(query.text, ranked, options.reranker)
    stored = options.relations.of([one.row.id for one in ranked if one.row.id])
    if query.project and stored.projects:
        ranked = [one for one in ranked if query.project in stored.projects.get(one.row.id or "", (query.project,))]
    relations = relate(ranked, stored)
    newer = newer_by(query.filters.known_on, relations.newer, index)
    then = newer_by(max((window.last for window in asked.windows), default=None), newer, index)
    ranked = newest_first(ranked, lambda one: one.row.id, then) if then and not listed else ranked
    alike = frozenset() if listed or query.by_page or query.everything else relations.near
    shown, folded = fold_near(ranked, alike, {*newer, *newer.values()})
    best = shown if query.by_page else shown[-query.limit :] if query.timeline else shown[: query.limit]
    best = with_floors(best, weights, near, index.corpus)
    answers = best if query.everything or listed else with_news(answers_among(best, asked, query), best, relations)
    nearest = () if answers or query.margin > 1 else nearest_among(best, weights)
    relations, left_off = relations._replace(newer=newer), len(shown) - len(best) if listed else 0
    few, asks = min(query.limit, NEAREST_SHOWN), weights.asks
    answers, nearest = _cut(answers, query, query.limit, asks=asks), _cut(nearest, query, few, asks=asks)
    is_of_time = bool(listed or asked.windows or query.timeline or query.by_page or query.is_past)
    answers, close = last_said_first(answers, frozenset() if is_of_time else relations.close)
    return Found(weights, answers, relations, folded, left_off, nearest, near, close)


def _reranked(question: str, ranked: Sequence[Ranked], reranker: Reranker) -> Sequence[Ranked]:
    """The best of these in the order of a reranker, and the others after them; unchanged if it does not answer."""
    best = ranked[: reranker.top]
    scores = reranker.scores(question, [one.row.text for one in best])
    if scores is None:
        return ranked
    told = [one._replace(parts={**one.parts, "rerank": score}) for one, score in zip(best, scores, strict=True)]
    return [*sorted(told, key=lambda one: -one.parts["rerank"]), *ranked[reranker.top :]]


def with_news(answers: Sequence[Ranked], best: Sequence[Ranked], relations: Relations) -> Sequence[Ranked]:
    """The answers, with those of the best candidates that are newer than one of them or close to it: no newer one is cut off."""
    ids = {one.row.id for one in answers if one.row.id}
    news = {new for old, new in relations.newer.items() if old in ids}
    news.update(other for one, other in relations.close if one in ids)
    return [one for one in best if one.row.id in ids | news or one in answers]


def _read_days(query: Query, index: IndexView, today: date, options: RankingOptions) -> tuple[AskedTime, list[Ranked]]:
    """The days that a query asks about, if the bank has such days; and all memories of them, if it asks for nothing else.

    A query without words asks for all memories that pass its filters.
    """
    asked, has_words = read_asked_time(query.text, today), bool(query.text.strip())
    if not (asked.windows or query.timeline) and has_words:
        return asked, []
    from bankd.search.days import knows_days, list_days, list_passing, list_timeline  # noqa: PLC0415 -- most questions name no day

    if not (query.timeline or has_words):
        return asked, list_passing(query, index, today, options)
    listed = list_timeline(query, index) if query.timeline else list_days(query, asked, index, today, options)
    return asked if knows_days(asked.windows, query.filters, index) else NO_TIME, listed


def newer_by(day: date | None, newer: Mapping[str, str], index: IndexView) -> Mapping[str, str]:
    """What was superseded up to a day, or ever."""
    if day is None or not newer:
        return newer
    learned = index.rows.learned(list(newer.values()))
    return {old: new for old, new in newer.items() if learned.get(new, date.min) <= day}


def _cut(found: Sequence[Ranked], query: Query, most: int, *, asks: bool) -> Sequence[Ranked]:
    """The hits that match at all, as many as wanted, or from as many pages as wanted."""
    found = [one for one in found if one.parts["score"] > 0]
    return order_pages(found, most, asks=asks) if query.by_page else found[:most]


def find_by_words(
    query: Query, asked: AskedTime, weights: Weights, index: IndexView, today: date, options: RankingOptions
) -> tuple[list[Ranked], Near | None]:
    """The memories that match a query best by words, meaning and days; and the nearest ones by meaning."""
    most = max(query.limit, _FINALISTS) * (_OF_PAGE if query.by_page else 1)
    many = _FILTERED_CANDIDATES if query.filters.min_confidence is not None else max(most, _CANDIDATES)
    matching = index.terms.find(weights.terms, query.filters, many)
    found = keep_sure(matching, query.filters, index, today, options)[: max(most, _CANDIDATES)]
    inside: Sequence[int] = ()
    if asked.windows:
        from bankd.search.days import find_inside  # noqa: PLC0415 -- most questions name no day

        inside = [n for window in asked.windows for n in find_inside(weights, query.filters, window, index, 2 * most)]
    near: Near | None = None
    if options.vectors is not None:
        from bankd.search.meaning import find_near  # noqa: PLC0415 -- who has no vectors has no time for it

        near = find_near(query, asked, [*found, *inside], index, options.vectors, _FILTERED_CANDIDATES)
    more = keep_sure([*inside, *(near.cosines if near else ())], query.filters, index, today, options)
    above = near.above if near else {}
    ranked = rank_candidates([*dict.fromkeys([*found, *more])], weights, index, today, options, above)
    if asked.windows:
        from bankd.search.days import prefer_days  # noqa: PLC0415 -- most questions name no day

        ranked = in_order(prefer_days(one, asked.windows) for one in ranked)
    if query.filters.since and query.filters.until:
        from bankd.search.days import names_longer  # noqa: PLC0415 -- most questions name no day

        window = Span(query.filters.since, query.filters.until)
        ranked = sorted(ranked, key=lambda one: names_longer(one.row, window))
    return ranked[:most], near


def rank_candidates(
    found: Sequence[int],
    weights: Weights,
    index: IndexView,
    today: date,
    options: RankingOptions,
    nearness: Mapping[int, float] = {},
) -> list[Ranked]:
    """Score the candidates and sort them, best first; `nearness` in meaning to the question is by number."""
    candidates = index.rows.candidates(found)
    vocabularies = index.rows.vocabularies({one.page for one in candidates})
    scored = score_memories(candidates, vocabularies, weights, index.corpus, options.tree_weight, nearness)
    best = sorted(zip(candidates, scored, strict=True), key=lambda one: -one[1]["score"])[:_LOOKED_AT]
    rows = {row.row: row for row in index.rows.shown([one.row for one, _ in best])}
    usages = index.rows.usage_of([row.id for row in rows.values() if row.id])
    ranked = [
        Ranked(row, one, _with_prior(parts, row, usages, today, options))
        for one, parts in best
        if (row := rows.get(one.row))
    ]
    return in_order(ranked)


def _with_prior(
    parts: dict[str, float], row: FoundRow, usages: Mapping[str, Usage], today: date, options: RankingOptions
) -> dict[str, float]:
    sure = None if row.hundredths is None else confidence_today(row, today, options)
    prior = prior_of(sure, row.day, today, is_pinned="#pinned" in row.text, usage=usages.get(row.id or "", NOT_USED))
    if not prior or not parts["score"]:
        return parts
    return {**parts, "score": parts["score"] + prior, "prior": prior}
