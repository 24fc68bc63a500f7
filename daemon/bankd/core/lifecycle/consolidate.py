"""Finds near-duplicates that are already in the bank, and merges those of which one says all that the others say.

Likeness only gathers a cluster; merging inside it asks `compare`, so that no fact is lost whatever the threshold. The
one that stays names the others in a comment, and they go to the archive as superseded.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date

from rapidfuzz.distance import Indel

from bankd.core.dedup.compare import Relation, compare_statements
from bankd.core.edits.operations import Operation, Replace
from bankd.core.edits.spans import unix_text
from bankd.core.language.statement import Statement
from bankd.core.lifecycle.decay import Fading, value_on
from bankd.core.lifecycle.retiring import Archived, moved_out
from bankd.core.markdown.memory import Confidence, Memory, render_sources
from bankd.core.markdown.page_lines import MemoryLines, with_confidence

_TAIL = re.compile(r"(?:[ \t]+<!-- also[^>\n]*-->)?[ \t]+\^(?P<id>[A-Za-z0-9-]+)[ \t]*$")

CONTENT, PLACE, LABELS = 0.50, 0.35, 0.15
"""What counts in the affinity of two memories: their words, title and headings around them, tag and entities."""

THRESHOLD = 0.55
"""Affinity from which two memories are in one cluster. Calibrated on pairs that `compare` finds the same (bench):
at 0.55 one in 262 is missed, wherever the two stand, and of chance pairs on one page 3 % are gathered; at 0.4 whole pages
are, and at 0.6 a fifth of the pairs on two pages is missed."""


@dataclass(frozen=True, slots=True)
class Member:
    """A memory as it is clustered: what it says, and the titles of its page and headings."""

    id: str
    memory: Memory
    statement: Statement
    titles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Cluster:
    """Memories that are much alike, and who is near whom: through many links a cluster may hold half of a bank."""

    members: tuple[Member, ...]
    near: Mapping[str, Set[str]]


@dataclass(frozen=True, slots=True)
class Merger:
    """The memory that stays, with all that its sources say, and the ids that it is made of, its own first."""

    keeper: Member
    merged: Memory
    sources: tuple[str, ...]


def affinity_of(one: Member, other: Member) -> float:
    """How near two memories are, from 0 to 1."""
    content = Indel.normalized_similarity(sorted(one.statement.keys), sorted(other.statement.keys))
    place = _overlap(_words_of(one.titles), _words_of(other.titles))
    tags = float(one.memory.tag == other.memory.tag)
    entities = _overlap(one.statement.about, other.statement.about)
    return CONTENT * content + PLACE * place + LABELS * (tags + entities) / 2


def _words_of(titles: Iterable[str]) -> frozenset[str]:
    return frozenset(word for title in titles for word in title.casefold().split())


def _overlap(one: Set[Hashable], other: Set[Hashable]) -> float:
    """The share of what both have in what either has; two empty sets agree."""
    union = len(one | other)
    return len(one & other) / union if union else 1.0


def find_clusters(pairs: Iterable[tuple[Member, Member]], threshold: float = THRESHOLD) -> list[Cluster]:
    """Gather candidate pairs into clusters by union-find; those with the most members first, then by id."""
    roots: dict[str, str] = {}
    members: dict[str, Member] = {}
    near: dict[str, set[str]] = {}
    for one, other in pairs:
        if one.id == other.id or affinity_of(one, other) < threshold:
            continue
        members |= {one.id: one, other.id: other}
        near.setdefault(one.id, set()).add(other.id)
        near.setdefault(other.id, set()).add(one.id)
        roots[_root(roots, one.id)] = _root(roots, other.id)
    grouped: dict[str, list[Member]] = {}
    for id_ in sorted(members):
        grouped.setdefault(_root(roots, id_), []).append(members[id_])
    clusters = [Cluster(tuple(group), {member.id: near[member.id] for member in group}) for group in grouped.values()]
    return sorted(clusters, key=lambda cluster: (-len(cluster.members), cluster.members[0].id))


def _root(roots: dict[str, str], id_: str) -> str:
    while roots.setdefault(id_, id_) != id_:
        roots[id_] = roots[roots[id_]]
        id_ = roots[id_]
    return id_


def find_mergers(cluster: Cluster, today: date, fading: Fading) -> list[Merger]:
    """What can be merged in a cluster without losing a word: each group under the member that says all of it.

    A pinned memory is kept, never merged into another; a member that says something of its own stays as it is.
    """
    members = {member.id: member for member in cluster.members}
    found, gone = [], set[str]()
    for keeper in sorted(cluster.members, key=_most_said_first):
        if keeper.id in gone:
            continue
        gone.add(keeper.id)
        others = [members[id_] for id_ in sorted(cluster.near[keeper.id] - gone)]
        covered = [other for other in others if not other.memory.is_pinned and _says_all(keeper, other)]
        if covered:
            gone |= {member.id for member in covered}
            merged = replace(keeper.memory, confidence=_strongest((keeper, *covered), today, fading))
            found.append(Merger(keeper, merged, (keeper.id, *(member.id for member in covered))))
    return found


def _most_said_first(member: Member) -> tuple[bool, int, str]:
    return not member.memory.is_pinned, -len(member.statement.keys), member.id


def _says_all(keeper: Member, other: Member) -> bool:
    """Say whether the keeper says what the other does, of the same people and as the same kind of statement."""
    is_kin = keeper.memory.tag == other.memory.tag
    return is_kin and compare_statements(keeper.statement, other.statement).outcome is Relation.SAME


def _strongest(members: Sequence[Member], today: date, fading: Fading) -> Confidence | None:
    """The confidence that is highest today."""
    values = [member.memory.confidence for member in members if member.memory.confidence]
    return max(values, key=lambda written: value_on(written, today, fading), default=None)


@dataclass(frozen=True, slots=True)
class Merged:
    """The memory that stays, its lines as they are and as they will be, and the memories that are merged into it."""

    id: str
    page: str
    text: str
    merged: str
    sources: tuple[Archived, ...]

    @property
    def operations(self) -> tuple[Operation, ...]:
        """The sources are named first, then they go to the archive."""
        named = Replace(self.page, self.id, self.text, self.merged)
        return (named, *(operation for source in self.sources for operation in source.operations))


def merged_of(merger: Merger, held: Mapping[str, MemoryLines]) -> Merged | None:
    """What a merger does to the pages; None when one of its memories cannot be moved now."""
    keeper, *others = merger.sources
    if any(id_ not in held for id_ in merger.sources) or any(held[id_].inside for id_ in others):
        return None
    sources = tuple(moved_out(id_, held[id_], f"superseded: {keeper} says all of it") for id_ in others)
    lines = held[keeper]
    known = tuple(dict.fromkeys((*merger.keeper.memory.sources, *others)))
    return Merged(keeper, lines.page, unix_text(lines.text), _named(merger, lines, known), sources)


def _named(merger: Merger, lines: MemoryLines, sources: tuple[str, ...]) -> str:
    """The keeper's lines with the comment that names its sources, and the highest confidence of all."""
    text = unix_text(lines.text)
    confidence = merger.merged.confidence
    if confidence is not None and merger.keeper.memory.confidence is not None:
        text = with_confidence(text, confidence)
    rows = text.split("\n")
    last = rows[lines.own - 1]
    rows[lines.own - 1] = _TAIL.sub(f"{render_sources(sources)} ^{merger.keeper.id}", last)
    return "\n".join(rows)
