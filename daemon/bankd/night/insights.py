"""Insights: lines that say what several memories show together, and name them; an insight goes when one of them goes.

A night asks about a few clusters of memories. An insight is a line of a log like any other, so a run takes it in and a
person may edit or delete it. No insight supports another.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from bankd.memory.archive import memory_of
from bankd.memory.plan import Deferred
from bankd.memory.retain import PROFILES, clean_text
from bankd.night import asking
from bankd.night.believe import LineSources, attest_lines, verify_lines
from bankd.night.sections import DERIVED, FOLDER, append_lines, distilled_keys
from bankd.pages.memory import Memory

LEAST, A_NIGHT = 5, 5
"""The fewest memories for an insight, and the most insights a night: design section 19."""
_MOST = 40
"""The most memories of a cluster that a model is shown: the last ones in the order of their pages."""
VERSION, MOST_TOKENS = "derive-1", 600
_DERIVED = re.compile(r"\(derived from (m-[a-z2-7]{12}(?:, m-[a-z2-7]{12})*)\)")

SYSTEM = asking.prompt_text("insights.txt")

_SOURCES = {**asking.list_schema(asking.NUMBER), "minItems": LEAST}
_INSIGHT = asking.object_schema(tag=asking.TAG, text=asking.TEXT, sources=_SOURCES)
SCHEMA = asking.object_schema(insights=asking.list_schema(_INSIGHT, most=1))


class Remembered(NamedTuple):
    """A memory of the bank: its id, its page and heading, and its text."""

    id: str
    place: tuple[str, ...]
    memory: Memory


class MemoryCluster(NamedTuple):
    """Memories that belong together: what they are about, and their ids and texts in the order of their pages."""

    about: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]

    @property
    def key(self) -> str:
        """A key that changes when one of the memories changes."""
        return sha256("\n".join([self.about, *self.texts]).encode("utf-8", "surrogatepass")).hexdigest()[:12]


def derive_insights(parts: asking.NightParts, now: datetime) -> tuple[Deferred, ...]:
    """Have a model read the clusters that are new or changed; gives what waits and why."""
    waiting: list[Deferred] = []
    for cluster in _unseen(parts, now)[:A_NIGHT]:
        lines = "\n".join(f"{number}| {text}" for number, text in enumerate(cluster.texts, 1))
        about = f"About {cluster.about}:\n<memories>\n{lines}\n</memories>"
        (reply,) = parts.models.answer([asking.Prompt(VERSION, SYSTEM, about, SCHEMA, MOST_TOKENS)])
        problem = reply.reason if isinstance(reply, asking.Unanswered) else _write(parts, cluster, reply, now)
        waiting += [Deferred(cluster.about, f"an insight waits to be derived: {problem}")] if problem else []
    return tuple(waiting)


def _unseen(parts: asking.NightParts, now: datetime) -> list[MemoryCluster]:
    logs = [log for log in parts.logs.settled(now) if log.startswith(f"{FOLDER}/")]
    known = {key for log in logs for key in distilled_keys(parts.logs.text(log), DERIVED)}
    held = sorted(parts.catalog.all_lines().items())
    remembered = (Remembered(id_, (lines.page, *lines.heading), memory_of(lines)) for id_, lines in held)
    return [cluster for cluster in memory_clusters(remembered) if cluster.key not in known]


def memory_clusters(remembered: Iterable[Remembered]) -> list[MemoryCluster]:
    """Groups of five or more memories that share a person, a thing or a heading; insights left out, largest group first.

    A group of which half supports an insight already is left out until that insight goes.
    """
    groups: dict[str, list[Remembered]] = defaultdict(list)
    supports: list[frozenset[str]] = []
    for one in remembered:
        if own := sources_of(one.memory.text):
            supports.append(frozenset(own))
            continue
        for name in [f"@{entity}" for entity in one.memory.entities] or [" > ".join(one.place)]:
            groups[name].append(one)
    found = [
        MemoryCluster(name, *zip(*((one.id, " ".join(one.memory.text.split())) for one in group[-_MOST:]), strict=True))
        for name, group in groups.items()
        if len(group) >= LEAST
    ]
    fresh = [one for one in found if not any(2 * len(own & {*one.ids}) >= len(own) for own in supports)]
    return sorted(fresh, key=lambda one: (-len(one.ids), one.about))


def _write(parts: asking.NightParts, cluster: MemoryCluster, reply: asking.Reply, now: datetime) -> str:
    """Put the believed and the waiting insights into the log of the day; gives the reason if that fails."""
    insight, log = insight_in(reply.value, cluster), f"{FOLDER}/{now.date().isoformat()}.md"
    sources = LineSources(f"About {cluster.about}", dict(enumerate(cluster.texts, 1)), now.date())
    judged = attest_lines([insight] if insight else [], sources, parts.index)
    verified = verify_lines([judged], [sources], parts.models, are_insights=True)
    if isinstance(verified, asking.Unanswered):
        return verified.reason
    lines = [as_retain_line(one.line, cluster, one.reason) for one in verified[0]]
    return append_lines(parts.logs, log, lines, [cluster.key], DERIVED)


def insight_in(answer: object, cluster: MemoryCluster) -> asking.DistilledLine | None:
    """The insight in an answer; None if there is none, or if it names too few memories."""
    one = next(iter(asking.objects_in(answer, "insights")), {})
    sources = tuple(dict.fromkeys(n for n in asking.numbers_in(one.get("sources")) if 0 < n <= len(cluster.ids)))
    text = clean_text(_DERIVED.sub("", asking.text_in(one)))
    if len(sources) < LEAST or not text or str(one.get("tag")) not in PROFILES["default"]:
        return None
    return asking.DistilledLine(str(one["tag"]), (), text, sources)


def as_retain_line(line: asking.DistilledLine, cluster: MemoryCluster, reason: str | None) -> str:
    """The line of a log, with the memories that it was derived from; with a reason it waits for a person."""
    ids = ", ".join(cluster.ids[number - 1] for number in line.sources)
    note = f" <!-- refused: {reason.replace('--', '-')} -->" if reason else ""
    about = f" {cluster.about}" if cluster.about.startswith("@") else ""
    return f"- {line.tag}{about}: {line.text} (derived from {ids}){note}"


def sources_of(text: str) -> tuple[str, ...]:
    """The ids of the memories that an insight names; empty for a text that is not an insight."""
    found = _DERIVED.search(text)
    return tuple(found[1].split(", ")) if found else ()
