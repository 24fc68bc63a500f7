"""What a reflect cycle takes out of the bank by itself: opinions that have faded, and what was superseded if so set.

It goes to the archive with a tombstone that says where it stood; nothing is deleted, and its log line does not bring it
back. How many may go in one night is bounded: a wrong clock makes everything look old.

Finds near-duplicates that are already in the bank, and merges those of which one says all that the others say.

Likeness only gathers a cluster; merging inside it asks `compare`, so that no fact is lost whatever the threshold. The
one that stays names the others in a comment, and they go to the archive as superseded.

Which memories of what was lived have become worth knowing: those that were of use again and again.

A person is asked; nothing moves by itself.
"""

from __future__ import annotations

import re
from collections.abc import Container, Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date, timedelta

from rapidfuzz.distance import Indel

from bankd.edits.inserting import block_key, outdent_lines, unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove, Replace
from bankd.memory.archive import ArchiveCandidate, Resident, archive_page, fades_away_on
from bankd.memory.ledger import Ledger, day_of
from bankd.memory.route import Destination
from bankd.memory.use import NOTICE, Fading, value_on
from bankd.memory.use_policy import PROMOTED_AFTER, PROMOTED_USES
from bankd.pages.memory import Confidence, Memory, memory_id, parse_memory, render_sources, statement_of
from bankd.pages.names import Names, is_own
from bankd.pages.page import MARKER, MemoryLines, with_confidence
from bankd.same.compare import Relation, compare_statements
from bankd.settings import BudgetPolicy
from bankd.words.statement import Statement

ALWAYS_ALLOWED = 20
"""Memories that may go in one run however small the bank is."""


@dataclass(frozen=True, slots=True)
class Opinion:
    """An opinion with its written confidence, by the place where it begins; a hand-written one may have no id."""

    page: str
    line: int
    id: str | None
    confidence: Confidence


@dataclass(frozen=True, slots=True)
class Named:
    """A memory that the user wrote gets an id, since the archive has to refer to it: its lines before and after."""

    page: str
    text: str
    named: str
    id: str

    @property
    def operation(self) -> Operation:
        """The id at the end of the memory's own lines."""
        return Replace(self.page, block_key(self.text), self.text, self.named)


@dataclass(frozen=True, slots=True)
class Archived:
    """A memory that goes to the archive: its exact lines, where it stood, its neighbours there, and why it goes."""

    id: str
    page: str
    heading: tuple[str, ...]
    text: str
    after: tuple[str, ...]
    reason: str
    before: tuple[str, ...] = ()
    is_apart: tuple[bool, bool] | None = None
    archive: str = ""
    """The page of the archive, where another name in case than that of the page has been made; empty for the mirror of it."""

    def within(self, names: Names) -> Archived:
        """The same, into the page of the archive that is there: two whose names differ in case alone are one elsewhere."""
        return replace(self, archive=names.file(archive_page(self.page)) or "")

    @property
    def operations(self) -> tuple[Operation, Operation]:
        """Into the archive first, then out of the bank."""
        here, target = Piece(self.id, unix_text(self.text)), self.archive or archive_page(self.page)
        there = Piece(self.id, outdent_lines(here.text))
        heading, title = self.heading[-1] if len(self.heading) > 1 else "", self.heading[0] if self.heading else ""
        return Append(target, heading, (there,), title), Remove(self.page, (here,), target)

    @property
    def tombstone(self) -> dict[str, object]:
        """What the event log remembers of it."""
        return {
            "memory": self.id,
            "page": self.page,
            "heading": list(self.heading),
            "after": list(self.after),
            "before": list(self.before),
            "is_apart": list(self.is_apart) if self.is_apart else None,
            "reason": self.reason,
        }


@dataclass(frozen=True, slots=True)
class Departure:
    """A memory that will have faded away on a day: where it stands, and what it says."""

    page: str
    text: str
    day: date


def find_departures(residents: Iterable[Resident], today: date, fading: Fading) -> list[Departure]:
    """What fades away within the time of notice, but not today, soonest first."""
    days = [(r, fades_away_on(r.memory, r.kept, r.restored, today, fading, r.signals)) for r in residents]
    soon = [Departure(r.page, statement_of(r.memory), day) for r, day in days if day and today < day <= today + NOTICE]
    return sorted(soon, key=lambda one: (one.day, one.page, one.text))


def allowed_removals(held: int, budget: BudgetPolicy) -> int:
    """How many memories one run may take out unasked."""
    return max(ALWAYS_ALLOWED, held * budget.max_removed_percent // 100)


def find_fallen(opinions: Iterable[Opinion], today: date, fading: Fading) -> list[Opinion]:
    """The opinions that are strictly below the floor today, as far as their confidence tells."""
    return [opinion for opinion in opinions if value_on(opinion.confidence, today, fading) < fading.floor]


def residents_of(held: Mapping[str, MemoryLines], ledger: Ledger) -> list[Resident]:
    """What the archive rules ask of memories, from their lines and the events.

    One in which other memories with ids are nested is not a resident: they would go where it goes.
    """
    newer = ledger.successors()
    return [_resident(id_, lines, newer.get(id_), ledger) for id_, lines in sorted(held.items()) if not lines.inside]


def _resident(id_: str, lines: MemoryLines, newer: str | None, ledger: Ledger) -> Resident:
    memory = memory_of(lines)
    kept = ledger.consumed.get(id_)
    first = day_of(kept) if kept else None
    used, signals = ledger.last_use_of(id_), ledger.signals_of(id_)
    return Resident(id_, lines.page, memory, first, used, newer, ledger.restored.get(id_), signals)


def memory_of(lines: MemoryLines) -> Memory:
    """The memory that its lines say, without what is nested in it."""
    own = "\n".join(line.strip() for line in lines.text.split("\n")[: lines.own])
    return parse_memory(MARKER.sub("", own))


def give_id(lines: MemoryLines) -> Named:
    """Give a hand-written memory an id, made of its page and what it says."""
    id_ = memory_id(lines.page, statement_of(parse_memory(MARKER.sub("", lines.text))), 0)
    rows = lines.text.split("\n")
    rows[lines.own - 1] = f"{rows[lines.own - 1].rstrip()} ^{id_}"
    return Named(lines.page, lines.text, "\n".join(rows), id_)


def archive_memory(candidate: ArchiveCandidate, lines: MemoryLines) -> Archived:
    """A candidate that goes."""
    return moved_out(candidate.resident.id, lines, candidate.detail)


def moved_out(id_: str, lines: MemoryLines, reason: str) -> Archived:
    """A memory that goes to the archive, from its lines."""
    return Archived(id_, lines.page, lines.heading, lines.text, lines.after, reason, lines.before, lines.is_apart)


def too_many(going: int, held: int, budget: BudgetPolicy) -> str | None:
    """Say so when more would go in one run than may without a person's word."""
    if going <= allowed_removals(held, budget):
        return None
    return (
        f"{going} of {held} memories would go to the archive at once, more than "
        f"budget.max_removed_percent = {budget.max_removed_percent} allows; nothing was archived. If the clock is right, "
        "run bankctl cycle reflect --force"
    )


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


LIVED = ("experience/", "world/events.md", "world/events/")
"""Where memories of what happened stand, relative to the bank; a page that was split has its parts in a folder."""
KNOWN = "knowledge/learned.md"
"""Where lasting knowledge goes that no rule has another place for."""


def find_promotable(residents: Iterable[Resident], today: date, declined: Container[str]) -> list[Resident]:
    """What was lived, learned a week ago or earlier and used on three days, unless somebody declined; most used first."""
    offered = [one for one in residents if one.id not in declined and _is_promotable(one, today)]
    return sorted(offered, key=lambda one: (-len(set(one.signals.used)), one.page, one.id))


def _is_promotable(one: Resident, today: date) -> bool:
    if one.kept is None or one.superseded_by or not is_lived(one.page.removeprefix("bank/")):
        return False
    return one.kept <= today - timedelta(PROMOTED_AFTER) and len(set(one.signals.used)) >= PROMOTED_USES


def is_lived(page: str) -> bool:
    """Whether a page, relative to the bank, holds what happened."""
    return page.startswith(LIVED)


def lasting_place(claims: Sequence[Destination]) -> Destination:
    """Of the places that claim a memory, the first of lasting knowledge."""
    lasting = (place for place in claims if not (is_lived(place.page) or is_own(place.page)))
    return next(lasting, Destination(KNOWN, None, "lasting knowledge"))
