"""Which Retain lines are new: not consumed before, under whatever name their log had then.

It sees readings and the ledger; where logs lie and how they are read is not its business.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass

from bankd.core.lifecycle.events import DELETED, KEPT, Ledger
from bankd.core.lifecycle.retain import LogReading
from bankd.core.markdown.memory import memory_id, statement_of

_RENAME_SHARE = 0.5
"""A log of whose lines at least this share was read under another name is that log, renamed."""

_ALL_OF_A_LOG = 3
"""Lines that a log must have had for one that holds them all to be it, renamed and grown by more than it had."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A log that was first read under another name, and the other logs that are there and were first read under it."""

    log: str
    was: str
    beside: tuple[str, ...] = ()


def find_renamed(readings: Sequence[LogReading], ledger: Ledger, present: Set[str]) -> tuple[Renamed, ...]:
    """Recognise logs that were renamed, for a wrong date say, by the lines that were read under another name.

    A name says little: logs are renamed again and again, change names with each other, or take one that was used before.
    """
    consumed = ledger.read
    strangers = [r for r in readings if r.lines and not _is_log(r, ledger.identity_of(r.log), consumed)]
    borne = Counter(ledger.identity_of(log) for log in present - {reading.log for reading in strangers})
    # Several logs may go by one first name: it is free while fewer of them are there than ever were at once.
    free = {was: ids for was, ids in consumed.items() if borne[was] < ledger.logs.get(was, 1)}
    found = {r.log: was for r in strangers if free and (was := _best_match(r, free)) is not None}
    bearing = _by_first_name(present, {**ledger.identities, **found}) if found else {}
    return tuple(Renamed(log, was, tuple(sorted(bearing[was] - {log}))) for log, was in found.items())


def _by_first_name(logs: Set[str], identities: Mapping[str, str]) -> Mapping[str, Set[str]]:
    bearing: defaultdict[str, set[str]] = defaultdict(set)
    for log in logs:
        bearing[identities.get(log, log)].add(log)
    return bearing


def _best_match(reading: LogReading, free: Mapping[str, Set[str]]) -> str | None:
    best = max(sorted(free), key=lambda was: _count_known(reading, was, free))
    return best if _is_log(reading, best, free) else None


def _is_log(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> bool:
    """Whether it is the log of that first name: half of its lines were read there, or it has all that were, and grew."""
    known = _count_known(reading, was, consumed)
    is_grown = known >= max(len(consumed.get(was, ())), _ALL_OF_A_LOG)
    return known >= _RENAME_SHARE * len(reading.lines) or is_grown


def _count_known(reading: LogReading, was: str, consumed: Mapping[str, Set[str]]) -> int:
    """How many of its lines were read under a first name."""
    ids = consumed.get(was)
    if not ids:
        return 0
    if was == reading.identity:
        return sum(line.id in ids for line in reading.lines)
    return sum(memory_id(was, statement_of(line.memory), line.occurrence) in ids for line in reading.lines)


def find_returned(ledger: Ledger, held: Callable[[Set[str]], Set[str]]) -> tuple[str, ...]:
    """Memories that passed for deleted by hand and that a page holds again."""
    deleted = {id_ for id_, fact in ledger.gone.items() if fact["type"] == DELETED}
    return tuple(sorted(held(deleted)))


def find_vanished(ledger: Ledger, held: Callable[[Set[str]], Set[str]]) -> tuple[str, ...]:
    """Memories that were kept and that no page holds any more although nobody but the user took them out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT} - ledger.gone.keys()
    return tuple(sorted(kept - held(kept)))
