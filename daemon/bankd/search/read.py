"""Turns the text of a query into weighted terms, with the words of an index; mends spacing and typos.

Spacing: `세 종대왕의` is one word if the bank has it as one; `담배를피우는` is two, since the first ends with a particle.
Typos: a Latin word that the bank does not have becomes one that is one typo away, or that it begins. An unknown Korean
word is read by the words of the bank inside it. Everything else stays as it was typed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import groupby, islice, takewhile
from typing import TYPE_CHECKING, NamedTuple

from bankd.search.request import Query
from bankd.search.score import DETERMINERS, Weights, starts_asking, term_weight, weigh_query
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
    from bankd.ports import IndexView
    from bankd.workers.analyser import Analyser

# No postponed annotations here: what a query imports is compiled once; and no pattern, which takes longer than the work.


_OBJECT = ("을", "를")
_PARTICLES = (
    "에게서", "에서는", "으로는", "이라는", "까지", "라는", "로는", "보다", "부터", "에게", "에는", "에서", "으로", "이나",
    "이란", "한테", "가", "과", "는", "도", "란", "로", "를", "만", "에", "와", "은", "을", "의", "이",
)  # fmt: skip
"""Particles that end a word, longest first. 을 and 를 also end words of one syllable: hardly any word begins with them."""
_ONLY_PARTICLES = frozenset(
    ("에게서", "에서는", "으로는", "까지", "부터", "에게", "에는", "에서", "으로", "한테", "는", "를", "에", "을")
)
"""The particles that are hardly ever a word themselves: 만 is also ten thousand, 보다 also to see."""
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
    """Whether two runs are one word: the bank has them joined and not both alone, or has a word that spans both.

    A particle belongs to the word before it, unless the bank has it as a word.
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
    """The end of the first of two words that are written together; 0 if it is one word, or not known."""
    if len(run) > 3 and run.startswith(DETERMINERS):
        return len(DETERMINERS[0])
    if len(run) < 3 or _is_one_word(run, bank):
        return 0
    return _after_seen(run, bank) or _after_object(run, bank) or _after_particle(run, bank)


def _is_one_word(run: str, bank: _Bank) -> bool:
    """Whether a run is made of words of the bank, with or without a particle at its end."""
    at = 0
    while length := bank.longest(run[at:]):
        at += length
    return at > 0 and (at == len(run) or run[at:] in _PARTICLES)


def _after_seen(run: str, bank: _Bank) -> int:
    """The place after a run that the bank has, with its particle or ending; not inside a longer word: 대한 in 대한민국의."""
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


def read_query(query: Query, index: IndexView, reader: Analyser) -> Weights:
    """Turn the text of a query into weighted terms."""
    known, readings = (
        cache(partial(is_known, index)),
        cache(index.rows.reading),
    )  # each is called several times for one word
    is_korean = has_hangul(query.text)
    text = restore_spaces(normal_form(query.text), readings, known) if is_korean else query.text
    analysis, beginning = reader.analyse_query(text, lexicon_of(readings, known)), cache(index.terms.terms_with)
    read = _read_words(analysis.terms, known, beginning)
    terms = mend_typos([word for term in analysis.terms for word in read[term]], known, beginning)
    if is_korean:
        terms = [word for term in terms for word in known_words(term, known)]
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
