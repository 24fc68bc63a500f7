"""Which Retain lines are new: not consumed before, under whatever name their log had then.

It sees readings and the ledger; where logs lie and how they are read is not its business.
"""

from __future__ import annotations

from collections.abc import Callable, Set
from dataclasses import dataclass

from bankd.core.events import KEPT, Ledger
from bankd.core.memory import memory_id, statement_of
from bankd.core.retain import LogReading

_RENAME_SHARE = 0.5
"""A log whose lines were at least to this share read under a vanished name is that log, renamed."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A log that was first read under another name."""

    log: str
    was: str


def find_renamed(reading: LogReading, ledger: Ledger, present: Set[str]) -> Renamed | None:
    """Recognise a log that was renamed, for a wrong date say, by the lines that were read under its old name."""
    if reading.log in ledger.identities or not reading.lines:
        return None
    consumed = ledger.logs()
    if reading.log in consumed:
        return None
    vanished = {was: ids for was, ids in consumed.items() if was not in present and was not in _renamed_to(ledger)}
    shares = {was: _share(reading, was, ids) for was, ids in vanished.items()}
    best = max(sorted(shares), key=lambda was: shares[was], default=None)
    return Renamed(reading.log, best) if best is not None and shares[best] >= _RENAME_SHARE else None


def _renamed_to(ledger: Ledger) -> set[str]:
    return set(ledger.identities.values())


def _share(reading: LogReading, was: str, ids: Set[str]) -> float:
    known = (memory_id(was, statement_of(line.memory), line.occurrence) in ids for line in reading.lines)
    return sum(known) / len(reading.lines)


def find_vanished(ledger: Ledger, held: Callable[[Set[str]], Set[str]]) -> tuple[str, ...]:
    """Memories that were kept and that no page holds any more although nobody but a hand took them out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT} - ledger.gone.keys()
    return tuple(sorted(kept - held(kept)))
