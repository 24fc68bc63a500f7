"""How bankd is doing: the facts at one moment, the warnings that follow, and whether the clock can be believed.

`facts_to_json` is what `status --json` prints; `render_metrics` is what Prometheus reads.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeAlias

from bankd.edits import second_look as fights
from bankd.health.schedule import LedgerRow, RunOutcome, row_to_json

REMEMBER_MISSED = timedelta(days=7)
_SHOWN = 3
"""The most findings of an area, and the most large pages, that the status names."""
BANK_ADVICE = (
    "put it back from a copy, or from a backup: "
    "bankctl restore FILE NEW, cp -r memory/. NEW/memory/, cd NEW, bankctl cycle micro. "
    "If its memories may go: mkdir -p bank, then: bankctl cycle micro --force"
)
COPIED_ADVICE = "remove the id from all but one of them, or delete the extra copies"


@dataclass(frozen=True, slots=True)
class Copied:
    """A memory that the user copied with its id, and the places where it stands, each `page:line`."""

    id: str
    places: tuple[str, ...]

    @property
    def words(self) -> str:
        """Where it stands, for people."""
        return f"stands {len(self.places)} times: {', '.join(self.places)}"


def find_copied(places: Mapping[str, Sequence[str]]) -> list[Copied]:
    """The ids that have more than one place."""
    return [Copied(id_, tuple(held)) for id_, held in sorted(places.items()) if len(held) > 1]


@dataclass(frozen=True, slots=True)
class IndexFacts:
    """How the index stands: pages it has not read, and pages read without the analyser; `updated` is ISO 8601."""

    generation: str = ""
    memories: int = 0
    pending: int = 0
    provisional: int = 0
    updated: str = ""
    problem: str = ""
    worker: str = "not running"


@dataclass(frozen=True, slots=True)
class BankFacts:
    """The contents of the workspace, what is missing, large pages, pages left alone for a while, why it cannot be written.

    `copied` are the memories that the user has copied with their id, `closed` the pages that cannot be written and why,
    `held_back` the log lines that were not taken in and why, `unread_events` lines of events in words with their place,
    `set_aside` the journals that could not be read.
    """

    pages: int = 0
    inbox: int = 0
    missing: tuple[str, ...] = ()
    emptied: int = 0
    """The memories that were kept in a bank that has no page at all now."""
    index: IndexFacts = IndexFacts()
    large: tuple[str, ...] = ()
    is_clock_frozen: bool = False
    disk: str = ""
    resting: Mapping[str, datetime] = field(default_factory=dict)
    unread_events: tuple[str, ...] = ()
    copied: tuple[Copied, ...] = ()
    closed: Mapping[str, str] = field(default_factory=dict)
    held_back: Mapping[str, str] = field(default_factory=dict)
    set_aside: tuple[str, ...] = ()
    prose: int = 0
    """Lines of the logs that were read and not taken in because nobody tagged them."""
    too_large: tuple[str, ...] = ()
    """The logs that search does not read for their size."""
    offered: int = 0
    """The log lines that a model or a rule wrote and that wait for the user's word."""
    contradictions: int = 0
    """The pairs of memories with different values of the same thing that a person has not decided on."""
    left_alone: Mapping[str, str] = field(default_factory=dict)
    """The files that are not read as they are, and why."""
    not_ours: tuple[str, ...] = ()
    """The files and folders of bankd itself that it may not use."""

    @property
    def memories(self) -> int | None:
        """The number of memories, as the index last counted them; none where no page is, None without a usable index."""
        if not self.pages:
            return 0
        return self.index.memories if self.index.updated else None


@dataclass(frozen=True, slots=True)
class JobFacts:
    """How a job stands."""

    name: str
    last: LedgerRow | None = None
    following: datetime | None = None
    failures: int = 0
    running: bool = False


LENT = "the workspace is lent to another process"
"""The name of the job in the queue while a command of the user writes."""


@dataclass(frozen=True, slots=True)
class QueueFacts:
    """The daemon's one queue of jobs: the job that runs, for how many seconds, and how many wait.

    While no job runs, `seconds` is how long the oldest has waited.
    """

    doing: str = ""
    seconds: float = 0.0
    waiting: int = 0


@dataclass(frozen=True, slots=True)
class DaemonFacts:
    """What a running daemon tells of itself."""

    pid: int
    version: str
    since: datetime
    watcher: dict[str, Any] = field(default_factory=dict)
    settings_problem: str = ""
    requests: int = 0
    refused: int = 0
    queue: QueueFacts = QueueFacts()


@dataclass(frozen=True, slots=True)
class HealthFacts:
    """All facts at one moment. `unusable` are problems of settings and rules that were found by reading the files.

    `how_to_start` is the command that starts a daemon; empty while one runs.
    """

    workspace: str
    now: datetime
    bank: BankFacts
    jobs: tuple[JobFacts, ...] = ()
    rows: tuple[LedgerRow, ...] = ()
    daemon: DaemonFacts | None = None
    timezone: str = "UTC"
    unusable: tuple[str, ...] = ()
    how_to_start: str = ""

    def missed(self) -> tuple[LedgerRow, ...]:
        """The planned runs that were missed in the last seven days."""
        since = self.now - REMEMBER_MISSED
        return tuple(row for row in self.rows if row.outcome is RunOutcome.MISSED and row.at >= since)


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A problem in an area, such as `folders`: what it is, what to do about it, and whether it stays until a person acts."""

    area: str
    text: str
    fix: str = ""
    needs_person: bool = False


def judge_health(facts: HealthFacts) -> tuple[HealthFinding, ...]:
    """All findings, those that need a person first."""
    found = [*_judge_daemon(facts), *_judge_bank(facts.bank), *_judge_files(facts.bank)]
    correct = "correct the file, then: bankctl config check"
    found += [HealthFinding("settings", problem, correct, needs_person=True) for problem in facts.unusable]
    return tuple(sorted(found, key=lambda finding: not finding.needs_person))


def _judge_daemon(facts: HealthFacts) -> Iterator[HealthFinding]:
    daemon, index = facts.daemon, facts.bank.index
    if daemon is None:
        yield HealthFinding("daemon", "no daemon runs: nothing is done by itself", facts.how_to_start)
    elif daemon.settings_problem:
        text = f"the settings cannot be used, the old ones still hold: {daemon.settings_problem}"
        fix = "correct the file, then: bankctl config check && bankctl service reload"
        yield HealthFinding("daemon", text, fix, needs_person=True)
    if daemon and (still := tell_standstill(daemon.queue)):
        fix = "end the command that writes; .bankd/lock names its process" if daemon.queue.doing == LENT else _RESTART
        yield HealthFinding("daemon", still, fix, needs_person=True)
    if daemon and daemon.watcher.get("mode") == "polling":
        yield HealthFinding("daemon", f"changes are noticed by polling only: {daemon.watcher.get('reason')}")
    for job in facts.jobs:
        if job.failures and job.last:
            times = f"{job.failures} time{'s' if job.failures > 1 else ''}"
            text = f"{job.name} failed {times} in a row: {job.last.note}"
            yield HealthFinding("daemon", text, "see: bankctl log", needs_person=True)
    if missed := facts.missed():
        lost = sum(not row.made_up for row in missed)
        tail = f", {lost} of them not made up for" if lost else ", all made up for"
        text = f"{len(missed)} planned runs were missed in the last 7 days{tail}"
        yield HealthFinding("daemon", text, "see: bankctl log")
    if daemon is None and index.pending and index.updated:  # the first search or run makes an index if there is none
        text = f"changed pages that are not in the index yet: {index.pending}"
        yield HealthFinding("index", text, "bankctl cycle micro, or start the daemon")


_LONGEST_LOAN, _LONGEST_JOB, _LONGEST_PAUSE = 300.0, 3600.0, 60.0
"""Seconds: for a command that writes, for a job, and for jobs that wait while none runs."""
_RESTART = "start the daemon again: waiting work is done then; its journal may say why"


def tell_standstill(queue: QueueFacts) -> str:
    """The warning for a queue of jobs that makes no progress; empty while it makes some."""
    longest = {"": _LONGEST_PAUSE, LENT: _LONGEST_LOAN}.get(queue.doing, _LONGEST_JOB)
    if queue.seconds <= longest or not (queue.doing or queue.waiting):
        return ""
    waits = "1 job waits" if queue.waiting == 1 else f"{queue.waiting} jobs wait"
    doing = f"{queue.doing}, since" if queue.doing else "nothing is done, since"
    return f"the queue of jobs stands still: {doing} {queue.seconds / 60:.0f} min; {waits}"


def _judge_bank(bank: BankFacts) -> Iterator[HealthFinding]:
    for folder in bank.missing:
        fix = BANK_ADVICE if folder == "bank" else f"put it back, or: mkdir {folder}"
        yield HealthFinding("folders", f"{folder}/ is missing", fix, needs_person=True)
    if bank.emptied:
        yield HealthFinding("folders", tell_emptied(bank.emptied), BANK_ADVICE, needs_person=True)
    if bank.disk:
        reason, _, fix = bank.disk.partition("; ")
        fix = f"{fix or 'make room, or make it writable'}; waiting work is then done by itself"
        yield HealthFinding("disk", f"nothing can be written: {reason}", fix, needs_person=True)
    if bank.not_ours:
        more = f" and {len(bank.not_ours) - 1} more" if len(bank.not_ours) > 1 else ""
        text = f"{bank.not_ours[0]}{more} may not be read and written by bankd: was it run as another user?"
        fix = "give all of it back: sudo chown -R $USER .bankd bank archive events"
        yield HealthFinding("folders", text, fix, needs_person=True)
    if bank.index.problem:
        text = f"the index cannot be used: {bank.index.problem}"
        yield HealthFinding("index", text, "bankctl doctor index rebuild", needs_person=True)
    if bank.inbox:
        lines = "1 line in the inbox fits" if bank.inbox == 1 else f"{bank.inbox} lines in the inbox fit"
        yield HealthFinding("log lines", f"{lines} no rule", "bankctl review")
    if bank.offered:
        text = "1 line is proposed, and waits" if bank.offered == 1 else f"{bank.offered} lines are proposed, and wait"
        yield HealthFinding("log lines", f"{text} for your word", "bankctl review shows what")
    if bank.contradictions:
        waits = "1 contradiction waits" if bank.contradictions == 1 else f"{bank.contradictions} contradictions wait"
        yield HealthFinding("pages", f"{waits} for your word", "bankctl review list contradictions")
    if bank.is_clock_frozen:
        text = "the clock jumped by days: nothing is archived for its age"
        yield HealthFinding(
            "clock", text, "set it right, or confirm it: bankctl doctor clock accept", needs_person=True
        )


def tell_emptied(memories: int) -> str:
    """The problem of a bank that held these memories and has no page now."""
    return f"bank/ has no page, and held {memories} memories; no run starts"


def tell_unread(line: str) -> str:
    """The problem of a line of the event log that cannot be read."""
    return f"{line}; it is ignored"


def _judge_files(bank: BankFacts) -> Iterator[HealthFinding]:
    for line in bank.unread_events:
        yield HealthFinding("events", tell_unread(line), "correct the line, or delete it", needs_person=True)
    for page, until in sorted(bank.resting.items()):
        yield HealthFinding("transactions", f"{page} was {fights.why_resting(until)}", fights.ADVICE, needs_person=True)
    for item in bank.copied:
        yield HealthFinding("pages", f"{item.id} {item.words}", COPIED_ADVICE, needs_person=True)
    for place, reason in sorted(bank.held_back.items(), key=lambda held: "credential" not in held[1]):
        fix = f"correct the line, or: bankctl review drop {place}"
        yield HealthFinding("log lines", f"{place} was not taken in: {reason}", fix)
    for page, why in sorted(bank.closed.items()):  # lines for it wait
        reason, _, fix = why.partition("; ")
        text = f"{page} cannot be written: {reason}"
        yield HealthFinding("pages", text, fix or "correct its owner or mode", needs_person=True)
    for path, reason in sorted(bank.left_alone.items()):
        fix = "bankd uses it again once that is fixed"
        yield HealthFinding("files", f"{path} is left alone: {reason}", fix, needs_person=True)
    for path in bank.set_aside:
        text = f"{path}: a torn journal, set aside: {_LOST[path.split('/')[-2]]}"
        yield HealthFinding("transactions", text, "look at it, then delete it")
    if bank.large:
        more = f" and {len(bank.large) - _SHOWN} more" if len(bank.large) > _SHOWN else ""
        fix = "at split.split_kib the reflect cycle splits those that bankd wrote (split.pages); at once: bankctl page split PAGE"
        yield HealthFinding("pages", f"large pages: {', '.join(bank.large[:_SHOWN])}{more}", fix)
    for path in bank.too_large:  # its tagged lines are taken in all the same
        yield HealthFinding("files", f"{path} is too large to be searched", "divide it, best by its days")


_LOST = {
    "txn": "if its run was interrupted, the rest of it is done by the next run",
    "done": "this run cannot be undone, and is not looked at a second time",
    "runs": "this run cannot be undone any more",
}


def first_findings(findings: Iterable[HealthFinding]) -> Iterator[HealthFinding]:
    """The first findings of each area, and how many more there are; of the daemon all, for nobody else lists them."""
    areas = defaultdict[tuple[str, bool], list[HealthFinding]](list)
    for finding in findings:
        areas[finding.area, finding.needs_person].append(finding)
    for (area, needs_person), found in areas.items():
        most = len(found) if area == "daemon" else _SHOWN
        yield from found[:most]
        if more := len(found[most:]):
            said = f"1 more finding about {area}" if more == 1 else f"{more} more findings about {area}"
            yield HealthFinding(area, said, "bankctl doctor lists them", needs_person)


def facts_to_json(facts: HealthFacts) -> dict[str, Any]:
    """The facts with the findings, as `status --json` prints them and the socket sends them."""
    daemon, bank = facts.daemon, facts.bank
    since = {"since": daemon.since.isoformat(timespec="seconds")} if daemon else {}
    return {
        "version": 1,
        "workspace": facts.workspace,
        "now": facts.now.isoformat(timespec="seconds"),
        "timezone": facts.timezone,
        "daemon": asdict(daemon) | since if daemon else None,
        "bank": {"pages": bank.pages, "memories": bank.memories, "inbox": bank.inbox, "prose": bank.prose},
        "index": asdict(bank.index),
        "jobs": [
            {
                "job": job.name,
                "running": job.running,
                "failures": job.failures,
                "last": job.last and row_to_json(job.last),
                "next": job.following and job.following.isoformat(timespec="seconds"),
            }
            for job in facts.jobs
        ],
        "missed": [row_to_json(row) for row in facts.missed()],
        "findings": [asdict(finding) for finding in first_findings(judge_health(facts))],
    }


Metric: TypeAlias = tuple[str, str, Mapping[str, float]]
"""A metric without `bankd_`: its name, what it means, and its values by their labels (empty for a value alone)."""


def metrics_text(metrics: Iterable[Metric]) -> str:
    """The metrics that have a value in the text format of Prometheus, 0.0.4, each with its help and type."""
    lines: list[str] = []
    for name, meaning, values in metrics:
        kind = "counter" if name.endswith("_total") else "gauge"
        lines += [f"# HELP bankd_{name} {meaning}", f"# TYPE bankd_{name} {kind}"] if values else []
        for labels, value in values.items():
            lines.append(f"bankd_{name}{labels} {value:g}" if value < 1e6 else f"bankd_{name}{labels} {value:.0f}")
    return "\n".join(lines) + "\n"


def render_metrics(facts: HealthFacts) -> str:
    """The facts as metrics."""
    bank, index, daemon = facts.bank, facts.bank.index, facts.daemon
    jobs = {f'{{job="{job.name}"}}': job for job in facts.jobs}
    failures = {label: float(job.failures) for label, job in jobs.items()}
    ends = {label: job.last.at.timestamp() for label, job in jobs.items() if job.last}
    needing = sum(finding.needs_person for finding in judge_health(facts))
    metrics: list[Metric] = [
        ("pages", "Pages of the bank.", {"": bank.pages}),
        ("memories", "Memories of the bank.", {} if bank.memories is None else {"": bank.memories}),
        ("inbox_lines", "Lines that no rule could place.", {"": bank.inbox}),
        ("index_pending_files", "Changed files that are not searchable yet.", {"": index.pending}),
        ("index_provisional_pages", "Pages read without the morphological analyser yet.", {"": index.provisional}),
        ("job_failures_in_a_row", "Failed runs of a job since it last worked.", failures),
        ("job_last_end_timestamp_seconds", "When a job last ended.", ends),
        ("missed_runs", "Planned runs missed in the last 7 days.", {"": len(facts.missed())}),
        ("needs_person", "Findings that stay until a person acts.", {"": needing}),
    ]
    if daemon is not None:
        losses = float(daemon.watcher.get("losses", 0))
        metrics += [
            ("watcher_lost_events_total", "Times that the kernel dropped file events.", {"": losses}),
            ("requests_total", "Requests answered on the socket.", {"": daemon.requests}),
            ("refused_total", "Clients put out of the socket.", {"": daemon.refused}),
        ]
    return metrics_text(metrics)


LARGEST_STEP = timedelta(days=3)
"""A jump larger than a wrong zone or a weekend of drift explains, and too short for opinions to fade away unseen."""

FROZEN = (
    "the clock jumped by more than three days; nothing is archived for its age until it is right again, "
    "or you confirm it: bankctl doctor clock accept"
)


@dataclass(frozen=True, slots=True)
class ClockReading:
    """The wall clock, aware, beside a clock that nobody can set: seconds since boot, sleep included."""

    wall: datetime
    since_boot: float
    boot: str = ""
    """Which boot that was."""


@dataclass(frozen=True, slots=True)
class ClockTrust:
    """The last trusted reading, and how far the clock has been off since; None: it is trusted."""

    anchor: ClockReading
    off: timedelta | None = None

    @property
    def is_frozen(self) -> bool:
        """Whether the clock is not trusted; then nothing is archived for its age."""
        return self.off is not None


def judge_reading(trust: ClockTrust | None, now: ClockReading) -> ClockTrust:
    """Trust a reading, or freeze; when the clock is right again, it is trusted again.

    After a restart it is not known how long the machine was off: a trusted clock stays trusted, a frozen one frozen.
    The budget of a run limits what a wrong date can archive.
    """
    if trust is None:
        return ClockTrust(now)
    anchor = trust.anchor
    if anchor.boot != now.boot:
        return trust if trust.is_frozen else ClockTrust(now)
    step = (now.wall - anchor.wall) - timedelta(seconds=now.since_boot - anchor.since_boot)
    return ClockTrust(anchor, step) if abs(step) > LARGEST_STEP else ClockTrust(now)
