"""The text of a query as weighted terms, read with the words of an index."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import islice
from typing import TYPE_CHECKING

from bankd.core.language.analysis import Analysis, bigrams_of, has_hangul, is_hangul, normal_form, runs_of
from bankd.core.language.lexicon import Lexicon, Readings, known_words, lexicon_of
from bankd.core.ranking.as_typed import cut_run, mend_typos, restore_spaces
from bankd.core.ranking.query import Query
from bankd.core.ranking.question_words import does_ask, phrasing_of, term_weight
from bankd.core.ranking.scoring import brevity_of
from bankd.core.ranking.weighing import Weights, weigh_query

if TYPE_CHECKING:
    from bankd.ports.reading import QueryReader
    from bankd.ports.searching import IndexView

_SPELT = 8
"""So many unknown words of a query are looked for as they may be spelt in Latin letters: each is compared with thousands."""
_SYNONYMS = 2
"""So many words stand for one that no memory has; more would make it weigh more than the others."""


def read_query(query: Query, index: "IndexView", reader: "QueryReader") -> Weights:
    """Turn the text of a query into weighted terms."""
    known, readings = cache(partial(is_known, index)), cache(index.reading)  # each is asked several times of a word
    is_korean = has_hangul(query.text)
    text = restore_spaces(normal_form(query.text), readings, known) if is_korean else query.text
    analysis, runs = reader.analyse_query(text, lexicon_of(readings, known)), runs_of(text)
    beginning = cache(index.terms_with)
    read = _read_words(analysis.terms, known, beginning)
    terms = mend_typos([word for term in analysis.terms for word in read[term]], known, beginning)
    if is_korean:
        terms = [word for term in terms for word in known_words(term, known)]
        others = tuple(term for term, words in read.items() if term not in words)
        runs = [piece for run in runs if not run.startswith(others) for piece in _as_words(run, terms, readings)]
    analysis = Analysis((tuple(terms),), tuple(bigrams_of(runs)), analysis.denies)
    weights = weigh_query(analysis, runs, index.corpus.memories, partial(_frequency, index))
    asks, phrasing = does_ask(weights.terms, runs), phrasing_of(normal_form(query.text), weights.terms, known)
    return weights._replace(asks=asks, phrasing=phrasing, brevity=brevity_of(index.corpus, asks=asks))


def _read_words(
    terms: Sequence[str], known: Callable[[str], bool], beginning: Callable[[str], Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Each term as the words of the bank that it stands for, itself where there are none."""
    read = {term: words_for(term, known) for term in terms}
    unread = (term for term, words in read.items() if is_hangul(term) and term in words and not known(term))
    telling = (term for term in unread if term_weight(term) == 1)
    read.update([(term, _spelt_in_latin(term, beginning) or [term]) for term in islice(telling, _SPELT)])
    return read


def words_for(term: str, known: Callable[[str], bool]) -> Sequence[str]:
    """A term; one that no memory has, as those that say the same and are known, also in the other language.

    What the bank knows is never read as something else, so that no question loses by it.
    """
    if known(term):
        return [term]
    from bankd.core.language.thesaurus import synonyms_of  # noqa: PLC0415 -- most questions have no time for it

    return [word for word in synonyms_of(term) if known(word)][:_SYNONYMS] or [term]


def _spelt_in_latin(term: str, beginning: Callable[[str], Sequence[str]]) -> Sequence[str]:
    from bankd.core.language.korean.loanwords import spelt_in_latin  # noqa: PLC0415 -- same

    return spelt_in_latin(term, beginning)


def _as_words(run: str, terms: Sequence[str], readings: Readings) -> Sequence[str]:
    """A run that the bank does not have, as the words that it was read as."""
    return cut_run(run, terms) if is_hangul(run) and readings(run) is None else [run]


def lexicon_within(index: "IndexView") -> Lexicon:
    """How words are read in an index."""
    return lexicon_of(index.reading, cache(partial(is_known, index)))


def is_known(index: "IndexView", term: str) -> bool:
    """Whether a memory has a term, stands under it, or answers a question with it."""
    frequency = index.frequency  # a question asks this a hundred times of each bank
    return frequency("terms", term) > 0 or frequency("heading", term) > 0 or frequency("asked", term) > 0


_ASKED = {"terms": "asked", "bigrams": "asked_bigrams"}


def _frequency(index: "IndexView", kind: str, term: str) -> int:
    """In how many memories a term occurs; one that none has, in the questions of how many."""
    return index.frequency(kind, term) or index.frequency(_ASKED[kind], term)
