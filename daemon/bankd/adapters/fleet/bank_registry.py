"""The banks of a fleet, in the table `banks`: where each is, when its night is due, and how its nights ended."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, time

from bankd.adapters.fleet.database import FleetConnection, FleetDatabase
from bankd.core.daemon.nights import FleetBank, NightOutcome, due_night
from bankd.errors import UserError

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
