"""The database of a fleet, its banks and their nights.

One connection to PostgreSQL, opened again after it was lost, and the tables (`tables.sql`). In them the banks: when a night is
due, what follows a failure, how it ended. The queue of nights is procrastinate's: a job for each bank and date, a lock for each
bank, new tries after growing waits. Also what `bankctl fleet status` tells of all of them, with its metrics.
"""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job
from procrastinate.schema import SchemaManager
from psycopg import errors
from psycopg.conninfo import make_conninfo
from psycopg.pq import TransactionStatus
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from bankd.errors import UserError
from bankd.health.health import metrics_text
from bankd.health.schedule import Daily, Slot

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
            raise FleetUnreachableError(f"the database of the fleet does not answer: {first_line(error)}") from error

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Read one state of all tables. UserError if this role of the database may not."""
        with self.transaction() as connection:
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            try:
                yield
            except errors.InsufficientPrivilege as error:
                raise UserError(f"the database does not allow it: {first_line(error)}") from error

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

    def make_tables(self) -> bool:
        """Make the tables, also those of the queue. False if they are there already."""
        with self.transaction() as connection:
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('bankd fleet init'))")
            if connection.execute("SELECT to_regclass('bankd.banks')").fetchone() != (None,):
                return False
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
            tables = Path(__file__).with_name("tables.sql").read_text("utf-8")
            for statements in (tables, *_partitions_and_policies(), str(SchemaManager.get_schema())):
                connection.execute(statements)
        return True

    def setting(self, key: str) -> str:
        """A setting of the fleet; empty if it was never set."""
        found = self.rows("SELECT value FROM settings WHERE key = %s", key)
        return str(found[0][0]) if found else ""


def _partitions_and_policies() -> Iterator[str]:
    """Statements for partitions and for access: a role that is not the owner sees only the banks in its `readers` rows."""
    for name in PARTITIONED:
        for part in range(16):
            values = f"FOR VALUES WITH (MODULUS 16, REMAINDER {part})"
            yield f"CREATE TABLE {name}_{part:02} PARTITION OF {name} {values};"
    for name in (*PARTITIONED, "shared_banks"):
        yield f"ALTER TABLE {name} ENABLE ROW LEVEL SECURITY; CREATE POLICY readable ON {name} FOR SELECT USING ({_READABLE});"
    yield "ALTER TABLE readers ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON readers FOR SELECT USING (reader = current_user);"


def first_line(error: Exception) -> str:
    """What an error of the database says first."""
    return str(error).strip().partition("\n")[0] or type(error).__name__


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
    """The state of a fleet. `due`: banks whose night is due but not in the queue yet; `done`: nights of the last 24 hours."""

    banks: int
    due: int
    workers: int
    done: int
    unfinished: Sequence[UnfinishedNight]

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
    """The facts as metrics, in the text format of Prometheus."""
    return metrics_text((
        ("fleet_banks", "Banks of the fleet.", {"": facts.banks}),
        ("fleet_workers", "Workers that were heard of lately.", {"": facts.workers}),
        ("fleet_due", "Banks whose night is due and not in the queue yet.", {"": facts.due}),
        ("fleet_done", "Nights done in the last 24 hours.", {"": facts.done}),
        ("fleet_nights", "Nights that are not done, by state.", {f'{{state="{one}"}}': facts.count(one) for one in STATES}),
    ))  # fmt: skip


_BANK = "number, name, root, storage, zone, at, due, is_shared"
_NIGHT = "bank, night, ended, seconds, tries, is_done, said, worker"


DoNight: TypeAlias = "Callable[[str, str, int], None]"
"""Does the night of a bank: its name, the date, which try this is. Raises if it failed."""

LOST = (ConnectorException, psycopg.Error, OSError)
"""The errors of a worker that has lost the database."""

_TASK, _EVERYWHERE, _EACH_MINUTE = "night", "bankd", "* * * * *"
"""The name of the task that runs a night; the name of the queue for all workers; the times as a cron line."""
_HEARTBEAT, _SILENT = 10.0, 30.0
"""Seconds between two signs of life of a worker, and seconds without one after which its jobs count as stalled."""

_UNFINISHED = """
SELECT jobs.args->>'bank', jobs.args->>'night', jobs.status::text, jobs.attempts, jobs.scheduled_at,
    coalesce(nights.said, ''), workers.last_heartbeat > now() - interval '30 seconds'
FROM procrastinate_jobs jobs
LEFT JOIN procrastinate_workers workers ON workers.id = jobs.worker_id
LEFT JOIN nights ON nights.bank = jobs.args->>'bank' AND nights.night = jobs.args->>'night'
WHERE jobs.task_name = 'night' AND jobs.status IN ('todo', 'doing', 'failed') ORDER BY jobs.id
"""
_FACTS = """
SELECT (SELECT count(*) FROM banks), (SELECT count(*) FROM banks WHERE due <= %s),
    (SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'),
    (SELECT count(*) FROM nights WHERE is_done AND ended > now() - interval '1 day')
"""


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker does: the storages that it takes (none: all), seconds before the first new try, whether it stays."""

    storages: Sequence[str] = ()
    first_wait: float = 60.0
    stays: bool = True
    name: str = "worker"


@dataclass(frozen=True, slots=True)
class _Waits(BaseRetryStrategy):
    first: float

    def get_retry_decision(self, *, exception: BaseException, job: Job) -> RetryDecision | None:
        wait = wait_after(job.attempts + 1, self.first)
        return None if wait is None else RetryDecision(retry_in={"milliseconds": int(wait * 1000)})


class Fleet:
    """The banks in a database, and their nights: those that wait, run or failed. UserError for a bank that is not there."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self.database = database

    def add(self, bank: FleetBank) -> bool:
        """Add a bank; the table gives its number. UserError if its name has another folder.

        False if it is there already: then its nights are at the new hour and in the new zone, if these differ.
        """
        with self.database.transaction() as connection:
            query = "SELECT name, root FROM banks WHERE name = %s OR root = %s"
            for name, root in connection.execute(query, (bank.name, bank.root)).fetchall():
                if (name, root) == (bank.name, bank.root):
                    query = "UPDATE banks SET at = %s, zone = %s, due = %s WHERE name = %s AND (at, zone) <> (%s, %s)"
                    connection.execute(query, (bank.at, bank.zone, bank.due, name, bank.at, bank.zone))
                    return False
                raise UserError(f"{name} is already {root}; choose another name with --name, or remove that bank")
            connection.execute(
                "INSERT INTO banks (name, root, storage, zone, at, due) VALUES (%s, %s, %s, %s, %s, %s)",
                (bank.name, bank.root, bank.storage, bank.zone, bank.at, bank.due),
            )
        return True

    def remove(self, names: Collection[str]) -> None:
        """Remove banks from the fleet, and their nights from the queue except those that run. Their files are not touched."""
        waiting = (
            "DELETE FROM procrastinate_jobs WHERE task_name = 'night' AND args->>'bank' = ANY(%s) AND status <> 'doing'"
        )
        numbers = [bank.number for bank in self.find(names)]
        with self.database.transaction() as connection:
            for table in (*PARTITIONED, "shared_banks"):
                connection.execute(f"DELETE FROM {table} WHERE bank = ANY(%s)", (numbers,))  # noqa: S608
            connection.execute("DELETE FROM nights WHERE bank = ANY(%s)", (list(names),))
            connection.execute("DELETE FROM banks WHERE name = ANY(%s)", (list(names),))
            connection.execute(waiting, (list(names),))

    def list_banks(self) -> Sequence[FleetBank]:
        """All banks, by name."""
        return [FleetBank(*row) for row in self.database.rows(f"SELECT {_BANK} FROM banks ORDER BY name")]  # noqa: S608

    def find(self, names: Collection[str]) -> Sequence[FleetBank]:
        """These banks, by name."""
        found = self.database.rows(f"SELECT {_BANK} FROM banks WHERE name = ANY(%s) ORDER BY name", list(names))  # noqa: S608
        if missing := set(names) - {row[1] for row in found}:
            raise UserError(*(f"{name}: the fleet has no bank of this name" for name in sorted(missing)))
        return [FleetBank(*row) for row in found]

    def named(self, name: str) -> FleetBank | None:
        """A bank; None if it was removed."""
        found = self.database.rows(f"SELECT {_BANK} FROM banks WHERE name = %s", name)  # noqa: S608
        return FleetBank(*found[0]) if found else None

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
        return bool(self.database.rows("SELECT 1 FROM nights WHERE bank = %s AND night = %s AND is_done", bank, night))

    def note_night(self, outcome: NightOutcome) -> None:
        """Keep how a try of a night ended."""
        self.database.change(
            f"INSERT INTO nights ({_NIGHT}) VALUES (%s, %s, %s, %s, %s, %s, %s, %s) ON CONFLICT (bank, night) DO UPDATE SET "  # noqa: S608
            "(ended, seconds, tries, is_done, said, worker) = (excluded.ended, excluded.seconds, excluded.tries, excluded.is_done, excluded.said, excluded.worker)",
            *astuple(outcome),
        )

    def share(self, names: Collection[str]) -> None:
        """Let the shared search have these banks from now on."""
        self.database.change("UPDATE banks SET is_shared = true WHERE name = ANY(%s)", list(names))

    def allow(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Let a role of the database search these banks. UserError if there is no such role."""
        self.database.permit(reader)
        query = "INSERT INTO readers (bank, reader) SELECT unnest(%s::integer[]), %s ON CONFLICT DO NOTHING"
        self.database.change(query, [bank.number for bank in banks], reader)

    def deny(self, reader: str, banks: Sequence[FleetBank]) -> None:
        """Do not let a role search these banks any more."""
        numbers = [bank.number for bank in banks]
        self.database.change("DELETE FROM readers WHERE reader = %s AND bank = ANY(%s)", reader, numbers)

    def put(self, connection: FleetConnection, nights: Sequence[tuple[FleetBank, str]]) -> None:
        """Put nights in the queue, as part of a transaction. One that waits there already is not put there again."""
        app = App(connector=SyncPsycopgConnector())
        for bank, night in nights:
            job = Job(
                queue=bank.storage, lock=f"bank {bank.name}", queueing_lock=f"{night} {bank.name}",
                task_name=_TASK, task_kwargs={"bank": bank.name, "night": night},
            )  # fmt: skip
            with suppress(AlreadyEnqueued), connection.transaction():
                app.job_manager.batch_defer_jobs([job], connection=connection)

    def unfinished(self) -> Sequence[UnfinishedNight]:
        """The nights that are not done, the oldest first."""
        nights = []
        for bank, night, status, tries, next_try, said, is_heard in self.database.rows(_UNFINISHED):
            states = {"todo": "again" if tries else "waiting", "doing": "running" if is_heard else "stalled"}
            nights.append(UnfinishedNight(bank, night, states.get(status, status), tries, next_try, said))
        return nights

    def has_ready(self, storages: Sequence[str]) -> bool:
        """Whether a night in these storages (none: in any) waits that could be done now."""
        query = (
            "SELECT 1 FROM procrastinate_jobs WHERE task_name = 'night' AND status = 'todo' "
            "AND coalesce(scheduled_at, now()) <= now() AND (queue_name = ANY(%s) OR %s) LIMIT 1"
        )
        return bool(self.database.rows(query, list(storages), not storages))

    def facts(self, now: datetime) -> FleetFacts:
        """The state of the fleet. A worker counts if it gave a sign of life in the last 30 seconds."""
        banks, due, workers, done = self.database.rows(_FACTS, now)[0]
        return FleetFacts(banks, due, workers, done, self.unfinished())

    def retry(self, names: Collection[str]) -> int:
        """Try the failed nights of these banks again now, also those that wait for another try. Gives how many."""
        return self.database.change(
            "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL WHERE task_name = 'night' "
            "AND args->>'bank' = ANY(%s) AND (status = 'failed' OR (status = 'todo' AND scheduled_at > now()))",
            list(names),
        )

    async def work(self, plan: WorkerPlan, do_night: DoNight, look: Callable[[], None]) -> bool:
        """Do nights until a signal, or until none waits. True if it ended by a signal.

        One of the workers calls `look` each minute. A lost database ends it too, or raises one of `LOST`: a night that was
        done but not noted is done again.
        """
        app = App(connector=PsycopgConnector(conninfo=self.database.dsn, min_size=1, max_size=4))
        _register(app, plan, do_night, look)
        only: dict[str, Any] = {"queues": [*plan.storages, _EVERYWHERE]} if plan.storages else {}
        async with app.open_async():
            work = app.run_worker_async(
                name=plan.name, concurrency=1, wait=plan.stays, delete_jobs="successful", install_signal_handlers=False,
                update_heartbeat_interval=_HEARTBEAT, stalled_worker_timeout=_SILENT, **only,
            )  # fmt: skip
            return await _until_signal(asyncio.ensure_future(work))


async def _until_signal(work: asyncio.Future[None]) -> bool:
    """Wait for a worker. On a signal it finishes its night. True if a signal came."""
    signals: list[int] = []

    def end(number: int) -> None:
        signals.append(number)
        work.cancel()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, end, number)
    try:
        await work
    except asyncio.CancelledError:
        if not signals:
            raise
    return bool(signals)


def _register(app: App, plan: WorkerPlan, do_night: DoNight, look: Callable[[], None]) -> None:
    @app.task(name=_TASK, retry=_Waits(plan.first_wait), pass_context=True)
    def night(context: JobContext, *, bank: str, night: str) -> None:
        do_night(bank, night, context.job.attempts + 1)

    @app.periodic(cron=_EACH_MINUTE)
    @app.task(name="look", queue=_EVERYWHERE, queueing_lock="look", lock="look")
    def look_around(timestamp: int) -> None:
        look()

    @app.periodic(cron=_EACH_MINUTE)
    @app.task(name="stalled", queue=_EVERYWHERE, queueing_lock="stalled", lock="stalled")
    async def take_up_stalled(timestamp: int) -> None:
        for job in [*await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=_SILENT)]:
            await app.job_manager.retry_job(job)
