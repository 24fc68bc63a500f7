"""History in batches: a run takes in as many lines as the budget allows, oldest first, and says where the next begins."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from bankd.core.lifecycle.retain import LogPlace, LogReading, RetainLine
from bankd.core.markdown.policy import BudgetPolicy

_DAY = re.compile(r"(?<!\d)\d{4}-\d\d-\d\d(?!\d)")
_FORCED = 10
"""Times the budget that a forced run may add: each run looks at all of the pages that it adds to, and a run holds some
20 kB of memory for a line."""


@dataclass(frozen=True, slots=True)
class Rest:
    """What a run has left for the next: the line where that begins, and how many logs are not read to their end."""

    start: LogPlace
    logs: int


def order_by_day(logs: Iterable[str]) -> list[str]:
    """The names of logs as their days follow each other; those that name no day come last."""
    return sorted(logs, key=_day_and_name)


def _day_and_name(log: str) -> tuple[str, str]:
    days = _DAY.findall(log)
    return (days[-1] if days else "~", log)


def take_from(start: LogPlace | None, lines: Iterable[RetainLine]) -> list[RetainLine]:
    """The lines that no earlier batch has looked at."""
    return [line for line in lines if start is None or line.place.log != start.log or line.place >= start]


def most_lines(budget: BudgetPolicy, *, force: bool) -> int:
    """How many lines of text one run may add."""
    return budget.max_added_lines * (_FORCED if force else 1)


def cut_batch(lines: Sequence[RetainLine], most: int | None) -> tuple[Sequence[RetainLine], Sequence[RetainLine]]:
    """Divide new lines into a batch of up to this many lines of text, or one memory, and the rest."""
    if most is None:
        return lines, ()
    count = max(sum(total <= most for total in _totals(lines)), 1)
    return lines[:count], lines[count:]


def _totals(lines: Iterable[RetainLine]) -> Iterator[int]:
    total = 0
    for line in lines:
        total += lines_added(line)
        yield total


def lines_added(line: RetainLine) -> int:
    """How many lines of text a memory adds to a page."""
    return line.memory.text.count("\n") + 1


def rest_of(readings: Sequence[LogReading], over: Sequence[RetainLine], later: Sequence[str]) -> Rest | None:
    """Where the next batch begins, when lines of these logs are over, or logs were left for later."""
    if over:
        log = over[0].place.log
        first = [reading.log for reading in readings].index(log)
        return Rest(over[0].place, len(readings) - first + len(later))
    return Rest(LogPlace(later[0], 1), len(later)) if later else None


def whole_logs(readings: Sequence[LogReading], start: LogPlace | None, rest: Rest | None) -> Sequence[LogReading]:
    """The logs that are in this batch from their first line to their last."""
    names = [reading.log for reading in readings]
    first = 1 if start and start.line > 1 and names[:1] == [start.log] else 0
    end = names.index(rest.start.log) if rest and rest.start.log in names else len(names)
    return readings[first:end]
