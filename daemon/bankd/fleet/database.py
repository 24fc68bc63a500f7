"""One connection to the PostgreSQL of a fleet, opened again after it was lost; and its tables (`tables.sql`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import psycopg
from psycopg import errors
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from bankd.errors import UserError

FleetConnection: TypeAlias = "psycopg.Connection[TupleRow]"

SCHEMA = "bankd"
PARTITIONED = (
    *("shared_memories", "shared_pages", "shared_postings"),
    *("shared_readings", "shared_vectors", "shared_relations"),
)
"""The tables that grow with the memories, each in 16 parts by a hash of the bank: one night touches small indexes."""
_READABLE = "bank IN (SELECT bank FROM readers WHERE reader = current_user)"


class FleetUnreachableError(UserError):
    """The database of the fleet does not answer. What waits there goes on waiting."""


class FleetDatabase:
    """One connection, used in transactions, by one thread at a time."""

    def __init__(self, dsn: str) -> None:
        """Take the address, as libpq reads it. Nothing is opened yet."""
        self.dsn = make_conninfo(dsn, options=f"-c search_path={SCHEMA}")
        self._connection: FleetConnection | None = None

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[FleetConnection]:
        """A transaction: all or nothing. Inside another it is a part of that one.

        FleetUnreachableError if there is no connection or it is lost.
        """
        if self._connection is not None and self._connection.info.transaction_status == TransactionStatus.INTRANS:
            yield self._connection
            return
        try:
            connection = self._open()
            with connection.transaction():
                yield connection
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            self.close()
            raise FleetUnreachableError(f"the database of the fleet does not answer: {_first_line(error)}") from error

    @contextmanager
    def snapshot(self, reader: str = "") -> Iterator[None]:
        """Read one state of all tables; with `reader` only what that role may see. UserError if the role may not."""
        with self.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try:
                if reader:
                    connection.execute(SQL("SET LOCAL ROLE {}").format(Identifier(reader)))
                yield
            except (errors.InsufficientPrivilege, errors.UndefinedObject, errors.InvalidParameterValue) as error:
                raise UserError(f"the database does not allow it: {_first_line(error)}") from error

    def permit(self, reader: str) -> None:
        """Let a role read the tables of the shared search. Which banks it sees, `readers` says."""
        names = (*PARTITIONED, "shared_banks", "readers", "settings")
        role, tables = Identifier(reader), SQL(", ").join(map(Identifier, names))
        with self.transaction() as connection:
            try:
                connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(SCHEMA), role))
                connection.execute(SQL("GRANT SELECT ON {} TO {}").format(tables, role))
            except errors.UndefinedObject as error:
                raise UserError(f"{reader}: the database has no such role; make it with CREATE ROLE") from error

    def rows(self, query: str, *values: object) -> list[Any]:
        """The rows of a query."""
        with self.transaction() as connection:
            return connection.execute(query, values).fetchall()

    def change(self, query: str, *values: object) -> int:
        """Change rows in a transaction of their own; gives how many."""
        with self.transaction() as connection:
            return connection.execute(query, values).rowcount

    def _open(self) -> FleetConnection:
        if self._connection is not None:
            try:
                self._connection.execute("SELECT 1")  # the server may have closed it hours ago, or restarted
            except psycopg.Error:
                self.close()
        if self._connection is None:
            self._connection = psycopg.connect(self.dsn, autocommit=True, connect_timeout=10)
        return self._connection

    def make_tables(self, queue_tables: str) -> bool:
        """Make the tables, also those of the queue. False if they are there already."""
        with self.transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('bankd fleet init'))")
            if connection.execute("SELECT to_regclass('bankd.banks')").fetchone() != (None,):
                return False
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            tables = Path(__file__).with_name("tables.sql").read_text("utf-8")
            for statements in (tables, *_partitions_and_policies(), queue_tables):
                connection.execute(statements)
        return True

    def setting(self, key: str) -> str:
        """A setting of the fleet; empty if it was never set."""
        found = self.rows("SELECT value FROM settings WHERE key = %s", key)
        return str(found[0][0]) if found else ""

    def set_setting(self, key: str, value: str) -> None:
        """Change a setting of the fleet."""
        query = "INSERT INTO settings VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self.change(query, key, value)

    def require_tables(self) -> None:
        """UserError if the database has no tables of a fleet."""
        if self.rows("SELECT to_regclass('bankd.banks')") == [(None,)]:
            raise UserError("this database has no fleet; make one with: bankctl fleet init DSN")


def _partitions_and_policies() -> Iterator[str]:
    """Statements for partitions and for access: a role that is not the owner sees only the banks in its `readers` rows."""
    for name in PARTITIONED:
        for part in range(16):
            values = f"FOR VALUES WITH (MODULUS 16, REMAINDER {part})"
            yield f"CREATE TABLE {name}_{part:02} PARTITION OF {name} {values};"
    for name in (*PARTITIONED, "shared_banks"):
        yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY; CREATE POLICY readable ON {name} FOR SELECT USING ({_READABLE});"
    yield "ALTER TABLE readers ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON readers FOR SELECT USING (reader = current_user);"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
