"""Whether a line that a model wrote says only what the lines say that it names.

Every number, date, name, path, version, negation and opposite of it must stand in them. It reads with the eyes of the
guard against duplicates; whatever this refuses, a person may still take in.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from datetime import date
from functools import partial

from bankd.core.dedup.gist import is_empty
from bankd.core.dedup.guard import stem
from bankd.core.distil.overstating import find_overstated, is_inverted
from bankd.core.distil.passages import Passage, denies, is_short_for, nearest, said_in, stems_of
from bankd.core.language.dates.mentions import Mention, read_mentions
from bankd.core.language.dates.spans import Anchor, Span
from bankd.core.language.english.function_words import RELATIONS
from bankd.core.language.english.stemming import stem_word
from bankd.core.language.opposites import OPPOSITES
from bankd.core.language.statement import Statement, Token, TokenKind

_DIGITS = re.compile(r"\d+")
_WHOLE = re.compile(r"(?<![\d.])\d+(?!\.?\d)")
"""Digits that are no part of a version, an address or a fraction."""
_CODE = re.compile(r"[A-Za-z0-9_@~$#][\w.:/@~$%+=&?#-]*[\w/]", re.ASCII)
"""Runs of letters, digits and the marks of paths, addresses, versions and identifiers."""
_IS_CODE = re.compile(r"[a-z][A-Z]|[A-Za-z][\d_/@:]|\d[A-Za-z_/]|\w[.]\w|^[~$/@#]|\w/\w|-\w*\d|\w_\w")
_ORDINAL = re.compile(r"\d+(?:st|nd|rd|th|am|pm|[a-zA-Z]{1,2})$")
_SUBJECT_VERBS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "has",
        "have",
        "had",
        "will",
        "would",
        "can",
        "could",
        "should",
        "may",
        "might",
        "must",
        "does",
        "did",
        "do",
        "not",
        "never",
        "also",
        "says",
        "said",
    ]
)


_EMPTY = frozenset({"i", "we", "you", "he", "she", "they", "it", "the", "user", "나", "우리", "사용자"})
"""Who speaks, and whom a model calls the user, stand for each other."""
_NO_NAMES = frozenset({"it", "there", "this", "that", "these", "those", "he", "she", "they", "we", "who", "nobody"})
"""What begins a sentence and names nobody."""
_STEM = 2
"""Syllables by which a Hangul word is known whatever hangs on it."""
_ONCE = "1"
"""What a, one and once are read as, which say how something is told, not how many there were."""
_LOANWORD = 4
"""Syllables: of Korean and Sino-Korean nouns longer ones are compounds, which the analyser takes apart."""


def find_ungrounded(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    """What a line says that none of its sources does, in words; None when there is nothing.

    Args:
        line: what the model wrote.
        sources: the sentences of the log that it names.
        day: of the log, by which "yesterday" is resolved; None where it has none.
    """
    if not sources:
        return "it names no line of the log"
    found = (check(line, sources, day) for check in (_days, _values, _codes, _names, _turned, _exchanged))
    return next(filter(None, found), None) or find_overstated(line, sources, partial(_is_ahead, day))


def _is_ahead(day: date | None, source: Passage) -> bool:
    """Whether a passage names a day after that of the log."""
    return day is not None and any(mention.span.first > day for mention in _mentions(source, day))


def _days(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    known, text = _spans(sources, day), said_in(sources)
    for mention in _mentions(line, day):
        if _cut(line, mention).casefold() not in text and not any(_is_within(mention.span, span) for span in known):
            return f"the day {_cut(line, mention)!r} is not in its lines"
    return None


def _mentions(passage: Passage, day: date | None) -> Sequence[Mention]:
    return read_mentions(passage.text, Anchor(day, 1)) if day else ()


def _spans(sources: Sequence[Passage], day: date | None) -> list[Span]:
    """The days that the sources speak of, and that of the log itself."""
    own = [Span(day, day)] if day else []
    return [*own, *(mention.span for source in sources for mention in _mentions(source, day))]


def _is_within(span: Span, known: Span) -> bool:
    """The same days, or the month or year around a known day: who says less invents nothing."""
    return span == known or (span.first <= known.first and known.last <= span.last)


def _cut(line: Passage, mention: Mention) -> str:
    return line.text[mention.start : mention.end]


def _values(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    known = {value for source in sources for value in _known_values(source.statement)}
    digits = {run for source in sources for run in _WHOLE.findall(source.text)}
    of_days = {run.lstrip("0") for mention in _mentions(line, day) for run in _DIGITS.findall(_cut(line, mention))}
    of_days |= {
        str(part) for mention in _mentions(line, day) for part in (mention.span.first.month, mention.span.first.year)
    }
    in_days = {base for mention in _mentions(line, day) for base in _cut(line, mention).lower().split()}
    for token in line.statement.tokens:
        runs = _DIGITS.findall(token.base)
        if token.kind is not TokenKind.VALUE or token.base in known or token.base in in_days:
            continue
        if runs and all(run.lstrip("0") in of_days for run in runs):
            continue
        if token.base == _ONCE and _ONCE not in _DIGITS.findall(line.text):
            continue
        if not runs and any(token.base in text for text in (said_in(sources), " ".join(in_days))):
            continue
        if not (runs and _is_said_bare(token, runs, digits, known)):
            return f"the value {token.base} is not in its lines"
    return None


def _known_values(statement: Statement) -> Iterator[str]:
    """The values of a passage, and what two of them in a row make: 3만 5천원 is 35000원."""
    before = ""
    for token in statement.tokens:
        value = token.base if token.kind is TokenKind.VALUE else ""
        yield from [value] if value else []
        digits = _DIGITS.match(value)
        if before and digits and int(digits[0]) < int(before) and int(before) % 10_000 == 0:
            yield f"{int(before) + int(digits[0])}{value[digits.end() :]}"
        before = value if value.isdecimal() else ""


def _is_said_bare(token: Token, runs: Sequence[str], digits: Set[str], known: Set[str]) -> bool:
    """Whether the number stands there with no unit, or here with none: 8080 for port 8080번; 3 days are no 3 hours."""
    number = "".join(runs)
    unit = token.base.replace(number, "", 1)
    return len(runs) == 1 and number in digits and (not unit or number in known)


def _codes(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    text, of_days = said_in(sources), " ".join(_cut(line, mention) for mention in _mentions(line, day))
    for found in _CODE.findall(line.text):
        code = found.strip(".:,-")
        if _IS_CODE.search(code) and not _ORDINAL.fullmatch(code) and code not in of_days:
            bare = code.lower().removeprefix("@")
            if bare.removesuffix("'s") not in text:
                return f"{code} is not in its lines"
    return None


def _names(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    text = said_in(sources)
    in_days = _squeezed(" ".join(_cut(line, mention) for mention in _mentions(line, day)))
    stems = {stem_word(word) for word in re.findall(r"[a-z]+", text)}
    for name in _named(line):
        bare = name.casefold().removesuffix("'s")
        if not (is_named(bare, text) or stem_word(bare) in stems or bare in in_days):
            return f"the name {name} is not in its lines"
    return None


def is_named(name: str, text: str) -> bool:
    """Whether a text has a name, both in lower case: as a word of its own, but that particles may hang on Hangul."""
    if not name.isascii():
        return _squeezed(name) in _squeezed(text)
    return re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", text) is not None


def _named(line: Passage) -> Iterator[str]:
    """The names in a statement, and the word that begins it where what follows is what somebody does."""
    codes = [
        code.casefold() for code in _CODE.findall(line.text) if _IS_CODE.search(code)
    ]  # these are looked for whole
    for token in line.statement.tokens:
        if token.kind is TokenKind.NAME or _is_loanword(token):
            yield from [] if any(token.base.casefold() in code for code in codes) else [token.base]
    words = re.findall(r"[A-Za-z][\w'-]*", line.text)
    if len(words) > 1 and line.text[:1].isascii() and words[0][0].isupper() and _is_verb(words[1]):
        yield from [] if words[0].lower() in _NO_NAMES else [words[0]]


def _is_loanword(token: Token) -> bool:
    """A Hangul noun that long, which nobody took apart, is a name or comes from another language."""
    return token.kind is TokenKind.NOUN and len(token.base) >= _LOANWORD and not token.base.isascii()


def _is_verb(word: str) -> bool:
    return word in _SUBJECT_VERBS or (word.islower() and word.endswith(("s", "ed")) and len(word) > 3)


def _turned(line: Passage, sources: Sequence[Passage], _: date | None) -> str | None:
    """A word that the sources have only the other way round: denied, not denied, or its opposite."""
    tokens = [token for token in line.statement.tokens if token.kind not in (TokenKind.NAME, TokenKind.VALUE)]
    return next(filter(None, (_turned_word(token, line, sources) for token in tokens)), None)


def _turned_word(token: Token, line: Passage, sources: Sequence[Passage]) -> str | None:
    is_denied, word, opposites = bool(token.negation), stem(token.base), _opposites(token)
    there = [source for source in sources if word in stems_of(source)]
    if states := _states(word, line, there):
        if is_denied not in states and not (
            _is_denied_elsewhere(token, line, there) or _is_denied_too(token, line, sources)
        ):
            return f"{token.base} is {'denied' if is_denied else 'not denied'}, other than in its lines"
    elif is_denied and not any(denies(source) or opposites & stems_of(source) for source in sources):
        return f"it denies {token.base or 'something'}, and its lines deny nothing"
    closest = nearest(line, sources) if there else sources
    turned = [one for one in closest if opposites & stems_of(one) and word not in stems_of(one) and not denies(one)]
    if not turned or is_denied or (there and word in RELATIONS) or any(is_inverted(line, one) for one in turned):
        return None
    return f"its lines say the opposite of {token.base}"


def _is_denied_too(token: Token, line: Passage, sources: Sequence[Passage]) -> bool:
    """Whether a word that the closest source does not have in this form is denied in one, or another word of the line is."""
    denied = {stem(other.base) for source in sources for other in source.statement.tokens if other.negation}
    words, closest = stems_of(line), {other.base for one in nearest(line, sources) for other in one.statement.tokens}
    is_other = bool(token.negation) and token.base not in closest
    return is_other and any(word in words or any(one.endswith(word) for one in words) for word in denied)


def _is_denied_elsewhere(token: Token, line: Passage, sources: Sequence[Passage]) -> bool:
    """Whether the line denies another word where they deny this noun, or they what is done somewhere: never from main."""
    if not token.negation:
        return token.kind is TokenKind.NOUN and denies(line)
    return any(other.negation and other.base in RELATIONS for one in sources for other in one.statement.tokens)


def _states(word: str, line: Passage, sources: Sequence[Passage]) -> set[bool]:
    """Whether a word is denied in the passages that are most like the line; nothing where they share that word alone.

    What denies a noun may stand at another word: 경비가 아니라 and 경비로 처리하지 않고.
    """
    found = [
        (source, token)
        for source in nearest(line, sources)
        for token in source.statement.tokens
        if stem(token.base) == word
    ]
    of_nouns = {True for source, token in found if token.kind is TokenKind.NOUN and denies(source)}
    return {bool(token.negation) for _, token in found} | of_nouns


def _exchanged(line: Passage, sources: Sequence[Passage], _: date | None) -> str | None:
    """A word that stands exactly where a passage has another one: between the same two words, or ends."""
    text = said_in(sources)
    for was, before, after in ((word, *around) for source in sources for word, around in _slots(source)):
        for word, around in _slots(line):
            is_new = word not in text and stem_word(word) not in text and not {word, was} & _EMPTY
            is_new = is_new and not (is_short_for(word, was) or is_short_for(was, word))
            if around == (before, after) and is_new and was not in stems_of(line) and not _is_inflected(word, was):
                return f"{word} stands where its lines have {was}"
    return None


def _is_inflected(word: str, was: str) -> bool:
    """Whether two Hangul words begin alike: without an analyser 포트는 and 포트를 are two words."""
    return not word.isascii() and word[:_STEM] == was[:_STEM]


def _slots(passage: Passage) -> Iterator[tuple[str, tuple[str, str]]]:
    """The words of a passage that are neither values nor marks, each with those on its two sides, empty at an end."""
    tokens = [token for token in passage.statement.tokens if token.kind is not TokenKind.MARK]
    bases = ["", *(stem(token.base) for token in tokens), ""]
    for at, token in enumerate(tokens):
        around = bases[at], bases[at + 2]
        is_said = token.kind in (TokenKind.NOUN, TokenKind.WORD) and not token.is_predicate and not is_empty(token)
        if is_said and token.base not in RELATIONS and any(around):
            yield stem(token.base), around


def _opposites(token: Token) -> Set[str]:
    return {stem(word) for word in OPPOSITES.get(token.base, ())} | set(OPPOSITES.get(token.base, ()))


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'\u2019.-]+", "", text)
