"""The queue of nights, by procrastinate: a job a bank and date, a lock a bank, tried again after growing waits."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job
from procrastinate.schema import SchemaManager

from bankd.fleet.database import FleetConnection, FleetDatabase
from bankd.fleet.registry import FleetBank, UnfinishedNight, wait_after

DoNight: TypeAlias = "Callable[[str, str, int], None]"
"""Does the night of a bank: its name, the date, and which try this is; raises when it failed."""

LOST = (ConnectorException, psycopg.Error, OSError)
"""What a worker raises when the database went away."""

TASK, _EACH_MINUTE = "night", "* * * * *"
_HEARTBEAT, _SILENT = 10.0, 30.0
"""Seconds: a worker tells that it lives every so often, and its jobs are taken for stalled after so much silence."""

_UNFINISHED = """
SELECT jobs.args->>'bank', jobs.args->>'night', jobs.status::text, jobs.attempts, jobs.scheduled_at,
    coalesce(nights.said, ''), workers.last_heartbeat > now() - interval '30 seconds'
FROM procrastinate_jobs jobs
LEFT JOIN procrastinate_workers workers ON workers.id = jobs.worker_id
LEFT JOIN nights ON nights.bank = jobs.args->>'bank' AND nights.night = jobs.args->>'night'
WHERE jobs.task_name = 'night' AND jobs.status IN ('todo', 'doing', 'failed') ORDER BY jobs.id
"""


@dataclass(frozen=True, slots=True)
class WorkerPlan:
    """What a worker takes: the storages that it sees (none named: all), seconds before the first new try, whether it stays."""

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


def queue_tables() -> str:
    """The statements that make the tables of the queue."""
    return str(SchemaManager.get_schema())


class NightQueue:
    """The nights that wait, run or failed."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self._database = database

    def put(self, connection: FleetConnection, nights: Sequence[tuple[FleetBank, str]]) -> None:
        """Put nights in the queue, as part of a transaction; one that waits there already is not put there twice."""
        app = App(connector=SyncPsycopgConnector())
        for bank, night in nights:
            try:
                with connection.transaction():
                    app.job_manager.batch_defer_jobs([_job(bank, night)], connection=connection)
            except AlreadyEnqueued:
                continue

    def unfinished(self) -> Sequence[UnfinishedNight]:
        """The nights that are not done, the oldest first."""
        return [_unfinished(row) for row in self._database.rows(_UNFINISHED)]

    def has_ready(self, storages: Sequence[str]) -> bool:
        """Whether a night waits that could be done now, in these storages (none named: in any)."""
        query = (
            "SELECT 1 FROM procrastinate_jobs WHERE task_name = 'night' AND status = 'todo' "
            "AND coalesce(scheduled_at, now()) <= now() AND (queue_name = ANY(%s) OR %s) LIMIT 1"
        )
        return bool(self._database.rows(query, list(storages), not storages))

    def count_workers(self) -> int:
        """How many workers were heard of lately."""
        query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'"
        return int(self._database.rows(query)[0][0])

    def retry(self, names: Collection[str]) -> int:
        """Have failed nights of these banks done at once, and those that wait for another try; gives how many."""
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL WHERE task_name = 'night' "
                "AND args->>'bank' = ANY(%s) AND (status = 'failed' OR (status = 'todo' AND scheduled_at > now()))",
                (list(names),),
            )
        return done.rowcount

    def drop(self, names: Collection[str]) -> None:
        """Forget the nights of these banks, but those that run."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM procrastinate_jobs WHERE task_name = 'night' AND args->>'bank' = ANY(%s) AND status <> 'doing'",
                (list(names),),
            )

    async def work(self, plan: WorkerPlan, do_night: DoNight, look: Callable[[], None]) -> bool:
        """Do nights until a signal ends it, or until none waits; says whether a signal did.

        `look` is called each minute by one of the workers. A database that goes away ends it too, or raises one of
        `LOST`: what was done then and not noted is done again.
        """
        app = App(connector=PsycopgConnector(conninfo=self._database.dsn, min_size=1, max_size=4))
        _register(app, plan, do_night, look)
        only: dict[str, Any] = {"queues": [*plan.storages, _EVERYWHERE]} if plan.storages else {}
        async with app.open_async():
            work = app.run_worker_async(
                name=plan.name, concurrency=1, wait=plan.stays, delete_jobs="successful", install_signal_handlers=False,
                update_heartbeat_interval=_HEARTBEAT, stalled_worker_timeout=_SILENT, **only,
            )  # fmt: skip
            return await _until_signal(asyncio.ensure_future(work))


async def _until_signal(work: asyncio.Future[None]) -> bool:
    """Wait for a worker; a signal lets it finish what it holds. Says whether one came."""
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


_EVERYWHERE = "bankd"
"""The queue of what any worker does."""


def _register(app: App, plan: WorkerPlan, do_night: DoNight, look: Callable[[], None]) -> None:
    @app.task(name=TASK, retry=_Waits(plan.first_wait), pass_context=True)
    def night(context: JobContext, *, bank: str, night: str) -> None:
        do_night(bank, night, context.job.attempts + 1)

    @app.periodic(cron=_EACH_MINUTE)
    @app.task(name="look", queue=_EVERYWHERE, queueing_lock="look", lock="look")
    def look_around(timestamp: int) -> None:
        look()

    @app.periodic(cron=_EACH_MINUTE)
    @app.task(name="stalled", queue=_EVERYWHERE, queueing_lock="stalled", lock="stalled", pass_context=True)
    async def take_up_stalled(context: JobContext, timestamp: int) -> None:
        await retry_stalled(context.app)


async def retry_stalled(app: App) -> int:
    """Have the jobs done again whose worker is silent; gives how many."""
    stalled = [*await app.job_manager.get_stalled_jobs(seconds_since_heartbeat=_SILENT)]
    for job in stalled:
        await app.job_manager.retry_job(job)
    return len(stalled)


def _job(bank: FleetBank, night: str) -> Job:
    key: dict[str, Any] = {"bank": bank.name, "night": night}
    return Job(
        queue=bank.storage, lock=f"bank {bank.name}", queueing_lock=f"{night} {bank.name}", task_name=TASK, task_kwargs=key
    )  # fmt: skip


def _unfinished(row: Sequence[Any]) -> UnfinishedNight:
    bank, night, status, tries, next_try, said, is_heard = row
    states = {"todo": "again" if tries else "waiting", "doing": "running" if is_heard else "stalled"}
    return UnfinishedNight(bank, night, states.get(status, status), tries, next_try, said)
