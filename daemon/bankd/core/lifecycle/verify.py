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
class Verification:
    """What was looked at, what is wrong, and how many lines wait for the next run."""

    lines: int
    memories: int
    waiting: int
    findings: tuple[VerifyFinding, ...]


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


def find_lost_books(
    readings: Iterable[LogReading], places: Mapping[str, Sequence[str]], ledger: Ledger
) -> list[VerifyFinding]:
    """Memories that were kept, whose log line is gone too: only the books still know them."""
    in_logs = {line.id for reading in readings for line in reading.lines}
    kept = {id_: fact for id_, fact in ledger.consumed.items() if fact["type"] == KEPT}
    missing = sorted(kept.keys() - in_logs - places.keys() - ledger.gone.keys())
    return [
        VerifyFinding(
            "lost",
            f"memory/{kept[id_].get('log')}:{kept[id_].get('line')}",
            f"{id_} is in no page, its line is gone too",
        )
        for id_ in missing
    ]


def find_doubled(places: Mapping[str, Sequence[str]]) -> list[VerifyFinding]:
    """Ids that stand in more than one place."""
    return [
        VerifyFinding("twice", " and ".join(copied.places), f"{copied.id} stands {len(copied.places)} times; {ADVICE}")
        for copied in find_copied(places)
    ]
