"""The nights of many banks: when each is due, what follows a failure, and how it stands with all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bankd.core.daemon.schedule import Daily, Slot

TRIES, GROWTH = 6, 4
"""How often a night is tried, and how many times the last wait each wait is: a minute becomes four, then hours; after six hours in all a
person has to look, and the next night is near."""


@dataclass(frozen=True, slots=True)
class FleetBank:
    """A bank of a fleet: its number in the tables, its name, folder and storage, and when its night is."""

    number: int
    name: str
    root: str
    storage: str
    zone: str
    at: time
    due: datetime
    is_shared: bool = False
    """Whether the shared search has it."""


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """How the last try of a night ended: `said` is what it did, or why it failed; `seconds` of wall time."""

    bank: str
    night: str
    ended: datetime
    seconds: float
    tries: int
    is_done: bool
    said: str
    worker: str = ""


@dataclass(frozen=True, slots=True)
class UnfinishedNight:
    """A night that is not done: `state` is waiting, running, stalled, again (it failed, and is tried again) or failed."""

    bank: str
    night: str
    state: str
    tries: int
    next_try: datetime | None
    said: str


@dataclass(frozen=True, slots=True)
class FleetFacts:
    """How it stands with a fleet; `due` counts the banks whose night nobody has put in the queue yet."""

    banks: int
    due: int
    workers: int
    done: int
    unfinished: Sequence[UnfinishedNight]
    slowest: Sequence[NightOutcome]

    def count(self, state: str) -> int:
        """How many unfinished nights are in a state."""
        return sum(one.state == state for one in self.unfinished)


STATES = ("waiting", "running", "stalled", "again", "failed")
_HELP = {
    "bankd_fleet_banks": "Banks of the fleet.",
    "bankd_fleet_workers": "Workers that were heard of lately.",
    "bankd_fleet_due": "Banks whose night is due and not in the queue yet.",
    "bankd_fleet_done": "Nights done in the last 24 hours.",
    "bankd_fleet_nights": "Nights that are not done, by state.",
    "bankd_fleet_slowest_seconds": "How long the slowest night of the last 24 hours took.",
}


def due_night(at: time, zone: str, due: datetime, now: datetime) -> tuple[str, datetime]:
    """The night that is to be done of a bank which was due, the last where several passed, and when the next one is due."""
    daily = Daily(at, ZoneInfo(zone))
    passed: list[Slot] = daily.slots(due - timedelta(microseconds=1), now)
    night = passed[-1].key if passed else due.astimezone(daily.zone).date().isoformat()
    return night, daily.following(now).due


def wait_after(tries: int, first: float) -> float | None:
    """The seconds until a night with this many failures is tried again, the first time after `first`; None: never."""
    return None if tries >= TRIES else first * GROWTH ** (tries - 1)


def render_fleet_metrics(facts: FleetFacts) -> str:
    """The facts as Prometheus reads them: its text exposition format 0.0.4."""
    lines: list[str] = []
    for name, samples in _samples(facts):
        lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} gauge"]
        lines += [f"{name}{labels} {value:g}" for labels, value in samples]
    return "\n".join(lines) + "\n"


def _samples(facts: FleetFacts) -> Iterator[tuple[str, Sequence[tuple[str, float]]]]:
    yield "bankd_fleet_banks", [("", facts.banks)]
    yield "bankd_fleet_workers", [("", facts.workers)]
    yield "bankd_fleet_due", [("", facts.due)]
    yield "bankd_fleet_done", [("", facts.done)]
    yield "bankd_fleet_nights", [(f'{{state="{state}"}}', facts.count(state)) for state in STATES]
    yield "bankd_fleet_slowest_seconds", [("", max((one.seconds for one in facts.slowest), default=0.0))]
