"""How well a memory fits the days that a question asks about.

A memory belongs to the days that it speaks of, else to the one on which it was learned. What was so at a time is said
by what was learned before it, the last of it first; what was learned after it may say otherwise by then.
The values were chosen on the questions with even numbers of a year of dated memories, and are reported on the odd ones.
"""

# No postponed annotations here: a NamedTuple would compile each of them again, at every `bankctl search`.
import math
from collections.abc import Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING

from bankd.core.language.dates.spans import Span, on

if TYPE_CHECKING:
    from typing import Protocol

    class Dated(Protocol):
        """A memory with its days."""

        @property
        def tag(self) -> str | None: ...
        @property
        def learned(self) -> date | None: ...
        @property
        def about(self) -> tuple[Span, ...]: ...


TIME_WEIGHT = 0.2
"""What fitting the days counts beside the score for words, which is seldom above 0.6."""
NOW_WEIGHT = 0.1
"""What being the newest counts, for a question about what holds now."""
_BESIDE = 0.4
"""The fit of what was learned on those days and speaks of others."""
_NO_EVENT = 0.6
"""The share that habits, opinions and beliefs have of the fit of what happened."""
_BEFORE = 0.5
_FADES_IN_DAYS = 180
"""The fit of what was learned right before those days, and after how many days half of it is left."""
_NARROWNESS = 0.25
"""How fast the fit falls as a memory speaks of longer and longer times: of a year, a day in it fits by a quarter."""
TELLING = 0.5
"""From this fit on a memory is of those days."""


def happened_in(memory: "Dated", windows: Iterable[Span]) -> float:
    """How well a memory tells what happened in some windows, 0 to 1; what held all the time tells it less."""
    fit = fit_of(memory, windows)
    return fit * fit * (1.0 if memory.tag in {"W", None} else _NO_EVENT)


def fit_of(memory: "Dated", windows: Iterable[Span]) -> float:
    """How well a memory fits the best of some windows, 0 to 1."""
    return max((_fit(memory, window) for window in windows), default=0.0)


def _fit(memory: "Dated", window: Span) -> float:
    spoken = max((_covered(span, window) for span in memory.about), default=0.0)
    if memory.learned is None or not on(memory.learned).overlap(window):
        return spoken
    return max(spoken, _BESIDE if memory.about else 1.0)


def _covered(span: Span, window: Span) -> float:
    """The share of a span that is in a window, or of the window in the span where that is longer."""
    return span.overlap(window) / min(span.days, window.days) * math.pow(min(1.0, window.days / span.days), _NARROWNESS)


def held_before(memory: "Dated", windows: Sequence[Span], today: date) -> float:
    """How well a memory tells what was so in a past window, though it is not of it: the last learned before tells it best."""
    ends = [window.last for window in windows if window.last < today]
    if memory.learned is None or not ends or memory.learned > max(ends):
        return 0.0
    age = (max(ends) - memory.learned).days
    return _BEFORE * math.pow(0.5, age / _FADES_IN_DAYS)


def day_within(memory: "Dated", windows: Sequence[Span]) -> date:
    """The first day that a memory speaks of in the windows, else the one on which it was learned, for a timeline."""
    inside = [max(span.first, window.first) for window in windows for span in memory.about if span.overlap(window)]
    return min(inside, default=memory.learned or date.min)
