"""Which pages are fought over: what a run wrote there is changed back, written again, changed back, and so on.

Only what is written once more counts. New memories may go to one page all day long, and people may edit it meanwhile.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Sequence
from datetime import datetime, timedelta

from bankd.core.edits.operations import Carry, Operation, pieces_of
from bankd.core.edits.transaction import HEALING, Transaction

MOST_AGAIN = 3
REST = timedelta(minutes=10)
"""So often within this time may a page be given what it was given before; then it is left alone for as long."""

_BY_ITSELF = HEALING | {"run"}  # not what a person asked for, nor an editor's own late lines


def find_rests(written: Iterable[tuple[Transaction, Collection[str]]]) -> dict[str, datetime]:
    """Until when each page is left alone; `written` has what was carried out, oldest first, and the files it changed."""
    asked: dict[str, set[Hashable]] = {}
    again: dict[str, set[datetime]] = {}
    for transaction, changed in written:
        for path in changed:
            wanted = {part for operation in transaction.operations for part in _parts(operation, path)}
            known = asked.setdefault(path, set())
            if transaction.kind in _BY_ITSELF and wanted & known:
                again.setdefault(path, set()).add(datetime.fromisoformat(transaction.planned_at))
            known |= wanted
    return {path: until for path, times in again.items() if (until := _rests_until(sorted(times)))}


def _parts(operation: Operation, path: str) -> set[Hashable]:
    """What an operation asks of a page, in parts that differ from what is asked of it another time."""
    if operation.path != path or isinstance(operation, Carry):
        return set()
    kind = type(operation)
    return {(kind, piece) for piece in pieces_of(operation)} or {operation}


def _rests_until(times: Sequence[datetime]) -> datetime | None:
    bursts = [last for first, last in zip(times, times[MOST_AGAIN - 1 :], strict=False) if last - first <= REST]
    return bursts[-1] + REST if bursts else None


def why_resting(until: datetime) -> str:
    """Why a page is left alone, for people."""
    return f"changed back each time it was written; left alone until {until:%H:%M}"


ADVICE = "find what changes it back: a sync tool, a formatter, an editor with an old copy; then bankd goes on by itself"
