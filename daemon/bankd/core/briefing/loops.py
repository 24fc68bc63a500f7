"""Open loops: what was to be done, and nobody said that it was."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

# Only the English is read in either case: looking for the case of all Hangul takes a session's start milliseconds.
_OPEN = re.compile(
    r"^\[ \]|[가-힣]야 (?:한다|해|함|됨|된다|할|하는)|(?:하|보|가|쓰|내|주|두)기로 (?:했|함|한)|(?i:\bTODO\b|\bto-do\b"
    r"|\b(?:need|needs|have|has|ought|promised|agreed|plan|plans|remember) to\b|\bfollow up\b|\bmust\b|\bwaiting for\b)"
)
_DONE = re.compile(
    r"^\[[xX]\]|완료|끝냈|끝났|마쳤|해냈|보냈다|처리했|해결|취소|그만두|\b(?:done|finished|completed|sent|shipped|fixed|cancelled|canceled|closed)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[가-힣]{2}|[a-z0-9]{3,}")
_MOMENT = re.compile(
    r"\d{4}-\d\d-\d\d|\d{1,2}(?::\d\d|일|시|th|st|nd|rd)|(?i:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]* \d{1,2}"
)
_SAME = 0.5
"""The share of the words of a loop that what ends it says again; Hangul by pairs of syllables."""
_YOUNG = timedelta(days=2)


class DatedText(NamedTuple):
    """Something that was said on a day."""

    key: str
    day: date
    text: str


def open_loops(said: Iterable[DatedText], today: date) -> Iterator[DatedText]:
    """What is open for more than two days, oldest first."""
    everything = sorted(said, key=lambda one: (one.day, one.key))
    ends = [(one.day, _words(one.text), _numbers(one.text)) for one in everything if _DONE.search(one.text)]
    for one in everything:
        if (
            _OPEN.search(one.text)
            and not _DONE.search(one.text)
            and today - one.day > _YOUNG
            and not _is_ended(one, ends)
        ):
            yield one


def _is_ended(loop: DatedText, ends: Iterable[tuple[date, frozenset[str], frozenset[str]]]) -> bool:
    words, numbers = _words(loop.text), _numbers(loop.text)
    return any(
        day >= loop.day and len(words & said) >= _SAME * len(words) and _may_be_one(numbers, counted)
        for day, said, counted in ends
    )


def _may_be_one(numbers: frozenset[str], others: frozenset[str]) -> bool:
    """Whether two texts speak of the same number, or one of none: invoice 7 is not done with invoice 6."""
    return not numbers or not others or not numbers.isdisjoint(others)


def _numbers(text: str) -> frozenset[str]:
    """The numbers that name a thing, not a day or hour: what is due on the 20th may be done on the 19th."""
    return frozenset(re.findall(r"\d+", _MOMENT.sub(" ", text)))


def _words(text: str) -> frozenset[str]:
    """Words without those that only say that something is to be done; Hangul as overlapping pairs."""
    plain = _OPEN.sub(" ", text.casefold())
    latin = {word for word in _WORD.findall(plain) if word.isascii()}
    runs = re.findall(r"[가-힣]{2,}", plain)
    return frozenset(latin | {run[at : at + 2] for run in runs for at in range(len(run) - 1)})
