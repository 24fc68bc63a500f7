"""Texts taken apart, as the grounding compares them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from bankd.core.language.statement import Statement

_NO_LONGER = re.compile(
    r"\b(?:no longer|(?:instead of|rather than)(?! \d))\b|\b(?:unable|yet) to\b|\bagainst(?= \w+ing\b)|\bout of(?= (?:use|order|service|stock)\b)|\b(?:stop(?:s|ped)?|quit|avoid(?:s|ed)?)(?= \w+ing\b)",
    re.IGNORECASE,
)
_KEPT_FROM = re.compile(r"\b((?:keep|kept|stop|prevent)(?:s|ped|ed)?\b[^.,;]*?) from(?= \w+ing\b)", re.IGNORECASE)
_FREE_OF = re.compile(r"\b(\w+)-free\b", re.IGNORECASE)
_NOT_UNTIL = re.compile(r"\b(?:will|does|wo(?=n't)) ?(?:not|n't)\b(?=[^.,;]*\buntil\b)", re.IGNORECASE)
"""What will not be done until a day will be done then; what must not be is forbidden."""
_HALF_DAY = re.compile(r"\b([ap])\.m\b\.?", re.IGNORECASE)
_VERSION = re.compile(r"\bv(?=\d)")
_THOUGHT_OF = re.compile(r"(?<![가-힣])([가-힣]+(?:까 (?:하|고민하|생각하|싶)|려)다)(?=가|\s)")
"""What somebody thought of doing, or was about to, and did not: 결제할까 하다가, 사려다."""
_GONE = re.compile(r"없어(?=[지져졌진질짐집])")
"""What comes not to be there disappears, which denies nothing."""
_WITHOUT = re.compile(r"(?<=[가-힣]{2})없(?=[가-힣])")
_WEEKDAYS = re.compile(
    r"(?<!\w)(?:[월화수목금토일](?:[·ㆍ/,] ?[월화수목금토일](?=[은는에로과이까부마]|[^가-힣]|$))+|(?:월수금|화목토)(?![가-힣]{2}))"
)
"""Weekdays by their first syllable, at least two of them: one alone is any other word."""
_SENTENCE = re.compile(r"(?<=[.!?\u3002])\s+")


def sentences_of(text: str) -> list[str]:
    """The sentences of a line, each without what ends it, so that a number at its end is that number."""
    return [part for sentence in _SENTENCE.split(text.strip()) if (part := sentence.rstrip(" .!\u3002"))]


def clauses_of(text: str) -> list[str]:
    """The sentences of a line, and what semicolons part in them."""
    return [clause for sentence in sentences_of(text) for clause in sentence.split("; ")]


def as_read(text: str) -> str:
    """A text as it is taken apart: what denies a verb stands before it, 2 p.m. is 2 pm, v7.2 is 7.2; and 화·목 are two weekdays."""
    text = _NOT_UNTIL.sub("will", _GONE.sub("사라", text))
    text = _VERSION.sub("", _HALF_DAY.sub(r"\1m", _NO_LONGER.sub("not", text)))
    text = _KEPT_FROM.sub(r"\1 not", text)
    text = _FREE_OF.sub(r"not \1", text)
    text = _THOUGHT_OF.sub(r"안 \1", text)
    return _WITHOUT.sub(" 없", _WEEKDAYS.sub(_spell_out, text))


def _spell_out(listed: re.Match[str]) -> str:
    return " ".join(f"{day}요일" for day in re.findall(r"\w", listed[0]))


class Passage(NamedTuple):
    """A text as it stands, taken apart: the line that is judged, or a sentence of those that it names."""

    text: str
    statement: Statement


def english_words(text: str) -> list[str]:
    """The words in Latin letters of a text, in lower case."""
    return [word.lower() for word in re.findall(r"[A-Za-z]+", text)]


def said_in(sources: Sequence[Passage]) -> str:
    """The passages as they stand, in lower case, a line each."""
    return unicodedata.normalize("NFC", "\n".join(source.text for source in sources)).casefold()
