"""A line that puts a day to what its sources put another day to: the study group meets on Friday, the mock exam is on Saturday.

A day is compared by what it means on the day of the log, so 23 February and "next Monday" are one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from typing import NamedTuple

from bankd.core.grounding.named_days import NamedDay, days_named_in, is_within
from bankd.core.grounding.passages import Passage
from bankd.core.grounding.stretches import Stretch, stretches_of, telling_most
from bankd.core.language.statement import TokenKind


class _Dated(NamedTuple):
    """A stretch of a sentence, and the days that it names."""

    stretch: Stretch
    days: Sequence[NamedDay]


class _Comparison(NamedTuple):
    """The days of a stretch of the line, those of the stretches that tell most of it, and whether one of them is meant."""

    own: Sequence[NamedDay]
    rivals: Sequence[NamedDay]
    is_meant: bool


def find_misdated(line: Passage, sources: Sequence[Passage], day: date | None) -> str | None:
    """What day of a line stands where its sources have another; None where none does."""
    for one in _compared(line, sources, day):
        if not one.is_meant:
            return f"{one.own[0].written} stands where its lines have {one.rivals[0].written}"
    return None


def days_in_place(line: Passage, sources: Sequence[Passage], day: date | None) -> Iterator[NamedDay]:
    """The days of a line that its sources put to the same."""
    return (named for one in _compared(line, sources, day) if one.is_meant for named in one.own)


def _compared(line: Passage, sources: Sequence[Passage], day: date | None) -> Iterator[_Comparison]:
    """Each stretch of a line that names a day, where its sources name one; what a question names is no answer."""
    every = [one for source in sources if not source.text.endswith("?") for one in _dated_in(source, day)]
    for one in _dated_in(line, day):
        told = [other for other in every if _is_denied(other) == _is_denied(one)]
        words = [word.base for word in one.stretch.words if word.kind is not TokenKind.VALUE]
        near = telling_most(told, [sum(map(other.stretch.has, words)) for other in told])
        rivals = [rival for other in near for rival in other.days]
        own = [named for named in one.days if named.grain == "weekday" or any(map(str.isdigit, named.written))]
        if day and own and rivals:
            is_meant = any(_is_meant(named, rival, day) for named in one.days for rival in rivals)
            yield _Comparison(own, rivals, is_meant)


def _is_denied(one: _Dated) -> bool:
    return any(word.is_denied for word in one.stretch.words)


def _is_meant(named: NamedDay, known: NamedDay, day: date) -> bool:
    is_same = named.written.casefold() == known.written.casefold()
    return is_same or any(is_within(named.span, one) for one in known.meanings(day))


def _dated_in(passage: Passage, day: date | None) -> Iterator[_Dated]:
    named = [one for one in days_named_in(passage, day) if one.span.first == one.span.last]
    for stretch in stretches_of(passage):
        yield _Dated(stretch, [one for one in named if stretch.begin <= one.start < stretch.end])
