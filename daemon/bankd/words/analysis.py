"""The terms of a text, as search sees it: a morpheme (Korean), a stem (Latin letters) or a number.

Morphemes come from outside. Without an analyser a run of Hangul is read with the words that the bank itself has shown.
Particles are never stripped by rule (회의, 단가, 평가 end like noun and particle): the words that are known decide.
English stems are those of Snowball, with a table of irregular forms.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from Stemmer import Stemmer

from bankd.words.tables import meanings_in

_STEMMER = Stemmer("english", 0)  # Porter's second algorithm; without a cache of its own, since ours holds more

_IRREGULAR_PAST = meanings_in("english_irregular", "past")
_IRREGULAR = {**_IRREGULAR_PAST, **meanings_in("english_irregular", "other")}


@lru_cache(maxsize=50_000)
def stem_word(word: str) -> str:
    """Reduce a lower-case word to its stem: `painting`, `painted` and `paints` become `paint`, `went` becomes `go`."""
    return stem_words([word])[0]


def stem_words(words: Iterable[str]) -> list[str]:
    """The stems of lower-case words, not remembered: for a text that is read once."""
    bare = [_without_accents(word.removesuffix("'s").replace("'", "")) for word in words]
    plain = [_IRREGULAR.get(word, word) for word in bare]
    stems = iter(_STEMMER.stemWords([word for word in plain if word.isascii()]))
    return [next(stems) if word.isascii() else word for word in plain]


def _without_accents(word: str) -> str:
    """A Latin word as it is typed where the keyboard has no accents: `guimaraes` for `guimarães`; others as they are."""
    if word.isascii():
        return word
    bare = "".join(one for one in unicodedata.normalize("NFD", word) if not unicodedata.combining(one))
    return bare if bare.isascii() else word


def is_irregular_past(word: str) -> bool:
    """Whether a lower-case word is a past form that no rule reaches: `went`."""
    return word in _IRREGULAR_PAST


def irregular_forms(stem: str) -> Sequence[str]:
    """The irregular forms of a stem, which may begin with another letter: `went`, `gone` and `goes`."""
    return _forms_by_stem().get(stem, ())


@cache  # only marking words in answers calls this
def _forms_by_stem() -> dict[str, list[str]]:
    forms: dict[str, list[str]] = {}
    for form in _IRREGULAR:
        forms.setdefault(stem_word(form), []).append(form)
    return forms


VERSION = 6
"""Change it whenever the same text gives other terms; cached analyses of another version are dropped."""

_RUN = re.compile(r"[가-힣]+|[a-zà-öø-ÿ]+(?:'[a-z]+)?|[0-9]+(?:[.,][0-9]+)*|[぀-ヿ一-鿿]+")
_HANGUL = re.compile(rb"\xe1[\x84-\x87]|\xea[\xb0-\xbf]|[\xeb\xec]|\xed(?:[\x80-\x9d]|\x9e[\x80-\xa3])")
"""`[가-힣ᄀ-ᇿ]` as bytes of UTF-8: compiling the character class itself takes fourteen times as long."""
_SENTENCE_END = re.compile(r"(?<=[.!?。])\s+|\n+")
_CONTENT_TAGS = frozenset(("NNG", "NNP", "NNB", "NR", "NP", "VV", "VA", "VX", "XR", "MAG", "MM", "SN", "SH", "IC", "XPN", "VCN")) | {
    "XSN", "W_EMAIL", "W_URL", "W_HASHTAG", "W_MENTION", "W_SERIAL",
}  # fmt: skip
_DENIALS = frozenset(("안", "못", "않", "못하", "말", "없", "싫", "싫어하"))
"""Words that deny a predicate. 아니다 denies a noun, and is a normal word here."""
_POSITIVE_OF = {"없": "있", "싫": "좋아하", "싫어하": "좋아하"}

Morpheme = tuple[str, str, int]
"""A form, its tag in the Sejong set, and the offset in the text where it begins."""


class Analysis(NamedTuple):
    """The terms of a text: `sentences` in order, and whether it denies something."""

    sentences: tuple[tuple[str, ...], ...]
    denies: bool

    @property
    def terms(self) -> list[str]:
        """All terms, in the order of the text."""
        return [term for sentence in self.sentences for term in sentence]


class AnalysisText(NamedTuple):
    """An analysis as text, as index and cache store it: spaces between terms, line breaks between sentences.

    A rebuild copies tens of thousands of these from cache to index, and few are ever split.
    """

    sentences: str
    denies: bool


def as_text(analysis: Analysis) -> AnalysisText:
    """The stored form of an analysis."""
    return AnalysisText("\n".join(map(" ".join, analysis.sentences)), analysis.denies)


def join_analyses(parts: Sequence[AnalysisText]) -> AnalysisText:
    """The analysis of a text whose parts were read one by one."""
    if len(parts) == 1:
        return parts[0]
    sentences = "\n".join(part.sentences for part in parts if part.sentences)
    return AnalysisText(sentences, any(part.denies for part in parts))


def fold_text(text: str) -> str:
    """The form in which texts are compared: full width and compatibility forms folded, composed, lower case."""
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).lower().replace("’", "'")


def runs_of(text: str) -> list[str]:
    """Cut a text where scripts meet: `MongoDB를 v4.2로` gives `mongodb`, `를`, `v`, `4.2`, `로`."""
    return _RUN.findall(fold_text(text))


def has_hangul(text: str) -> bool:
    """Whether a text has Hangul, composed or not."""
    return not text.isascii() and _HANGUL.search(text.encode("utf-8", "surrogatepass")) is not None


def is_hangul(run: str) -> bool:
    """Whether a run of one script is Hangul."""
    return "가" <= run[0] <= "힣"


def analyse_text(text: str, morphemes: Sequence[Morpheme] | None = None) -> Analysis:
    """Give the terms of a text; `morphemes` are those of `normal_form(text)` and may be absent without Hangul."""
    if morphemes is None:
        sentences = [[stem_word(run) for run in runs_of(part) if not is_hangul(run)] for part in split_sentences(text)]
        denies = any(map(_denies, runs_of(text)))
    else:
        sentences, denies = _sentences_of_morphemes(normal_form(text), morphemes)
    return Analysis(tuple(tuple(sentence) for sentence in sentences if sentence), denies)


def normal_form(text: str) -> str:
    """The form that is given to a morphological analyser: NFKC, case kept."""
    return unicodedata.normalize("NFKC", text)


def split_sentences(text: str) -> list[str]:
    """Cut after sentence marks and at line breaks."""
    return [part for part in _SENTENCE_END.split(text) if part]


def terms_of_morpheme(form: str, tag: str) -> tuple[list[str], bool]:
    """The terms of one morpheme, and whether it denies: 없다 is read as a denied 있다, 싫다 as a denied 좋아하다."""
    kind = tag.partition("-")[0]
    if form in _DENIALS and kind in {"MAG", "VX", "VA", "VV"}:
        return ([_POSITIVE_OF[form]] if form in _POSITIVE_OF else []), True
    if kind == "SL":
        return [stem_word(run) for run in runs_of(form)], False
    return ([fold_text(form)] if kind in _CONTENT_TAGS else []), False


def readings_of(text: str, morphemes: Sequence[Morpheme]) -> dict[str, list[str]]:
    """The terms of each run of Hangul in a text: [가치관] for 가치관이. The lexicon is made of these."""
    readings: dict[str, list[str]] = {}
    rest = iter(morphemes)
    morpheme = next(rest, None)
    for run in re.finditer("[가-힣]+", normal_form(text)):
        terms: list[str] = []
        while morpheme is not None and morpheme[2] < run.end():
            if morpheme[2] >= run.start():
                terms += terms_of_morpheme(morpheme[0], morpheme[1])[0]
            morpheme = next(rest, None)
        readings[run[0]] = terms
    return readings


def _sentences_of_morphemes(text: str, morphemes: Sequence[Morpheme]) -> tuple[list[list[str]], bool]:
    ends = [found.end() for found in _SENTENCE_END.finditer(text)]
    sentences: list[list[str]] = [[] for _ in range(len(ends) + 1)]
    denies, current = False, 0
    for form, tag, start in morphemes:
        while current < len(ends) and start >= ends[current]:
            current += 1
        terms, denial = terms_of_morpheme(form, tag)
        sentences[current] += terms
        denies = denies or denial
    return sentences, denies


Readings = Callable[[str], Sequence[str] | None]
"""The terms that an analyser once gave for a run of Hangul as it stands; None for a run never seen."""

Known = Callable[[str], bool]
"""Whether a term occurs in the bank."""


class ReadRun(NamedTuple):
    """A run of any script: its terms, and whether it denies something."""

    terms: Sequence[str]
    denies: bool


Lexicon = Callable[[str], ReadRun]
"""Reads a run."""

_LONGEST = 12
"""The most syllables of a Korean word; a run without spaces may be as long as a whole request."""

_DENYING_STARTS = ("않", "없", "싫", "못하", "못한", "못해", "안하", "안해")
_DENYING_RUNS = frozenset(("안", "못", "no", "not", "never", "cannot", "without"))


def lexicon_of(readings: Readings, known: Known) -> Lexicon:
    """The lexicon of a bank in its present state; each run is read once, however many texts have it."""
    return cache(lambda run: read_run(run, terms_of_run(run, readings, known)))


def read_run(run: str, terms: Sequence[str]) -> ReadRun:
    """Make a run of these terms."""
    return ReadRun(terms, _denies(run))


def analyse_by_lexicon(text: str, lexicon: Lexicon) -> Analysis:
    """Give the terms of a text without an analyser; the same shape as `analyse`."""
    sentences: list[tuple[str, ...]] = []
    denies = False
    for part in split_sentences(normal_form(text)):
        terms: list[str] = []
        for read, is_denial in map(lexicon, runs_of(part)):
            terms += read
            denies = denies or is_denial
        sentences.append(tuple(terms))
    return Analysis(tuple(filter(None, sentences)), denies)


def analyse_query(text: str, lexicon: Lexicon) -> Analysis:
    """Give the terms of a question, by the words of the bank: nobody waits for an analyser."""
    return analyse_by_lexicon(text, lexicon) if has_hangul(text) else analyse_text(text)


def _denies(run: str) -> bool:
    return run in _DENYING_RUNS or run.startswith(_DENYING_STARTS) or run.endswith("n't")


def terms_of_run(run: str, readings: Readings, known: Known) -> Sequence[str]:
    """Read one run: as the analyser once read it, else by the longest known words in it."""
    if not is_hangul(run):
        return [stem_word(run)]
    seen = readings(run)
    return seen if seen is not None else list(_longest_known(run, known))


def longest_word(run: str, known: Known, least: int = 2) -> int:
    """The length of the longest term of the bank at the start of a run, if it has at least `least` syllables; else 0."""
    return next((end for end in range(min(len(run), _LONGEST), least - 1, -1) if known(run[:end])), 0)


def _longest_known(run: str, known: Known) -> Iterator[str]:
    """Walk a run from the left, taking the longest known word of two syllables or more at each place.

    A run without such a word is one term; its first syllable is a term too if that is a word: 써, 책은.
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
