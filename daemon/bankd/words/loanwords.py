"""A word that Korean writes by its sound, found again as it is spelt in Latin letters: 커밋 and commit, 캐롤라인 and Caroline.

Each syllable says how its sound may be spelt, by the rules for loanwords of the National Institute of Korean Language read
backwards; what is known of the words of the bank decides. Latin terms are stems, so endings may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import NamedTuple

_LEAST, _MOST = 2, 12
"""Syllables: of one there are too many, and no word has more; a run without spaces may be as long as a request."""
_HEARD = 3
"""Consonants that must be heard. Of 2,063 Korean words that are no names 7 in a hundred sound like one of 2,700 English stems
by one or two consonants, hardly ever rightly; 4 by three or more, and three in four of these are meant."""
_HEARD_OF_ONE = 2
"""The same, where two statements agree in all else and one word is left of each."""

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
"""Two vowels that are one sound: 라인, 데이터, 에어."""
_LETTERS = "ㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ"
_SILENT, _HISSING, _L, _NG = 11, (9, 12, 14), 8, 21
"""The initial ㅇ; ㅅ, ㅈ and ㅊ, after which ㅣ may be spelt by nothing: 배치, 메시지; and the finals ㄹ and ㅇ."""

Beginning = Callable[[str], Sequence[str]]
"""The terms of the bank with a beginning, common ones first."""


class _Syllable(NamedTuple):
    """Its initial and its final by their number, and its vowel."""

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
"""션 and 전, which are spelt longer; and behind two others, where stems lack -ion and -s: 버전, 마이그레이션, 제임스."""


def spelt_in_latin(run: str, beginning: Beginning) -> list[str]:
    """The terms of the bank that a run of Hangul spells from its start, one after the other; none where it spells none.

    What follows the last is left out: it is a particle, or a word that the bank does not have.
    """
    found: list[str] = []
    while len(run) >= _LEAST and all("가" <= one <= "힣" for one in run[:_MOST]):
        term, syllables = _longest(run, beginning)
        if not term:
            break
        found.append(term)
        run = run[syllables:]
    return found


@lru_cache(maxsize=50_000)
def sounds_like(hangul: str, latin: str) -> bool:
    """Whether a word of Hangul, the whole of it, is how one of small Latin letters sounds."""
    is_word = len(hangul) >= _LEAST and all("가" <= one <= "힣" for one in hangul)
    return is_word and _longest(hangul, lambda start: [latin] * latin.startswith(start), _HEARD_OF_ONE) == (
        latin,
        len(hangul),
    )


def _longest(run: str, beginning: Beginning, least: int = _HEARD) -> tuple[str, int]:
    """The term that most syllables of the start of a run spell, the most common of its letter, and how many those are."""
    syllables = [_syllable(one) for one in run[:_MOST]]
    spelling = _spelling(tuple(syllables))
    terms = "".join([f"\n{term}" for letter in _first_letters(syllables[0]) for term in beginning(letter)])
    matches = [(found.lastindex or 0, found[0][1:]) for found in spelling.finditer(terms)]
    best = max((count for count, _ in matches), default=0)
    heard = sum((one.initial != _SILENT) + (one.final > 0) for one in syllables[:best])
    return next(((term, best) for count, term in matches if count == best and heard >= least), ("", 0))


def _syllable(one: str) -> _Syllable:
    """Take a syllable apart (Unicode, section 3.12)."""
    number = ord(one) - ord("가")
    return _Syllable(number // 588, _LETTERS[number % 588 // 28], number % 28)


@lru_cache(maxsize=64)
def _spelling(syllables: Sequence[_Syllable]) -> re.Pattern[str]:
    """What matches a line of the first two syllables or more, as they may be spelt; `lastindex` says how many.

    A line, so that thousands of terms are looked through in one go: one by one takes three times as long.
    """
    befores, afters = (None, *syllables[:-1]), (*syllables[1:], None)
    ends = [place >= _LEAST for place in range(len(syllables))]
    parts = [f"{_spelt(*one)}()" for one in zip(befores, syllables, afters, ends, strict=True)]
    rest = parts[_LEAST:]
    spelt = "".join(parts[:_LEAST]) + "".join(f"(?:{part}" for part in rest) + ")?" * len(rest)
    return re.compile(f"\n{spelt}e?$", re.MULTILINE)


def _spelt(before: _Syllable | None, one: _Syllable, after: _Syllable | None, may_end: bool) -> str:
    """How a syllable may be spelt between its neighbours; where a word may end, as its stem, without -er, -es, -ing."""
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
    """Whether a vowel may be spelt by nothing: ㅡ, and ㅣ after what hisses."""
    return one.vowel == "ㅡ" or (one.vowel == "ㅣ" and one.initial in _HISSING and not one.final)


def _first_letters(one: _Syllable) -> Sequence[str]:
    spelt = _SOUNDS[_LETTERS.index(one.vowel)] if one.initial == _SILENT else _INITIALS[one.initial]
    return [*dict.fromkeys(letter for way in spelt.split("|") for letter in _beginnings(way))]


def _beginnings(way: str) -> str:
    """The letters that a way to spell may begin with: with `k?n`, k and n."""
    return way[0] + way[2] if way[1:2] == "?" else way[0]
