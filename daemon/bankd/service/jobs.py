"""The daemon's jobs: starts what is due, one run at a time, writes the ledger, calls a person."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from bankd.errors import BankError, BusyError
from bankd.health import schedule
from bankd.health.health import JobFacts
from bankd.settings import Settings
from bankd.system.clock import read_monotonic
from bankd.system.process import Timer, call_person
from bankd.wiring.held import Held
from bankd.workspace.facts import RunLedger

log = logging.getLogger(__name__)

INDEX_PAUSE = 3.0
"""Seconds between a change of the bank and reading it with the analyser, which also writes the tree file."""
LONGEST_PAUSE = 30.0
"""Seconds after which work begins even if files keep changing; a file that is being written is skipped until it is complete."""


@dataclass(slots=True)
class _Run:
    """A run that waits or goes on; without a slot when a person or the watcher asked for it. `start` is where a batch of history begins.

    `summary`: a line for people, a report for programs, whether some logs were too fresh to read, where the next batch begins.
    """

    job: schedule.Job
    slot: schedule.Slot | None
    force: bool = False
    start: tuple[str, int] | None = None
    done: threading.Event = field(default_factory=threading.Event)
    began: float | None = None
    summary: Mapping[str, Any] = field(default_factory=dict)
    error: BankError | None = None
    unanswered: Mapping[str, str] = field(default_factory=dict)
    """The prompts that the language model did not answer before this run, and why."""


class Jobs:
    """All jobs of a daemon; every method may be called from any thread."""

    def __init__(self, held: Held, ledger: RunLedger, timer: Timer, clock: Callable[[], datetime]) -> None:
        """Take the bank, the ledger, the timer, and the clock that decides which jobs are due."""
        self._held, self._ledger, self._timer, self._clock = held, ledger, timer, clock
        self._lock = threading.RLock()
        self._jobs: dict[str, schedule.Job] = {}
        self._histories: dict[str, schedule.History] = {}
        self._runs: dict[str, _Run] = {}
        # What is wanted after a pause: since when, and when it is due, in seconds of the monotonic clock.
        self._wanted: dict[str, tuple[float, float]] = {}
        self._stopping = False

    def adopt(self, settings: Settings) -> None:
        """Run by these settings from now on."""
        with self._lock:
            self._jobs = {job.name: job for job in schedule.make_jobs(settings)}
            for name in self._jobs.keys() - self._histories.keys():
                now, rows = self._clock(), list(self._ledger.read())
                if not schedule.is_enrolled(name, rows):
                    # Without this row each start would begin anew, and a job that is always asleep at its hour never be missed.
                    rows.append(schedule.LedgerRow(now, name, schedule.RunOutcome.ENROLLED))
                    self._ledger.add(rows[-1])
                self._histories[name] = schedule.fold_rows(name, rows, now, settings.alert.after_failures)
        self._timer.set_timetables({job.name: job.timetable for job in self._jobs.values()})

    def look(self) -> None:
        """Start what is due, and write down what was missed."""
        with self._lock:
            if self._stopping:
                return
            for job in self._jobs.values():
                if job.name not in self._runs:
                    self._look_at(job)
            if self._is_due("log") and "micro" not in self._runs:
                del self._wanted["log"]
                self._begin(_Run(self._jobs["micro"], None))
            if self._is_due("index"):
                del self._wanted["index"]
                self._timer.submit("the index is updated with the analyser", self._settle_index)

    def _look_at(self, job: schedule.Job) -> None:
        now, history = self._clock(), self._histories[job.name]
        seen = schedule.check_schedule(job, history.state, now)
        for slot in seen.missed:
            self._add(schedule.LedgerRow(now, job.name, schedule.RunOutcome.MISSED, slot, made_up=seen.made_up))
            log.warning("run missed job=%s slot=%s made_up=%s", job.name, slot.key, seen.made_up)
        # The ledger alone would not know of a clock that was set back, nor that a retry is under way.
        self._histories[job.name] = replace(self._histories[job.name], state=seen.state)
        if seen.run is not None:
            self._begin(_Run(job, seen.run))

    def log_changed(self) -> None:
        """Have new Retain lines taken in a moment after the log has settled."""
        self._postpone("log", self._held.settings.settle_seconds + 0.5)

    def index_changed(self) -> None:
        """Have the index updated with the analyser after a pause, in which more may change."""
        self._postpone("index", INDEX_PAUSE)

    def try_again(self) -> None:
        """Try again now: failed runs, new lines, the index."""
        with self._lock:
            for name, history in self._histories.items():
                if history.state.failed is not None:
                    self._histories[name] = replace(history, state=replace(history.state, retry_at=self._clock()))
        self.log_changed()
        self.index_changed()

    def _postpone(self, what: str, wait: float) -> None:
        """Do something after a pause. Each change starts the pause again, for at most LONGEST_PAUSE in all."""
        with self._lock:
            now = read_monotonic()
            first, _ = self._wanted.get(what, (now, now))
            due = min(now + wait, max(first + LONGEST_PAUSE, now))
            self._wanted[what] = (first, due)
            self._timer.ring_in(timedelta(seconds=due - now + 0.05), self._clock(), what)

    def _is_due(self, what: str) -> bool:
        wanted = self._wanted.get(what)
        return wanted is not None and read_monotonic() >= wanted[1]

    def _settle_index(self) -> None:
        try:
            if self._held.do("settle")["more"]:
                self.index_changed()
        except BankError as error:
            log.error("index not settled error=%s", error)  # noqa: TRY400  a person can mend it
        except Exception:
            log.exception("index not settled because of a bug")

    def ask(self, name: str, *, force: bool, within: float) -> Mapping[str, Any]:
        """Run a job now and wait for it; raises what the run raised, BusyError when it takes too long."""
        with self._lock:
            if name not in self._jobs:
                raise BusyError("the daemon is not ready to run anything yet")
            run = self._runs.get(name)
            if run is None or force or run.began is not None:
                run = _Run(self._jobs[name], None, force)
                self._begin(run)
        if not run.done.wait(within):
            raise BusyError(f"{name} goes on; see: bankctl status")
        if run.error is not None:
            raise run.error
        return run.summary

    def _begin(self, run: _Run) -> None:
        self._runs[run.job.name] = run
        if run.job.name == "reflect" and run.start is None and self._held.settings.distil.is_on:
            threading.Thread(target=self._ask_first, args=(run,), name="asks the model", daemon=True).start()
        else:
            self._timer.submit(f"{run.job.name} runs", lambda: self._do(run))

    def _ask_first(self, run: _Run) -> None:
        """Ask the model before a night, beside other runs: it may take minutes. The night comes whatever becomes of that."""
        try:
            run.unanswered = self._held.ask_model()
        except BankError as error:
            log.warning("model not asked error=%s", error)
        except Exception:
            log.exception("model not asked because of a bug")
        self._timer.submit(f"{run.job.name} runs", lambda: self._do(run))

    def _do(self, run: _Run) -> None:
        name, run.began = run.job.name, read_monotonic()
        with self._lock:
            if not self._stopping:
                self._add(schedule.LedgerRow(self._clock(), name, schedule.RunOutcome.STARTED, run.slot))
        try:
            asked = {"kind": name, "force": run.force, "start": run.start, "unanswered": dict(run.unanswered)}
            run.summary = self._held.do("run", **asked)
            outcome, note = schedule.RunOutcome.RAN, run.summary["line"]
            if run.summary["has_waiting_logs"]:
                self.log_changed()
        except BankError as error:
            run.error, outcome, note = error, schedule.RunOutcome.FAILED, str(error)
        except Exception as error:
            log.exception("run failed by a bug job=%s", name)
            run.error = BankError(f"this is a bug in bankd: {error}")
            outcome, note = schedule.RunOutcome.FAILED, f"bug: {error!r}"
        seconds = read_monotonic() - run.began
        self._note_end(schedule.LedgerRow(self._clock(), name, outcome, run.slot, seconds=seconds, note=note))
        level = logging.INFO if outcome is schedule.RunOutcome.RAN else logging.ERROR
        log.log(level, "run %s job=%s seconds=%.2f note=%s", outcome, name, seconds, note)
        with self._lock:
            if self._runs.get(name) is run:
                del self._runs[name]
            rest = run.summary.get("rest")
            if rest and not self._stopping and name not in self._runs:  # the next batch of history
                self._begin(_Run(run.job, None, run.force, rest))
        run.done.set()

    def _note_end(self, row: schedule.LedgerRow) -> None:
        """Count the end of a run, which the run itself has written down unless it could not."""
        with self._lock:
            if self._stopping:
                return
            calls = {other.job: self._count(other) for other in self._ledger.learn() if other.job in self._histories}
            if row.job not in calls:
                self._ledger.add(row)
                calls[row.job] = self._count(row)
        if verb := calls[row.job]:
            call_person(self._held.settings.alert.command, f"bankd: {row.job} {verb}: {row.note}")

    def _add(self, row: schedule.LedgerRow) -> None:
        """Append a row and count it."""
        self._ledger.add(row)
        self._count(row)

    def _count(self, row: schedule.LedgerRow) -> str:
        """Take a row into account; gives what a person is to be told of the job, if anything."""
        before = self._histories[row.job]
        after = self._histories[row.job] = schedule.add_row(before, row, self._held.settings.alert.after_failures)
        return "" if after.rings == before.rings else "has failed" if after.rings else "works again"

    def take_back(self) -> bool:
        """Be the writer again after a loan, and count the runs of the borrower; False while it still writes.

        After a stop nothing is taken back: the bank is closed then, or about to be.
        """
        with self._lock:
            if self._stopping:
                return True
            try:
                self._held.lock.take()
            except BankError:  # the borrower's connection broke before it ended, or the disk takes nothing
                return False
            for row in self._ledger.learn():
                if row.job in self._histories:
                    self._count(row)
            return True

    def facts(self) -> tuple[JobFacts, ...]:
        """The state of the jobs."""
        with self._lock:
            now = self._clock()
            found = []
            for job in self._jobs.values():
                history, run = self._histories[job.name], self._runs.get(job.name)
                due, is_running = schedule.next_run(job, history.state, now), run is not None and run.began is not None
                found.append(JobFacts(job.name, history.last, due, history.state.failures, is_running))
            return tuple(found)

    def stop(self, within: float) -> bool:
        """Start nothing more and wait for what runs; gives whether it ended. A run that did not is in the ledger."""
        with self._lock:
            going = [run for run in self._runs.values() if run.began is not None]
        ended = all(run.done.wait(within) for run in going)
        with self._lock:
            self._stopping = True
            for run in going:
                if not run.done.is_set():
                    why, outcome = "the service was stopped", schedule.RunOutcome.STOPPED
                    self._ledger.add(schedule.LedgerRow(self._clock(), run.job.name, outcome, run.slot, note=why))
        return ended
