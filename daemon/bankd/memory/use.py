"""How memories are used, how strong they are, and how the confidence of opinions fades.

Strength is Ebbinghaus's forgetting curve over the events of use, 0 to 1. It only orders what is offered for the archive.
Confidence is computed from its written value, its written day and today, in hundredths; nothing is written daily, so a
missed or doubled run changes nothing. Days are local dates. What is archived is for `archive`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any, NamedTuple

from bankd.pages.memory import Confidence, Memory
from bankd.pages.names import BANK, is_within

if TYPE_CHECKING:
    from bankd.settings import DecayPolicy


FIRST_STABILITY = 30.0
"""Days in which the strength of a memory that nobody has used falls to 1/e: it is weak after 90, as design section 17 asks."""
GROWTH = 2.0
"""A use on another day multiplies the stability by this: ours, the smallest factor that studies of spacing report."""
REPEATEDLY = 3
"""After this many days of being ignored, with no use between, stability shrinks: once may be the fault of the question."""
SHORTEST_STABILITY, LONGEST_STABILITY = 10.0, 3650.0
"""Days. So no memory is offered within a month, and none is held for more than thirty years."""
MOST_IMPORTANT = 10
"""The range of importance begins at 1: design section 17."""
USED = "used"
IGNORED = "ignored"
IMPORTANCE = "importance"
RECALLED = "recalled"
TAKEN_BACK = 0
"""The importance of a memory when a person takes its importance back."""
KINDS = frozenset({USED, IGNORED, IMPORTANCE, RECALLED})


@dataclass(slots=True)
class UseSignals:
    """The use of one memory: the local day of each event, and its importance, 1 to 10."""

    recalled: set[date] = field(default_factory=set)
    """The days on which it answered a search."""
    used: list[date] = field(default_factory=list)
    ignored: list[date] = field(default_factory=list)
    importance: int | None = None


class UseEvent(NamedTuple):
    """An event of use, with what folding needs; `at` begins with its local day, ISO 8601."""

    memory: str
    kind: str
    at: str
    run: str
    value: int | None


def read_use(item: Mapping[str, Any]) -> UseEvent | None:
    """An event of use as an index keeps it; None for any other event, and for one that cannot be read.

    A value is a whole number from 1 to 10, or `TAKEN_BACK`.
    """
    kind, memory, value = (item.get(name) for name in ("type", "memory", "value"))
    at, run = str(item.get("day", item.get("at", ""))), str(item.get("run", ""))
    if kind not in KINDS or not isinstance(memory, str) or not (memory + run).isascii() or not _is_day(at[:10]):
        return None
    return UseEvent(memory, kind, at, run, value if type(value) is int and 0 <= value <= MOST_IMPORTANT else None)


def _is_day(text: str) -> bool:
    try:
        return text.isascii() and date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


NOTHING = UseSignals()
"""The signals of a memory that was never used."""


def note_use(signals: dict[str, UseSignals], use: UseEvent) -> None:
    """Fold one event of use; order matters only for importance, where the last event holds."""
    own, day = signals.setdefault(use.memory, UseSignals()), date.fromisoformat(use.at[:10])
    if use.kind == RECALLED:
        own.recalled.add(day)
    elif use.kind == USED:
        own.used.append(day)
    elif use.kind == IGNORED:
        own.ignored.append(day)
    elif use.value is not None:
        own.importance = use.value or None


class StrengthPoint(NamedTuple):
    """A day on which something happened to a memory, or today: the event, and the strength before and after, 0 to 1."""

    day: date
    what: str
    before: float
    after: float


def stability_of(signals: UseSignals) -> float:
    """The days in which strength falls to 1/e: doubled by each day of use, halved by days in a row of being ignored."""
    stability, ignored = FIRST_STABILITY, 0
    for day in sorted({*signals.used, *signals.ignored}):
        was_used = day in signals.used
        ignored = 0 if was_used else ignored + 1
        if was_used:
            stability = min(stability * GROWTH, LONGEST_STABILITY)
        elif ignored >= REPEATEDLY:
            stability = max(stability / GROWTH, SHORTEST_STABILITY)
    return stability


def strength_on(today: date, last: date, signals: UseSignals = NOTHING, *, is_pinned: bool = False) -> float:
    """The strength today of a memory that was learned or used last on `last`; a pin and importance are lower limits."""
    if is_pinned:
        return 1.0
    faded = math.exp(-max(0, (today - last).days) / stability_of(signals))
    return max(faded, (signals.importance or 0) / MOST_IMPORTANT)


def curve_of(
    learned: date, said_again: Collection[date], signals: UseSignals, today: date, *, is_pinned: bool = False
) -> list[StrengthPoint]:
    """The strength of a memory on each day of its life, and today; between two points it falls as in `strength_on`.

    A pin and today's importance are lower limits of the whole curve.
    """

    def strength(day: date, until: date) -> float:
        """The strength on a day by what was known at the end of `until`."""
        recalled = {day for day in signals.recalled if day <= until}
        used, ignored = ([day for day in days if day <= until] for days in (signals.used, signals.ignored))
        known = UseSignals(recalled, used, ignored, signals.importance)
        met = [met for met in (learned, *said_again, *known.recalled, *known.used) if met <= until]
        return strength_on(day, max(met), known, is_pinned=is_pinned) if met else 0.0

    happened: dict[str, Collection[date]] = {
        "learned": {learned},
        "said again": said_again,
        "answered": signals.recalled,
        "used": signals.used,
        "ignored": signals.ignored,
    }
    points, before = list[StrengthPoint](), date.min
    for day in sorted({today, *(day for days in happened.values() for day in days if day <= today)}):
        what = ", ".join(what for what, days in happened.items() if day in days) or "today"
        points.append(StrengthPoint(day, what, strength(day, before), strength(day, day)))
        before = day
    return points


NOTICE = timedelta(days=7)
"""A fading memory is announced this long before it goes, and stays at least this long after it was taken in: old opinions may
have faded already when they are imported."""
FADING_TAG = "O"
CERTAIN = 100

CONFIRMATION = 5
"""Hundredths that saying an opinion again adds to what it is worth that day."""


@dataclass(frozen=True, slots=True)
class Fading:
    """How much an opinion loses a day, and the value below which it is archived, in hundredths; and where none fades.

    `kept` are pages relative to the workspace; each covers its parts.
    """

    per_day: int
    floor: int
    kept: tuple[str, ...] = ()

    @classmethod
    def of(cls, policy: DecayPolicy, name_now: Callable[[str], str] = str) -> Fading:
        """Read the settings, which are whole hundredths written as fractions, such as 0.02; `name_now` follows moved pages."""
        kept = dict.fromkeys(BANK + name for page in policy.keep for name in (page, name_now(page)))
        return cls(round(policy.per_day * 100), round(policy.floor * 100), tuple(kept))

    def keeps(self, page: str) -> bool:
        """Whether no opinion fades on this page, relative to the workspace."""
        return is_within(page, self.kept)


def value_on(written: Confidence, today: date, fading: Fading, page: str = "", used: Iterable[date] = ()) -> int:
    """Today's confidence in hundredths, of an opinion on this page that was used on these days.

    It does not fade on a page that is kept, on a day on which it was used, and when its day is missing or in the future.
    """
    if written.day is None or fading.keeps(page):
        return written.hundredths
    days = (today - written.day).days - len({day for day in used if written.day < day <= today})
    return max(0, written.hundredths - fading.per_day * max(0, days))


def falls_on(written: Confidence, fading: Fading, used: Collection[date] = ()) -> date | None:
    """The first day on which a value with a day is below the floor; None when that day never comes."""
    if written.day is None:
        return None
    above = written.hundredths - fading.floor
    if above < 0:
        return written.day
    if not fading.per_day or not fading.floor:
        return None
    days = above // fading.per_day + 1
    if days + len(used) > (date.max - written.day).days:
        return None
    falls = written.day + timedelta(days)
    for day in sorted({*used}):
        falls += timedelta(written.day < day <= falls)
    return falls


def is_fading(memory: Memory) -> bool:
    """Whether a memory fades at all: an opinion with a confidence and without a pin."""
    return memory.tag == FADING_TAG and memory.confidence is not None and not memory.is_pinned


def raise_confidence(worth: int, today: date, said: Confidence | None = None) -> Confidence:
    """The confidence of an opinion that was said again today: a little more than it was worth, and at least what was said."""
    return Confidence(max(min(CERTAIN, worth + CONFIRMATION), said.hundredths if said else 0), today)
