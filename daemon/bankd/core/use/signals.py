"""Events of use, folded by memory: asked for, used, ignored, and how important somebody called it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, NamedTuple

from bankd.core.use.policy import LEAST_IMPORTANT, MOST_IMPORTANT

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
