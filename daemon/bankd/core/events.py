"""What the event log says, folded: which lines were consumed, what became of them, which logs were renamed.

An event is a JSON object with an `id`; the same id twice is one event, so folding is a set and the order of files does
not matter.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, TypeAlias

Event: TypeAlias = Mapping[str, Any]

KEPT = "kept"
DUPLICATE = "duplicate"
SCREENED = "screened"
DELETED = "deleted"
FORGOTTEN = "forgotten"
ARCHIVED = "archived"
RESTORED = "restored"
RENAMED = "renamed"
SUPERSEDED = "superseded"
UNDONE = "undone"

_CONSUMING = frozenset({KEPT, DUPLICATE, SCREENED})
_REMOVING = frozenset({DELETED, FORGOTTEN, ARCHIVED, UNDONE})


def event(kind: str, key: str, at: datetime, /, **facts: object) -> dict[str, object]:
    """Make an event whose id is a function of its kind and key, so that saying it twice adds nothing."""
    return {"id": f"{kind}:{key}", "type": kind, "at": at.isoformat(timespec="seconds"), **facts}


@dataclass(slots=True)
class Ledger:
    """The fold of all events: by memory id, what became of its line; by log, the name it was first read under; `superseded`: old id to new."""

    consumed: dict[str, Event] = field(default_factory=dict)
    gone: dict[str, Event] = field(default_factory=dict)
    identities: dict[str, str] = field(default_factory=dict)
    forgotten_keys: set[str] = field(default_factory=set)
    superseded: dict[str, str] = field(default_factory=dict)

    def identity_of(self, log: str) -> str:
        """The name under which a log was first read, whatever it is called now."""
        return self.identities.get(log, log)

    def logs(self) -> dict[str, set[str]]:
        """For each log that was read, the ids of its consumed lines."""
        found: dict[str, set[str]] = {}
        for memory, fact in self.consumed.items():
            found.setdefault(self.identity_of(str(fact.get("log", ""))), set()).add(memory)
        return found


def fold(events: Iterable[Event]) -> Ledger:
    """Fold events into a ledger; what an event of an unknown type means is not ours to guess."""
    unique = {str(item["id"]): item for item in events}
    ledger = Ledger()
    for item in sorted(unique.values(), key=lambda item: (str(item.get("at", "")), str(item["id"]))):
        _apply(ledger, item)
    return ledger


def _apply(ledger: Ledger, item: Event) -> None:
    kind, memory = str(item.get("type")), str(item.get("memory", ""))
    if kind in _CONSUMING:
        ledger.consumed.setdefault(memory, item)
    elif kind in _REMOVING:
        ledger.gone[memory] = item
        if kind == FORGOTTEN and item.get("key"):
            ledger.forgotten_keys.add(str(item["key"]))
    elif kind == RESTORED:
        ledger.gone.pop(memory, None)
    elif kind == SUPERSEDED:
        ledger.superseded[memory] = str(item.get("by"))
    elif kind == RENAMED:
        ledger.identities[str(item.get("log"))] = str(item.get("was"))
