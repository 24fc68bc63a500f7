"""The days that a memory speaks of: on or between which it happened, happens, or holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, timedelta
from functools import lru_cache

from bankd.core.language.dates.mentions import Mention, read_mentions, read_mentions_on
from bankd.core.language.dates.spans import DAY, Anchor, Span

_OPEN = timedelta(days=365)
"""How far a span goes back of which only the end is said."""
_HABIT_TAG = "B"
_ON_TWO_DAYS = (Anchor(date(2003, 6, 18)), Anchor(date(2031, 1, 23)))
"""Any two days: what means the same, read on either, is said without regard to the day on which it was written."""


@lru_cache(maxsize=20_000)  # of the lines of a run, which the indexes of the bank and of the logs read, and a briefing
def days_spoken_of(text: str, learned: date | None, tag: str | None = None) -> Sequence[Span]:
    """The spans that a memory speaks of, of this day and tag; where no day is known only whole dates tell."""
    if learned is None:
        return _said_whole(text)
    mentions = read_mentions(text, Anchor(learned, 1))
    return tuple(dict.fromkeys(_spans(mentions, learned, is_habit=tag == _HABIT_TAG)))


def _spans(mentions: Iterable[Mention], learned: date, *, is_habit: bool) -> Iterator[Span]:
    """On Tuesdays is a habit, and no day."""
    for mention in mentions:
        if is_habit and mention.grain == "weekday":
            continue
        first, last = mention.span
        if mention.edge < 0 and first <= learned:
            last = max(last, learned)
        elif mention.edge > 0 and last < learned:
            first, last = first - _OPEN, last if mention.edge == 1 else first - DAY
        yield Span(first, last)


def _said_whole(text: str) -> Sequence[Span]:
    one, other = read_mentions_on(text, _ON_TWO_DAYS)
    also = {mention.span for mention in other}
    return tuple(span for span in dict.fromkeys(mention.span for mention in one) if span in also)
