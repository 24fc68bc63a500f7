"""How bankd is doing: the facts that `status` shows, and what of them is worth a warning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from itertools import starmap
from typing import Any

from bankd.core.daemon import edit_loops as fights
from bankd.core.daemon.edit_loops import why_resting
from bankd.core.daemon.health_facts import LENT, BankFacts, DaemonFacts, HealthFacts, JobFacts, QueueFacts
from bankd.core.daemon.schedule_rows import LedgerRow, RunOutcome, row_to_json
from bankd.core.lifecycle import copies
from bankd.core.lifecycle.copies import Copied

REMEMBER_MISSED = timedelta(days=7)
_SHOWN = 3
"""Lines or pages of a kind that one finding names."""


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """Something worth saying, what to do about it, and whether it stays wrong until a person acts."""

    text: str
    fix: str = ""
    needs_person: bool = False


def judge_health(facts: HealthFacts) -> tuple[HealthFinding, ...]:
    """The findings, those that need a person first."""
    findings = [cannot_be_used(problem) for problem in facts.unusable]
    findings += [*_judge_daemon(facts), *_judge_jobs(facts), *_judge_bank(facts.bank), *_judge_missed(facts)]
    if facts.daemon is None and facts.bank.index.pending and facts.bank.index.updated:
        text = f"{facts.bank.index.pending} changed pages are not in the index yet"
        findings.append(HealthFinding(text, "bankctl cycle micro"))
    return tuple(sorted(findings, key=lambda finding: not finding.needs_person))


def cannot_be_used(problem: str) -> HealthFinding:
    """What to say of settings or rules that stop every run, until a daemon that has good ones is there."""
    return HealthFinding(problem, "correct the file, then: bankctl config check", needs_person=True)


def _judge_daemon(facts: HealthFacts) -> Iterator[HealthFinding]:
    daemon = facts.daemon
    if daemon is None:
        yield HealthFinding("no daemon runs: nothing is done by itself", facts.how_to_start)
        return
    if daemon.waiting:
        fix = "it goes on by itself when that is mended"
        yield HealthFinding(f"the daemon waits: {daemon.waiting}", fix, needs_person=True)
    if daemon.settings_problem:
        text = f"the settings cannot be used, the old ones still hold: {daemon.settings_problem}"
        fix = "correct the file, then: bankctl config check && bankctl service reload"
        yield HealthFinding(text, fix, needs_person=True)
    if still := tell_standstill(daemon.queue):
        fix = "end the command that writes; .bankd/lock names its process" if daemon.queue.doing == LENT else _RESTART
        yield HealthFinding(still, fix, needs_person=True)
    if daemon.watcher.get("mode") == "polling":
        yield HealthFinding(f"changes are noticed by polling only: {daemon.watcher.get('reason')}")


_LONGEST_LOAN, _LONGEST_JOB, _LONGEST_PAUSE = 300.0, 3600.0, 60.0
"""Seconds that a command may write, that a job may take, and that jobs may wait while nothing is done."""
_RESTART = "start the daemon again: what waits is done then; its journal may tell why"


def tell_standstill(queue: QueueFacts) -> str:
    """What to say of a queue of jobs that makes no progress, whatever stopped it; empty while it does."""
    longest = {"": _LONGEST_PAUSE, LENT: _LONGEST_LOAN}.get(queue.doing, _LONGEST_JOB)
    if queue.seconds <= longest or not (queue.doing or queue.waiting):
        return ""
    waits = "1 job waits" if queue.waiting == 1 else f"{queue.waiting} jobs wait"
    doing = f"{queue.doing}, since" if queue.doing else "nothing is done, since"
    return f"the queue of jobs stands still: {doing} {queue.seconds / 60:.0f} min; {waits}"


def _judge_jobs(facts: HealthFacts) -> Iterator[HealthFinding]:
    for job in facts.jobs:
        if job.failures and job.last:
            times = f"{job.failures} time{'s' if job.failures > 1 else ''}"
            yield HealthFinding(
                f"{job.name} failed {times} in a row: {job.last.note}", "see: bankctl log", needs_person=True
            )


def _judge_bank(bank: BankFacts) -> list[HealthFinding]:
    return [
        *_judge_disk(bank),
        *_judge_events(bank.unread_events),
        *starmap(fought_over, sorted(bank.resting.items())),
        *map(stands_twice, bank.copied),
        *_judge_held_back(bank.held_back),
        *_judge_offered(bank.offered),
        *starmap(cannot_be_written, sorted(bank.closed.items())),
        *_judge_left_alone(bank.left_alone),
        *journals_set_aside(bank.set_aside),
        *_judge_sizes(bank.large),
        *map(cannot_be_searched, bank.too_large),
    ]


def _judge_disk(bank: BankFacts) -> Iterator[HealthFinding]:
    for folder in bank.missing:
        yield HealthFinding(f"{folder}/ is missing", f"put it back, or: mkdir {folder}", needs_person=True)
    if bank.disk:
        reason, _, fix = bank.disk.partition("; ")
        fix = f"{fix or 'make room, or make it writable'}; what waits is then done by itself"
        yield HealthFinding(f"nothing can be written: {reason}", fix, needs_person=True)
    yield from may_not_be_used(bank.not_ours)
    if bank.index.problem:
        yield HealthFinding(f"the index: {bank.index.problem}", "bankctl index rebuild", needs_person=True)
    if bank.inbox:
        lines = "1 line in the inbox fits" if bank.inbox == 1 else f"{bank.inbox} lines in the inbox fit"
        yield HealthFinding(f"{lines} no rule", "bankctl inbox")
    if bank.is_clock_frozen:
        text = "the clock jumped by days that did not pass: nothing is archived for its age"
        yield HealthFinding(text, "set it right, or say that it is: bankctl clock accept", needs_person=True)


def _judge_events(unread: Sequence[str]) -> Iterator[HealthFinding]:
    yield from map(cannot_be_told, unread[:_SHOWN])
    if len(unread) > _SHOWN:
        text = f"{len(unread) - _SHOWN} more lines of events/ cannot be read"
        yield HealthFinding(text, "bankctl doctor lists them", needs_person=True)


def _judge_left_alone(reasons: Mapping[str, str]) -> Iterator[HealthFinding]:
    yield from starmap(left_alone, sorted(reasons.items())[:_SHOWN])
    if len(reasons) > _SHOWN:
        text = f"{len(reasons) - _SHOWN} more files are left alone"
        yield HealthFinding(text, "bankctl doctor lists them", needs_person=True)


def _judge_held_back(places: Sequence[str]) -> Iterator[HealthFinding]:
    if places:
        lines = "1 line of a log was" if len(places) == 1 else f"{len(places)} lines of logs were"
        more = " …" if len(places) > _SHOWN else ""
        text = f"{lines} not taken in: {', '.join(places[:_SHOWN])}{more}"
        yield HealthFinding(text, "bankctl inbox lists them with the reasons")


def _judge_offered(count: int) -> Iterator[HealthFinding]:
    if count:
        text = "1 line is proposed, and waits" if count == 1 else f"{count} lines are proposed, and wait"
        yield HealthFinding(f"{text} for your word", "bankctl inbox shows what")


def _judge_sizes(large: Sequence[str]) -> Iterator[HealthFinding]:
    if large:
        more = f" and {len(large) - _SHOWN} more" if len(large) > _SHOWN else ""
        fix = "at split.split_kib the reflect cycle splits those that bankd wrote (split.pages); at once: bankctl split PAGE"
        yield HealthFinding(f"large pages: {', '.join(large[:_SHOWN])}{more}", fix)


def cannot_be_searched(path: str) -> HealthFinding:
    """What to say of a log that search does not read; its tagged lines are taken in all the same."""
    return HealthFinding(f"{path} is too large to be searched", "divide it, best by its days")


def left_alone(path: str, reason: str) -> HealthFinding:
    """What to say of a file that bankd neither reads nor writes as it is; everything else goes on."""
    text, fix = f"{path} is left alone: {reason}", "bankd touches it again once that is mended"
    return HealthFinding(text, fix, needs_person=True)


def cannot_be_told(line: str) -> HealthFinding:
    """What to say of a line of the event log that cannot be read."""
    return HealthFinding(f"{line}; it counts for nothing", "put the line right, or take it out", needs_person=True)


def journals_set_aside(paths: Iterable[str]) -> list[HealthFinding]:
    """What to say of the journals of runs that could not be read."""
    return [
        HealthFinding(f"{path}: {_LOST.get(path.split('/')[-2], _LOST['runs'])}", "look at it, then delete it")
        for path in paths
    ]


_LOST = {
    "txn": "a torn journal, set aside: if its run was interrupted, the rest of it is done by the next run",
    "done": "a torn journal, set aside: this run cannot be undone, and is not looked at a second time",
    "runs": "a torn journal, set aside: this run cannot be undone any more",
}


def fought_over(page: str, until: datetime) -> HealthFinding:
    """What to say of a page that is left alone because something changes it back."""
    return HealthFinding(f"{page} was {why_resting(until)}", fights.ADVICE, needs_person=True)


def stands_twice(item: Copied) -> HealthFinding:
    """What to say of a memory that the user copied with its id."""
    return HealthFinding(f"{item.id} {item.words}", copies.ADVICE, needs_person=True)


def cannot_be_written(page: str, why: str) -> HealthFinding:
    """What to say of a page that bankd cannot write; lines for it wait, everything else goes on."""
    reason, _, fix = why.partition("; ")
    return HealthFinding(f"{page} cannot be written: {reason}", fix or "correct its owner or mode", needs_person=True)


def may_not_be_used(files: Sequence[str]) -> Iterator[HealthFinding]:
    """What to say of files of ours that bankd may not use: nothing can be written as long as that is so."""
    if files:
        more = f" and {len(files) - 1} more" if len(files) > 1 else ""
        text = f"{files[0]}{more} may not be read and written by bankd: was it run as another user?"
        yield HealthFinding(
            text, "give all of it back: sudo chown -R $USER .bankd bank archive events", needs_person=True
        )


def _judge_missed(facts: HealthFacts) -> Iterator[HealthFinding]:
    if missed := recent_missed(facts):
        lost = sum(not row.made_up for row in missed)
        tail = f", {lost} of them not made up for" if lost else ", all made up for"
        yield HealthFinding(
            f"{len(missed)} planned runs were missed in the last 7 days{tail}", "bankctl status --missed"
        )


def recent_missed(facts: HealthFacts) -> tuple[LedgerRow, ...]:
    """The runs missed of late."""
    since = facts.now - REMEMBER_MISSED
    return tuple(row for row in facts.rows if row.outcome is RunOutcome.MISSED and row.at >= since)


def facts_to_json(facts: HealthFacts) -> dict[str, Any]:
    """The facts with the findings, as `status --json` prints them and the socket sends them."""
    daemon, bank = facts.daemon, facts.bank
    return {
        "version": 1,
        "workspace": facts.workspace,
        "now": facts.now.isoformat(timespec="seconds"),
        "timezone": facts.timezone,
        "daemon": None if daemon is None else _daemon_to_json(daemon),
        "bank": {"pages": bank.pages, "memories": bank.index.memories, "inbox": bank.inbox, "prose": bank.prose},
        "index": asdict(bank.index),
        "jobs": [_job_to_json(job) for job in facts.jobs],
        "missed": [row_to_json(row) for row in recent_missed(facts)],
        "findings": [{"text": f.text, "fix": f.fix, "needs_person": f.needs_person} for f in judge_health(facts)],
    }


def _daemon_to_json(daemon: DaemonFacts) -> dict[str, Any]:
    return {
        "pid": daemon.pid,
        "version": daemon.version,
        "since": daemon.since.isoformat(timespec="seconds"),
        "waiting": daemon.waiting,
        "settings_problem": daemon.settings_problem,
        "watcher": daemon.watcher,
        "queue": asdict(daemon.queue),
        "requests": daemon.requests,
        "refused": daemon.refused,
    }


def _job_to_json(job: JobFacts) -> dict[str, Any]:
    return {
        "job": job.name,
        "running": job.running,
        "failures": job.failures,
        "last": None if job.last is None else row_to_json(job.last),
        "next": None if job.following is None else job.following.isoformat(timespec="seconds"),
    }
