"""Words in the other language: synonyms in Korean and English, and Latin words that Korean writes by sound.

`thesaurus.tsv` has one group per line: Korean lemmas, a tab, English words. A word is in one group only, and a group has
no two words with a difference that a fact may depend on (coffee and latte).

A loanword or name is written by sound: 커밋 and commit, 캐롤라인 and Caroline.

Each syllable has its possible Latin spellings: the loanword rules of the National Institute of Korean Language, applied
backwards. The Latin words of the bank decide between them. Latin terms are stems, so endings may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from types import MappingProxyType
from typing import NamedTuple

from bankd.words.analysis import stem_word
from bankd.words.tables import table_rows

_LEAST, _MOST = 2, 12
"""The fewest and most syllables of a loanword; a run without spaces may be as long as a whole request."""
_HEARD = 3
"""The fewest consonants that must match. Of 2,063 Korean words that are not names, 7 % sound like one of 2,700 English stems
by one or two consonants, almost never rightly; 4 % by three or more, and three in four of these are right."""

_INITIALS = (
    "gg?h?|k(?=[iy])", "kk?|gg?", "k?nn?", "dd?", "tt?|dd?", "ll?|rr?h?|wr", "mm?", "bb?|vv?", "bb?|pp?",
    "ss?h?|ss?c|c(?=[eiy]|$)|th", "ss?|c(?=[eiy]|$)|th", "", "jj?|dj|dg|gg?(?=[eiy]|$)|zz?|d(?=u)", "jj?|zz?",
    "t?ch|t(?=u)", "kk?h?|c[kch]?|qu?", "tt?h?", "pp?h?|ff?", "w?h",
)  # fmt: skip
_SOUNDS = (
    "ah?|u|o|ea(?=r)", "a|ai|e", "ia|ya", "ya", "e|o|u|a|eo|ou|io", "ea?|ai|ay|ei|a",
    "yo|ye|io|ia|eo", "ie|ye", "oa?|ow|ou|au|aw|a(?=l)", "wa|ua|oi|oa", "wa|wai", "we", "yo|io|eo",
    "u|oo|ou|o(?=[vd])", "wo|wa|o", "we|wha?|ue", "wi|we|whi|ui", "y?u|i?ew|ue|eu|you|iu",
    "e|o|u", "ui|i", "i|ee?|ea|y|ie|ey|a(?=[gt])",
)  # fmt: skip
_FINALS = {
    0: "", 1: "c?k|cc?|gg?|q|x|(?=x)", 4: "nn?|nd", 7: "tt?|dd?", 8: "ll?", 16: "mm?|mb", 17: "pp?|bb?", 19: "tt?|t?s",
    21: "ng|n(?=[gkq])", 25: "tt?",
}  # fmt: skip
_GLIDES = {
    ("ㅏ", "ㅣ"): "i|y|ai?|ie|igh|ei", ("ㅔ", "ㅣ"): "ai?|ay|ei?|ey|eigh|ea", ("ㅏ", "ㅜ"): "ou|ow|au|aw",
    ("ㅗ", "ㅜ"): "ow?|oa|ou", ("ㅗ", "ㅣ"): "oi|oy", ("ㅔ", "ㅓ"): "ai|ea|ei|a",
}  # fmt: skip
"""Two vowels that are one sound: in 라인, 데이터, 에어."""
_LETTERS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_SILENT, _HISSING, _L, _NG = 11, (9, 12, 14), 8, 21
"""Numbers of letters: initial ㅇ; ㅅ, ㅈ and ㅊ, after which ㅣ may have no letter in Latin (배치, 메시지); finals ㄹ and ㅇ."""

Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


class _Syllable(NamedTuple):
    """A syllable of Hangul: the numbers of its initial and final consonant, and its vowel."""

    initial: int
    vowel: str
    final: int


_SION, _GION = _Syllable(9, "ㅕ", 4), _Syllable(12, "ㅓ", 4)
_SHORT = {_SION: "(?:ss?|t|c|sh|x)ion", _GION: "(?:[sg]ion|gen|son)"}
_ENDINGS = {
    **_SHORT,
    _SION: f"(?:{_SHORT[_SION]}|t|ss?)",
    _Syllable(9, "ㅡ", 0): "(?:ss?|c|th|z)?e?",
    _Syllable(12, "ㅡ", 0): "(?:s|z|dg)?e?",
}
"""션 and 전, which have longer spellings, also as the last syllable of a stem without -ion or -s: 버전, 마이그레이션, 제임스."""


def spelt_in_latin(run: str, beginning: Beginning) -> list[str]:
    """The Latin terms of the bank that a run of Hangul spells from its start, one after the other; empty if none.

    The rest after the last one is ignored: a particle, or a word that the bank does not have.
    """
    found: list[str] = []
    while len(run) >= _LEAST and all("가" <= one <= "힣" for one in run[:_MOST]):
        term, syllables = _longest(run, beginning)
        if not term:
            break
        found.append(term)
        run = run[syllables:]
    return found


def _longest(run: str, beginning: Beginning) -> tuple[str, int]:
    """The term that the most syllables from the start of a run spell, and how many; of equal ones the most common."""
    syllables = [_syllable(one) for one in run[:_MOST]]
    spelling = _spelling(tuple(syllables))
    terms = "".join([f"\n{term}" for letter in _first_letters(syllables[0]) for term in beginning(letter)])
    matches = [(found.lastindex or 0, found[0][1:]) for found in spelling.finditer(terms)]
    best = max((count for count, _ in matches), default=0)
    heard = sum((one.initial != _SILENT) + (one.final > 0) for one in syllables[:best])
    return next(((term, best) for count, term in matches if count == best and heard >= _HEARD), ("", 0))


def _syllable(one: str) -> _Syllable:
    """Take a syllable apart (Unicode, section 3.12)."""
    number = ord(one) - ord("가")
    return _Syllable(number // 588, _LETTERS[number % 588 // 28], number % 28)


@lru_cache(maxsize=64)
def _spelling(syllables: Sequence[_Syllable]) -> re.Pattern[str]:
    """A pattern for all spellings of the first two syllables or more, as a whole line; `lastindex` says how many.

    Terms stand one per line, so that thousands are searched at once: one by one takes three times as long.
    """
    befores, afters = (None, *syllables[:-1]), (*syllables[1:], None)
    ends = [place >= _LEAST for place in range(len(syllables))]
    parts = [f"{_spelt(*one)}()" for one in zip(befores, syllables, afters, ends, strict=True)]
    rest = parts[_LEAST:]
    spelt = "".join(parts[:_LEAST]) + "".join(f"(?:{part}" for part in rest) + ")?" * len(rest)
    return re.compile(f"\n{spelt}e?$", re.MULTILINE)


def _spelt(before: _Syllable | None, one: _Syllable, after: _Syllable | None, may_end: bool) -> str:
    """The spellings of a syllable between its neighbours; at the end of a word also as a stem, without -er, -es, -ing."""
    if short := (_ENDINGS if may_end else _SHORT).get(one):
        return short
    initial, sound, final = _INITIALS[one.initial], _SOUNDS[_LETTERS.index(one.vowel)], _FINALS.get(one.final, "!")
    if before and before.final == one.initial + 3 == _L:
        initial = ""  # 클라: the two are one sound
    if after and _is_glide(one, after):
        sound = f"{_GLIDES[one.vowel, after.vowel]}|(?:{sound})(?:{_SOUNDS[_LETTERS.index(after.vowel)]})"
    if before and _is_glide(before, one):
        return f"(?:{final})e?"
    if may_end and (one.vowel, one.final) == ("ㅣ", _NG):
        return f"(?:{initial})(?:(?:{sound})ng?)?"
    is_cut = may_end and one.vowel in "ㅓㅣ" and not one.final
    heard = f"(?:{initial})(?:(?:{sound})r?)" + ("?" if is_cut or _may_be_silent(one) else "")
    return f"{heard}(?:{final})e?" if one.final else heard


def _is_glide(one: _Syllable, after: _Syllable) -> bool:
    return not one.final and after.initial == _SILENT and (one.vowel, after.vowel) in _GLIDES


def _may_be_silent(one: _Syllable) -> bool:
    """Whether a vowel may have no letter in Latin: ㅡ, and ㅣ after ㅅ, ㅈ and ㅊ."""
    return one.vowel == "ㅡ" or (one.vowel == "ㅣ" and one.initial in _HISSING and not one.final)


def _first_letters(one: _Syllable) -> Sequence[str]:
    """The possible first letters of a syllable: k and n for `k?n`."""
    spelt = _SOUNDS[_LETTERS.index(one.vowel)] if one.initial == _SILENT else _INITIALS[one.initial]
    return [*dict.fromkeys(letter for way in spelt.split("|") for letter in (way[:3:2] if way[1:2] == "?" else way[0]))]


@cache
def _by_word() -> Mapping[str, str]:
    """Each word with its group, which is named by its first word."""
    found: dict[str, str] = {}
    for words in (" ".join(row).split() for row in table_rows("thesaurus")):
        for word in words:
            found.setdefault(stem_word(word.casefold()), words[0])
    return MappingProxyType(found)


@cache
def _by_group() -> Mapping[str, tuple[str, ...]]:
    """The words of each group, as terms, by its first word."""
    found: dict[str, tuple[str, ...]] = {}
    for word, group in _by_word().items():
        found[group] = (*found.get(group, ()), word)
    return MappingProxyType(found)


def synonyms_of(term: str) -> tuple[str, ...]:
    """The synonyms of a term, in both languages; empty if it has none."""
    group = _by_word().get(term)
    return tuple(other for other in _by_group()[group] if other != term) if group else ()
