"""The promises of a bank, checked from outside knowledge: its logs and pages, not the books of the program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from bankd.core.lifecycle.copies import ADVICE, find_copied
from bankd.core.lifecycle.events import DUPLICATE, KEPT, REVISED, SCREENED, Ledger
from bankd.core.lifecycle.retain import LogReading, RetainLine


@dataclass(frozen=True, slots=True)
class VerifyFinding:
    """A promise that does not hold: which (`lost`, `twice`, `link`, `left over`, `unreadable`), where, and in words."""

    kind: str
    place: str
    words: str


@dataclass(frozen=True, slots=True)
class Emptied:
    """A page that fell to nothing and is believed only when it has been so for days; how many memories wait with it."""

    page: str
    memories: int
    days: int

    @property
    def words(self) -> str:
        """What waits, and until when."""
        which = f"{self.memories} memories stood on it" if self.memories > 1 else "1 memory stood on it"
        days = f"{self.days} day{'s' if self.days > 1 else ''}"
        return f"is empty, perhaps cut by an unfinished save; {which}, taken for deleted after {days}"


@dataclass(frozen=True, slots=True)
class Verification:
    """What was looked at, what is wrong, how many lines wait for the next run, and which pages were just emptied."""

    lines: int
    memories: int
    waiting: int
    findings: tuple[VerifyFinding, ...]
    emptied: tuple[Emptied, ...] = ()


def find_lost(
    readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> list[VerifyFinding]:
    """Retain lines that were taken in and of which nothing is left: no page, no archive, no tombstone."""
    lines = [line for reading in readings for line in reading.lines]
    why = [(line, _why_lost(line, places, ledger)) for line in lines]
    return [VerifyFinding("lost", str(line.place), words) for line, words in why if words is not None]


def _why_lost(line: RetainLine, places: Mapping[str, Sequence[str]], ledger: Ledger) -> str | None:
    fact = ledger.consumed.get(line.id)
    if fact is None or line.id in places or line.id in ledger.gone:
        return None
    if fact["type"] == SCREENED:
        return None
    if fact["type"] == REVISED:
        memory = str(fact.get("of"))
        return None if memory in places or memory in ledger.gone else f"is followed by {memory}, which is in no page"
    if fact["type"] == DUPLICATE:
        twin = str(fact.get("of"))
        known = twin in places or twin in ledger.gone or not twin.startswith("m-") or bool(fact.get("text"))
        return None if known else f"was blocked as saying what {twin} says, and that is gone"
    return f"became {line.id}, which is in no page; if you took it out, the next run will note that"


def count_waiting(readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger) -> int:
    """How many Retain lines no run has taken in yet."""
    lines = [line for reading in readings for line in reading.lines]
    return sum(line.id not in ledger.consumed and line.id not in places for line in lines)


def find_missing_memories(places: Mapping[str, Sequence[str]], ledger: Ledger) -> list[str]:
    """The ids of memories that were kept, are in no place, and of which nobody knows that they were taken out."""
    kept = {id_ for id_, fact in ledger.consumed.items() if fact["type"] == KEPT}
    return sorted(kept - places.keys() - ledger.gone.keys())


def find_lost_books(
    readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> list[VerifyFinding]:
    """Memories that were kept, whose log line is gone too: only the books still know them."""
    in_logs = {line.id for reading in readings for line in reading.lines}
    missing = [(id_, ledger.consumed[id_]) for id_ in find_missing_memories(places, ledger) if id_ not in in_logs]
    return [
        VerifyFinding(
            "lost", f"memory/{fact.get('log')}:{fact.get('line')}", f"{id_} is in no page, its line is gone too"
        )
        for id_, fact in missing
    ]


def find_doubled(places: Mapping[str, Sequence[str]]) -> list[VerifyFinding]:
    """Ids that stand in more than one place."""
    return [
        VerifyFinding("twice", " and ".join(copied.places), f"{copied.id} stands {len(copied.places)} times; {ADVICE}")
        for copied in find_copied(places)
    ]
