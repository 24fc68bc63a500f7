"""The banks of a fleet, in the table `banks`, and their nights: when each is due, what follows a failure, how it ended.

Also what `bankctl fleet status` tells of all of them, and its metrics.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from bankd.errors import UserError
from bankd.fleet.database import PARTITIONED, FleetConnection, FleetDatabase
from bankd.health.schedule import Daily, Slot

_TRIES, _GROWTH = 6, 4
"""The number of tries of a night, and the factor between waits. From one minute that makes six hours in all; then a
person has to look, and the next night is near."""


@dataclass(frozen=True, slots=True)
class FleetBank:
    """A bank of a fleet: its number in the tables, name, folder, storage, and the time of its night."""

    number: int
    name: str
    root: str
    storage: str
    zone: str
    at: time
    due: datetime
    is_shared: bool = False
    """Whether it is in the shared search."""


@dataclass(frozen=True, slots=True)
class NightOutcome:
    """How the last try of a night ended. `said` is what it did, or why it failed; `seconds` is wall time."""

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
    """A night that is not done. `state` is waiting, running, stalled, again (failed, will be tried again) or failed."""

    bank: str
    night: str
    state: str
    tries: int
    next_try: datetime | None
    said: str


@dataclass(frozen=True, slots=True)
class FleetFacts:
    """The state of a fleet. `due` counts the banks whose night is due but not in the queue yet."""

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


def due_night(at: time, zone: str, due: datetime, now: datetime) -> tuple[str, datetime]:
    """The night to do for a bank that was due (the last one, if several passed), and when the next one is due."""
    daily = Daily(at, ZoneInfo(zone))
    passed: list[Slot] = daily.slots(due - timedelta(microseconds=1), now)
    night = passed[-1].key if passed else due.astimezone(daily.zone).date().isoformat()
    return night, daily.following(now).due


def wait_after(tries: int, first: float) -> float | None:
    """Seconds until the next try of a night that failed this often, `first` after the first failure; None: never again."""
    return None if tries >= _TRIES else first * _GROWTH ** (tries - 1)


def render_fleet_metrics(facts: FleetFacts) -> str:
    """The facts in the text format of Prometheus (exposition format 0.0.4)."""
    slowest = max((one.seconds for one in facts.slowest), default=0.0)
    gauges: Sequence[tuple[str, str, Mapping[str, float]]] = (
        ("banks", "Banks of the fleet.", {"": facts.banks}),
        ("workers", "Workers that were heard of lately.", {"": facts.workers}),
        ("due", "Banks whose night is due and not in the queue yet.", {"": facts.due}),
        ("done", "Nights done in the last 24 hours.", {"": facts.done}),
        ("nights", "Nights that are not done, by state.", {f'{{state="{one}"}}': facts.count(one) for one in STATES}),
        ("slowest_seconds", "How long the slowest night of the last 24 hours took.", {"": slowest}),
    )
    lines: list[str] = []
    for name, help_, samples in gauges:
        lines += [f"# HELP bankd_fleet_{name} {help_}", f"# TYPE bankd_fleet_{name} gauge"]
        lines += [f"bankd_fleet_{name}{labels} {value:g}" for labels, value in samples.items()]
    return "\n".join(lines) + "\n"


_BANK = "number, name, root, storage, zone, at, due, is_shared"
_NIGHT = "bank, night, ended, seconds, tries, is_done, said, worker"


class BankRegistry:
    """The banks in the database. UserError for the name of a bank that is not there."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self._database = database

    def add(self, bank: FleetBank) -> bool:
        """Add a bank; the table gives its number. False if it is there already. UserError if its name has another folder."""
        with self._database.transaction() as connection:
            query = "SELECT name, root FROM banks WHERE name = %s OR root = %s"
            for name, root in connection.execute(query, (bank.name, bank.root)).fetchall():
                if (name, root) == (bank.name, bank.root):
                    return False
                raise UserError(f"{name} is already {root}; choose another name with --name, or remove that bank")
            connection.execute(
                "INSERT INTO banks (name, root, storage, zone, at, due) VALUES (%s, %s, %s, %s, %s, %s)",
                (bank.name, bank.root, bank.storage, bank.zone, bank.at, bank.due),
            )
        return True

    def remove(self, names: Collection[str]) -> None:
        """Remove banks from the fleet. Their files are not touched."""
        numbers = [bank.number for bank in self.find(names)]
        with self._database.transaction() as connection:
            for table in (*PARTITIONED, "shared_banks"):
                connection.execute(f"DELETE FROM {table} WHERE bank = ANY(%s)", (numbers,))  # noqa: S608
            connection.execute("DELETE FROM nights WHERE bank = ANY(%s)", (list(names),))
            connection.execute("DELETE FROM banks WHERE name = ANY(%s)", (list(names),))

    def list_banks(self) -> Sequence[FleetBank]:
        """All banks, by name."""
        return [FleetBank(*row) for row in self._database.rows(f"SELECT {_BANK} FROM banks ORDER BY name")]  # noqa: S608

    def find(self, names: Collection[str]) -> Sequence[FleetBank]:
        """These banks, by name."""
        found = self._database.rows(f"SELECT {_BANK} FROM banks WHERE name = ANY(%s) ORDER BY name", list(names))  # noqa: S608
        if missing := set(names) - {row[1] for row in found}:
            raise UserError(*(f"{name}: the fleet has no bank of this name" for name in sorted(missing)))
        return [FleetBank(*row) for row in found]

    def named(self, name: str) -> FleetBank | None:
        """A bank; None if it was removed."""
        found = self._database.rows(f"SELECT {_BANK} FROM banks WHERE name = %s", name)  # noqa: S608
        return FleetBank(*found[0]) if found else None

    def reschedule(self, bank: FleetBank, at: time, zone: str, due: datetime) -> None:
        """Change the time of a bank's nights."""
        with self._database.transaction() as connection:
            query = "UPDATE banks SET at = %s, zone = %s, due = %s WHERE number = %s"
            connection.execute(query, (at, zone, due, bank.number))

    def take_due(self, connection: FleetConnection, now: datetime) -> Sequence[tuple[FleetBank, str]]:
        """Up to a thousand of the banks that are due, each with its night; they then wait for their next night.

        Workers that ask at the same time get different banks. Empty if none is left.
        """
        query = f"SELECT {_BANK} FROM banks WHERE due <= %s ORDER BY due LIMIT %s FOR UPDATE SKIP LOCKED"  # noqa: S608
        banks = [FleetBank(*row) for row in connection.execute(query, (now, 1_000)).fetchall()]
        nights = [due_night(bank.at, bank.zone, bank.due, now) for bank in banks]
        with connection.cursor() as cursor:
            rows = [(due, bank.number) for bank, (_, due) in zip(banks, nights, strict=True)]
            cursor.executemany("UPDATE banks SET due = %s WHERE number = %s", rows)
        return [(bank, night) for bank, (night, _) in zip(banks, nights, strict=True)]

    def is_done(self, bank: str, night: str) -> bool:
        """Whether a night was done."""
        query = "SELECT 1 FROM nights WHERE bank = %s AND night = %s AND is_done"
        return bool(self._database.rows(query, bank, night))

    def note_night(self, outcome: NightOutcome) -> None:
        """Keep how a try of a night ended."""
        values = (outcome.bank, outcome.night, outcome.ended, outcome.seconds, outcome.tries, outcome.is_done, outcome.said, outcome.worker)  # fmt: skip
        with self._database.transaction() as connection:
            connection.execute(
                f"INSERT INTO nights ({_NIGHT}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (bank, night) DO UPDATE SET "  # noqa: S608
                "(ended, seconds, tries, is_done, said, worker) = (excluded.ended, excluded.seconds, excluded.tries, excluded.is_done, excluded.said, excluded.worker)",
                values,
            )

    def forget_nights(self) -> None:
        """Forget the nights that ended more than 60 days ago."""
        with self._database.transaction() as connection:
            connection.execute("DELETE FROM nights WHERE ended < now() - interval '60 days'")

    def count(self) -> int:
        """How many banks there are."""
        return int(self._database.rows("SELECT count(*) FROM banks")[0][0])

    def count_due(self, now: datetime) -> int:
        """How many banks are due but not in the queue yet."""
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
        """Let the shared search have these banks from now on."""
        with self._database.transaction() as connection:
            connection.execute("UPDATE banks SET is_shared = true WHERE name = ANY(%s)", (list(names),))

    def allow(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Let a role of the database search these banks. UserError if there is no such role."""
        self._database.permit(reader)
        with self._database.transaction() as connection, connection.cursor() as cursor:
            rows = [(bank.number, reader) for bank in banks]
            cursor.executemany("INSERT INTO readers VALUES (%s, %s) ON CONFLICT DO NOTHING", rows)

    def deny(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Do not let a role search these banks any more."""
        with self._database.transaction() as connection:
            numbers = [bank.number for bank in banks]
            connection.execute("DELETE FROM readers WHERE reader = %s AND bank = ANY(%s)", (reader, numbers))
