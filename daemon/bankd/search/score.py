"""How well a memory answers a query: `0.6 · text + 0.4 · tree`, each between 0 and 1; then `priors`.

    text  = words: BM25 of the memory and of its best sentence, the words of its heading read along with each
          + bigrams: the share of the query's Hangul bigrams that stand in the memory or its heading, less in a long one
          + order: the share of the query's neighbouring words that follow each other here too
            what the questions that a memory answers (`  ? …` in its log, or a model's) add to words and bigrams counts
            half, and all of it in another script than the memory's, where only they can be met
    tree  = where it stands: the words of its page, its heading path, the memories beside it, whom it is about

All weights are here and are round numbers, one setting for all languages. They were chosen on one half of KorQuAD and
LoCoMo and are reported on the other, and on naia: `bench/choosing.py` does both again, and `bench/choices.md`
has its tables: what each part brings, with intervals, and what other values of each weight would have given.
What was tried and brought nothing: grams of Latin letters, prefixes, long words weighing more, bigrams by BM25.

What speaks for a memory beside its words: how sure it is, how new or lately used, how often it was, how important, and pins.

A memory without such signals gets nothing. All together stay below what one word of a query is worth, so that they
only order near-ties: a ranking that lets its counters grow sinks within a hundred of its own answers. Of two of which
one supersedes the other, the newer comes first. All constants are in `memory.use_policy`.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence, Set
from datetime import date
from itertools import chain
from typing import NamedTuple, TypeAlias, TypeVar
from zlib import crc32

from bankd.memory.use_policy import (
    CONFIDENCE_PRIOR,
    FULLY_USED,
    HALF_LIFE_DAYS,
    IMPORTANCE_PRIOR,
    PINNED_PRIOR,
    PRIOR_CAP,
    RECENCY_PRIOR,
    SHOWN_SHARE,
    USE_PRIOR,
)
from bankd.search.weigh import K1, Pair, Weights

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


B = 0.5
"""Robertson's BM25 with half the usual length normalisation: memories are short, and 0.75 lets greetings win."""
B_OF_NOTES, NOTE = 0.75, 150
"""The usual one, to which it comes the nearer, the more terms memories have on average than this: notes differ in length."""

TREE_WEIGHT = 0.4
HEADING_COUNT = 1
"""How often a word of the heading counts as said in each sentence below it."""
SENTENCE_SHARE = 0.5
BIGRAM_SHARE = 0.4
LONG_TEXT = 0.2
"""How fast bigrams count less in a text longer than most, which has those of any question; of one on average, nothing."""
ORDER_SHARE = 1 / 7
_NEAR = 3
"""Places on, counted in terms, within which words belong together: `support group` finds `group for support` no more than it should."""
QUESTION_SHARE = 0.5
"""What the words of the questions that a memory answers count beside its own. All ways and shares of taking them along came to the
same within .006, but the best question alone, where a large model wrote questions for the facts of a conversation."""
_TREE_SHARES = {"node": 0.1, "heading": 0.4, "beside": 0.1, "entity": 0.15}
LEANING = 40
"""Terms of a memory on average up to which it leans on those beside it as a turn of a dialogue does; longer ones, less."""
_CAUTION = 0.2
"""What a denial adds to the text of a memory of one sentence, as a share: who reads only the first answer should see 안 마셔 before 마셔."""


class Corpus(NamedTuple):
    """What scoring has to know of the whole: how many memories there are, and how long they are on average."""

    memories: int
    words: float
    sentence: float
    heading: float


Vocabulary: TypeAlias = Sequence[int]
"""The terms of a page as sorted checksums: thirty pages are asked in a fraction of a millisecond.

Two terms share a checksum once in four thousand million; it costs a near-tie its order.
"""


def vocabulary_of(terms: Iterable[str]) -> array[int]:
    """The vocabulary of these terms."""
    # Encoded together: a rebuild needs those of every page, and one by one takes twice as long.
    encoded = " ".join(terms).encode("utf-8", "surrogatepass")
    return array("I", sorted(set(map(crc32, encoded.split()))))


def _checksum(term: str) -> int:
    return crc32(term.encode("utf-8", "surrogatepass"))


class Candidate(NamedTuple):
    """A memory that may answer, as the index keeps it for scoring."""

    row: int
    page: int
    place: int
    sentences: Sequence[Sequence[str]]
    bigrams: str
    """Of its text and its heading, by `bigrams_as_text`; how often does not count."""
    heading: Sequence[str]
    entities: frozenset[str]
    denies: bool
    asked: Sequence[Sequence[str]] = ()
    """The questions that it answers, as its lines in the logs tell, and what a model wrote to find it by."""
    asked_bigrams: str = ""


def bigrams_as_text(bigrams: Iterable[str]) -> str:
    """Bigrams with spaces between them and around: to look for a dozen takes less than to take the text apart."""
    joined = " ".join(bigrams)
    return f" {joined} " if joined else ""


def _as_found(gram: str) -> str:
    """A bigram as it is looked for in the text of bigrams: two letters without a space between are always one of them."""
    return gram if len(gram) > 1 else f" {gram} "


def brevity_of(corpus: Corpus, *, asks: bool) -> float:
    """What bigrams and order count beside the words: less among notes, for what only names their subject."""
    return 1.0 if asks else _shortness(corpus.words)


def _shortness(average: float) -> float:
    """1 where texts are short on average, in terms, and the less the longer they are."""
    return 1.0 if average <= NOTE else NOTE / average


def bm25(
    tokens: Iterable[str], length: int, average: float, weights: Mapping[str, float], above: Collection[str] = ()
) -> float:
    """Score a list of tokens; `length` is its own, `average` that of the whole, `above` stands over all of it."""
    counts = dict.fromkeys(above, HEADING_COUNT)
    for token in filter(weights.__contains__, tokens):
        counts[token] = counts.get(token, 0) + 1
    if not counts:
        return 0.0
    by_length = B_OF_NOTES - (B_OF_NOTES - B) * _shortness(average)
    norm = K1 * (1 - by_length + by_length * length / (average or 1.0))
    return (K1 + 1) * sum([weights[token] * count / (count + norm) for token, count in counts.items()])


class FirstPass(NamedTuple):
    """A candidate with the parts of its score that cost little."""

    candidate: Candidate
    words: float
    bigrams: float
    heading: float
    beside: float
    entity: float


def score_first(candidates: Sequence[Candidate], weights: Weights, corpus: Corpus) -> list[FirstPass]:
    """Look at all candidates at once, since neighbours support each other."""
    words = [_words(candidate, weights, corpus) for candidate in candidates]
    bigrams = [(_as_found(gram), weight / weights.bigram_total) for gram, weight in weights.bigrams.items()]
    return [
        FirstPass(
            candidate,
            own,
            _bigrams(candidate, bigrams, corpus),
            _heading(candidate, weights, corpus),
            support,
            1.0 if candidate.entities & weights.names else 0.0,
        )
        for candidate, own, support in zip(candidates, words, _beside(candidates, words, corpus), strict=True)
    ]


def score_texts(candidates: Sequence[Candidate], weights: Weights, corpus: Corpus) -> list[float]:
    """What each says by itself, wherever it stands, in whatever order, and whatever questions it answers."""
    own = [one._replace(asked=(), asked_bigrams="") if one.asked else one for one in candidates]
    return [_text(one.words, one.bigrams, 0.0, weights) for one in score_first(own, weights, corpus)]


def choose_finalists(
    first_passes: Sequence[FirstPass], weights: Weights, size: int, tree_weight: float = TREE_WEIGHT
) -> list[FirstPass]:
    """Those that stand best before the order of words and the page are looked at, which costs more."""

    def first_score(one: FirstPass) -> float:
        text = _text(one.words, one.bigrams, 0.0, weights)
        return (1 - tree_weight) * text + tree_weight * _tree(one, 0.0)

    return sorted(first_passes, key=first_score, reverse=True)[:size]


def score_finalists(
    first_passes: Sequence[FirstPass],
    vocabularies: Mapping[int, Vocabulary],
    weights: Weights,
    tree_weight: float = TREE_WEIGHT,
) -> list[dict[str, float]]:
    """Give the parts of each score, `score_finalists` first."""
    asked = [(_checksum(term), weight * (K1 + 1) / weights.total) for term, weight in weights.terms.items()]
    nodes = {page: _share(found, asked) for page, found in vocabularies.items()}
    return [_parts(one, nodes.get(one.candidate.page, 0.0), weights, tree_weight) for one in first_passes]


def _parts(one: FirstPass, node: float, weights: Weights, tree_weight: float) -> dict[str, float]:
    candidate, order = one.candidate, _order(one.candidate, weights)
    text, tree = _text(one.words, one.bigrams, order, weights), _tree(one, node)
    lifted = text * (1 + _CAUTION) if candidate.denies and len(candidate.sentences) == 1 else text
    parts = {"score": (1 - tree_weight) * lifted + tree_weight * tree, "text": text, "words": one.words}
    if weights.bigrams:
        parts["bigrams"] = one.bigrams
    if weights.pairs:
        parts["order"] = order
    return {
        **parts, "tree": tree, "node": node, "heading": one.heading, "beside": one.beside, "entity": one.entity,
    }  # fmt: skip


def _text(words: float, bigrams: float, order: float, weights: Weights) -> float:
    text = words
    if weights.bigrams:
        brevity = weights.brevity**2  # a long note has nearly all syllables of a title, whatever it is about
        share = BIGRAM_SHARE * weights.hangul_share * brevity if weights.terms else 1.0
        text = (1 - share) * text + share * bigrams
    share = ORDER_SHARE * weights.brevity
    return (1 - share) * text + share * order if weights.pairs else text


def _tree(one: FirstPass, node: float) -> float:
    share = _TREE_SHARES
    return (
        share["node"] * node
        + share["heading"] * one.heading
        + share["beside"] * one.beside
        + share["entity"] * one.entity
    )


def _share(vocabulary: Vocabulary, asked: Sequence[tuple[int, float]]) -> float:
    """The share of the weight of a query whose terms are in a vocabulary."""
    share, size = 0.0, len(vocabulary)
    for checksum, weight in asked:
        at = bisect_left(vocabulary, checksum)
        if at < size and vocabulary[at] == checksum:
            share += weight
    return share


def _words(candidate: Candidate, weights: Weights, corpus: Corpus) -> float:
    """BM25 of the memory and, for a question, of its best sentence, half each, as a share of what is possible."""
    terms, above, parts = weights.terms, weights.terms.keys() & candidate.heading, candidate.sentences
    # Most sentences have none of the words, which one step tells.
    hits: list[Sequence[str]] = [
        () if terms.keys().isdisjoint(part) else [*filter(terms.__contains__, part)] for part in parts
    ]
    whole = best = bm25(chain.from_iterable(hits), sum(map(len, parts)), corpus.words, terms, above)
    if len(parts) > 1 and weights.asks:
        asked = [
            bm25(found, len(part), corpus.sentence, terms, above)
            for found, part in zip(hits, parts, strict=True)
            if found or above
        ]
        best = max(asked, default=0.0)
    share = SENTENCE_SHARE * _shortness(corpus.words)  # of a long note, no sentence says what it is about
    own = (1 - share) * whole + share * best
    return (_with_questions(own, candidate, weights, corpus, above) if candidate.asked else own) / weights.total


def _with_questions(
    own: float, candidate: Candidate, weights: Weights, corpus: Corpus, above: Collection[str]
) -> float:
    """Raised as the questions that it answers have more of the words.

    All of it together counts as long as one of its sentences and questions is on average, however many there are.
    """
    texts = (*candidate.sentences, *candidate.asked)
    length = sum(map(len, texts)) // len(texts)
    everything = bm25((term for part in texts for term in part), length, corpus.words, weights.terms, above)
    share = 1.0 if is_met_by_questions(candidate, weights) else QUESTION_SHARE
    return max(own, (1 - share) * own + share * everything)


def is_met_by_questions(candidate: Candidate, weights: Weights) -> bool:
    """Whether a query, in another script than a memory, can be met only by the questions that it answers."""
    return bool(candidate.asked) and bool(weights.bigrams) != bool(candidate.bigrams)


def _bigrams(candidate: Candidate, asked: Sequence[tuple[str, float]], corpus: Corpus) -> float:
    if not asked:
        return 0.0
    longer = sum(map(len, candidate.sentences)) / (corpus.words or 1.0) - 1
    own = sum([weight for gram, weight in asked if gram in candidate.bigrams]) / (1 + LONG_TEXT * max(0.0, longer))
    if not candidate.asked_bigrams:
        return own
    everything = candidate.bigrams + candidate.asked_bigrams
    share = QUESTION_SHARE if candidate.bigrams else 1.0
    return (1 - share) * own + share * sum([weight for gram, weight in asked if gram in everything])


def _order(candidate: Candidate, weights: Weights) -> float:
    """The share of the neighbouring words of the query that follow each other here too, nearly."""
    if not weights.pairs:
        return 0.0
    texts = [*candidate.sentences, *candidate.asked] if candidate.asked else candidate.sentences
    found = pairs_in(texts, weights.terms.keys())
    return sum(weights.pairs[pair] for pair in weights.pairs.keys() & found) / weights.pair_total


def pairs_in(sentences: Iterable[Sequence[str]], terms: Set[str]) -> set[Pair]:
    """The pairs of these terms that follow each other in a sentence, at most three places on."""
    found: set[Pair] = set()
    for sentence in sentences:
        if terms.isdisjoint(sentence):
            continue
        places = [(at, term) for at, term in enumerate(sentence) if term in terms]
        for number, (at, term) in enumerate(places, 1):
            for place, other in places[number : number + _NEAR]:
                if place - at <= _NEAR:
                    found.add((term, other))
    return found


def _heading(candidate: Candidate, weights: Weights, corpus: Corpus) -> float:
    heading, terms = candidate.heading, weights.terms
    if terms.keys().isdisjoint(heading):
        return 0.0
    return bm25(heading, len(heading), corpus.heading, terms) / weights.total


def _beside(candidates: Sequence[Candidate], words: Sequence[float], corpus: Corpus) -> list[float]:
    """What the memories right before and after a memory on its page score, less where memories are long."""
    leaning = min(1.0, LEANING / (corpus.words or 1.0))
    at = {(candidate.page, candidate.place): own for candidate, own in zip(candidates, words, strict=True)}
    return [
        leaning
        * (at.get((candidate.page, candidate.place - 1), 0.0) + at.get((candidate.page, candidate.place + 1), 0.0))
        for candidate in candidates
    ]


# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.


_MOST_IMPORTANT = 10

T = TypeVar("T")


class Usage(NamedTuple):
    """What a ranking asks of a memory: on how many days it was of use, the last of them, its importance, and on how many it was shown."""

    days: int = 0
    last: date | None = None
    importance: int | None = None
    shown: int = 0


NOT_USED = Usage()


def prior_of(
    confidence: float | None, day: date | None, today: date, *, is_pinned: bool, usage: Usage = NOT_USED
) -> float:
    """The sum of the signals of a memory of this day; `confidence` in hundredths as it is worth today, 50 being neutral."""
    sure = CONFIDENCE_PRIOR * (min(max(confidence, 0.0), 100.0) - 50) / 50 if confidence is not None else 0.0
    pinned = PINNED_PRIOR if is_pinned else 0.0
    return max(-PRIOR_CAP, min(sure + pinned + _recency(day, today, usage) + _use(usage), PRIOR_CAP))


def _recency(day: date | None, today: date, usage: Usage) -> float:
    last = max(day, usage.last) if day and usage.last else day or usage.last
    return RECENCY_PRIOR * 0.5 ** (max((today - last).days, 0) / HALF_LIFE_DAYS) if last else 0.0


def _use(usage: Usage) -> float:
    if usage is NOT_USED:  # nearly all are
        return 0.0
    days = min(usage.days + SHOWN_SHARE * usage.shown, FULLY_USED)
    often = math.log1p(days) / math.log1p(FULLY_USED) if days else 0.0
    return USE_PRIOR * often + IMPORTANCE_PRIOR * (usage.importance or 0) / _MOST_IMPORTANT


def newest_first(ranked: Sequence[T], id_of: Callable[[T], str | None], newer: Mapping[str, str]) -> list[T]:
    """Put each newer answer where the older one stands, and the older one right after it; the others keep their order."""
    result = list(ranked)
    place = {id_: n for n, one in enumerate(result) if (id_ := id_of(one))}
    for old in sorted(place, key=place.__getitem__):
        new = _newest(old, newer, place)
        here = [id_of(one) for one in result]
        if new and here.index(new) > here.index(old):
            result.insert(here.index(old), result.pop(here.index(new)))
    return result


def _newest(old: str, newer: Mapping[str, str], place: Mapping[str, int]) -> str | None:
    """The last memory in the chain of those that supersede this one, as far as it was found."""
    seen, found = {old}, None
    while (old := newer.get(old, "")) and old not in seen:
        seen.add(old)
        found = old if old in place else found
    return found
