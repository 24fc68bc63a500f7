"""Korean without a morphological analyser: a run of Hangul is read with the words that the bank itself has shown.

Particles are never stripped by rule (회의, 단가, 평가 end like noun and particle): what is known decides.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from typing import NamedTuple

from bankd.core.language.analysis import Analysis, bigrams_of, is_hangul, normal_form, runs_of, split_sentences
from bankd.core.language.english.stemming import stem_word

Readings = Callable[[str], Sequence[str] | None]
"""The terms that an analyser once gave for a run of Hangul as it stands; None for a run never seen."""

Known = Callable[[str], bool]
"""Whether a term occurs in the bank."""


class ReadRun(NamedTuple):
    """A run of any script: its terms, its bigrams, and whether it denies something."""

    terms: Sequence[str]
    bigrams: Sequence[str]
    denies: bool


Lexicon = Callable[[str], ReadRun]
"""How a run is read."""

_LONGEST = 12
"""Syllables; no word of Korean is longer, and a run without spaces may be as long as a request."""
_COMPOUND = 4

_DENYING_STARTS = ("않", "없", "싫", "못하", "못한", "못해", "안하", "안해")
_DENYING_RUNS = frozenset(("안", "못", "no", "not", "never", "cannot", "without"))


def lexicon_of(readings: Readings, known: Known) -> Lexicon:
    """The lexicon of a bank as it is now; each run is read once, however many texts have it."""
    return cache(lambda run: read_run(run, terms_of_run(run, readings, known)))


def read_run(run: str, terms: Sequence[str]) -> ReadRun:
    """A run that has these terms."""
    return ReadRun(terms, bigrams_of([run]), _denies(run))


def analyse_by_lexicon(text: str, lexicon: Lexicon) -> Analysis:
    """Give the terms of a text without an analyser; the same shape as `analyse`."""
    sentences: list[tuple[str, ...]] = []
    bigrams: list[str] = []
    denies = False
    for part in split_sentences(normal_form(text)):
        terms: list[str] = []
        for read, grams, is_denial in map(lexicon, runs_of(part)):
            terms += read
            bigrams += grams
            denies = denies or is_denial
        sentences.append(tuple(terms))
    return Analysis(tuple(filter(None, sentences)), tuple(bigrams), denies)


def _denies(run: str) -> bool:
    return run in _DENYING_RUNS or run.startswith(_DENYING_STARTS) or run.endswith("n't")


def terms_of_run(run: str, readings: Readings, known: Known) -> Sequence[str]:
    """Read one run: the way it was read before, else by the longest words known in it."""
    if not is_hangul(run):
        return [stem_word(run)]
    seen = readings(run)
    return seen if seen is not None else list(_longest_known(run, known))


def known_words(term: str, known: Known) -> Sequence[str]:
    """A Korean term that an analyser made of a run and the bank does not have: the words of the bank in it."""
    return (
        list(_longest_known(term, known)) if len(term) >= _COMPOUND and is_hangul(term) and not known(term) else [term]
    )


def longest_word(run: str, known: Known, least: int = 2) -> int:
    """The length of the longest term of the bank that a run begins with, of `least` syllables or more; 0 without one."""
    return next((end for end in range(min(len(run), _LONGEST), least - 1, -1) if known(run[:end])), 0)


def _longest_known(run: str, known: Known) -> Iterator[str]:
    """Walk a run from the left, taking the longest known word of two syllables or more at each place.

    A run without such a word is its own term, and is also read by its first syllable when that is a word: 써, 책은.
    """
    start, found = 0, False
    while start < len(run):
        length = longest_word(run[start:], known)
        if length:
            yield run[start : start + length]
        found = found or length > 0
        start += length or 1
    if not found:
        yield run
        if len(run) > 1 and known(run[0]):
            yield run[0]
