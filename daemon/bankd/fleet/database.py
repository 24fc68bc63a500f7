"""One connection to the PostgreSQL of a fleet, opened anew where it was lost, and the tables there, in a schema of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
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
PARTITIONS = 16
"""Of each table that grows with the memories, by a hash of the bank: so that one bank's night touches small indexes."""

_TABLES = """
CREATE TABLE banks (
    number integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, name text UNIQUE NOT NULL, root text UNIQUE NOT NULL,
    storage text NOT NULL, zone text NOT NULL, at time NOT NULL, due timestamptz NOT NULL, is_shared boolean NOT NULL DEFAULT false
);
CREATE INDEX banks_due ON banks (due);
CREATE TABLE nights (
    bank text NOT NULL, night text NOT NULL, ended timestamptz NOT NULL, seconds real NOT NULL, tries integer NOT NULL,
    is_done boolean NOT NULL, said text NOT NULL, worker text NOT NULL, PRIMARY KEY (bank, night)
);
CREATE INDEX nights_ended ON nights (ended);
CREATE TABLE readers (
    bank integer NOT NULL REFERENCES banks (number) ON DELETE CASCADE, reader text NOT NULL, PRIMARY KEY (reader, bank)
);
CREATE TABLE settings (key text PRIMARY KEY, value text NOT NULL);
CREATE TABLE shared_banks (
    bank integer PRIMARY KEY, name text NOT NULL, build text NOT NULL, updated text NOT NULL,
    memories integer NOT NULL, words bigint NOT NULL, sentences bigint NOT NULL, heading_words bigint NOT NULL,
    lengths bigint[] NOT NULL, meaning text NOT NULL, vectors integer NOT NULL
);
"""
_GROWING = {
    "shared_memories": """
    bank integer NOT NULL, row bigint NOT NULL, digest bytea NOT NULL, page bigint NOT NULL, place integer NOT NULL,
    line integer NOT NULL, id text, tag text, hundredths integer, day text, learned text, entities text NOT NULL,
    heading text NOT NULL, text text NOT NULL, is_text integer NOT NULL, sentences text NOT NULL, bigrams text NOT NULL,
    heading_terms text NOT NULL, denies integer NOT NULL, about text NOT NULL, mentions text NOT NULL, asked text NOT NULL,
    asked_bigrams text NOT NULL, changed text, nodes text[] NOT NULL, names text[] NOT NULL, days integer[] NOT NULL,
    PRIMARY KEY (bank, row)""",
    "shared_pages": "bank integer NOT NULL, page bigint NOT NULL, path text NOT NULL, terms bytea NOT NULL, PRIMARY KEY (bank, page)",
    "shared_postings": """
    bank integer NOT NULL, kind smallint NOT NULL, term text COLLATE "C" NOT NULL, many integer NOT NULL,
    rows bigint[] NOT NULL, counts smallint[] NOT NULL, lengths integer[] NOT NULL, PRIMARY KEY (bank, kind, term) INCLUDE (many)""",
    "shared_readings": 'bank integer NOT NULL, run text COLLATE "C" NOT NULL, terms text NOT NULL, PRIMARY KEY (bank, run)',
    "shared_vectors": "bank integer NOT NULL, row bigint NOT NULL, vector bytea NOT NULL, PRIMARY KEY (bank, row)",
    "shared_relations": """
    bank integer NOT NULL, kind text NOT NULL, one text NOT NULL, other text NOT NULL, is_dated boolean NOT NULL,
    PRIMARY KEY (bank, kind, one, other)""",
}
_INDEXES = """
CREATE INDEX shared_terms ON shared_postings (term, kind, bank) INCLUDE (many);
CREATE INDEX shared_ids ON shared_memories (bank, id) WHERE id IS NOT NULL;
"""
_READABLE = "bank IN (SELECT bank FROM readers WHERE reader = current_user)"


class FleetUnreachableError(UserError):
    """The database of the fleet does not answer; what waits there waits on."""


class FleetDatabase:
    """One connection, in transactions; not for several threads at once."""

    def __init__(self, dsn: str) -> None:
        """Take how to reach it, as libpq reads it; nothing is opened yet."""
        self.dsn = make_conninfo(dsn, options=f"-c search_path={SCHEMA}")
        self._connection: FleetConnection | None = None

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
        self._connection = None

    @contextmanager
    def transaction(self) -> Iterator[FleetConnection]:
        """Change everything inside, or nothing; inside another, be a part of it.

        FleetUnreachableError where the connection cannot be had or is lost.
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
        """Only read, one state of all tables, as what a role may see where one is named; UserError where it cannot be had."""
        with self.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try:
                if reader:
                    connection.execute(SQL("SET LOCAL ROLE {}").format(Identifier(reader)))
                yield
            except (errors.InsufficientPrivilege, errors.UndefinedObject, errors.InvalidParameterValue) as error:
                raise UserError(f"the database does not permit it: {_first_line(error)}") from error

    def permit(self, reader: str) -> None:
        """Let a role ask the shared search at all; which banks it sees is a matter of `readers`."""
        role, tables = (
            Identifier(reader),
            SQL(", ").join(map(Identifier, (*_GROWING, "shared_banks", "readers", "settings"))),
        )
        with self.transaction() as connection:
            try:
                connection.execute(SQL("GRANT USAGE ON SCHEMA {} TO {}").format(Identifier(SCHEMA), role))
                connection.execute(SQL("GRANT SELECT ON {} TO {}").format(tables, role))
            except errors.UndefinedObject as error:
                raise UserError(f"{reader}: the database has no such role; CREATE ROLE makes it") from error

    def rows(self, query: str, *values: object) -> list[Any]:
        """What a query gives."""
        with self.transaction() as connection:
            return connection.execute(query, values).fetchall()

    def _open(self) -> FleetConnection:
        if self._connection is not None:
            try:
                self._connection.execute("SELECT 1")  # after hours, or a restart there, nobody may be at the other end
            except psycopg.Error:
                self.close()
        if self._connection is None:
            self._connection = psycopg.connect(self.dsn, autocommit=True, connect_timeout=10)
        return self._connection

    def make_tables(self, queue_tables: str) -> bool:
        """Make the tables, those of the queue among them, where they are not there yet; says whether it did."""
        with self.transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('bankd fleet init'))")
            if connection.execute("SELECT to_regclass('bankd.banks')").fetchone() != (None,):
                return False
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            for statements in (_TABLES, *map(_growing_table, _GROWING), _INDEXES, *_policies(), queue_tables):
                connection.execute(statements)
        return True

    def setting(self, key: str) -> str:
        """A setting of the fleet; empty where it was never made."""
        found = self.rows("SELECT value FROM settings WHERE key = %s", key)
        return str(found[0][0]) if found else ""

    def set_setting(self, key: str, value: str) -> None:
        """Make a setting of the fleet."""
        with self.transaction() as connection:
            connection.execute(
                "INSERT INTO settings VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                (key, value),
            )

    def require_tables(self) -> None:
        """UserError where nobody has made the tables."""
        if self.rows("SELECT to_regclass('bankd.banks')") == [(None,)]:
            raise UserError("this database is no fleet's yet: bankctl fleet init DSN makes it one")


def _growing_table(name: str) -> str:
    parts = (
        f"CREATE TABLE {name}_{part:02} PARTITION OF {name} FOR VALUES WITH (MODULUS {PARTITIONS}, REMAINDER {part});"
        for part in range(PARTITIONS)
    )
    return f"CREATE TABLE {name} ({_GROWING[name]}) PARTITION BY HASH (bank);" + "".join(parts)


def _policies() -> Iterator[str]:
    """Who is not the owner sees of each table the rows of the banks that a row of `readers` lets him read."""
    for name in (*_GROWING, "shared_banks"):
        yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY; CREATE POLICY readable ON {name} FOR SELECT USING ({_READABLE});"
    yield "ALTER TABLE readers ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON readers FOR SELECT USING (reader = current_user);"


def _first_line(error: Exception) -> str:
    return str(error).strip().partition("\n")[0] or type(error).__name__
