"""The facts as Prometheus reads them: its text exposition format 0.0.4."""

from __future__ import annotations

from collections.abc import Iterator

from bankd.core.daemon.health import judge_health, recent_missed
from bankd.core.daemon.health_facts import HealthFacts
from bankd.core.daemon.schedule_rows import RunOutcome

_HELP = {
    "bankd_pages": "Pages of the bank.",
    "bankd_memories": "Memories of the bank.",
    "bankd_inbox_lines": "Lines that no rule could place.",
    "bankd_index_pending_files": "Changed files that are not searchable yet.",
    "bankd_index_provisional_pages": "Pages read without the morphological analyser yet.",
    "bankd_job_failures_in_a_row": "Failed runs of a job since it last worked.",
    "bankd_job_last_end_timestamp_seconds": "When a job last ended.",
    "bankd_job_last_duration_seconds": "How long its last run took.",
    "bankd_job_next_timestamp_seconds": "When a job is due next.",
    "bankd_missed_runs": "Planned runs missed in the last 7 days.",
    "bankd_needs_person": "Findings that stay until a person acts.",
    "bankd_watcher_lost_events_total": "Times that the kernel dropped file events.",
    "bankd_requests_total": "Requests answered on the socket.",
    "bankd_refused_total": "Clients put out of the socket.",
}


def render_metrics(facts: HealthFacts) -> str:
    """All metrics, each with its help and type."""
    lines: list[str] = []
    seen = set()
    for name, labels, value in _samples(facts):
        if name not in seen:
            seen.add(name)
            kind = "counter" if name.endswith("_total") else "gauge"
            lines += [f"# HELP {name} {_HELP[name]}", f"# TYPE {name} {kind}"]
        lines.append(f"{name}{labels} {value:g}" if value < 1e6 else f"{name}{labels} {value:.0f}")
    return "\n".join(lines) + "\n"


def _samples(facts: HealthFacts) -> Iterator[tuple[str, str, float]]:
    bank = facts.bank
    yield "bankd_pages", "", bank.pages
    yield "bankd_memories", "", bank.index.memories
    yield "bankd_inbox_lines", "", bank.inbox
    yield "bankd_index_pending_files", "", bank.index.pending
    yield "bankd_index_provisional_pages", "", bank.index.provisional
    yield from _job_samples(facts)
    yield "bankd_missed_runs", "", len(recent_missed(facts))
    yield "bankd_needs_person", "", sum(finding.needs_person for finding in judge_health(facts))
    if facts.daemon is not None:
        yield "bankd_watcher_lost_events_total", "", float(facts.daemon.watcher.get("losses", 0))
        yield "bankd_requests_total", "", facts.daemon.requests
        yield "bankd_refused_total", "", facts.daemon.refused


def _job_samples(facts: HealthFacts) -> Iterator[tuple[str, str, float]]:
    for job in facts.jobs:
        yield "bankd_job_failures_in_a_row", f'{{job="{job.name}"}}', job.failures
    for job in facts.jobs:
        if job.last is not None and job.last.outcome in {RunOutcome.RAN, RunOutcome.FAILED}:
            yield "bankd_job_last_end_timestamp_seconds", f'{{job="{job.name}"}}', job.last.at.timestamp()
    for job in facts.jobs:
        if job.last is not None:
            yield "bankd_job_last_duration_seconds", f'{{job="{job.name}"}}', job.last.seconds
    for job in facts.jobs:
        if job.following is not None:
            yield "bankd_job_next_timestamp_seconds", f'{{job="{job.name}"}}', job.following.timestamp()
