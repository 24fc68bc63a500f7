"""The nights of many banks: when each is due, what follows a failure, and how it stands with all of them.

The banks of a fleet, in the table `banks`: where each is, when its night is due, and how its nights ended.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bankd.errors import UserError
from bankd.fleet.database import FleetConnection, FleetDatabase
from bankd.health.schedule import Daily, Slot

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


_BANK = "number, name, root, storage, zone, at, due, is_shared"
_NIGHT = "bank, night, ended, seconds, tries, is_done, said, worker"
_AT_ONCE = 1_000
_KEPT = "60 days"


class BankRegistry:
    """Who asks for a bank by a name that nobody has gets a UserError."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self._database = database

    def add(self, bank: FleetBank) -> bool:
        """Put a bank in, its number left to the table; says whether it is new. One of this name elsewhere is a UserError."""
        with self._database.transaction() as connection:
            query = "SELECT name, root FROM banks WHERE name = %s OR root = %s"
            for name, root in connection.execute(query, (bank.name, bank.root)).fetchall():
                if (name, root) == (bank.name, bank.root):
                    return False
                raise UserError(f"{name} is {root} already; give this one another name with --name, or remove that")
            connection.execute(
                "INSERT INTO banks (name, root, storage, zone, at, due) VALUES (%s, %s, %s, %s, %s, %s)",
                (bank.name, bank.root, bank.storage, bank.zone, bank.at, bank.due),
            )
        return True

    def remove(self, names: Collection[str]) -> None:
        """Take banks out; their files are not touched."""
        banks = self.find(names)
        with self._database.transaction() as connection:
            for table in ("shared_memories", "shared_pages", "shared_postings", "shared_readings", "shared_vectors", "shared_relations", "shared_banks"):  # fmt: skip
                connection.execute(f"DELETE FROM {table} WHERE bank = ANY(%s)", ([bank.number for bank in banks],))  # noqa: S608
            connection.execute("DELETE FROM nights WHERE bank = ANY(%s)", (list(names),))
            connection.execute("DELETE FROM banks WHERE name = ANY(%s)", (list(names),))

    def list_banks(self) -> Sequence[FleetBank]:
        """All banks, by name."""
        return [FleetBank(*row) for row in self._database.rows(f"SELECT {_BANK} FROM banks ORDER BY name")]  # noqa: S608

    def find(self, names: Collection[str]) -> Sequence[FleetBank]:
        """These banks, by name."""
        found = self._database.rows(f"SELECT {_BANK} FROM banks WHERE name = ANY(%s) ORDER BY name", list(names))  # noqa: S608
        if missing := set(names) - {row[1] for row in found}:
            raise UserError(*(f"{name}: no bank of the fleet has this name" for name in sorted(missing)))
        return [FleetBank(*row) for row in found]

    def named(self, name: str) -> FleetBank | None:
        """A bank; None where it was taken out."""
        found = self._database.rows(f"SELECT {_BANK} FROM banks WHERE name = %s", name)  # noqa: S608
        return FleetBank(*found[0]) if found else None

    def reschedule(self, bank: FleetBank, at: time, zone: str, due: datetime) -> None:
        """Have the nights of a bank at another time."""
        with self._database.transaction() as connection:
            connection.execute(
                "UPDATE banks SET at = %s, zone = %s, due = %s WHERE number = %s", (at, zone, due, bank.number)
            )

    def take_due(self, connection: FleetConnection, now: datetime) -> Sequence[tuple[FleetBank, str]]:
        """Some of the banks that are due, each with its night; from now on they are due the next time.

        Workers that look at the same time take different ones. Empty when none is left.
        """
        query = f"SELECT {_BANK} FROM banks WHERE due <= %s ORDER BY due LIMIT %s FOR UPDATE SKIP LOCKED"  # noqa: S608
        banks = [FleetBank(*row) for row in connection.execute(query, (now, _AT_ONCE)).fetchall()]
        nights = [due_night(bank.at, bank.zone, bank.due, now) for bank in banks]
        with connection.cursor() as cursor:
            cursor.executemany(
                "UPDATE banks SET due = %s WHERE number = %s",
                [(due, bank.number) for bank, (_, due) in zip(banks, nights, strict=True)],
            )
        return [(bank, night) for bank, (night, _) in zip(banks, nights, strict=True)]

    def is_done(self, bank: str, night: str) -> bool:
        """Whether a night has been done."""
        query = "SELECT 1 FROM nights WHERE bank = %s AND night = %s AND is_done"
        return bool(self._database.rows(query, bank, night))

    def note_night(self, outcome: NightOutcome) -> None:
        """Keep how a try of a night ended, and forget those of long ago."""
        values = (outcome.bank, outcome.night, outcome.ended, outcome.seconds, outcome.tries, outcome.is_done, outcome.said, outcome.worker)  # fmt: skip
        with self._database.transaction() as connection:
            connection.execute(
                f"INSERT INTO nights ({_NIGHT}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (bank, night) DO UPDATE SET "  # noqa: S608
                "(ended, seconds, tries, is_done, said, worker) = (excluded.ended, excluded.seconds, excluded.tries, excluded.is_done, excluded.said, excluded.worker)",
                values,
            )

    def forget_nights(self) -> None:
        """Forget the nights of long ago."""
        with self._database.transaction() as connection:
            connection.execute(f"DELETE FROM nights WHERE ended < now() - interval '{_KEPT}'")  # noqa: S608

    def count(self) -> int:
        """How many banks there are."""
        return int(self._database.rows("SELECT count(*) FROM banks")[0][0])

    def count_due(self, now: datetime) -> int:
        """How many are due, and nobody has put their night in the queue yet."""
        return int(self._database.rows("SELECT count(*) FROM banks WHERE due <= %s", now)[0][0])

    def count_done(self) -> int:
        """How many nights were done in the last 24 hours."""
        query = "SELECT count(*) FROM nights WHERE is_done AND ended > now() - interval '1 day'"
        return int(self._database.rows(query)[0][0])

    def slowest(self, most: int) -> Sequence[NightOutcome]:
        """The slowest nights of the last 24 hours."""
        query = f"SELECT {_NIGHT} FROM nights WHERE ended > now() - interval '1 day' ORDER BY seconds DESC LIMIT %s"  # noqa: S608
        return [NightOutcome(*row) for row in self._database.rows(query, most)]

    def share(self, names: Collection[str]) -> None:
        """Have the shared search know these banks from now on."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE banks SET is_shared = true WHERE name = ANY(%s)", (list(names),))

    def allow(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Let a role of the database search these banks; UserError where there is no such role."""
        self._database.permit(reader)
        with self._database.transaction() as connection, connection.cursor() as cursor:
            cursor.executemany(
                "INSERT INTO readers VALUES (%s, %s) ON CONFLICT DO NOTHING", [(bank.number, reader) for bank in banks]
            )

    def deny(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Let a role search these banks no more."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM readers WHERE reader = %s AND bank = ANY(%s)", (reader, [bank.number for bank in banks])
            )
