"""A question typed with other spaces than its words have, or with a slip of the finger, read by what the bank has.

`세 종대왕의` is the one word of the bank; `담배를피우는` ends a word where its particle ends and another word begins.
A Latin word that the bank does not have is the one it has that is a slip away, or that it begins; A Korean
word is read by the words of the bank in it. What the bank does not help with stays as it was typed.

The text of a query as weighted terms, read with the words of an index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.request import Query
from bankd.search.weigh import DETERMINERS, Weights, starts_asking, term_weight, weigh_query
from bankd.words.analysis import (
    Known,
    Lexicon,
    Readings,
    has_hangul,
    is_hangul,
    known_words,
    lexicon_of,
    longest_word,
    normal_form,
    runs_of,
)

if TYPE_CHECKING:
    from bankd.ports import IndexView, QueryReader

# No postponed annotations here: what a query imports is compiled once; and no pattern, which takes longer than the work.


_OBJECT = ("을", "를")
_PARTICLES = (
    "에게서", "에서는", "으로는", "이라는", "까지", "라는", "로는", "보다", "부터", "에게", "에는", "에서", "으로", "이나",
    "이란", "한테", "가", "과", "는", "도", "란", "로", "를", "만", "에", "와", "은", "을", "의", "이",
)  # fmt: skip
"""What closes a word, longest first. The object's two close words of one syllable too, since hardly any word begins with them."""
_ONLY_PARTICLES = frozenset(
    ("에게서", "에서는", "으로는", "까지", "부터", "에게", "에는", "에서", "으로", "한테", "는", "를", "에", "을")
)
"""Those that are hardly ever a word: 만 is also ten thousand, 보다 also to see."""
_LONGEST_RUN = 16
_SHORTEST = 4
_SHORTENED = 6
"""Letters from which on a word may stand for a longer one: postgres for PostgreSQL."""

Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


class _Bank(NamedTuple):
    """What the bank has: how each run of Hangul in it was read, and whether a term occurs."""

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
    """A text in NFKC with the spaces between words, and only there, as far as the bank has the words."""
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
    """Whether the bank has two runs as one and not both by themselves, or a word that begins in one and ends in the other.

    A particle belongs to what it follows, unless it is a word in the bank too.
    """
    if not (left and right):
        return False
    if right in _ONLY_PARTICLES and not bank.readings(right):
        return True
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
    """Where the first of two words ends that are written together; 0 when it is one word, or nobody knows."""
    if len(run) > 3 and run.startswith(DETERMINERS):
        return len(DETERMINERS[0])
    if len(run) < 3 or _is_one_word(run, bank):
        return 0
    return _after_seen(run, bank) or _after_object(run, bank) or _after_particle(run, bank)


def _is_one_word(run: str, bank: _Bank) -> bool:
    """Whether a run is words of the bank, with a particle or none."""
    at = 0
    while length := bank.longest(run[at:]):
        at += length
    return at > 0 and (at == len(run) or run[at:] in _PARTICLES)


def _after_seen(run: str, bank: _Bank) -> int:
    """After a run that the bank has, with its particle or ending, unless a longer word begins there: 대한 in 대한민국의."""
    longest = bank.longest(run, least=1)
    for end in range(min(len(run) - 1, _LONGEST_RUN), max(longest, 1), -1):
        reading = bank.readings(run[:end])
        if reading is not None and "".join(reading) != run[:end]:
            return end if bank.begins_word(run[end:]) else 0
    return 0


def _after_object(run: str, bank: _Bank) -> int:
    end = bank.longest(run, least=1)
    return end + 1 if end and run[end : end + 1] in _OBJECT and bank.begins_word(run[end + 1 :]) else 0


def _after_particle(run: str, bank: _Bank) -> int:
    at = 0
    while length := bank.longest(run[at:]):
        at += length
        for particle in _PARTICLES:
            if run.startswith(particle, at) and bank.begins_word(run[at + len(particle) :]):
                return at + len(particle)
    return 0


# Slips of the finger


def mend_typos(terms: Sequence[str], known: Known, beginning: Beginning) -> list[str]:
    """The terms of a query, each unknown Latin one replaced by the most common one that is one slip away, or longer."""
    return [_mended(term, beginning) if _is_unknown(term, known) else term for term in terms]


def _is_unknown(term: str, known: Known) -> bool:
    return len(term) >= _SHORTEST and term.isascii() and term.isalpha() and not known(term)


def _mended(term: str, beginning: Beginning) -> str:
    """A first letter is seldom mistyped, and it keeps the search short."""
    length, middle = len(term), len(term) // 2
    head, tail = term[:middle], term[middle + 1 :]  # one slip leaves one of them as it is
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
"""So many unknown words of a query are looked for as they may be spelt in Latin letters: each is compared with thousands."""
_SYNONYMS = 2
"""So many words stand for one that no memory has; more would make it weigh more than the others."""


def read_query(query: Query, index: IndexView, reader: QueryReader) -> Weights:
    """Turn the text of a query into weighted terms."""
    known, readings = cache(partial(is_known, index)), cache(index.reading)  # each is asked several times of a word
    is_korean = has_hangul(query.text)
    text = restore_spaces(normal_form(query.text), readings, known) if is_korean else query.text
    analysis, beginning = reader.analyse_query(text, lexicon_of(readings, known)), cache(index.terms_with)
    read = _read_words(analysis.terms, known, beginning)
    terms = mend_typos([word for term in analysis.terms for word in read[term]], known, beginning)
    if is_korean:
        terms = [word for term in terms for word in known_words(term, known)]
    corpus = index.corpus
    return weigh_query(terms, runs_of(text), corpus.memories, corpus.words, partial(_frequency, index))


def _read_words(
    terms: Sequence[str], known: Callable[[str], bool], beginning: Callable[[str], Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Each term as the words of the bank that it stands for, itself where there are none."""
    read = {term: words_for(term, known) for term in terms}
    unread = (term for term, words in read.items() if is_hangul(term) and term in words and not known(term))
    telling = (term for term in unread if term_weight(term) == 1)
    for term in islice(telling, _SPELT):  # what nobody has analysed yet has its particle: 호기심을
        read[term] = _spelt_in_latin(term, beginning) or (len(term) > 1 and beginning(term)[:1]) or [term]
    return read


def words_for(term: str, known: Callable[[str], bool]) -> Sequence[str]:
    """A term; one that no memory has, as those that say the same and are known, also in the other language.

    What the bank knows is never read as something else, so that no question loses by it.
    """
    if known(term):
        return [term]
    from bankd.words.thesaurus import synonyms_of  # noqa: PLC0415 -- most questions have no time for it

    return [word for word in synonyms_of(term) if known(word)][:_SYNONYMS] or [term]


def _spelt_in_latin(term: str, beginning: Callable[[str], Sequence[str]]) -> Sequence[str]:
    from bankd.words.loanwords import spelt_in_latin  # noqa: PLC0415 -- same

    return spelt_in_latin(term, beginning)


def lexicon_within(index: IndexView) -> Lexicon:
    """How words are read in an index."""
    return lexicon_of(index.reading, cache(partial(is_known, index)))


def is_known(index: IndexView, term: str) -> bool:
    """Whether a memory has a term, stands under it, or answers a question with it."""
    return _frequency(index, term) > 0


def _frequency(index: IndexView, term: str) -> int:
    """In how many memories a term occurs; one that none has, under how many headings, or in the questions of how many."""
    frequency = index.frequency  # a question asks this a hundred times of each bank
    return frequency("terms", term) or frequency("heading", term) or frequency("asked", term)
