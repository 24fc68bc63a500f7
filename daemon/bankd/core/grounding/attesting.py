"""Whether each day, number, version, path and name of a line stands somewhere in the log's own sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from bankd.core.grounding.aligning import PRONOUNS, bare_word
from bankd.core.grounding.attesting_values import find_unsaid_value
from bankd.core.grounding.named_days import days_named_in, days_written_in, is_within
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.said_in_log import SaidInLog, squeeze_text, strip_value
from bankd.core.language.dates.spans import Span, year_of
from bankd.core.language.english.function_words import AUXILIARIES, EMPTY_WORDS, RELATIONS
from bankd.core.language.english.stemming import is_irregular_past
from bankd.core.language.paraphrases import stands_in_a_group
from bankd.core.language.statement import Token, TokenKind
from bankd.core.language.word_lists import split_words

_VERSION = re.compile(r"^v(?=\d)")
_PLURAL = re.compile(r"(?<=\d)s$")
_CODE = re.compile(r"[A-Za-z0-9_@~$#][\w.:/@~$%+=&?#-]*[\w/]", re.ASCII)
"""Runs of letters, digits and the marks of paths, addresses, versions and identifiers."""
_IS_CODE = re.compile(r"[a-z][A-Z]|[A-Za-z][\d_/@:]|\d[A-Za-z_/]|\w[.]\w|^[~/@#]|^\$[A-Za-z_{]|\w/\w|-\w*\d|\w_\w")
_HALF_DAYS = ("a.m", "p.m")
_WORD = re.compile(r"[A-Za-z][\w'-]*")
_SUFFIXED = re.compile(r"\d+[a-zA-Z]{1,2}$")
_DECIMAL = re.compile(r"\d+\.\d{2}")
"""Digits with an ordinal's ending or a unit, and amounts of money, which are looked at as values."""
NO_NAMES = (
    PRONOUNS
    | RELATIONS
    | EMPTY_WORDS
    | split_words(
        "this these those nobody while whereas although though since because until unless when whenever where what whatever "
        "which who whose rather instead despite as to all both each every some most many few several other another only even also want wants say says btw fyi imo thx pls"
    )
)
"""What begins a sentence and names nobody."""
_NIGHT = "overnight"
"""For the night, whichever that is, where a line says that somebody stays."""
_DERIVED = re.compile(r"(?:ing|ed|ly|ment|ship|ness|tion|sion|ity|ies|ance|ence|'s)$")
_LOANWORD = 4
"""Syllables: of Korean and Sino-Korean nouns longer ones are compounds, which the analyser takes apart."""


def find_unattested(line: Passage, said: SaidInLog) -> str | None:
    """The first of its days, values, codes and names that nothing says; None when there is none."""
    found = (find(line, said) for find in (_days, find_unsaid_value, _codes, _names))
    return next(filter(None, found), None)


def _days(line: Passage, said: SaidInLog) -> str | None:
    for named in days_named_in(line, said.day):
        is_amount = strip_value(named.written.replace(" ", "")) in said.values  # 3일에 21만 원, of 사흘
        if named.written.casefold() != _NIGHT and not (
            named.written.casefold() in said.text or is_amount or _is_known_day(named.span, said)
        ):
            return f"the day {named.written!r} is not in its lines"
    return None


def _is_known_day(span: Span, said: SaidInLog) -> bool:
    """Whether the sources speak of a day; that of the log is known too, and what is around it where they name no other."""
    is_year = span == year_of(span.first.year) and str(span.first.year) in said.digits
    if is_year or any(is_within(span, known) for known in said.spans):
        return True
    own = Span(said.day, said.day) if said.day else None
    return own is not None and (span == own or (not said.spans and is_within(span, own)))


def _codes(line: Passage, said: SaidInLog) -> str | None:
    of_days = " ".join(days_written_in(line, said.day))
    for code in _codes_of(line):
        bare = _PLURAL.sub("", _VERSION.sub("", code.lower()).removeprefix("@").removesuffix("'s"))
        is_number = _DECIMAL.fullmatch(code) or bare in said.values
        is_other = _SUFFIXED.fullmatch(code) or is_number or (code.isalpha() and said.names(code))
        if not is_other and code not in of_days and bare not in said.text:
            return f"{code} is not in its lines"
    return None


def _codes_of(line: Passage) -> list[str]:
    found = (run.strip(".:,-") for run in _CODE.findall(line.text))
    return [code for code in found if _IS_CODE.search(code) and code.casefold() not in _HALF_DAYS]


def _names(line: Passage, said: SaidInLog) -> str | None:
    in_days = squeeze_text(" ".join(days_written_in(line, said.day)).casefold())
    written = squeeze_text(line.text.casefold())
    for name, is_sure in _named(line):
        if name not in written and not name.isascii():
            continue  # a word for it: 티비 is 텔레비전
        if (
            not (said.names(name) or (not is_sure and said.has_part(name.casefold())))
            and name.casefold() not in in_days
        ):
            return f"the name {name} is not in its lines"
    return None


def _named(line: Passage) -> Iterator[tuple[str, bool]]:
    """The names in a line, and what may be one: a word from elsewhere, and that which begins it where what follows is what somebody does."""
    codes = " ".join(_codes_of(line)).casefold()  # these are looked for whole
    for token, word in zip(line.statement.tokens, map(bare_word, line.statement.tokens), strict=True):
        if token.kind is TokenKind.NAME or _is_loanword(token):
            yield from [] if word in codes or word in PRONOUNS else [(word, token.kind is TokenKind.NAME)]
    words = _WORD.findall(line.text)
    is_number = bool(line.statement.tokens) and line.statement.tokens[0].kind is TokenKind.VALUE  # Five hours went
    if len(words) > 1 and line.text.startswith(words[0]) and is_doer(*words[:2]):
        yield from [] if is_number else [(words[0], False)]


def is_doer(word: str, after: str) -> bool:
    """Whether an English word names somebody, as far as one can see, and what follows is what somebody does."""
    return may_be_name(word) and _is_verb(after)


def _is_loanword(token: Token) -> bool:
    """A Hangul noun that long, which nobody took apart, is a name or comes from another language."""
    word = bare_word(token)
    return token.kind is TokenKind.NOUN and len(word) >= _LOANWORD and not (word.isascii() or stands_in_a_group(word))


def may_be_name(word: str) -> bool:
    """Whether the word that begins a sentence may name somebody, by how English makes other words."""
    is_other = word.lower() in NO_NAMES or _DERIVED.search(word) or is_irregular_past(word.lower())
    return word[0].isupper() and not is_other


def _is_verb(word: str) -> bool:
    is_verb = word.islower() and word.endswith(("s", "ed")) and len(word) > 3
    return is_verb or is_irregular_past(word) or word in (AUXILIARIES | EMPTY_WORDS) - {"to"}
