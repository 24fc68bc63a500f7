"""The time in a question: the days that it asks about, and whether it asks for what holds now."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bankd.words.days import DAY, Anchor, Span, may_name_a_day, on
from bankd.words.tables import meanings_in, words_in

if TYPE_CHECKING:
    from bankd.words.day_mentions import Mention


_NOW = words_in("days", "now")
_NOW_WORDS = frozenset(("now", "still"))

_SAYING_NOTHING = words_in("days", "saying_nothing")
"""Terms of a question that is only about days: what happened, 무슨 일이 있었지, what is planned; and leftovers of words of time."""

_SAYING_NOTHING_AS_WRITTEN = [*meanings_in("days", "saying_nothing_as_written")]
"""Such terms as written, for when no analyser removes endings."""


class AskedTime(NamedTuple):
    """The time in a question; all empty if it names none."""

    windows: tuple[Span, ...] = ()
    now: bool = False
    """Whether it asks for what holds now."""
    rest: str = ""
    """The question without its words of time."""


NO_TIME = AskedTime()


@lru_cache(maxsize=16)  # once for each asked bank, and for its logs and archive
def read_asked_time(text: str, today: date) -> AskedTime:
    """Read the time in a question; fast for a question without any."""
    lowered = text.lower()
    now = any(word in lowered for word in _NOW) or not _NOW_WORDS.isdisjoint(lowered.strip("?!. ").split())
    if not now and not may_name_a_day(lowered):
        return NO_TIME
    from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- slow to import; most questions name no day

    mentions = read_mentions(text, Anchor(today, 0, is_strict=True))
    windows = tuple(window for mention in mentions for window in windows_of(mention, today))
    return AskedTime(windows, now and not windows, _without(text, mentions)) if windows or now else NO_TIME


def read_days(text: str, today: date) -> Span | None:
    """Days that somebody types, as 2026-05-02, 2026-05 or in words; the latest possible. None if they are not days."""
    try:
        return on(date.fromisoformat(text))
    except ValueError:
        from bankd.words.day_mentions import read_mentions  # noqa: PLC0415 -- seldom
    for said in (text, f"in {text}"):
        mentions = read_mentions(said, Anchor(today, -1, is_strict=True))
        if len(mentions) == 1 and not re.search(r"\w", _without(said, mentions).removeprefix("in ")):
            return windows_of(mentions[0], today)[0]
    return None


def windows_of(mention: Mention, today: date) -> tuple[Span, ...]:
    """The asked days; a weekday without a known tense means the last one and the next one."""
    first, last = mention.span
    if mention.edge < 0:
        return (Span(first, max(last, today if first <= today else date.max)),)
    if mention.edge > 0:
        return (Span(date.min, last if mention.edge == 1 else first - DAY),)
    if mention.grain == "weekday" and not mention.lean:
        return (Span(first - 7 * DAY, last - 7 * DAY), mention.span)
    return (mention.span,)


def _without(text: str, mentions: Sequence[Mention]) -> str:
    for mention in sorted(mentions, key=lambda one: one.start, reverse=True):
        end = mention.end
        while end < len(text) and "가" <= text[end] <= "힣":
            end += 1  # the particle
        text = f"{text[: mention.start]} {text[end:]}"
    return text


def without_what_says_nothing(text: str) -> str:
    """A Korean question without the words that name no subject, as written."""
    forms = "|".join(_SAYING_NOTHING_AS_WRITTEN).replace("*", "[가-힣]*")
    return re.sub(f"(?<![가-힣])(?:{forms})(?![가-힣])", " ", text)


def says_nothing(term: str) -> bool:
    """Whether a term of a question (not one that asks) names no subject."""
    return term in _SAYING_NOTHING
