"""Reads an English text into a statement: contractions opened, negation bound to its word, dates in one order.

It also tells the past tense of a verb: "I worked there" is not "I work there". Words are compared as written, without
stemming: "has a son" and "has sons" are two facts. The lists are the closed word classes of English (`english.tsv`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set

from bankd.words import values
from bankd.words.analysis import is_irregular_past, stem_word
from bankd.words.statement import Morpheme, Statement, Token, TokenKind, Wording, make_statement
from bankd.words.tables import meanings_in, number_meanings, split_words, words_in

EMPTY_WORDS = words_in("english", "empty_words")
"""Articles and the plain present of be and do; "a few" and "a little" keep their article (`_ARTICLE_KEEPERS`)."""
_ARTICLE_KEEPERS = words_in("english", "article_keepers")
AUXILIARIES = words_in("english", "auxiliaries")
"""Words that place or weaken a statement. They count in comparing, but do not change its subject."""
RELATIONS = words_in("english", "relations")
"""Words that relate things to each other: two texts that share only these share no subject."""
OPTIONAL = words_in("english", "optional")
"""Words of degree and emphasis: they may be there or not."""
_NEGATIONS = meanings_in("english", "negations")
_CONTRACTIONS = meanings_in("english", "contractions")
_CONTRACTED_ENDINGS = meanings_in("english", "contracted_endings")
""""'d" is left as it is: it may be had or would."""
_FOLDED_NAMES = words_in("english", "folded_names")
"""Words that mean another thing in capitals (US, IT, WHO): capitals are kept when the rest is not in capitals."""
_MONTHS, _SHORT_DAYS = number_meanings("english", "months"), meanings_in("english", "short_days")
""""sun" and "sat" are read as days wherever they are values."""
_DAYS = words_in("english", "days")
"""Words of time. Each is a value, like a number."""
_NEARNESS, _PERIODS = words_in("english", "nearness"), words_in("english", "periods")
"""`_NEARNESS` before one of `_PERIODS` or `_DAYS` is a time: last week."""

_BETWEEN = split_words("not never just already also recently now still only finally almost always often")
"""Words that may stand between a verb and its auxiliary."""
_HAVING = split_words("have has had")
_BEING = split_words("am is are was were be been being 's 're 'm get gets got getting")
"""Words that make the past form after them a passive."""
HELPING = _HAVING | split_words("will would shall should can could may might must do does did to")
DETERMINERS = split_words("the a an my our your his her its their this that these those each every any no some all")
PREPOSITIONS = split_words("of in on at by for with from into onto about as and or than without via per")
_OTHER_CARRIERS = _BEING | HELPING - _HAVING | DETERMINERS | PREPOSITIONS
"""After these a past form is a participle or an adjective: is written, a used car."""
_GOING_ON = frozenset({"since"})
_SHORTEST = 4
"""The fewest letters of a regular past form, as in "used" and "owed". Words such as "need" and "shed" are no longer and not past."""


def tells_past(words: Sequence[str], at: int) -> bool:
    """Whether the word at this place (all in lower case) is a verb about the past."""
    if not is_past_form(words[at]):
        return False
    carrier = next((word for word in reversed(words[:at]) if word not in _BETWEEN and not word.endswith("ly")), "")
    if carrier in _HAVING:
        return _GOING_ON.isdisjoint(words)  # "has lived there since May" is true now
    return carrier not in _OTHER_CARRIERS


def is_past_form(word: str) -> bool:
    """Whether a word in lower case may be a past form, or a participle."""
    is_regular = len(word) >= _SHORTEST and word.endswith("ed") and stem_word(word) != word
    return is_regular or is_irregular_past(word.removeprefix("re")) or is_irregular_past(word)


_ORDINALS = frozenset({"st", "nd", "rd", "th"})
_CURRENCIES = frozenset("$€£¥₩")
_OF_THIRD_PERSON = frozenset({"", "is", "has", "does"})
"""Words (and the end of the text) that never follow the pronoun "I"."""
_BEFORE_NAMES = frozenset({"the", "our", "my", "your", "their"})
"""After these there is no verb and no second article."""
_HALF_DAYS = frozenset({"a", "p"})
_SIGNED = re.compile(r"(?<!\S)-(\d[\d,.]*\d|\d)")
"""A number with a minus sign and nothing before it: -5, but not 9-17."""
_CLOCK = re.compile(r"(\d\d?):([0-5]\d)")


def read_english(wording: Wording, entities: Sequence[str]) -> Statement:
    """Read a text without Hangul; its words keep their order, since in English the order says who did what."""
    reader = _Reader(wording.morphemes, frozenset(_SIGNED.findall(wording.text)))
    return make_statement(wording.text, [[*reader.tokens()]], "?" if "?" in wording.text[-3:] else "", entities)


def open_contraction(word: str) -> tuple[str, ...]:
    """The full words of a contracted one: don't -> do not, I'm -> I."""
    lowered = word.casefold().replace("\u2019", "'")
    if lowered in _CONTRACTIONS:
        return tuple(_CONTRACTIONS[lowered].split())
    if "'" not in lowered:
        return (word,)
    for ending, full in _CONTRACTED_ENDINGS.items():
        if lowered.endswith(ending) and len(lowered) > len(ending):
            return word[: -len(ending)], full
    return (word,)


_BEGINNING = Morpheme("", "SF")
"""The token before the first word: a text begins like a sentence after a full stop."""


class _Reader:
    """Walks the words once; `_negation` waits for the word that it negates."""

    def __init__(self, morphemes: Sequence[Morpheme], below_zero: Set[str]) -> None:
        self._below_zero = below_zero
        self._words: list[tuple[str, str]] = []
        self._signs: dict[int, list[Morpheme]] = {0: [_BEGINNING]}
        """The signs right before a word, by its place."""
        for form, tag in morphemes:
            if tag in ("SF", "SS", "SP"):
                self._signs.setdefault(len(self._words), []).append(Morpheme(form, tag))
            else:
                self._words += [(part, tag) for part in (open_contraction(form) if tag == "SL" else (form,))]
        self._lowered = [word.casefold() for word, _ in self._words]
        self._shouts = all(word.isupper() for word, tag in self._words if tag == "SL")
        self._at = 0
        self._negation = ""

    def tokens(self) -> Iterator[Token]:
        while self._at < len(self._words):
            for token in self._next():
                if self._negation and token.kind is not TokenKind.MARK:
                    token.negation, self._negation = self._negation, ""
                yield token
        if self._negation:
            yield Token("", TokenKind.MARK, self._negation)

    def _next(self) -> list[Token]:
        word, tag = self._words[self._at]
        lowered = word.casefold()
        if found := self._date(lowered) or self._number(word, tag):
            return found
        self._at += 1
        following = self._peek(0)[0].casefold()
        if lowered in _NEARNESS and (following in _PERIODS or following in _DAYS):
            self._at += 1
            return [Token(f"{lowered} {following}", TokenKind.VALUE)]
        if lowered in _NEGATIONS:
            self._negation += ("+" if self._negation else "") + _NEGATIONS[lowered]
            return []
        return [] if self._says_nothing(word, lowered, tag) else [self._word(word, lowered, tag)]

    def _word(self, word: str, lowered: str, tag: str) -> Token:
        base = word if self._is_acronym(word, lowered) else _SHORT_DAYS.get(lowered, lowered)
        at = self._at - 1
        marks = ["past"] if tells_past(self._lowered, at) else []
        return Token(base, self._kind(word, lowered, tag, at), marks=marks, is_optional=lowered in OPTIONAL)

    def _says_nothing(self, word: str, lowered: str, tag: str) -> bool:
        following, its_tag = self._peek(0)
        if lowered in ("a", "an") and following.casefold() in _ARTICLE_KEEPERS:
            return False
        is_decoration = tag == "SO" or (tag == "SW" and not word.strip("*_`#•·…^"))
        is_empty = lowered in EMPTY_WORDS and not self._is_name(word)
        return is_decoration or is_empty or (word in _CURRENCIES and its_tag == "SN")

    def _is_name(self, word: str) -> bool:
        """Whether a word that is empty in lower case is a name here: room A (but not an article in a title), the AM shift."""
        if not word.isupper() or self._shouts or self._at - 1 in self._signs:
            return False
        if len(word) == 1:
            return self._at in self._signs or not self._peek(0)[0][:1].isupper()
        return self._peek(-2)[0].casefold() in _BEFORE_NAMES

    def _is_acronym(self, word: str, lowered: str) -> bool:
        return lowered in _FOLDED_NAMES and word.isupper() and len(word) > 1 and not self._shouts

    def _kind(self, word: str, lowered: str, tag: str, at: int) -> TokenKind:
        if lowered in _DAYS:
            return TokenKind.VALUE
        has_digit = not word.isalpha() and any(map(str.isdigit, word))
        if has_digit or tag.startswith("W_") or self._is_acronym(word, lowered):
            return TokenKind.NAME
        if lowered in AUXILIARIES or tag == "SW":
            return TokenKind.MARK
        is_capital = word[0].isupper() and not (self._shouts or (word == "I" and not self._is_numeral(at)))
        return TokenKind.NAME if is_capital and (at or word[1:] != word[1:].lower()) else TokenKind.WORD

    def _is_numeral(self, at: int) -> bool:
        """Whether an I is the number one, as in "phase I": after a word, before a verb in the third person or the end."""
        return at not in self._signs and self._peek(0)[0].casefold() in _OF_THIRD_PERSON

    def _peek(self, ahead: int) -> tuple[str, str]:
        at = self._at + ahead
        return self._words[at] if 0 <= at < len(self._words) else ("", "")

    # Numbers and dates

    def _number(self, word: str, tag: str) -> list[Token]:
        if tag in {"W_SERIAL", "SN"}:
            number, taken = values.korean_number([Morpheme(word, "SN")]), 1
        elif found := values.english_number([form.casefold() for form, _ in self._words[self._at : self._at + 6]]):
            number, taken = found
        else:
            return []
        if parts := values.iso_date(number):
            self._at += taken
            return [Token(part, TokenKind.VALUE) for part in parts]
        sign = self._sign()
        self._at += taken
        unit = self._unit()
        if unit in ("am", "pm"):
            hour, _, minutes = number.partition(":")
            number, unit = f"{values.clock_hour(hour, unit)}:{minutes or '00'}", ""
        elif clock := _CLOCK.fullmatch(number):
            number = f"{int(clock[1])}:{clock[2]}"
        return [Token(f"{sign}{number}{unit}", TokenKind.VALUE)]

    def _sign(self) -> str:
        before, tag = self._peek(-1)
        if before == "~":
            return before
        is_below = self._peek(0)[0] in self._below_zero or self._peek(-2)[1] not in ("SN", "SL")
        return "-" if before == "-" and tag == "SO" and is_below else ""

    def _unit(self) -> str:
        before = self._peek(-2)[0]
        if before in _CURRENCIES:
            return values.unit_of(before) or before
        form = self._peek(0)[0]
        if form.casefold() in _HALF_DAYS and self._peek(1)[0].casefold() == "m":  # 9 p.m.
            self._at += 2
            return form.casefold() + "m"
        is_clock = ":" in self._peek(-1)[0] and form.casefold() not in ("am", "pm")
        unit = values.unit_of(form) if form and not is_clock else None
        if unit:
            self._at += 1
        return unit or ""

    def _date(self, lowered: str) -> list[Token]:
        """Month names with the day before or after them, and a year: always as year, month, day."""
        month_at = self._month_ahead(lowered)
        if month_at is None:
            return []
        month = _MONTHS[self._peek(month_at)[0].casefold()]
        day = self._day(0) if month_at else ""
        self._at += month_at + 1
        if not day and (day := self._day(0)):
            self._at += 1 + (self._peek(1)[0].casefold() in _ORDINALS)
        parts = ((self._take_year(), "년"), (str(month), "월"), (day, "일"))
        return [Token(number + unit, TokenKind.VALUE) for number, unit in parts if number]

    def _month_ahead(self, lowered: str) -> int | None:
        """The place of a month name: this word, or the one after a day such as `3`, `3rd` or `3rd of`."""
        if self._is_month(0, lowered):
            return 0
        after = 1 + (self._peek(1)[0].casefold() in _ORDINALS)
        after += self._peek(after)[0].casefold() == "of"
        return after if self._day(0) and self._is_month(after, self._peek(after)[0].casefold()) else None

    def _is_month(self, ahead: int, lowered: str) -> bool:
        word = self._peek(ahead)[0]
        ambiguous = lowered in ("may", "march", "mar", "dec", "sep", "jun", "jan")
        return lowered in _MONTHS and (not ambiguous or (word[:1].isupper() and bool(self._at + ahead or self._day(1))))

    def _day(self, ahead: int) -> str:
        word, tag = self._peek(ahead)
        return str(int(word)) if tag == "SN" and word.isdigit() and 0 < int(word) <= 31 else ""

    def _take_year(self) -> str:
        word, tag = self._peek(0)
        if tag != "SN" or not (len(word) == 4 and word.isdigit()):
            return ""
        self._at += 1
        return word
