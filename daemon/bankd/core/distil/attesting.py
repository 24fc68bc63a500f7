"""Whether each day, number, version, path and name of a line stands somewhere in the log's own sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import date, timedelta

from bankd.core.distil.aligning import PRONOUNS, bare_word, is_alike, is_one_word, words_to_align
from bankd.core.distil.passages import Passage, english_words, said_in
from bankd.core.language.dates.mentions import Mention, read_mentions
from bankd.core.language.dates.spans import Anchor, Span
from bankd.core.language.english.function_words import AUXILIARIES, EMPTY_WORDS, RELATIONS
from bankd.core.language.korean.loanwords import spelt_in_latin
from bankd.core.language.quantities import MEASURES, base_quantity
from bankd.core.language.statement import Statement, Token, TokenKind
from bankd.core.language.values import DATE_UNITS, PARTS_OF_DAY, numerals_of
from bankd.core.language.word_lists import split_words

_DIGITS = re.compile(r"\d+")
_VERSION = re.compile(r"^v(?=\d)")
_LEADING = re.compile(r"\d+(?:\.\d+)?(?!\.?\d)")
_EACH = re.compile(r"(?<=\D)[째씩]$|여$|(?<=[주월일년])간$")
_NUMBER = re.compile(r"(?<![\d.])\d+(?:\.\d+)?(?!\.?\d)")
"""A number, with its fraction; no part of a version with two points or of an address."""
_CODE = re.compile(r"[A-Za-z0-9_@~$#][\w.:/@~$%+=&?#-]*[\w/]", re.ASCII)
"""Runs of letters, digits and the marks of paths, addresses, versions and identifiers."""
_IS_CODE = re.compile(r"[a-z][A-Z]|[A-Za-z][\d_/@:]|\d[A-Za-z_/]|\w[.]\w|^[~/@#]|^\$[A-Za-z_{]|\w/\w|-\w*\d|\w_\w")
_SUFFIXED = re.compile(r"\d+[a-zA-Z]{1,2}$")
"""Digits with an ordinal's ending or a unit, which are looked at as values."""
_NO_NAMES = (
    PRONOUNS
    | RELATIONS
    | EMPTY_WORDS
    | split_words(
        "this these those nobody once while whereas although though since because until unless when whenever where what whatever "
        "which who whose rather instead despite as to all both each every some most many few several other another only even also"
    )
)
"""What begins a sentence and names nobody."""
_RECURRING = {
    "daily": "day", "weekly": "week", "monthly": "month", "yearly": "year", "annual": "year", "매일": "하루", "매주": "한 주",
    "매달": "한 달", "매월": "한 달", "매년": "한 해",
}  # fmt: skip
"""What recurs, and what it is said of: three times weekly, three times a week."""
_OTHER_TURN = re.compile(r"다음|지난|저번")
_ATTACHED = re.compile(r"(?<=.)(?:용|행|짜리|가량|쯤)$")
"""What hangs on a Korean noun and is no part of a name: Ollama용, 부산행."""
_A_ONE = re.compile(r"(?<![\d.])1(?!\.?\d)")
_DERIVED = re.compile(r"(?:ing|ed|ly|ment|ship|ness|tion|sion|ity|ies|ance|ence|'s)$")
_NOON, _MORNING = 12, re.compile(r"오전|아침|새벽|\dam\b| am\b")
_LOANWORD = 4
"""Syllables: of Korean and Sino-Korean nouns longer ones are compounds, which the analyser takes apart."""
_WEEK = timedelta(days=7)


class SaidInLog:
    """What the sentences say that a line names: their text, words, values and days."""

    def __init__(self, sources: Sequence[Passage], day: date | None) -> None:
        self.day = day
        self.text = said_in(sources)
        self.letters = _squeezed(self.text)
        words = [word for source in sources for word in words_to_align(source.statement)]
        self.words = {word.base for word in words}
        self.common = {word.base for word in words if word.kind is not TokenKind.NAME and not word.is_first}
        self.values = {value for source in sources for value in _known_values(source.statement)}
        written = {run for source in sources for run in _NUMBER.findall(source.text)}
        self.digits = written | {found[0] for value in self.values if (found := _LEADING.match(value))}
        self.spans = set(_known_spans(sources, day))

    def names(self, word: str) -> bool:
        """Whether a name is said, in any of its forms, or another word for it."""
        bare = _ATTACHED.sub("", word.casefold().removesuffix("'s"))
        is_written = is_named(bare, self.text) or (not bare.isascii() and self._is_written_in_hangul(bare))
        return is_written or any(is_one_word(bare, other) for other in self.words)

    def _is_written_in_hangul(self, name: str) -> bool:
        """Whether it stands in a longer word, or is what a Latin word sounds like: 엔비디아 and nvidia."""
        words = english_words(self.text)
        spelt = spelt_in_latin(name, lambda beginning: [word for word in words if word.startswith(beginning)])
        return _squeezed(name).removesuffix("이") in self.letters or bool(spelt)

    def has(self, word: str) -> bool:
        """Whether a word is said, or one that is short for it."""
        return self.names(word) or any(is_alike(word, other) for other in self.words)


def find_unattested(line: Passage, said: SaidInLog) -> str | None:
    """The first of its days, values, codes and names that nothing says; None when there is none."""
    found = (find(line, said) for find in (_days, _values, _codes, _names))
    return next(filter(None, found), None)


def _mentions(passage: Passage, day: date | None) -> Sequence[Mention]:
    return read_mentions(passage.text, Anchor(day, 1)) if day else ()


def _cut(line: Passage, mention: Mention) -> str:
    return line.text[mention.start : mention.end]


def _known_spans(sources: Sequence[Passage], day: date | None) -> Iterator[Span]:
    """The days that the sources speak of; which week a bare weekday is of, they may leave open."""
    for mention in (mention for source in sources for mention in _mentions(source, day)):
        weeks = (-_WEEK, timedelta(), _WEEK) if mention.grain == "weekday" else (timedelta(),)
        yield from (Span(mention.span.first + week, mention.span.last + week) for week in weeks)


def _days(line: Passage, said: SaidInLog) -> str | None:
    for mention in _mentions(line, said.day):
        cut = _cut(line, mention)
        if cut.casefold() not in said.text and not _is_known_day(mention.span, said):
            return f"the day {cut!r} is not in its lines"
    return None


def _is_known_day(span: Span, said: SaidInLog) -> bool:
    """Whether the sources speak of a day; that of the log is known too, and what is around it where they name no other."""
    if any(_is_within(span, known) for known in said.spans):
        return True
    own = Span(said.day, said.day) if said.day else None
    return own is not None and (span == own or (not said.spans and _is_within(span, own)))


def _is_within(span: Span, known: Span) -> bool:
    """The same days, or the month or year around a known day: who says less invents nothing."""
    return span == known or (span.first <= known.first and known.last <= span.last)


def _values(line: Passage, said: SaidInLog) -> str | None:
    in_days = _said_as_days(line, said.day)
    tokens = line.statement.tokens
    for at, token in enumerate(tokens):
        behind = tokens[at + 1].base if at + 1 < len(tokens) else ""
        if token.kind is TokenKind.VALUE and not _is_known(token, behind, line, said, in_days):
            return f"the value {token.base} is not in its lines"
    return None


def _said_as_days(line: Passage, day: date | None) -> Set[str]:
    """The words and numbers of the days that a line names, which are looked at as days."""
    found = _mentions(line, day)
    written = {part for mention in found for part in _cut(line, mention).lower().split()}
    numbers = {run.lstrip("0") for part in written for run in _DIGITS.findall(part)}
    resolved = {str(part) for mention in found for part in (mention.span.first.month, mention.span.first.year)}
    return written | numbers | resolved


def _is_known(token: Token, behind: str, line: Passage, said: SaidInLog, in_days: Set[str]) -> bool:
    value = _plain(token.base)
    runs = _DIGITS.findall(value)
    if (
        value in in_days
        or base_quantity(value) in said.values
        or (runs and {run.lstrip("0") for run in runs} <= in_days)
    ):
        return True
    if not runs:
        return _is_time_said(value, line, said) or value in " ".join(in_days)
    found = _LEADING.match(value)
    if found is None or _DIGITS.search(value[found.end() :]):
        return False
    number, unit = found[0], value[found.end() :]
    is_one = number == "1" and unit not in MEASURES | DATE_UNITS and not _A_ONE.search(line.text)
    is_bare = number in said.digits and (
        not unit or number in said.values
    )  # 8080 for 8080번, but 3 days are no 3 hours
    hours = _hours(int(number), unit, said) if number.isdecimal() else ()
    return is_one or is_bare or any(_is_written(hour, unit or behind, said) for hour in hours)


def _is_time_said(value: str, line: Passage, said: SaidInLog) -> bool:
    """Whether a word of time is said, in other words too; a part of the day is judged with the hour behind it."""
    if value in PARTS_OF_DAY and any(token.base.endswith("시") for token in line.statement.tokens):
        return True
    is_recurring = value in _RECURRING and _RECURRING[value] in said.text
    is_said = value in said.text or any(is_alike(value, other) for other in said.values)
    is_this = value == "이번" and not _OTHER_TURN.search(said.text)
    return is_this or is_recurring or is_said


def _hours(number: int, unit: str, said: SaidInLog) -> Sequence[int]:
    """A number; as an hour past noon also that which a clock shows, where no morning is spoken of: 저녁 7시."""
    is_late = unit == "시" and number > _NOON and not _MORNING.search(said.text)
    return (number, number - _NOON) if is_late else (number,)


def _is_written(number: int, unit: str, said: SaidInLog) -> bool:
    return f"{number}{unit}" in said.values or any(form + unit in said.letters for form in numerals_of(number))


def _plain(value: str) -> str:
    """A value without what says for how long, or of each: 3년째, 100원씩."""
    return _EACH.sub("", value)


def _known_values(statement: Statement) -> Iterator[str]:
    """The values of a passage, and what two of them in a row make: 3만 5천원 is 35000원."""
    before = ""
    for token in statement.tokens:
        value = _plain(token.base) if token.kind is TokenKind.VALUE else ""
        yield from [value, base_quantity(value)] if value else []
        digits = _DIGITS.match(value)
        if before and digits and int(digits[0]) < int(before) and int(before) % 10_000 == 0:
            yield f"{int(before) + int(digits[0])}{value[digits.end() :]}"
        before = value if value.isdecimal() else ""


def _codes(line: Passage, said: SaidInLog) -> str | None:
    of_days = " ".join(_cut(line, mention) for mention in _mentions(line, said.day))
    for code in _codes_of(line):
        bare = _VERSION.sub("", code.lower()).removeprefix("@").removesuffix("'s")
        if not _SUFFIXED.fullmatch(code) and code not in of_days and bare not in said.text:
            return f"{code} is not in its lines"
    return None


def _codes_of(line: Passage) -> list[str]:
    found = (run.strip(".:,-") for run in _CODE.findall(line.text))
    return [code for code in found if _IS_CODE.search(code)]


def _names(line: Passage, said: SaidInLog) -> str | None:
    in_days = _squeezed(" ".join(_cut(line, mention) for mention in _mentions(line, said.day)).casefold())
    for name in _named(line):
        if not said.names(name) and name.casefold() not in in_days:
            return f"the name {name} is not in its lines"
    return None


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name, both in lower case: as a word of its own, but that particles may hang on Hangul."""
    if not name.isascii():
        return _squeezed(name) in _squeezed(text)
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None


def _named(line: Passage) -> Iterator[str]:
    """The names in a line, and the word that begins it where what follows is what somebody does."""
    codes = " ".join(_codes_of(line)).casefold()  # these are looked for whole
    for token, word in zip(line.statement.tokens, map(bare_word, line.statement.tokens), strict=True):
        if token.kind is TokenKind.NAME or _is_loanword(token):
            yield from [] if word in codes else [word]
    words = re.findall(r"[A-Za-z][\w'-]*", line.text)
    is_number = bool(line.statement.tokens) and line.statement.tokens[0].kind is TokenKind.VALUE  # Five hours went
    if len(words) > 1 and line.text.startswith(words[0]) and _may_be_name(words[0]) and _is_verb(words[1]):
        yield from [] if is_number else words[:1]


def _is_loanword(token: Token) -> bool:
    """A Hangul noun that long, which nobody took apart, is a name or comes from another language."""
    return token.kind is TokenKind.NOUN and len(bare_word(token)) >= _LOANWORD and not token.base.isascii()


def _may_be_name(word: str) -> bool:
    """Whether the word that begins a sentence may name somebody, by how English makes other words."""
    return word[0].isupper() and word.lower() not in _NO_NAMES and not _DERIVED.search(word)


def _is_verb(word: str) -> bool:
    is_verb = word.islower() and word.endswith(("s", "ed")) and len(word) > 3
    return is_verb or word in (AUXILIARIES | EMPTY_WORDS) - {"to"}


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'\u2019.-]+", "", text)
