"""The story of what memories say together: clusters without an insight are asked about, a few a night.

    find clusters | ask | judge by rules | have the model verify | put at the end of memory/distilled/DAY.md; and what lost its sources goes

An insight is a line of a log like any other, so that a run takes it in, and a person may edit or delete it.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from bankd.core.distil.insights import (
    A_NIGHT,
    MemoryCluster,
    Remembered,
    as_retain_line,
    insight_in,
    insight_prompt,
    memory_clusters,
)
from bankd.core.distil.prompts import Reply, Unanswered
from bankd.core.distil.sections import DERIVED, FOLDER, distilled_keys, distilled_mark, opening_of
from bankd.core.lifecycle.retiring import memory_of
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.plan.decisions import Deferred
from bankd.distilling import DistilParts, judge_distilled, verify_lines
from bankd.errors import BankError


def derive_insights(parts: DistilParts, held: Mapping[str, MemoryLines], now: datetime) -> tuple[Deferred, ...]:
    """Have a model read clusters of memories that it has not read as they are now; gives what waits and why."""
    fresh = _unseen(parts, held, now)[:A_NIGHT]
    answers = parts.models.answer([insight_prompt(cluster) for cluster in fresh])
    waiting: list[Deferred] = []
    for cluster, answer in zip(fresh, answers, strict=True):
        problem = answer.reason if isinstance(answer, Unanswered) else _write(parts, cluster, answer, now)
        waiting += [Deferred(cluster.section.heading, f"an insight waits to be derived: {problem}")] if problem else []
    return tuple(waiting)


def _unseen(parts: DistilParts, held: Mapping[str, MemoryLines], now: datetime) -> list[MemoryCluster]:
    logs = [log for log in parts.logs.settled(now) if log.startswith(f"{FOLDER}/")]
    known = {key for log in logs for key in distilled_keys(parts.logs.text(log), DERIVED)}
    remembered = (
        Remembered(id_, (lines.page, *lines.heading), memory_of(lines)) for id_, lines in sorted(held.items())
    )
    return [cluster for cluster in memory_clusters(remembered) if cluster.section.key not in known]


def _write(parts: DistilParts, cluster: MemoryCluster, reply: Reply, now: datetime) -> str:
    """Put what is believed, or waits for a person, into the log of the day; gives why that could not be done."""
    insight, log = insight_in(reply.value, cluster), f"{FOLDER}/{now.date().isoformat()}.md"
    judged = judge_distilled([insight] if insight else [], cluster.section, parts, now)
    verified = verify_lines(judged, cluster.section, parts, now, are_insights=True)
    if isinstance(verified, Unanswered):
        return verified.reason
    lines = [as_retain_line(one.line, cluster, one.reason) for one in verified]
    opening = "" if parts.logs.text(log) else opening_of(log)
    try:
        parts.logs.append(log, "\n".join([opening, *lines, "", distilled_mark(cluster.section.key, DERIVED), ""]))
    except BankError as problem:
        return str(problem)
    return ""
