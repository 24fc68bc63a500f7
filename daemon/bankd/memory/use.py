"""Events of use, folded by memory: asked for, used, ignored, and how important somebody called it.

How strong a memory is: Ebbinghaus's forgetting curve over the events of its use, between 0 and 1.

Strength orders what is offered for archiving. It deletes nothing, and no ranking asks it.

How the confidence of an opinion fades: a function of its written value, its written day and today, in hundredths.

Nothing is written daily, so a run that was missed, doubled or late changes nothing; days are local dates, so neither
do daylight saving time and zones. Whether the clock may be believed is for `clock`; what is archived, for `archive`.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd.memory.use_policy import (
    FIRST_STABILITY,
    GROWTH,
    LEAST_IMPORTANT,
    LONGEST_STABILITY,
    MOST_IMPORTANT,
    REPEATEDLY,
    SHORTEST_STABILITY,
)
from bankd.pages.memory import Confidence, Memory

if TYPE_CHECKING:
    from bankd.settings import DecayPolicy

USED = "used"
IGNORED = "ignored"
IMPORTANCE = "importance"
RECALLED = "recalled"
TAKEN_BACK = 0
"""The importance of a memory of which nobody says any more that it is important."""
KINDS = frozenset({USED, IGNORED, IMPORTANCE, RECALLED})


@dataclass(slots=True)
class UseSignals:
    """What is known of the use of one memory: the local day of each time, and its importance, 1 to 10."""

    recalled: set[date] = field(default_factory=set)
    """The days on which it answered a search."""
    used: list[date] = field(default_factory=list)
    ignored: list[date] = field(default_factory=list)
    importance: int | None = None

    def last_used(self) -> date | None:
        """The last day on which somebody made use of it."""
        return max(self.used, default=None)

    def days(self) -> Iterator[tuple[date, bool]]:
        """The days on which it was of use or was not, in order; a day with a use is one of use."""
        used = set(self.used)
        for day in sorted({*used, *self.ignored}):
            yield day, day in used


class UseEvent(NamedTuple):
    """An event of use, as far as its fold needs it; `at` begins with the local day that it is of, ISO 8601."""

    memory: str
    kind: str
    at: str
    run: str
    value: int | None
    asked: str = ""
    """The question at which it was ignored while another memory of the answer was used."""


def read_use(item: Mapping[str, Any]) -> UseEvent | None:
    """An event of use as an index keeps it; None for any other, and for one that cannot be read."""
    kind, memory, value = item.get("type"), item.get("memory"), item.get("value")
    at, run = str(item.get("day", item.get("at", ""))), str(item.get("run", ""))
    if kind not in KINDS or not isinstance(memory, str) or not (memory + run).isascii() or not _is_day(at[:10]):
        return None
    return UseEvent(memory, kind, at, run, value if _tells_importance(value) else None, _asked_in(item))


def _asked_in(item: Mapping[str, Any]) -> str:
    asked = item.get("asked")
    return asked.encode("utf-8", "replace").decode() if isinstance(asked, str) else ""


def _is_day(text: str) -> bool:
    try:
        return text.isascii() and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


NOTHING = UseSignals()
"""Of a memory that nobody has asked for."""


def note_use(signals: dict[str, UseSignals], item: Mapping[str, Any], day: date) -> None:
    """Fold one event of use; the order matters to nothing but importance, of which the last word holds."""
    kind, own = item["type"], signals.setdefault(str(item["memory"]), UseSignals())
    if kind == RECALLED:
        own.recalled.add(day)
    elif kind == USED:
        own.used.append(day)
    elif kind == IGNORED:
        own.ignored.append(day)
    elif _tells_importance(item.get("value")):
        own.importance = item["value"] or None


def _tells_importance(value: object) -> bool:
    return is_importance(value) or (value == TAKEN_BACK and not isinstance(value, bool))


def is_importance(value: object) -> bool:
    """Whether something is a whole number from 1 to 10."""
    return isinstance(value, int) and not isinstance(value, bool) and LEAST_IMPORTANT <= value <= MOST_IMPORTANT


class StrengthPoint(NamedTuple):
    """A day on which something happened to a memory, or today: what, and its strength, 0 to 1, before and after."""

    day: date
    what: str
    before: float
    after: float


def stability_of(signals: UseSignals) -> float:
    """The days in which strength falls to 1/e: doubled by each day of use, halved by days of being ignored in a row."""
    stability, ignored = FIRST_STABILITY, 0
    for _, was_used in signals.days():
        ignored = 0 if was_used else ignored + 1
        if was_used:
            stability = min(stability * GROWTH, LONGEST_STABILITY)
        elif ignored >= REPEATEDLY:
            stability = max(stability / GROWTH, SHORTEST_STABILITY)
    return stability


def strength_on(today: date, last: date, signals: UseSignals = NOTHING, *, is_pinned: bool = False) -> float:
    """The strength of a memory that was learned, said again, asked for or used on `last`; a pin and importance are floors."""
    if is_pinned:
        return 1.0
    faded = math.exp(-max(0, (today - last).days) / stability_of(signals))
    return max(faded, (signals.importance or 0) / MOST_IMPORTANT)


def curve_of(
    learned: date, said_again: Collection[date], signals: UseSignals, today: date, *, is_pinned: bool = False
) -> list[StrengthPoint]:
    """The strength of a memory over its events, and today; between two points it falls as `strength_on` has it.

    A pin and importance are floors of the whole curve, as they are today.
    """

    def strength(day: date, until: date) -> float:
        known = _known_by(until, signals)
        met = [met for met in (learned, *said_again, *known.recalled, *known.used) if met <= until]
        return strength_on(day, max(met), known, is_pinned=is_pinned) if met else 0.0

    points, before = list[StrengthPoint](), date.min
    for day, what in _events_of(learned, said_again, signals, today):
        points.append(StrengthPoint(day, what, strength(day, before), strength(day, day)))
        before = day
    return points


def _known_by(until: date, signals: UseSignals) -> UseSignals:
    """What was known at the end of a day; of importance only the last word is kept."""
    recalled = {day for day in signals.recalled if day <= until}
    used, ignored = ([day for day in days if day <= until] for days in (signals.used, signals.ignored))
    return UseSignals(recalled, used, ignored, signals.importance)


def _events_of(
    learned: date, said_again: Collection[date], signals: UseSignals, today: date
) -> Iterator[tuple[date, str]]:
    """The days of a memory's life up to today, in order, each with what happened."""
    happened = {
        "learned": {learned},
        "said again": set(said_again),
        "answered": signals.recalled,
        "used": set(signals.used),
        "ignored": set(signals.ignored),
    }
    for day in sorted({today, *(day for days in happened.values() for day in days if day <= today)}):
        yield day, ", ".join(what for what, days in happened.items() if day in days) or "today"


NOTICE = timedelta(days=7)
"""How long before it goes a fading memory is announced, and the least time that it stays after it was taken in: a year of
old opinions may have faded by the time that they are imported."""


FADING_TAG = "O"
CERTAIN = 100

CONFIRMATION = 5
"""Hundredths that saying an opinion again adds: it then keeps its value when it is said every two or three days, and
one that is never said again is gone after five weeks."""


@dataclass(frozen=True, slots=True)
class Fading:
    """What an opinion loses a day, and the value strictly below which it is archived; both in hundredths."""

    per_day: int
    floor: int

    @classmethod
    def of(cls, policy: DecayPolicy) -> Fading:
        """Read the settings, which are whole hundredths written as fractions."""
        return cls(round(policy.per_day * 100), round(policy.floor * 100))


@dataclass(frozen=True, slots=True)
class Fall:
    """The day on which a memory will be below the floor, and its value on the day of the forecast."""

    day: date
    id: str
    value: int
    memory: Memory


def value_on(written: Confidence, today: date, fading: Fading) -> int:
    """The confidence of today in hundredths; a value without its day is of today, and no day lies in the past of none."""
    days = max(0, (today - written.day).days) if written.day else 0
    return max(0, written.hundredths - fading.per_day * days)


def falls_on(written: Confidence, fading: Fading) -> date | None:
    """The first day on which a dated value is strictly below the floor; None when that day never comes."""
    if written.day is None:
        return None
    above = written.hundredths - fading.floor
    if above < 0:
        return written.day
    if not fading.per_day or not fading.floor:
        return None
    days = above // fading.per_day + 1
    return written.day + timedelta(days) if days <= (date.max - written.day).days else None


def is_fading(memory: Memory) -> bool:
    """Say whether a memory fades at all: an opinion with a confidence that nobody pinned."""
    return memory.tag == FADING_TAG and memory.confidence is not None and not memory.is_pinned


def is_faded(memory: Memory, today: date, fading: Fading) -> bool:
    """Say whether a memory is strictly below the floor today."""
    if memory.confidence is None or not is_fading(memory):
        return False
    return value_on(memory.confidence, today, fading) < fading.floor


def raise_confidence(written: Confidence, today: date, fading: Fading) -> Confidence:
    """The confidence of an opinion that was said again today: a small step up from today's value, at most certain."""
    return Confidence(min(CERTAIN, value_on(written, today, fading) + CONFIRMATION), today)


def forecast_falls(memories: Iterable[tuple[str, Memory]], today: date, days: int, fading: Fading) -> list[Fall]:
    """What falls below the floor from today to this many days ahead, soonest first; memories come with their ids."""
    return sorted(_falls(memories, today, today + timedelta(days), fading), key=lambda fall: (fall.day, fall.id))


def _falls(memories: Iterable[tuple[str, Memory]], today: date, last: date, fading: Fading) -> Iterator[Fall]:
    for id_, memory in memories:
        if memory.confidence is None or not is_fading(memory):
            continue
        written = Confidence(memory.confidence.hundredths, memory.confidence.day or today)
        day = falls_on(written, fading)
        if day is not None and day <= last:
            yield Fall(max(day, today), id_, value_on(written, today, fading), memory)
