"""What the event log says when a run is taken back: of each memory that comes or goes by that, what it is now."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from bankd.core.edits.transaction import Event
from bankd.core.lifecycle.events import (
    APART,
    ARCHIVED,
    DISMISSED,
    IMPORTED,
    REOPENED,
    RESTORED,
    TAKEN_OUT,
    UNDONE,
    Ledger,
    make_event,
)
from bankd.core.lifecycle.retiring import moved_out
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.use.signals import IMPORTANCE, TAKEN_BACK

_KEPT_FACTS = ("page", "heading", "after", "before", "is_apart", "reason")


def turns_of(
    turned: Mapping[str, tuple[MemoryLines | None, MemoryLines | None]],
    run: str,
    undoes: str,
    at: datetime,
    ledger: Ledger,
) -> tuple[Event, ...]:
    """The events of an undo; nothing is said of a memory that stays in the bank, or in the archive."""
    found = ((id_, *places, _kind(*places)) for id_, places in sorted(turned.items()))
    return tuple(
        make_event(kind, f"{id_}@{run}", at, **_facts(kind, id_, here, undoes, ledger), run=run, undoes=undoes)
        for id_, here, _, kind in found
        if kind
    )


def _kind(here: MemoryLines | None, there: MemoryLines | None) -> str | None:
    place = _place(there)
    if place == _place(here):
        return None
    return {"": UNDONE, "bank": RESTORED, "archive": ARCHIVED}[place]


def _place(lines: MemoryLines | None) -> str:
    return lines.page.partition("/")[0] if lines else ""


def _facts(kind: str, id_: str, here: MemoryLines | None, undoes: str, ledger: Ledger) -> dict[str, object]:
    """What archives a memory says where it stood: as it was said when it went there first."""
    if kind != ARCHIVED:
        return {"memory": id_}
    stone = ledger.tombstones.get(id_)
    if stone is None and here is not None:
        return moved_out(id_, here, f"{undoes} was taken back").tombstone
    return {"memory": id_, **{name: stone[name] for name in _KEPT_FACTS if stone and name in stone}}


def reopenings_of(events: Iterable[Event], run: str, at: datetime) -> tuple[Event, ...]:
    """The events by which a person is asked again what the events of a run say was settled, or has another say back."""
    return tuple(
        make_event(kind, f"{said['id']}@{run}", at, **_kept_of(said), run=run)
        for said in events
        if (kind := _REOPENS.get(str(said["type"])))
    )


def _kept_of(said: Event) -> dict[str, object]:
    """The facts of an event; the importance of a memory is as it was before that event."""
    told = {name: value for name, value in said.items() if name not in _OF_EVENTS}
    if said["type"] == IMPORTANCE:
        told |= {"value": told.get("before", TAKEN_BACK), "before": told.get("value", TAKEN_BACK)}
    return told


_REOPENS = {APART: REOPENED, DISMISSED: REOPENED, IMPORTANCE: IMPORTANCE, IMPORTED: TAKEN_OUT, TAKEN_OUT: IMPORTED}
_OF_EVENTS = frozenset({"id", "type", "at", "run", "told"})
