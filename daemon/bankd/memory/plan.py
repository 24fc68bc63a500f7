"""The plan of a run: everything that it will change, decided before the first write.

The steps of the cycle fill a plan one after another; `operations` and `events` turn it into a transaction. What is for a
page that cannot be written waits, and a memory follows its edited line. Lines that a person should look at are here too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property

from bankd.edits.operations import Append, Operation, Piece, Replace, move_piece
from bankd.edits.settle import is_just_saved
from bankd.edits.transaction import Transaction
from bankd.health.health import Copied
from bankd.layouts.links import Stray
from bankd.layouts.rearrange import Followed, Rearrangement, relink_operations
from bankd.memory import ledger
from bankd.memory.archive import Archived, Merged, Resident, Restored
from bankd.memory.ledger import Event
from bankd.memory.new_lines import Renamed
from bankd.memory.retain import HeldBack, RetainLine
from bankd.memory.route import Destination
from bankd.memory.use import RECALLED
from bankd.pages.memory import Confidence, parse_memory, render_memory, statement_of
from bankd.pages.names import INBOX, Names
from bankd.pages.page import MARKER, MemoryLines


@dataclass(frozen=True, slots=True)
class Placement:
    """A new memory, and where it goes."""

    line: RetainLine
    destination: Destination


@dataclass(frozen=True, slots=True)
class Blocked:
    """A line that says nothing new, the memory that says the same, and why bankd thinks so."""

    line: RetainLine
    twin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Update:
    """A memory with another value for the same thing, the older memory that it replaces, and the difference.

    `id` is the id of the memory, if it is not that of the line. With `is_question` a person wrote one of the two, and
    is asked.
    """

    line: RetainLine
    old: str
    reason: str
    id: str = ""
    is_question: bool = False

    @property
    def new(self) -> str:
        """The id of the newer memory."""
        return self.id or self.line.id


@dataclass(frozen=True, slots=True)
class Revised:
    """An edited line, and how the memory that follows it is reworded."""

    line: RetainLine
    change: Replace


@dataclass(frozen=True, slots=True)
class Withheld:
    """A line with a credential: what kind it looks like, and the line with the secret masked."""

    line: RetainLine
    kind: str
    masked: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """Something that waits for a later run, and why; with `needs_person` it may wait for ever unless a person acts.

    `hides_nothing`: no memory can seem to be missing because this page was not read.
    """

    what: str
    reason: str
    needs_person: bool = False
    hides_nothing: bool = False


_UNDATED = re.compile(r"(\([ \t]*c[ \t]*=[ \t]*\d(?:\.\d{1,2})?)([ \t]*\))")


@dataclass(frozen=True)
class Plan:
    """All that a run will do, and all that it will not do, with reasons.

    `operations` and `events` are computed once, because each step looks at them again.
    """

    run: str
    now: datetime
    lines: tuple[RetainLine, ...] = ()
    placements: tuple[Placement, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    updates: tuple[Update, ...] = ()
    confirmed: tuple[Replace, ...] = ()
    """Opinions that were said again."""
    revised: tuple[Revised, ...] = ()
    overruled: tuple[Blocked, ...] = ()
    """Edited lines whose memory a person had changed or taken out: the memory is not touched."""
    withheld: tuple[Withheld, ...] = ()
    repaired: tuple[Placement, ...] = ()
    """Lines whose memory is in the bank although the event log does not know it."""
    projects: tuple[RetainLine, ...] = ()
    """The lines that name another project than the ledger knows."""
    renamed: tuple[Renamed, ...] = ()
    deleted: Mapping[str, MemoryLines] = field(default_factory=dict)
    """The memories that a person took out, with their lines as they last stood; without text where that is not known."""
    returned: tuple[str, ...] = ()
    """Memories that counted as deleted and are on a page again."""
    by_hand: tuple[str, ...] = ()
    """Pages on which others than bankd wrote or changed memories."""
    reworded: Mapping[str, MemoryLines] = field(default_factory=dict)
    """The memories that they changed, with their lines: who deletes them later can have them back as they stood."""
    dated: tuple[Replace, ...] = ()
    """Memories whose confidence the user wrote without a day."""
    archived: tuple[Archived, ...] = ()
    merged: tuple[Merged, ...] = ()
    restored: tuple[Restored, ...] = ()
    recalled: tuple[tuple[str, date], ...] = ()
    copied: tuple[Copied, ...] = ()
    named: tuple[Replace, ...] = ()
    """Memories of the user that get an id, because the archive must refer to them."""
    fading: tuple[tuple[Resident, date], ...] = ()
    """Memories that will go to the archive within days, unless somebody says them again; each with its day."""
    bad: tuple[HeldBack, ...] = ()
    deferred: tuple[Deferred, ...] = ()
    warnings: tuple[str, ...] = field(default_factory=tuple)
    followed: tuple[Followed, ...] = ()
    dead_links: tuple[Stray, ...] = ()
    rearranged: Rearrangement | None = None
    prose: int = 0
    """How many lines without a tag stand in the logs that were read."""

    def with_(self, **changes: object) -> Plan:
        """The plan with some of its lists replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]  # names are checked by dataclasses.replace

    @property
    def is_empty(self) -> bool:
        """Whether it writes nothing."""
        return not self.operations and not self.events

    @property
    def behind(self) -> dict[str, str]:
        """By the id of a line: the memory that says what it says, or that follows it."""
        twins = {item.line.id: item.twin for item in self.blocked}
        return twins | {item.line.id: item.change.key for item in self.revised}

    @property
    def taken_out(self) -> tuple[Archived, ...]:
        """Everything that goes to the archive: first the memories that were merged into others."""
        return (*(source for item in self.merged for source in item.sources), *self.archived)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """What the transaction layer has to do: new memories in the order of their pages, then all other changes."""
        moved: tuple[Merged | Archived | Restored, ...] = (*self.merged, *self.archived, *self.restored)
        return (
            *self._appends(),
            *(*self.dated, *self.confirmed, *(item.change for item in self.revised), *self.named),
            *(operation for item in moved for operation in item.operations),
            *(self.rearranged.operations if self.rearranged else ()),
            *relink_operations(self.followed),
        )

    def into_archive(self, names: Names) -> Plan:
        """The plan with the pages of the archive that exist: names that differ in case alone are one page there."""
        if not self.taken_out:
            return self
        merged = (replace(item, sources=tuple(one.within(names) for one in item.sources)) for item in self.merged)
        return self.with_(merged=tuple(merged), archived=tuple(item.within(names) for item in self.archived))

    @property
    def heirs(self) -> dict[str, str]:
        """For each memory that is merged into another, that one's id (by id): links follow to it."""
        return {source.id: item.change.key for item in self.merged for source in item.sources}

    @property
    def written_links(self) -> dict[tuple[str, str], str]:
        """How links to restored memories were written before these went, by their file and their present text."""
        return {link: words for item in self.restored for link, words in item.links.items()}

    def without(self, staying: Set[str]) -> Plan:
        """The plan with these memories left where they are."""
        merged = tuple(item for item in self.merged if not any(source.id in staying for source in item.sources))
        return self.with_(merged=merged, archived=tuple(item for item in self.archived if item.id not in staying))

    @cached_property
    def transaction(self) -> Transaction:
        """The plan as one transaction."""
        return Transaction(self.run, self.now.isoformat(timespec="seconds"), self.operations, self.events)

    def _appends(self) -> Iterator[Operation]:
        grouped: dict[tuple[str, str], list[Piece]] = {}
        for placement in self.placements:
            line, page, heading = placement.line, placement.destination.page, placement.destination.heading
            if page == INBOX:
                heading = line.place.log.removesuffix(".md")  # its source, for people
            confidence = line.memory.confidence
            if confidence is not None and confidence.day is None:
                confidence = Confidence(confidence.hundredths, line.place.day(self.now.date()))
            text = render_memory(replace(line.memory, id=line.id, confidence=confidence))
            grouped.setdefault((page, heading or ""), []).append(Piece(line.id, "- " + text.replace("\n", "\n  ")))
        for (page, heading), pieces in sorted(grouped.items()):
            yield Append(f"bank/{page}", heading, tuple(pieces), title_of(page))

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What the event log will say about this run."""
        said, of_run = self._event, f"@{self.run}"
        return (
            *(said(ledger.RENAMED, r.log + of_run, log=r.log, was=r.was, beside=r.beside) for r in self.renamed),
            *map(self._kept, (*self.placements, *self.repaired)),
            *map(self._blocked, self.blocked),
            *(self._blocked(b, overruled=True) for b in self.overruled),
            *map(self._revised, self.revised),
            *map(self._replaced, self.updates),
            *(said(ledger.PROJECT, p.id + of_run, memory=p.id, project=p.project) for p in self.projects),
            *(self._consumed(ledger.SCREENED, w.line, looks_like=w.kind) for w in self.withheld),
            *(
                said(kind, id_ + of_run, **_lines_told(id_, lines), run=self.run)
                for kind, found in ((ledger.DELETED, self.deleted), (ledger.REWORDED, self.reworded))
                for id_, lines in found.items()
            ),
            *(said(ledger.RESTORED, id_ + of_run, memory=id_, run=self.run) for id_ in self.returned),
            *(said(ledger.ARCHIVED, item.id + of_run, **self._gone(item)) for item in self.taken_out),
            *(said(ledger.RESTORED, item.id + of_run, memory=item.id, run=self.run) for item in self.restored),
            *(said(RECALLED, f"{id_}@{day}", memory=id_, day=day.isoformat()) for id_, day in self.recalled),
        )

    def _event(self, kind: str, key: str, **facts: object) -> Event:
        return ledger.make_event(kind, key, self.now, **facts)

    def _gone(self, item: Archived) -> dict[str, object]:
        """The facts about a memory that leaves: its place, and how links to it were written."""
        links = [list(found.record) for found in self.followed if found.was == item.id and found.is_alone]
        return {**item.tombstone, **({"links": links} if links else {}), "run": self.run}

    def _kept(self, item: Placement) -> Event:
        """The fact names also the page that was meant, if that was renamed: its new name stays known when its first lines go."""
        place = item.destination
        return self._consumed(ledger.KEPT, item.line, page=place.page, **({"was": place.was} if place.was else {}))

    def _blocked(self, item: Blocked, **facts: object) -> Event:
        said = statement_of(item.line.memory)
        return self._consumed(ledger.DUPLICATE, item.line, of=item.twin, text=said, reason=item.reason, **facts)

    def _replaced(self, item: Update) -> Event:
        kind = ledger.MAY_REPLACE if item.is_question else ledger.SUPERSEDED
        key = f"{item.old}+{item.new}" if item.is_question else item.old
        return self._event(kind, key, memory=item.old, by=item.new, reason=item.reason)

    def _revised(self, item: Revised) -> Event:
        """One event for each edit, since a line may become again what it once was."""
        said = statement_of(parse_memory(MARKER.sub("", item.change.old)))
        return self._consumed(ledger.REVISED, item.line, f"{item.line.id}@{self.run}", of=item.change.key, said=said)

    def _consumed(self, kind: str, line: RetainLine, key: str = "", /, **facts: object) -> Event:
        where = {"memory": line.id, "log": line.place.log, "line": line.place.line, "run": self.run}
        stated = {"day": line.place.stated.isoformat()} if line.place.stated else {}
        return self._event(kind, key or line.id, **where, **stated, **facts)


def _lines_told(id_: str, was: MemoryLines) -> dict[str, object]:
    """The facts of a memory that a person took out or changed: where it stood, and its lines, to bring it back.

    Lines nested in it are left out where an event, of 64 KB, may not hold them.
    """
    own = "\n".join(was.text.split("\n")[: was.own])
    text = was.text if len(json.dumps(was.text)) < 48 << 10 else own
    return {**Archived(id_, was, "").tombstone, "text": text} if text else {"memory": id_}


def title_of(page: str) -> str:
    """The title of a page that does not exist yet, from its name: `entities/Peter-Kim.md` gives `Peter Kim`."""
    name = page.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ").replace("_", " ").strip()
    return name[:1].upper() + name[1:]


def date_confidence(text: str, day: date) -> str:
    """The lines of a memory with a day added to its confidence."""
    return _UNDATED.sub(lambda found: f"{found[1]}@{day.isoformat()}{found[2]}", text, count=1)


_WAITS = "waits for "


def leave_out(plan: Plan, closed: Mapping[str, str]) -> Plan:
    """The plan without what touches these pages (reasons by path); the pages are named, and lines for them wait."""
    if not closed:
        return plan

    def is_open(operations: Iterable[Operation]) -> bool:
        return not any(operation.path in closed for operation in operations)

    def open_of(changes: Iterable[Replace]) -> tuple[Replace, ...]:
        return tuple(change for change in changes if change.path not in closed)

    homeless = {p.line.id for p in plan.placements if f"bank/{p.destination.page}" in closed}
    stuck = {item.was for item in plan.followed if item.link.source in closed}  # links to them could not follow
    shut = (item for item in plan.revised if item.change.path in closed)
    waiting = tuple(Deferred(str(item.line.place), f"{_WAITS}{item.change.path}") for item in shut)
    plan = put_off(plan, homeless).without(stuck)
    plan = plan.with_(
        followed=tuple(item for item in plan.followed if item.was not in stuck),
        revised=tuple(item for item in plan.revised if item.change.path not in closed),
        dated=open_of(plan.dated),
        confirmed=open_of(plan.confirmed),
        named=open_of(plan.named),
        archived=tuple(item for item in plan.archived if is_open(item.operations)),
        merged=tuple(item for item in plan.merged if is_open(item.operations)),
        restored=tuple(item for item in plan.restored if is_open(item.operations)),
        rearranged=plan.rearranged if plan.rearranged and is_open(plan.rearranged.operations) else None,
        deferred=(*plan.deferred, *waiting),
    )
    named = {item.what for item in plan.deferred}
    pages = (Deferred(path, why, needs_person=True) for path, why in sorted(closed.items()) if path not in named)
    return plan.with_(deferred=(*plan.deferred, *pages))


def put_off(plan: Plan, homeless: Set[str]) -> Plan:
    """The plan without these new memories (by id), which have no place now, and without what was decided because of them."""
    gone = [p for p in plan.placements if p.line.id in homeless]
    twins = [b for b in plan.blocked if b.twin in homeless]
    waiting = [wait_for_page(p) for p in gone]
    waiting += [Deferred(str(b.line.place), "says the same as a line that waits") for b in twins]
    return plan.with_(
        placements=tuple(p for p in plan.placements if p not in gone),
        blocked=tuple(b for b in plan.blocked if b not in twins),
        updates=tuple(u for u in plan.updates if u.new not in homeless),
        deferred=(*plan.deferred, *waiting),
    )


def wait_for_page(placement: Placement) -> Deferred:
    """The note for a line whose page cannot be written now."""
    return Deferred(str(placement.line.place), f"{_WAITS}bank/{placement.destination.page}")


def awaits_rest(deferred: Iterable[Deferred]) -> bool:
    """Whether a line waits only for a log or page that was saved a moment ago; all else waits for a change."""
    deferred = tuple(deferred)
    young = {item.what for item in deferred if is_just_saved(item.reason)}
    return any(
        item.what.startswith("memory/") if item.what in young else item.reason.removeprefix(_WAITS) in young
        for item in deferred
    )


@dataclass(frozen=True, slots=True)
class MovingMemory:
    """A memory that may move: its id, exact lines, 1-based line and page; in the inbox also its log."""

    id: str
    text: str
    line: int
    source: str = ""
    page: str = f"bank/{INBOX}"


def move_operations(moves: Iterable[tuple[MovingMemory, Destination]]) -> tuple[Operation, ...]:
    """The operations that move memories to where they belong; each is added before it is removed."""
    placed = ((moving, to, f"bank/{to.page}", title_of(to.page)) for moving, to in moves)
    return tuple(
        operation
        for moving, to, page, title in placed
        for operation in move_piece(moving.id, moving.text, moving.page, page, to.heading or "", title)
    )
