"""What a run decided of one line or one memory; a plan is made of these.

The plan of a run: everything it will change, decided before the first write.

The steps of the cycle fill it, one after another; `operations` and `events` say it in the words of the transaction layer.

A plan without the pages that cannot be written: what is for them waits, everything else goes on.

Memories that move from one page to another: out of the inbox, or from what was lived to what is known.

What becomes of a memory whose line in a log was edited: it says what the line says now, unless a person changed it.

The lines of logs that were not taken in and that a person should look at, until they are edited or dismissed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from itertools import count
from typing import Protocol, TypeVar

from bankd.edits.inserting import outdent_lines, unix_text
from bankd.edits.operations import Append, Operation, Piece, Remove, Replace
from bankd.edits.settle import is_just_saved
from bankd.edits.transaction import Transaction
from bankd.health.health import Copied
from bankd.layouts.links import Stray
from bankd.layouts.rearrange import Followed, Rearrangement, relink_operations
from bankd.memory import ledger
from bankd.memory.archive import Restored
from bankd.memory.ledger import DELETED, FORGOTTEN, SCREENED, Event, Ledger
from bankd.memory.new_lines import PastLine, Renamed
from bankd.memory.retain import PROPOSED, REFUSED, BadLine, LogPlace, LogReading, RetainLine
from bankd.memory.retire import Archived, Departure, Merged, Named, memory_of
from bankd.memory.route import Destination
from bankd.memory.use import RECALLED
from bankd.pages.memory import Confidence, Memory, parse_memory, render_memory, statement_of
from bankd.pages.names import INBOX, Names
from bankd.pages.page import MARKER, MemoryLines
from bankd.same.pairs import text_key
from bankd.secrets.screening import Finder, find_secrets, mask_secrets


@dataclass(frozen=True, slots=True)
class Placement:
    """A new memory and the page it goes to."""

    line: RetainLine
    destination: Destination


@dataclass(frozen=True, slots=True)
class Blocked:
    """A line that says nothing new, the memory that says it already, and why we think so."""

    line: RetainLine
    twin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Update:
    """A new memory that says another value of the same thing, the memory that it supersedes, and what differs."""

    line: RetainLine
    old: str
    reason: str


@dataclass(frozen=True, slots=True)
class Revised:
    """A line that was edited and the memory that follows it: its id and page, its lines as they are and as they will be."""

    line: RetainLine
    id: str
    page: str
    text: str
    reworded: str


@dataclass(frozen=True, slots=True)
class Confirmed:
    """An opinion that was said again: its page and key, and its lines as they are and as they will be."""

    page: str
    key: str
    text: str
    stronger: str


@dataclass(frozen=True, slots=True)
class Withheld:
    """A line with a credential: where it stands, what it looks like, and the line with the secret masked."""

    line: RetainLine
    kind: str
    masked: str


@dataclass(frozen=True, slots=True)
class Repaired:
    """A line whose memory the bank holds although the event log does not know it."""

    line: RetainLine
    page: str


@dataclass(frozen=True, slots=True)
class Deferred:
    """What waits for the next run, and for what; `needs_person` when it may wait for ever otherwise.

    `hides_nothing`: it is a page on which nothing can stand that is gone from another.
    """

    what: str
    reason: str
    needs_person: bool = False
    hides_nothing: bool = False


@dataclass(frozen=True, slots=True)
class Undated:
    """A confidence that the user wrote without its day: the page, the key and the exact lines of its memory."""

    page: str
    key: str
    text: str


_UNDATED = re.compile(r"(\([ \t]*c[ \t]*=[ \t]*\d(?:\.\d{1,2})?)([ \t]*\))")


@dataclass(frozen=True)
class Plan:
    """All that a run will do, and all that it decided not to do, with reasons.

    What it comes to is worked out once: each step looks at it again.
    """

    run: str
    now: datetime
    lines: tuple[RetainLine, ...] = ()
    placements: tuple[Placement, ...] = ()
    blocked: tuple[Blocked, ...] = ()
    updates: tuple[Update, ...] = ()
    confirmed: tuple[Confirmed, ...] = ()
    revised: tuple[Revised, ...] = ()
    overruled: tuple[Blocked, ...] = ()
    """Lines that were edited after a person had changed, or taken out, what came of them: that is not touched."""
    withheld: tuple[Withheld, ...] = ()
    repaired: tuple[Repaired, ...] = ()
    renamed: tuple[Renamed, ...] = ()
    deleted: tuple[str, ...] = ()
    returned: tuple[str, ...] = ()
    """Memories that had passed for deleted and stand on a page again."""
    undated: tuple[Undated, ...] = ()
    archived: tuple[Archived, ...] = ()
    merged: tuple[Merged, ...] = ()
    restored: tuple[Restored, ...] = ()
    recalled: tuple[tuple[str, date], ...] = ()
    copied: tuple[Copied, ...] = ()
    named: tuple[Named, ...] = ()
    fading: tuple[Departure, ...] = ()
    """What will go to the archive within days, unless somebody says it again: announced before it goes."""
    bad: tuple[BadLine, ...] = ()
    deferred: tuple[Deferred, ...] = ()
    warnings: tuple[str, ...] = field(default_factory=tuple)
    followed: tuple[Followed, ...] = ()
    dead_links: tuple[Stray, ...] = ()
    rearranged: Rearrangement | None = None
    prose: int = 0
    """Lines of the logs that were read which nobody tagged."""

    def with_(self, **changes: object) -> Plan:
        """The plan with some of its lists replaced."""
        return replace(self, **changes)  # type: ignore[arg-type]  # names are checked by dataclasses.replace

    @property
    def is_empty(self) -> bool:
        """An empty plan writes no byte."""
        return not self.operations and not self.events

    @property
    def taken_out(self) -> tuple[Archived, ...]:
        """Everything that goes to the archive, what was merged into others first."""
        return (*(source for item in self.merged for source in item.sources), *self.archived)

    @cached_property
    def operations(self) -> tuple[Operation, ...]:
        """The plan in the words of the transaction layer, in the order of pages."""
        moved: tuple[Merged | Archived | Restored, ...] = (*self.merged, *self.archived, *self.restored)
        retired = (operation for item in moved for operation in item.operations)
        given_ids = (item.operation for item in self.named)
        rearranged = self.rearranged.operations if self.rearranged else ()
        links = relink_operations(self.followed)
        return (*self._appends(), *self._replacements(), *given_ids, *retired, *rearranged, *links)

    def into_archive(self, names: Names) -> Plan:
        """The plan with everything that goes to the archive on the pages that are there."""
        if not self.taken_out:
            return self
        merged = (replace(item, sources=tuple(one.within(names) for one in item.sources)) for item in self.merged)
        return self.with_(merged=tuple(merged), archived=tuple(item.within(names) for item in self.archived))

    @property
    def heirs(self) -> dict[str, str]:
        """By the ids of memories that are merged into others, those of the others: links to them lead there."""
        return {source.id: item.id for item in self.merged for source in item.sources}

    @property
    def written_links(self) -> dict[tuple[str, str], str]:
        """How the links were written that led to what comes back, before it went: by their file and present words."""
        return {link: words for item in self.restored for link, words in item.links.items()}

    def without(self, staying: Set[str]) -> Plan:
        """The plan with these memories left where they are."""
        merged = tuple(item for item in self.merged if not any(source.id in staying for source in item.sources))
        return self.with_(merged=merged, archived=tuple(item for item in self.archived if item.id not in staying))

    @cached_property
    def transaction(self) -> Transaction:
        """The plan as the transaction layer takes it."""
        return Transaction(self.run, self.now.isoformat(timespec="seconds"), self.operations, self.events)

    def _appends(self) -> Iterator[Operation]:
        grouped: dict[tuple[str, str], list[Piece]] = {}
        for placement in self.placements:
            page, heading = placement.destination.page, placement.destination.heading
            if page == INBOX:
                heading = placement.line.place.log.removesuffix(".md")  # its source, for people
            grouped.setdefault((page, heading or ""), []).append(
                _piece(placement.line, placement.line.place.day(self.now.date()))
            )
        for (page, heading), pieces in sorted(grouped.items()):
            yield Append(f"bank/{page}", heading, tuple(pieces), title_of(page))

    def _replacements(self) -> Iterator[Operation]:
        for undated in self.undated:
            yield Replace(undated.page, undated.key, undated.text, dated(undated.text, self.now.date()))
        for again in self.confirmed:
            yield Replace(again.page, again.key, again.text, again.stronger)
        for item in self.revised:
            yield Replace(item.page, item.id, item.text, item.reworded)

    @cached_property
    def events(self) -> tuple[Event, ...]:
        """What the event log will say of this run, in the order of the logs' lines."""
        said, of_run = self._event, f"@{self.run}"
        return (
            *(said(ledger.RENAMED, r.log + of_run, log=r.log, was=r.was, beside=r.beside) for r in self.renamed),
            *(self._consumed(ledger.KEPT, p.line, page=p.destination.page) for p in self.placements),
            *(self._consumed(ledger.KEPT, r.line, page=r.page) for r in self.repaired),
            *(self._blocked(b) for b in self.blocked),
            *(self._blocked(b, overruled=True) for b in self.overruled),
            *(self._revised(r) for r in self.revised),
            *(said(ledger.SUPERSEDED, u.old, memory=u.old, by=u.line.id, reason=u.reason) for u in self.updates),
            *(self._consumed(ledger.SCREENED, w.line, looks_like=w.kind) for w in self.withheld),
            *(said(ledger.DELETED, id_ + of_run, memory=id_, run=self.run) for id_ in self.deleted),
            *(said(ledger.RESTORED, id_ + of_run, memory=id_, run=self.run) for id_ in self.returned),
            *(said(ledger.ARCHIVED, item.id + of_run, **self._gone(item)) for item in self.taken_out),
            *(said(ledger.RESTORED, item.id + of_run, memory=item.id, run=self.run) for item in self.restored),
            *(said(RECALLED, f"{id_}@{day}", memory=id_, day=day.isoformat()) for id_, day in self.recalled),
        )

    def _event(self, kind: str, key: str, **facts: object) -> Event:
        return ledger.make_event(kind, key, self.now, **facts)

    def _gone(self, item: Archived) -> dict[str, object]:
        """What the event log remembers of a memory that goes: where it stood, and how links to it were written."""
        links = [list(found.record) for found in self.followed if found.was == item.id and found.is_alone]
        return {**item.tombstone, **({"links": links} if links else {}), "run": self.run}

    def _blocked(self, item: Blocked, **facts: object) -> Event:
        said = statement_of(item.line.memory)
        return self._consumed(ledger.DUPLICATE, item.line, of=item.twin, text=said, reason=item.reason, **facts)

    def _revised(self, item: Revised) -> Event:
        """Said for each edit: a line may become again what it once was."""
        where = {"log": item.line.place.log, "line": item.line.place.line, "run": self.run}
        said = statement_of(parse_memory(MARKER.sub("", item.text)))
        return self._event(
            ledger.REVISED, f"{item.line.id}@{self.run}", memory=item.line.id, of=item.id, said=said, **where
        )

    def _consumed(self, kind: str, line: RetainLine, **facts: object) -> Event:
        where = {"memory": line.id, "log": line.place.log, "line": line.place.line, "run": self.run}
        return self._event(kind, line.id, **where, **facts)


def new_run_id(now: datetime, kind: str, taken: Set[str]) -> str:
    """The id of a run: its moment and kind, with a number when a run of that moment is known already."""
    first = f"{now:%Y%m%dT%H%M%S}-{kind}"
    numbered = (first if n == 1 else f"{first}-{n}" for n in count(1))
    return next(run for run in numbered if run not in taken)


def title_of(page: str) -> str:
    """The title of a page that does not exist yet, from its name: `entities/Peter-Kim.md` gives `Peter Kim`."""
    name = page.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ").replace("_", " ").strip()
    return name[:1].upper() + name[1:]


def _piece(line: RetainLine, day: date) -> Piece:
    memory = line.memory
    confidence = memory.confidence
    if confidence is not None and confidence.day is None:
        confidence = Confidence(confidence.hundredths, day)
    text = render_memory(replace(memory, id=line.id, confidence=confidence))
    return Piece(line.id, "- " + text.replace("\n", "\n  "))


def dated(text: str, day: date) -> str:
    """The lines of a memory with the day put to its confidence."""
    return _UNDATED.sub(lambda found: f"{found[1]}@{day.isoformat()}{found[2]}", text, count=1)


class _Planned(Protocol):
    @property
    def operations(self) -> tuple[Operation, ...]: ...


_WAITS = "waits for "
_P = TypeVar("_P", bound=_Planned)


def leave_out(plan: Plan, closed: Mapping[str, str]) -> Plan:
    """The plan without what touches these pages (reasons by path); they are named, and lines for them wait."""
    if not closed:
        return plan
    shut = closed.keys()
    homeless = {p.line.id for p in plan.placements if f"bank/{p.destination.page}" in shut}
    rearranged = plan.rearranged
    if rearranged and any(operation.path in shut for operation in rearranged.operations):
        rearranged = None
    stuck = {item.was for item in plan.followed if item.link.source in shut}  # links to them could not follow
    plan = _put_off_revised(put_off(plan, homeless), shut).without(stuck)
    plan = plan.with_(
        followed=tuple(item for item in plan.followed if item.was not in stuck),
        undated=tuple(item for item in plan.undated if item.page not in shut),
        confirmed=tuple(item for item in plan.confirmed if item.page not in shut),
        named=tuple(item for item in plan.named if item.page not in shut),
        archived=_open(plan.archived, shut),
        merged=_open(plan.merged, shut),
        restored=_open(plan.restored, shut),
        rearranged=rearranged,
    )
    named = {item.what for item in plan.deferred}
    pages = (Deferred(path, why, needs_person=True) for path, why in sorted(closed.items()) if path not in named)
    return plan.with_(deferred=(*plan.deferred, *pages))


def put_off(plan: Plan, homeless: Set[str]) -> Plan:
    """The plan without new memories (by their ids) that have no place now, and without what was said because of them."""
    gone = [p for p in plan.placements if p.line.id in homeless]
    twins = [b for b in plan.blocked if b.twin in homeless]
    waiting = [wait_for_page(p) for p in gone]
    waiting += [Deferred(str(b.line.place), "says what a line says that waits") for b in twins]
    return plan.with_(
        placements=tuple(p for p in plan.placements if p not in gone),
        blocked=tuple(b for b in plan.blocked if b not in twins),
        updates=tuple(u for u in plan.updates if u.line.id not in homeless),
        deferred=(*plan.deferred, *waiting),
    )


def _put_off_revised(plan: Plan, shut: Set[str]) -> Plan:
    """The plan without the memories on these pages that would follow their edited lines."""
    waiting = [Deferred(str(r.line.place), f"{_WAITS}{r.page}") for r in plan.revised if r.page in shut]
    open_ = tuple(r for r in plan.revised if r.page not in shut)
    return plan.with_(revised=open_, deferred=(*plan.deferred, *waiting))


def wait_for_page(placement: Placement) -> Deferred:
    """What is said of a line whose page cannot be written now."""
    return Deferred(str(placement.line.place), f"{_WAITS}bank/{placement.destination.page}")


def awaits_rest(deferred: Iterable[Deferred]) -> bool:
    """Whether lines wait for nothing but a log or page that was saved a moment ago; all else waits for a change."""
    deferred = tuple(deferred)
    young = {item.what for item in deferred if is_just_saved(item.reason)}
    return any(
        item.what.startswith("memory/") if item.what in young else item.reason.removeprefix(_WAITS) in young
        for item in deferred
    )


def _open(items: Iterable[_P], shut: Set[str]) -> tuple[_P, ...]:
    return tuple(item for item in items if not any(operation.path in shut for operation in item.operations))


@dataclass(frozen=True, slots=True)
class MovingMemory:
    """A memory that may move: its id, exact lines, 1-based line and page; in the inbox also the log that it came from."""

    id: str
    text: str
    line: int
    source: str = ""
    page: str = f"bank/{INBOX}"


def move_operations(moves: Iterable[tuple[MovingMemory, Destination]]) -> tuple[Operation, ...]:
    """The operations that take memories from their pages and put them where they belong, added before removed."""
    operations: list[Operation] = []
    for moving, destination in moves:
        page, piece = f"bank/{destination.page}", Piece(moving.id, unix_text(moving.text))
        there = Piece(moving.id, outdent_lines(piece.text))
        operations.append(Append(page, destination.heading or "", (there,), title_of(destination.page)))
        operations.append(Remove(moving.page, (piece,), page))
    return tuple(operations)


_DEPARTED = frozenset({DELETED, FORGOTTEN})


@dataclass(frozen=True, slots=True)
class Standing:
    """Where memories are: on which pages, and the lines of those that can be written now."""

    pages: Mapping[str, tuple[str, ...]]
    lines: Mapping[str, MemoryLines]


def memories_behind(edited: Iterable[tuple[PastLine, RetainLine]], ledger: Ledger) -> set[str]:
    """The memories that came from these lines."""
    return {memory for past, _ in edited if (memory := ledger.memory_of(past.id))}


def revise(plan: Plan, edited: Iterable[tuple[PastLine, RetainLine]], ledger: Ledger, standing: Standing) -> Plan:
    """Let memories follow their edited lines; what a person changed or took out stays as it is."""
    fresh = {line.id for line in plan.lines}
    found = [
        outcome
        for past, line in edited
        if (memory := ledger.memory_of(past.id)) and (line.id in fresh or ledger.memory_of(line.id) == memory)
        for outcome in _outcomes(memory, past, line, plan, ledger, standing)
    ]
    revised = tuple(item for item in found if isinstance(item, Revised))
    overruled = tuple(item for item in found if isinstance(item, Blocked) and item.line.id in fresh)
    waiting = [item for item in found if isinstance(item, Deferred)]
    updates = tuple(item for item in found if isinstance(item, Update))
    places = {item.line.place for item in revised} | {item.line.place for item in overruled}
    waits = {item.what for item in waiting}
    return plan.with_(
        lines=tuple(line for line in plan.lines if line.place not in places and str(line.place) not in waits),
        revised=revised,
        overruled=overruled,
        updates=(*plan.updates, *updates),
        undated=tuple(item for item in plan.undated if item.key not in {one.id for one in revised}),
        deferred=(*plan.deferred, *waiting),
    )


def _outcomes(
    id_: str, past: PastLine, line: RetainLine, plan: Plan, ledger: Ledger, standing: Standing
) -> Iterator[Revised | Blocked | Deferred | Update]:
    gone = ledger.gone.get(id_)
    if id_ in plan.deleted or (gone is not None and gone["type"] in _DEPARTED):
        yield Blocked(line, id_, f"{id_} came from this line and was taken out by hand; it stays out")
        return
    pages, lines = standing.pages.get(id_, ()), standing.lines.get(id_)
    if lines is None:
        yield from (Deferred(str(line.place), f"waits for {path}") for path in pages[:1] if path.startswith("bank/"))
        return
    now = memory_of(lines)
    if text_key(now) not in {past.key, text_key(line.memory)}:
        yield Blocked(line, id_, f"{id_} came from this line and was changed by hand; it stays so")
    elif (now.tag, set(now.entities)) != (line.memory.tag, set(line.memory.entities)):
        yield Update(line, id_, "its line was edited")  # it may belong on another page
    else:
        yield Revised(
            line,
            id_,
            lines.page,
            lines.text,
            _rewritten(lines, now, past, line.memory, line.place.day(plan.now.date())),
        )


def _rewritten(lines: MemoryLines, now: Memory, past: PastLine, said: Memory, day: date) -> str:
    """The lines of a memory with other words; its id, what is nested in it and its marker stay."""
    confidence = now.confidence
    if said.confidence and said.confidence.hundredths != past.hundredths:
        confidence = Confidence(said.confidence.hundredths, said.confidence.day or day)
    own = render_memory(replace(now, text=said.text, confidence=confidence)).split("\n")
    rows = lines.text.split("\n")
    found = MARKER.match(rows[0])
    marker = found[0] if found else ""
    below = [f"{' ' * len(marker)}{row}" for row in own[1:]]
    return "\n".join([f"{marker}{own[0]}", *below, *rows[lines.own :]])


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A line that is no memory: where it stands, what kind of trouble it is, its text without secrets, why, and its key."""

    place: LogPlace
    kind: str
    text: str
    reason: str
    key: str

    @property
    def is_offered(self) -> bool:
        """Whether the user can accept it as it is; otherwise the log has to be corrected."""
        return self.kind in {REFUSED, PROPOSED}


def screened_in(ledger: Ledger, withheld: Sequence[Withheld] = ()) -> dict[str, str]:
    """By the ids of the lines that look like credentials: like which; those of a run that is going on as well."""
    known = ((id_, fact) for id_, fact in ledger.consumed.items() if fact["type"] == SCREENED)
    return {id_: str(fact.get("looks_like", "")) for id_, fact in known} | {w.line.id: w.kind for w in withheld}


def held_back_in(
    reading: LogReading, ledger: Ledger, screened: Mapping[str, str], finders: Sequence[Finder] = ()
) -> tuple[HeldBack, ...]:
    """The lines of a log that wait for a person, in their order."""
    found = [*_bad(reading, finders), *_screened(reading, screened, finders)]
    return tuple(sorted((item for item in found if item.key not in ledger.dismissed), key=lambda item: item.place))


def _bad(reading: LogReading, finders: Sequence[Finder]) -> Iterator[HeldBack]:
    for bad in reading.bad:
        shown = bad.screened(finders)
        yield HeldBack(bad.place, bad.kind, shown.text, shown.reason, bad.key)


def _screened(reading: LogReading, screened: Mapping[str, str], finders: Sequence[Finder]) -> Iterator[HeldBack]:
    for line in (line for line in reading.lines if line.id in screened):
        text = render_memory(line.memory)
        secrets = find_secrets(text, finders)  # rules may have changed since: what is not found now is not shown
        reason = f"it looks like a credential ({screened[line.id]}); take it out of the log and change it"
        yield HeldBack(line.place, "screened", mask_secrets(text, secrets) if secrets else "", reason, line.id)
