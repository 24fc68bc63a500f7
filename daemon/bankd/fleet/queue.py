"""The queue of nights, in procrastinate: a job for each bank and date, a lock for each bank, new tries after growing waits."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeAlias

import psycopg
from procrastinate import App, BaseRetryStrategy, JobContext, PsycopgConnector, RetryDecision, SyncPsycopgConnector
from procrastinate.exceptions import AlreadyEnqueued, ConnectorException
from procrastinate.jobs import Job

from bankd.fleet.database import FleetConnection, FleetDatabase
from bankd.fleet.registry import FleetBank, UnfinishedNight, wait_after

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


class NightQueue:
    """The nights that wait, run or failed."""

    def __init__(self, database: FleetDatabase) -> None:
        """Take the database."""
        self._database = database

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
        for bank, night, status, tries, next_try, said, is_heard in self._database.rows(_UNFINISHED):
            states = {"todo": "again" if tries else "waiting", "doing": "running" if is_heard else "stalled"}
            nights.append(UnfinishedNight(bank, night, states.get(status, status), tries, next_try, said))
        return nights

    def has_ready(self, storages: Sequence[str]) -> bool:
        """Whether a night in these storages (none: in any) waits that could be done now."""
        query = (
            "SELECT 1 FROM procrastinate_jobs WHERE task_name = 'night' AND status = 'todo' "
            "AND coalesce(scheduled_at, now()) <= now() AND (queue_name = ANY(%s) OR %s) LIMIT 1"
        )
        return bool(self._database.rows(query, list(storages), not storages))

    def count_workers(self) -> int:
        """How many workers gave a sign of life in the last 30 seconds."""
        query = "SELECT count(*) FROM procrastinate_workers WHERE last_heartbeat > now() - interval '30 seconds'"
        return int(self._database.rows(query)[0][0])

    def retry(self, names: Collection[str]) -> int:
        """Try the failed nights of these banks again now, also those that wait for another try. Gives how many."""
        with self._database.transaction() as connection:
            done = connection.execute(
                "UPDATE procrastinate_jobs SET status = 'todo', attempts = 0, scheduled_at = NULL WHERE task_name = 'night' "
                "AND args->>'bank' = ANY(%s) AND (status = 'failed' OR (status = 'todo' AND scheduled_at > now()))",
                (list(names),),
            )
        return done.rowcount

    def drop(self, names: Collection[str]) -> None:
        """Remove the nights of these banks from the queue, except those that run."""
        with self._database.transaction() as connection:
            connection.execute(
                "DELETE FROM procrastinate_jobs WHERE task_name = 'night' AND args->>'bank' = ANY(%s) AND status <> 'doing'",
                (list(names),),
            )

    async def work(self, plan: WorkerPlan, do_night: DoNight, look: Callable[[], None]) -> bool:
        """Do nights until a signal, or until none waits. True if it ended by a signal.

        One of the workers calls `look` each minute. A lost database ends it too, or raises one of `LOST`: a night that was
        done but not noted is done again.
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
