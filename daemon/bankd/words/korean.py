"""Reads the morphemes of a Korean text into a statement, in one pass; each part of speech has its own rule.

It finds numbers (digits, numerals, counters, signs, half hours); `values` tells their amount.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from bankd.words import values
from bankd.words.statement import Morpheme, Statement, Token, TokenKind, Wording, make_statement
from bankd.words.tables import meanings_in, words_in

# What particles, endings and auxiliaries do to the meaning of a statement. A form that is not listed counts as a
# difference, so a missing row makes comparison more careful, never bolder. Sources: the Sejong tag set; the particles and
# endings of the standard grammar of the National Institute of Korean Language that occur at least twice in 20,000
# sentences of everyday Korean; synonyms were chosen on one half of the calibration pairs.
_TOPIC, _RECEIVER = words_in("korean", "topic"), words_in("korean", "receiver")
_PARTICLES, _TENSES = meanings_in("korean", "particles"), meanings_in("korean", "tenses")
_ENDINGS, _MOODS = meanings_in("korean", "endings"), words_in("korean", "moods")
"""The meaning of an ending besides politeness. `_MOODS` apply to the whole statement: it states, asks, orders or proposes."""
_ADNOMINAL = meanings_in("korean", "adnominal")
"""Endings before a noun."""
_NEGATIONS = meanings_in("korean", "negations")
"""못 is kept apart from 안: being unable is not being unwilling."""
_TAKING_TURNED = words_in("korean", "taking_turned")
"""Verbs of taking that become verbs of giving with 주: 빌리다 is to borrow, 빌려주다 to lend."""
_PLAIN_AUXILIARIES, _AUXILIARIES = words_in("korean", "plain_auxiliaries"), meanings_in("korean", "auxiliaries")
"""Auxiliaries. Plain ones only add aspect or courtesy; 하 and 되 after 어야 belong to the ending."""
_LIGHT_VERBS, _EMPTY_SUFFIXES = words_in("korean", "light_verbs"), words_in("korean", "empty_suffixes")
_HONORIFICS, _SYNONYMS = meanings_in("korean", "honorifics"), meanings_in("korean", "synonyms")
"""Words and the plain word that means the same in every sentence."""
_PRONOUNS = words_in("korean", "pronouns")
"""Pronouns with forms that may also be verbs: 돈을 내."""
_TIMES, _DAY_COUNTS = words_in("korean", "times"), meanings_in("korean", "day_counts")
"""Words of time, which are values like numbers; some numbers of days are one word (사흘)."""
_OPTIONAL = words_in("korean", "optional")
"""Words of degree and emphasis: they may be there or not."""
_EMPTY_NOUNS, _EMPTY_ADVERBS = words_in("korean", "empty_nouns"), words_in("korean", "empty_adverbs")

_NUMERIC = frozenset({"SN", "NR", "W_SERIAL"})
_UNIT_TAGS = frozenset({"NNG", "NNP", "SL", "SW", "SH", "UN"})
_CURRENCIES = ("원", "달러", "유로", "엔")
_JOINERS = "-~∼–—"
_SIGNS = frozenset("-~<>≤≥±")


class FoundNumber(NamedTuple):
    """A number as text, its unit ("" when none stands there), and where the morphemes after both begin."""

    number: str
    unit: str
    end: int


def is_number(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Say whether a number begins or goes on here; 한 before a noun is an article (한 남자), not a count."""
    form, tag = morphemes[at]
    if tag == "NR":
        return values.korean_number([morphemes[at]]).isdigit()
    if tag in _NUMERIC:
        return True
    noun, its_tag = morphemes[at + 1] if at + 1 < len(morphemes) else ("", "")
    is_measured = values.unit_of(noun) in values.MEASURES
    return tag == "MM" and form in values.KOREAN_NUMERALS and (form != "한" or its_tag == "NNB" or is_measured)


def find_number(morphemes: Sequence[Morpheme], start: int) -> FoundNumber:
    """Read the number that begins at `start`, with the unit after it."""
    end = start + 1
    while end < len(morphemes) and (_goes_on(morphemes, end) or _joins(morphemes, end)):
        end += 1
    run = morphemes[start:end]
    if any(tag == "SO" for _, tag in run):  # 10~20, 010-1234-5678: one sign for all kinds of dash
        number = "".join("-" if form in _JOINERS else form for form, _ in run)
    else:
        number = values.korean_number(run)
    if start and morphemes[start - 1].form in _SIGNS:
        number = morphemes[start - 1].form + number
    unit = _unit(morphemes, end)
    return FoundNumber(number, unit, end + bool(unit))


def _goes_on(morphemes: Sequence[Morpheme], at: int) -> bool:
    """Say whether a numeral continues the number before it: 29 만, 열 두; two runs of digits are two, but 4만 8천 is one."""
    if morphemes[at - 1].tag == "SO":
        return morphemes[at].tag in _NUMERIC
    if morphemes[at].tag == "SN" and morphemes[at - 1].form in values.MYRIADS:
        after = morphemes[at + 1].form if at + 1 < len(morphemes) else ""
        is_place = bool(after) and all(letter in values.PLACES or letter in values.MYRIADS for letter in after)
        return is_place or values.unit_of(after) in _CURRENCIES
    return morphemes[at].tag in ("NR", "MM") and is_number(morphemes, at)


def _joins(morphemes: Sequence[Morpheme], at: int) -> bool:
    form, tag = morphemes[at]
    after = morphemes[at + 1].tag if at + 1 < len(morphemes) else ""
    return tag == "SO" and form in _JOINERS and after in _NUMERIC


def _unit(morphemes: Sequence[Morpheme], at: int) -> str:
    if at >= len(morphemes):
        return ""
    form, tag = morphemes[at]
    if tag == "NNB" or (tag == "UN" and form in values.DATE_UNITS):
        return form if form in values.DATE_UNITS else values.unit_of(form) or form
    return (values.unit_of(form) or "") if tag in _UNIT_TAGS else ""


_TURNING_TAGS = frozenset({"MAG", "VX", "VV", "VA", "VCN"})
_CLOCK = re.compile(r"(\d\d?):(\d\d)")
_HALVES = {"오전": "am", "오후": "pm"}
_DECORATION = "ㅋㅎㅠㅜ^_*`#•·…"


def read_korean(wording: Wording, entities: Sequence[str]) -> Statement:
    """Read the morphemes of a text; particles close its phrases, so phrases may change places."""
    return _Reader(wording).read(entities)


def _says_nothing(form: str, tag: str) -> bool:
    if tag == "MM":
        return form == "한"
    return form in (_EMPTY_NOUNS if tag == "NNB" else _EMPTY_ADVERBS if tag[0] == "M" else ())


def _kind(base: str, tag: str) -> TokenKind:
    is_value = base in _TIMES or base in _DAY_COUNTS.values()
    return TokenKind.VALUE if is_value else TokenKind.NAME if tag in ("NNP", "SH") else TokenKind.WORD


def _with_former(phrases: list[list[Token]], text: str) -> list[list[Token]]:
    """Mend a mistake of the analyser: 전 "former" at the beginning, read as "as for me" although another topic follows: 전 남편은."""
    if text.startswith("전 ") and len(phrases) > 1 and phrases[0][-1].case == phrases[1][-1].case == "topic":
        return [[Token("전"), *phrases[1]], *phrases[2:]]
    return phrases


class _Reader:
    """Walks the morphemes of a Korean text; `_open` is the phrase being read, closed by a case or an ending."""

    def __init__(self, wording: Wording) -> None:
        self._text = wording.text
        # Tags without the analyser's suffix: VA for VA-I.
        self._morphemes = [Morpheme(one.form, one.tag.partition("-")[0]) for one in wording.morphemes]
        self._at = 0
        self._phrases: list[list[Token]] = []
        self._open: list[Token] = []
        self._negation = ""
        self._mood = ""
        self._half = ""

    def read(self, entities: Sequence[str]) -> Statement:
        while self._at < len(self._morphemes):
            start = self._at
            form, tag = self._morphemes[start]
            self._at += 1
            if is_number(self._morphemes, start):
                self._read_number(start)
            elif form in _NEGATIONS and tag in _TURNING_TAGS:
                self._negate(form, tag)
            else:
                _RULES.get(tag, _Reader._read_other)(self, form, tag)
        self._flush_negation()
        self._close()
        mood = "?" if "?" in self._text[-3:] else self._mood
        return make_statement(self._text, _with_former(self._phrases, self._text), mood, entities)

    # Tokens

    def _add(self, token: Token) -> None:
        if self._negation:
            token.negation, self._negation = self._negation, ""
        self._open.append(token)

    def _last(self) -> Token | None:
        return self._open[-1] if self._open else self._phrases[-1][-1] if self._phrases else None

    def _close(self) -> None:
        if self._open:
            self._phrases.append(self._open)
            self._open = []

    def _mark(self, mark: str) -> None:
        if mark and (token := self._last()):
            token.marks.append(mark)

    def _read_latin(self, form: str, _: str) -> None:
        self._add(Token(form.casefold(), TokenKind.NAME))

    def _read_other(self, form: str, tag: str) -> None:
        if tag.startswith("W_"):
            self._read_latin(form, tag)
        elif tag == "SW" and form.strip(_DECORATION):
            self._add(Token(form, TokenKind.MARK))

    def _read_noun(self, form: str, tag: str) -> None:
        if form in ("수", "줄") and tag == "NNB":
            self._mark("can")
        elif not _says_nothing(form, tag):
            base = form if tag == "MM" else _SYNONYMS.get(form) or _HONORIFICS.get(form, form)
            self._half = _HALVES.get(form, self._half)
            base = _DAY_COUNTS.get(base, base)
            self._add(Token(base, _kind(base, tag), is_optional=base in _OPTIONAL))

    def _read_predicate(self, form: str, _: str) -> None:
        last = self._last()
        if form in _LIGHT_VERBS and last and not last.is_predicate:
            last.is_predicate = True
            self._flush_negation(last)
        elif form in ("있", "알") and last and "can" in last.marks:
            return
        else:
            plain = _HONORIFICS.get(form, form)
            self._add(Token(form if plain in _PRONOUNS else plain, is_predicate=True))

    # Particles and endings after a token

    def _read_particle(self, form: str, tag: str) -> None:
        last = self._last()
        if last is None:
            return
        if tag == "JKS" or (tag == "JX" and form in _TOPIC):
            last.case = last.case or ("topic" if tag == "JX" else "subject")
        elif tag == "JKO":
            last.case = "object"
        elif form in _RECEIVER:
            last.case = "receiver"
        self._mark(_PARTICLES.get(form, form))
        if tag not in ("JKG", "JC"):
            self._close()

    def _read_ending(self, form: str, tag: str) -> None:
        if tag == "EP":
            self._mark(_TENSES.get(form, form))
            return
        if tag == "ETM":
            self._mark(_ADNOMINAL.get(form, form))
            return
        meaning = _ENDINGS.get(form, form)
        if tag == "EF":
            self._mood = meaning if meaning in _MOODS else "!" if meaning == "so" else ""
            self._mark("" if meaning in _MOODS else meaning)
        else:
            self._mark("" if meaning in _MOODS else meaning)
        self._close()

    def _read_auxiliary(self, form: str, _: str) -> None:
        before = self._morphemes[self._at - 2] if self._at > 1 else Morpheme("", "")
        if (before, form) == (("게", "EC"), "하"):
            self._mark("makes")  # to make somebody quit is not to quit
        elif form == "주" and (last := self._last()) and last.base in _TAKING_TURNED:
            last.base += form
        elif form not in _PLAIN_AUXILIARIES:
            self._mark(_AUXILIARIES.get(form, form))

    def _read_suffix(self, form: str, tag: str) -> None:
        last = self._last()
        if last is None or (tag == "XSN" and form in _EMPTY_SUFFIXES):
            return
        if tag in ("XSV", "XSA"):
            last.is_predicate = True
        if form not in _LIGHT_VERBS:
            last.base += form

    # Negation

    def _negate(self, form: str, tag: str) -> None:
        negation = _NEGATIONS[form]
        if tag == "MAG" and form != "없이":
            self._negation = negation
        elif form == "없" and not (self._last() and "can" in self._last().marks):  # type: ignore[union-attr]
            self._add(Token("있", negation=negation, is_predicate=True))
        elif last := self._last():
            self._turn(last, negation)
        else:
            self._add(Token("", TokenKind.MARK, negation))

    def _turn(self, token: Token, negation: str) -> None:
        token.negation = f"{token.negation}+{negation}" if token.negation else negation

    def _flush_negation(self, token: Token | None = None) -> None:
        if self._negation:
            target = token or self._last()
            if target:
                self._turn(target, self._negation)
            self._negation = ""

    # Numbers

    def _read_number(self, start: int) -> None:
        found = find_number(self._morphemes, start)
        self._at = found.end
        if parts := values.iso_date(found.number):
            for part in parts:
                self._add(Token(part, TokenKind.VALUE))
            return
        if clock := _CLOCK.fullmatch(found.number + found.unit):
            self._add_clock(clock[1], str(int(clock[2])))
            return
        if found.unit == "시":
            self._add_clock(found.number, "0")
        else:
            self._add(Token(f"{found.number}{found.unit}", TokenKind.VALUE))

    def _add_clock(self, hour: str, minutes: str) -> None:
        """Add the hour from 0 to 23, and the minutes unless they are 0."""
        if self._half:
            hour, self._half = values.clock_hour(hour, self._half), ""
            if self._open and self._open[-1].base in _HALVES:
                self._open.pop()
        self._add(Token(f"{hour.lstrip('0') or '0'}시", TokenKind.VALUE))
        if minutes != "0":
            self._add(Token(f"{minutes}분", TokenKind.VALUE))


_RULES: dict[str, Callable[[_Reader, str, str], None]] = {
    **dict.fromkeys(
        ("NNG", "NNP", "NNB", "NP", "NR", "MM", "MAG", "MAJ", "IC", "XR", "SH", "UN", "XPN"), _Reader._read_noun
    ),
    **dict.fromkeys(("JKS", "JKC", "JKG", "JKO", "JKB", "JKV", "JKQ", "JX", "JC"), _Reader._read_particle),
    **dict.fromkeys(("EP", "EF", "EC", "ETN", "ETM"), _Reader._read_ending),
    **dict.fromkeys(("VV", "VA"), _Reader._read_predicate),
    **dict.fromkeys(("XSN", "XSV", "XSA", "XSM"), _Reader._read_suffix),
    "VX": _Reader._read_auxiliary,
    "SL": _Reader._read_latin,
}
"""The rule for each part of speech; the copula (VCP) has none, since it means nothing by itself."""
