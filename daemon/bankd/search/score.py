"""The text of a query as weighted terms, and how well a memory answers it: `0.6 · text + 0.4 · tree`; then `priors`.

A query is read with the words of an index, which mend its spacing and typos.
Spacing: `세 종대왕의` is one word if the bank has it as one; `담배를피우는` is two, since the bank has the first.
Typos: a Latin word that the bank does not have becomes one that is one typo away, or that it begins. A Korean word that was
never analysed is read by the words of the bank inside it. Everything else stays as it was typed.

Rare words weigh more. Words that ask, request or say whose weigh less, since they stand in a question and seldom in its
answer, but none is removed. They include the verb of a yes-or-no question (있다, 좋아하다), since the answer may say the opposite.

    text  = words: BM25 of the text, as a share of the highest possible score
          + order: the share of the query's neighbouring words that are neighbours here too
            (with sentence vectors `meaning.fuse_scores` makes one text score of words and cosine)
    tree  = the place of the memory: the words of its page, the memories beside it, whom it is about

Each part was added to BM25 and cosines one by one, and stays because it brings more than .01 on sets that were not used to
choose it; `bench/ranking.md` has the table, also of what was tried without effect.

Priors are the signals besides words: confidence, age, use, importance and pins. A memory without such signals gets none.
Together they weigh less than one word of a query, so they only order near-ties: a ranking whose counters
may grow gets worse within a hundred of its own answers. A newer memory comes before the one that it supersedes.
A constant that is "ours" is a choice of this project without a measurement behind it.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from datetime import date
from functools import cache, lru_cache, partial
from itertools import chain, groupby, islice, pairwise, takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, TypeVar
from zlib import crc32

from bankd.words.analysis import (
    Known,
    Lexicon,
    Readings,
    analyse_query,
    has_hangul,
    is_hangul,
    lexicon_of,
    longest_word,
    normal_form,
    runs_of,
    stem_word,
)
from bankd.words.tables import words_in

if TYPE_CHECKING:
    from bankd.ports import IndexView
    from bankd.search.request import Query

ASKING_WEIGHT = 0.5

_KOREAN_TERMS = """
무엇 뭐 뭣 무어 누구 언제 어디 어느 어떤 어떻 어떠하 왜 몇 얼마 무슨 것 거 이 그 저 하 되 이것 그것
있 좋아하 즐기
나 내 저 제 우리 저희
"""
_KOREAN_STARTS = (
    "무엇", "뭐", "뭣", "누구", "언제", "어디", "어느", "어떤", "어떻", "어때", "왜", "몇", "얼마", "무슨", "인가", "인지",
    "있나", "있어", "했나", "하나", "했지", "했어", "좋아", "즐기", "즐겨",
)  # fmt: skip
_REQUESTS = ("줘", "줘요", "주라", "주세요", "줄래", "줄래요", "달라", "주십시오", "주시오", "다오", "드려",
    "주실", "주시기", "주시면", "주시겠어요", "바랍니다", "부탁드립니다")  # fmt: skip
"""Endings of requests: 알려줘, 정리해 주세요."""
_OWN = """
나 내 나의 내가 나는 난 나도 나한테 저 제 제가 저는
저의 우리 우리가 우리는 우리의 저희 저희가 저희는 저희의
"""

_TERMS = frozenset(map(stem_word, words_in("english", "function_words"))) | frozenset(_KOREAN_TERMS.split())
_OWN_WORDS = frozenset(_OWN.split())


def term_weight(term: str) -> float:
    """The weight of a term of a query: less if it only asks."""
    return ASKING_WEIGHT if term in _TERMS else 1.0


def requesting_terms(terms: Iterable[str], runs: Iterable[str]) -> frozenset[str]:
    """The terms of a query that only say what to do with the answer: 정리 in 정리해줘."""
    requests = [run for run in runs if run.endswith(_REQUESTS)]
    if not requests:
        return frozenset()
    return frozenset(term for term in terms if is_hangul(term) and any(run.startswith(term) for run in requests))


def starts_asking(run: str) -> bool:
    """Whether a run of Hangul begins with a word that asks."""
    return run.startswith(_KOREAN_STARTS)


@lru_cache(maxsize=50_000)
def _only_asks(run: str) -> bool:
    return is_hangul(run) and (starts_asking(run) or run in _OWN_WORDS or run.endswith(_REQUESTS))


K1 = 1.2
"""k1 of Robertson's BM25: how fast more occurrences of a word stop counting."""
Pair: TypeAlias = tuple[str, str]
"""Two terms, in order."""


class Weights(NamedTuple):
    """A query ready for scoring: the weight of each term and each pair of neighbours, and the words that may be names."""

    terms: Mapping[str, float]
    pairs: Mapping[Pair, float]
    names: frozenset[str]
    total: float
    pair_total: float
    """The highest possible score: every term many times, and every pair; never 0."""
    asks: bool = True
    """Whether it is a question. A query like a title is about a memory as a whole, and no single sentence answers it."""
    brevity: float = 1.0
    """The weight of the order of words: less for a query like a title in a bank of notes."""


NOTE = 150
"""From this average number of terms on, memories count as notes: the order of their words says little about their subject."""


FEW = 20
"""The least number of memories used to weigh rare words: a smaller bank says little about how rare a word is."""


@lru_cache(maxsize=4_096)
def idf(memories: int, frequency: int) -> float:
    """Robertson's inverse document frequency, never negative.

    A frequency may be above the number of memories: it counts those that are gone until they are swept out.
    """
    known = min(frequency, memories)
    return math.log(1 + (memories - known + 0.5) / (known + 0.5))


def weigh_query(
    terms: Sequence[str], runs: Sequence[str], memories: int, average: float, frequency: Callable[[str], int]
) -> Weights:
    """Weigh the terms of a query, cut into these runs; `frequency` counts the memories with a term, `average` their terms."""
    weights: dict[str, float] = {}
    memories = max(memories, FEW)
    requesting = requesting_terms(terms, runs)
    for term in terms:
        worth = ASKING_WEIGHT if term in requesting else term_weight(term)
        weights[term] = weights.get(term, 0.0) + idf(memories, frequency(term)) * worth
    pairs = {(one, after): math.sqrt(weights[one] * weights[after]) for one, after in pairwise(terms) if one != after}
    # A Korean name has its particle in the run.
    names = frozenset(run.removesuffix("'s") for run in runs) | weights.keys()
    total, pair_total = (sum(values.values()) or 1.0 for values in (weights, pairs))
    asks = any(term_weight(term) < 1 for term in weights) or any(map(_only_asks, runs))
    length = 1.0 if asks or average <= NOTE else NOTE / average
    return Weights(weights, pairs, names, total * (K1 + 1), pair_total, asks, length)


_OBJECT = ("을", "를")
"""Particles that hardly any word begins with."""
_LONGEST_RUN = 16
_SHORTEST = 4
_SHORTENED = 6
"""A word of at least this many letters may stand for a longer one: postgres for PostgreSQL."""

Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


class _Bank(NamedTuple):
    """The words of the bank: how each run of Hangul was read, and whether a term occurs."""

    readings: Readings
    known: Known

    def has(self, run: str) -> bool:
        return self.readings(run) is not None

    def longest(self, run: str, least: int = 2) -> int:
        return longest_word(run, self.known, least)

    def begins_word(self, rest: str) -> bool:
        if len(rest) < 2:
            return False
        is_short = rest[1] in _OBJECT and self.known(rest[0])
        return is_short or starts_asking(rest) or bool(self.readings(rest) or self.longest(rest))


def restore_spaces(text: str, readings: Readings, known: Known) -> str:
    """A text in NFKC with spaces exactly between words, as far as the bank knows the words."""
    bank = _Bank(readings, known)
    return " ".join(_parted(word, bank) for word in _joined(text.split(" "), bank))


# Spaces inside words


def _joined(words: Iterable[str], bank: _Bank) -> Iterator[str]:
    parts = iter(words)
    result = next(parts)
    for word in parts:
        if _is_one(_run(reversed(result))[::-1], _run(word), bank):
            result += word
        else:
            yield result
            result = word
    yield result


def _run(letters: Iterable[str]) -> str:
    return "".join(takewhile(is_hangul, letters))


def _is_one(left: str, right: str, bank: _Bank) -> bool:
    """Whether two runs are one word: the bank has them joined and not both alone, or has a word that spans both."""
    if not (left and right):
        return False
    if bank.has(left) and bank.has(right):
        return False
    if bank.has(left + right):
        return True
    return not bank.has(right) and bank.longest(left + right) - len(left) > bank.longest(right)


# Words written together


def _parted(word: str, bank: _Bank) -> str:
    runs = ((hangul, "".join(letters)) for hangul, letters in groupby(word, is_hangul))
    return "".join(" ".join(_words_in(run, bank)) if hangul else run for hangul, run in runs)


def _words_in(run: str, bank: _Bank) -> Iterator[str]:
    while not bank.has(run) and (end := _end_of_first(run, bank)):
        yield run[:end]
        run = run[end:]
    yield run


def _end_of_first(run: str, bank: _Bank) -> int:
    """The end of the first of two words that are written together; 0 if it is one word, or not known.

    It is the end of a run that the bank has with its particle or ending, but not inside a longer word (대한 in 대한민국의);
    else of a word of the bank that is an object.
    """
    longest = bank.longest(run, least=1)
    for end in range(min(len(run) - 1, _LONGEST_RUN), max(longest, 1), -1):
        reading = bank.readings(run[:end])
        if reading is not None and "".join(reading) != run[:end]:
            if bank.begins_word(run[end:]):
                return end
            break
    is_object = longest and run[longest : longest + 1] in _OBJECT and bank.begins_word(run[longest + 1 :])
    return longest + 1 if is_object else 0


# Slips of the finger


def mend_typos(terms: Sequence[str], known: Known, beginning: Beginning) -> list[str]:
    """The terms of a query; each unknown Latin one is replaced by the most common known term one typo away, or one it begins."""
    return [_mended(term, beginning) if _is_unknown(term, known) else term for term in terms]


def _is_unknown(term: str, known: Known) -> bool:
    return len(term) >= _SHORTEST and term.isascii() and term.isalpha() and not known(term)


def _mended(term: str, beginning: Beginning) -> str:
    """The mended term. Only terms with the same first letter are tried: it is seldom mistyped."""
    length, middle = len(term), len(term) // 2
    head, tail = term[:middle], term[middle + 1 :]  # one typo leaves one half as it is
    near = [other for other in beginning(term[0]) if -1 <= len(other) - length <= 1]
    near = [other for other in near if other.startswith(head) or other.endswith(tail)]
    slip = next((other for other in near if is_one_slip(term, other)), "")
    return slip or (length >= _SHORTENED and next(iter(beginning(term)), "")) or term


def is_one_slip(one: str, other: str) -> bool:
    """Whether two words differ by one letter left out, added or replaced, or two neighbours swapped."""
    if len(one) > len(other):
        one, other = other, one
    at = next((place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), len(one))
    if len(one) < len(other):
        return one[at:] == other[at + 1 :]
    is_swapped = one[at : at + 2] == other[at : at + 2][::-1] and one[at + 2 :] == other[at + 2 :]
    return one[at + 1 :] == other[at + 1 :] or is_swapped


_SPELT = 8
"""The most unknown words of a query that are tried in Latin spelling: each is compared with thousands of words."""
_LONGER = 12
"""The most words that are looked for in the place of a word that is still being typed, all beginning with it."""
_SYNONYMS = 2
"""The most words that replace one unknown word; more would make it weigh more than the others."""


def read_query(query: Query, index: IndexView) -> Weights:
    """Turn the text of a query into weighted terms."""
    # Each is called several times for one word.
    known, readings = cache(partial(is_known, index)), cache(index.rows.reading)
    text = restore_spaces(normal_form(query.text), readings, known) if has_hangul(query.text) else query.text
    analysis, beginning = analyse_query(text, lexicon_of(readings, known)), cache(index.terms.terms_with)
    read = _read_words(analysis.terms, known, beginning)
    terms = mend_typos([word for term in analysis.terms for word in read[term]], known, beginning)
    corpus = index.corpus
    weights = weigh_query(terms, runs_of(text), corpus.memories, corpus.words, partial(_frequency, index))
    if query.is_typing and terms and not query.text.endswith(" ") and len(terms[-1]) > 1:
        longer = dict.fromkeys(beginning(terms[-1])[:_LONGER], weights.terms[terms[-1]])
        weights = weights._replace(terms={**longer, **weights.terms})
    return weights


def _read_words(
    terms: Sequence[str], known: Callable[[str], bool], beginning: Callable[[str], Sequence[str]]
) -> dict[str, Sequence[str]]:
    """For each term the words of the bank that it stands for, or itself."""
    read = {term: words_for(term, known) for term in terms}
    unread = (term for term, words in read.items() if is_hangul(term) and term in words and not known(term))
    telling = (term for term in unread if term_weight(term) == 1)
    for term in islice(telling, _SPELT):  # a word that was not analysed yet still has its particle: 호기심을
        from bankd.words.thesaurus import spelt_in_latin  # noqa: PLC0415 -- most questions have no time for it

        read[term] = spelt_in_latin(term, beginning) or (len(term) > 1 and beginning(term)[:1]) or [term]
    return read


def words_for(term: str, known: Callable[[str], bool]) -> Sequence[str]:
    """The words to search for a term: itself if the bank has it, else its known synonyms in both languages.

    A word that the bank has is never replaced, so no question finds less.
    """
    if known(term):
        return [term]
    from bankd.words.thesaurus import synonyms_of  # noqa: PLC0415 -- most questions have no time for it

    return [word for word in synonyms_of(term) if known(word)][:_SYNONYMS] or [term]


def lexicon_within(index: IndexView) -> Lexicon:
    """How words are read in an index."""
    return lexicon_of(index.rows.reading, cache(partial(is_known, index)))


def is_known(index: IndexView, term: str) -> bool:
    """Whether a memory has a term, stands under it, or answers a question with it."""
    return _frequency(index, term) > 0


def _frequency(index: IndexView, term: str) -> int:
    """In how many memories a term occurs; if in none, under how many headings, or in how many questions."""
    frequency = index.terms.frequency  # a question needs this a hundred times for each bank
    return frequency("terms", term) or frequency("heading", term) or frequency("asked", term)


PRIOR_CAP = 0.02
"""The most by which all priors together move a score of 0 to 1, up or down: less than one word of a query."""
CONFIDENCE_PRIOR, PINNED_PRIOR, RECENCY_PRIOR = 0.01, 0.01, 0.005
"""Ours: the most that a sure memory, a pinned one and a new one gain; a doubtful one loses as much as a sure one gains."""
HALF_LIFE_DAYS = 30
"""Days in which the gain for new or lately used memories falls to half: design section 17."""
USE_PRIOR, IMPORTANCE_PRIOR = 0.01, 0.01
"""Ours: the gain of a memory that is fully used, by ln(1 + n) days, and of one with importance 10. The gain is small on
purpose: where a counter weighed more than the words of a query, ranking fell from .76 to .10."""
SHOWN_SHARE = 0.1
"""How much a day on which a memory was only shown counts, beside a day of use: ours. A search shows five answers, of which
one or none is right; counted in full, 1,000 questions cost .005 of MRR (`bench.use`)."""
MOST_RESPONSES = 50
"""The last responses that count: after this many a tie has 99.5 % of its limit."""
FULLY_USED = 50
"""Days of use beyond this many add nothing: ours."""


B = 0.75
"""Robertson's BM25: how much the length of a text counts."""
ORDER_SHARE = 1 / 7
_NEAR = 3
"""Two words count as neighbours within this distance in terms, in the same order: so `support group` is not `group for support`."""
QUESTION_SHARE = 0.5
"""The weight of words in the questions that a memory answers, if its own text has words of the query too."""
TREE_WEIGHT = 0.4
NODE, BESIDE, ENTITY = 0.1, 0.2, 0.15
"""The shares of the parts of `tree`: words of the page, memories right before and after, whom it is about."""
LEANING = 40
"""Up to this average number of terms, memories lean on their neighbours as turns of a dialogue do; longer ones less."""
_CAUTION = 0.2
"""The bonus for a denial in a memory of one sentence, as a share: 안 마셔 should come before 마셔."""


class Corpus(NamedTuple):
    """Figures of the whole index: the number of memories, and their average number of terms."""

    memories: int
    words: float


Vocabulary: TypeAlias = Sequence[int]
"""The terms of a page as sorted checksums: thirty pages are looked through in a fraction of a millisecond.

Two terms share a checksum once in four thousand million; it costs a near-tie its order.
"""


def vocabulary_of(terms: Iterable[str]) -> array[int]:
    """The vocabulary of these terms."""
    # Encoded together: a rebuild needs those of every page, and one by one takes twice as long.
    encoded = " ".join(terms).encode("utf-8", "surrogatepass")
    return array("I", sorted(set(map(crc32, encoded.split()))))


class Candidate(NamedTuple):
    """A memory that may answer, as the index keeps it for scoring."""

    row: int
    page: int
    place: int
    sentences: Sequence[Sequence[str]]
    heading: Sequence[str]
    entities: frozenset[str]
    denies: bool
    asked: Sequence[Sequence[str]] = ()
    """The questions that it answers: those below its log lines, and those that a model wrote."""


def _text(candidate: Candidate, weights: Weights, corpus: Corpus) -> dict[str, float]:
    words = _words(candidate, weights, corpus)
    parts = {"text": words, "words": words}
    if weights.pairs and words:
        parts["order"], share = _order(candidate, weights), ORDER_SHARE * weights.brevity
        parts["text"] = (1 - share) * words + share * parts["order"]
    if candidate.denies and len(candidate.sentences) == 1:
        parts["text"] *= 1 + _CAUTION
    return parts


def _words(candidate: Candidate, weights: Weights, corpus: Corpus) -> float:
    """BM25 as a share of the possible; higher if the questions that the memory answers have more of the words."""
    length = sum(map(len, candidate.sentences))
    own = bm25(chain.from_iterable(candidate.sentences), length, corpus.words, weights.terms)
    if candidate.asked:
        said = chain.from_iterable((*candidate.sentences, *candidate.asked))
        share = QUESTION_SHARE if own else 1.0
        own = max(own, (1 - share) * own + share * bm25(said, length, corpus.words, weights.terms))
    return own / weights.total


def bm25(tokens: Iterable[str], length: int, average: float, weights: Mapping[str, float]) -> float:
    """BM25 of a list of terms; `length` is its length, `average` the average length."""
    counts: dict[str, int] = {}
    for token in filter(weights.__contains__, tokens):
        counts[token] = counts.get(token, 0) + 1
    if not counts:
        return 0.0
    norm = K1 * (1 - B + B * length / (average or 1.0))
    return (K1 + 1) * sum([weights[token] * count / (count + norm) for token, count in counts.items()])


def _order(candidate: Candidate, weights: Weights) -> float:
    """The share of the query's neighbouring words that are neighbours here too."""
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


def score_memories(
    candidates: Sequence[Candidate],
    vocabularies: Mapping[int, Vocabulary],
    weights: Weights,
    corpus: Corpus,
    tree_weight: float = TREE_WEIGHT,
    nearness: Mapping[int, float] = {},
) -> list[dict[str, float]]:
    """The parts of each score, `score` among them; `nearness` in meaning to the question is by number, where it is known.

    All candidates at once, since neighbours support each other.
    """
    scored = [_text(one, weights, corpus) for one in candidates]
    if nearness:
        from bankd.search.meaning import fuse_scores  # noqa: PLC0415 -- who has no vectors has no time for it

        fused = fuse_scores([parts["text"] for parts in scored], [nearness.get(one.row) for one in candidates])
        for parts, text in zip(scored, fused, strict=True):
            parts["text"] = text
    terms = ((crc32(term.encode("utf-8", "surrogatepass")), weight) for term, weight in weights.terms.items())
    asked = [(term, weight * (K1 + 1) / weights.total) for term, weight in terms]
    nodes = {page: _share(found, asked) for page, found in vocabularies.items()}
    leaning = min(1.0, LEANING / (corpus.words or 1.0))
    at = {(one.page, one.place): parts["text"] for one, parts in zip(candidates, scored, strict=True)}
    for one, parts in zip(candidates, scored, strict=True):
        around = at.get((one.page, one.place - 1), 0.0) + at.get((one.page, one.place + 1), 0.0)
        node, beside, entity = nodes.get(one.page, 0.0), leaning * around, float(bool(one.entities & weights.names))
        parts["tree"] = NODE * node + BESIDE * beside + ENTITY * entity
        parts["score"] = (1 - tree_weight) * parts["text"] + tree_weight * parts["tree"]
        parts.update(node=node, beside=beside, entity=entity)
    return scored


def _share(vocabulary: Vocabulary, asked: Sequence[tuple[int, float]]) -> float:
    """The share of a query's weight whose terms are in a vocabulary."""
    share, size = 0.0, len(vocabulary)
    for checksum, weight in asked:
        at = bisect_left(vocabulary, checksum)
        if at < size and vocabulary[at] == checksum:
            share += weight
    return share


_MOST_IMPORTANT = 10

T = TypeVar("T")


class Usage(NamedTuple):
    """The use of a memory: on how many days it was useful, the last of them, its importance, on how many days it was shown."""

    days: int = 0
    last: date | None = None
    importance: int | None = None
    shown: int = 0


NOT_USED = Usage()


def prior_of(
    confidence: float | None, day: date | None, today: date, *, is_pinned: bool, usage: Usage = NOT_USED
) -> float:
    """The prior of a memory on this day; `confidence` is today's, in hundredths, and 50 is neutral."""
    sure = CONFIDENCE_PRIOR * (min(max(confidence, 0.0), 100.0) - 50) / 50 if confidence is not None else 0.0
    pinned = PINNED_PRIOR if is_pinned else 0.0
    return max(-PRIOR_CAP, min(sure + pinned + _recency(day, today, usage) + _use(usage), PRIOR_CAP))


def _recency(day: date | None, today: date, usage: Usage) -> float:
    last = max(day, usage.last) if day and usage.last else day or usage.last
    return RECENCY_PRIOR * 0.5 ** (max((today - last).days, 0) / HALF_LIFE_DAYS) if last else 0.0


def _use(usage: Usage) -> float:
    if usage is NOT_USED:  # as nearly all memories
        return 0.0
    days = min(usage.days + SHOWN_SHARE * usage.shown, FULLY_USED)
    often = math.log1p(days) / math.log1p(FULLY_USED) if days else 0.0
    return USE_PRIOR * often + IMPORTANCE_PRIOR * (usage.importance or 0) / _MOST_IMPORTANT


def newest_first(ranked: Sequence[T], id_of: Callable[[T], str | None], newer: Mapping[str, str]) -> list[T]:
    """Move each newer answer to the place of its older one, and the older one right after it; others keep their order."""
    result = list(ranked)
    place = {id_: n for n, one in enumerate(result) if (id_ := id_of(one))}
    for old in sorted(place, key=place.__getitem__):
        new = _newest(old, newer, place)
        here = [id_of(one) for one in result]
        if new and here.index(new) > here.index(old):
            result.insert(here.index(old), result.pop(here.index(new)))
    return result


def _newest(old: str, newer: Mapping[str, str], place: Mapping[str, int]) -> str | None:
    """The last memory found in the chain of those that supersede this one."""
    seen, found = {old}, None
    while (old := newer.get(old, "")) and old not in seen:
        seen.add(old)
        found = old if old in place else found
    return found
