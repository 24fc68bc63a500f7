"""The event log folded into one state: which lines were taken in, what became of them, which logs were renamed.

An event is a JSON object with an `id`. The same id twice is one event, so the order of the files does not matter.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, TypeAlias

from bankd.memory.use import KINDS, NOTHING, UseSignals, note_use, read_use
from bankd.pages.names import day_in

if TYPE_CHECKING:
    from bankd.memory.retain import LogPlace, RetainLine

Event: TypeAlias = Mapping[str, Any]

KEPT = "kept"
DUPLICATE = "duplicate"
REVISED = "revised"
REWORDED = "reworded"
"""A person changed the lines of a memory on its page; the event has them, and the page."""
SCREENED = "screened"
DELETED = "deleted"
FORGOTTEN = "forgotten"
ARCHIVED = "archived"
RESTORED = "restored"
RENAMED = "renamed"
SUPERSEDED = "superseded"
MAY_REPLACE = "may replace"
"""A line says that it replaces a memory that a person wrote, so that person is asked."""
PROJECT = "project"
"""A line names another project than before, or for the first time; none if it names none any more."""
UNDONE = "undone"
DISMISSED = "dismissed"
APART = "apart"
REOPENED = "reopened"

_CONSUMING = frozenset({KEPT, DUPLICATE, REVISED, SCREENED})
_REMOVING = frozenset({DELETED, FORGOTTEN, ARCHIVED, UNDONE})
_RELATING = _REMOVING | {SUPERSEDED, MAY_REPLACE, RESTORED, APART, REOPENED, PROJECT}


def make_event(kind: str, key: str, at: datetime, /, **facts: object) -> dict[str, object]:
    """Make an event; its id depends on kind and key alone, so that the same event twice adds nothing."""
    return {"id": f"{kind}:{key}", "type": kind, "at": at.isoformat(timespec="seconds"), **facts}


_NEEDED: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys((*_CONSUMING, *_REMOVING, RESTORED, *KINDS), ("memory",)),
    ARCHIVED: ("memory", "page"),
    REWORDED: ("memory", "page", "text"),
    REVISED: ("memory", "of"),
    **dict.fromkeys((SUPERSEDED, MAY_REPLACE), ("memory", "by")),
    APART: ("memory", "other"),
    PROJECT: ("memory", "project"),
    RENAMED: ("log", "was"),
}


def find_missing(item: Event) -> str | None:
    """The name of the first field that an event needs and lacks; None when it is complete."""
    needed = ("id", "type", "at", *_NEEDED.get(str(item.get("type")), ()))
    return next((name for name in needed if not isinstance(item.get(name), str)), None)


@dataclass(frozen=True, slots=True)
class CorruptLine:
    """A line that could not be read: its file, its 1-based number (0 for the whole file) and what is wrong."""

    path: str
    line: int
    problem: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.problem}" if self.line else f"{self.path}: {self.problem}"


@dataclass(slots=True)
class Ledger:
    """All events folded; the keys are ids of memories unless something else is said. Days are those of the last event."""

    consumed: dict[str, Event] = field(default_factory=dict)
    """By the id of a line that was taken in: the event that says what became of it."""
    read: dict[str, set[str]] = field(default_factory=dict)
    """The ids of the lines that were taken in from each log, by the name under which the log was first read."""
    gone: dict[str, Event] = field(default_factory=dict)
    """The event that took a memory out."""
    identities: dict[str, str] = field(default_factory=dict)
    """By the name of a log: the name under which it was first read."""
    forgotten: dict[str, Event] = field(default_factory=dict)
    """By the key of a text that a person forgot: the last event that says so."""
    superseded: dict[str, Event] = field(default_factory=dict)
    """The event that says which memory, its `by`, replaces it."""
    may_replace: dict[tuple[str, str], Event] = field(default_factory=dict)
    """The events that ask a person: by the older memory and the newer one, of which they wrote or reworded one."""
    restored: dict[str, date] = field(default_factory=dict)
    signals: dict[str, UseSignals] = field(default_factory=dict)
    confirmed: dict[str, date] = field(default_factory=dict)
    allowed: dict[str, Event] = field(default_factory=dict)
    """The event that blocked a line which a person then let in."""
    tombstones: dict[str, Event] = field(default_factory=dict)
    line_projects: dict[str, str] = field(default_factory=dict)
    """The folder of the project that a line names, by the id of the line."""
    dismissed: set[str] = field(default_factory=set)
    """The keys of lines that a person has dismissed."""
    kept_apart: set[tuple[str, str]] = field(default_factory=set)
    """Sorted pairs of memories that say nearly the same, and that a person wants to keep."""
    revisions: dict[str, list[Event]] = field(default_factory=dict)
    """The events of its line being edited, each with the id that the line had then."""
    reworded: dict[str, list[Event]] = field(default_factory=dict)
    """The events of its lines being changed by hand."""
    revised: dict[str, str] = field(default_factory=dict)
    """By the id of an edited line: the memory that follows it."""
    left_names: dict[str, tuple[str, int]] = field(default_factory=dict)
    """For each name that a log no longer has: when it was given up, and how many logs had it as first name then."""
    reused: set[str] = field(default_factory=set)
    """The given-up names that another log has used since."""
    logs: dict[str, int] = field(default_factory=dict)
    """For each first name that several logs had at once: how many."""

    @property
    def wanted_both(self) -> set[tuple[str, str]]:
        """The sorted pairs of memories that a person wants to keep both: kept apart, or let in after a block."""
        let_in = ((memory, str(one.get("of"))) for memory, one in self.allowed.items() if not one.get("overruled"))
        return self.kept_apart | {(min(pair), max(pair)) for pair in let_in}

    @property
    def ended(self) -> set[str]:
        """The memories that were taken out and are not in the archive: taken back, deleted or forgotten."""
        return {id_ for id_, item in self.gone.items() if item.get("type") != ARCHIVED}

    def signals_of(self, memory: str) -> UseSignals:
        """The signals of use of a memory."""
        return self.signals.get(memory, NOTHING)

    def last_use_of(self, memory: str) -> date | None:
        """The last day on which a memory answered a search, was used, or was said again; None when none is known."""
        own = self.signals_of(memory)
        said = self.confirmed.get(memory)
        return max((*own.recalled, *own.used, *((said,) if said else ())), default=None)

    def identity_of(self, log: str) -> str:
        """The name under which a log was first read, whatever it is called now."""
        return self.identities.get(log, log)

    def has_name_of_another(self, log: str) -> bool:
        """Whether a log has the first name of another log that was renamed."""
        return log in self.left_names and log not in self.identities

    def memory_of(self, line: str) -> str | None:
        """The memory that a line became, or that follows it since an edit; None when it became none."""
        if line in self.revised:
            return self.revised[line]
        return line if line in self.consumed and self.consumed[line].get("type") == KEPT else None

    def memory_behind(self, line: str) -> str:
        """The memory of a line: its own, the one that follows it, or the earlier one that says the same."""
        fact = self.consumed.get(line, {})
        twin = str(fact["of"]) if fact.get("type") == DUPLICATE and fact.get("of") else line
        return self.memory_of(twin) or twin

    def line_of(self, memory: str) -> str:
        """The id of the line that a memory follows, as it was last read."""
        return str(self.revisions[memory][-1]["memory"]) if memory in self.revisions else memory

    def names_of(self, log: str) -> list[str]:
        """The names that a log with this name may have now, the latest first."""
        same = {log, self.identity_of(log)}
        return [*reversed([name for name, was in self.identities.items() if was in same]), *sorted(same)]

    def projects(self) -> dict[str, frozenset[str]]:
        """The projects of the lines of each memory, by memory; it holds everywhere if one of its lines names no project."""
        if not self.line_projects:
            return {}
        found, again = defaultdict[str, set[str]](set), list[tuple[str, str]]()
        for line, fact in self.consumed.items():
            if fact["type"] == KEPT:
                found[line].add(self.line_projects.get(self.line_of(line), ""))
            elif fact["type"] == DUPLICATE and not fact.get("overruled"):
                again.append((str(fact.get("of")), self.line_projects.get(line, "")))
        for memory, project in again:
            if memory in found:
                found[memory].add(project)
        return {memory: frozenset(named) for memory, named in found.items() if "" not in named}

    def learned_after(self, at: str) -> set[str]:
        """The memories that were learned after this time (ISO 8601)."""
        return {id_ for id_, item in self.consumed.items() if item["type"] == KEPT and told_order(item)[0] > at}

    def successors(self) -> dict[str, str]:
        """By memory, the one that replaces it, unless that was taken back or deleted, or a person wants both.

        What replaces one that is gone replaces what that had replaced.
        """
        ended, both = self.ended, self.wanted_both
        found = dict[str, str]()
        for old, item in self.superseded.items():
            new, passed = str(item.get("by")), {old}
            while new in ended and new in self.superseded and new not in passed:
                if (min(old, new), max(old, new)) in both and self.gone[new].get("type") != UNDONE:
                    break
                passed.add(new)
                new = str(self.superseded[new].get("by"))
            if new not in ended and new not in passed and (min(old, new), max(old, new)) not in both:
                found[old] = new
        return found

    def replacing_lines(self) -> dict[str, LogPlace]:
        """By memory that was replaced, the line of the one that replaces it, on its day."""
        from bankd.memory.retain import LogPlace  # noqa: PLC0415 -- a session's start reads no log

        found = ((old, self.consumed.get(new)) for old, new in self.successors().items())
        return {old: LogPlace(str(by.get("log")), age_of("", by)[1], day_said(by)) for old, by in found if by}

    def was_forgotten(self, memory: str, key: str) -> bool:
        """Whether a memory was forgotten, or one with the key of its text after this one was learned."""
        stone, learned = self.forgotten.get(key, {}), self.consumed.get(memory, {})
        is_later = str(learned.get("at", "")) < str(stone.get("at", ""))
        return is_later or self.gone.get(memory, {}).get("type") == FORGOTTEN

    def is_said_again(self, line: RetainLine, forgotten: Event, *, is_own: bool) -> bool:
        """Whether a line that no run has read says again what was forgotten before.

        That does a line of a log of a later day, and, but for a model's, which is not the speaker's `own`, one of the same
        day or of a log that was read before: `forget` notes what stood unread there.
        """
        day, at = day_in(line.place.log) or line.place.stated or date.min, str(forgotten["at"])
        read = (self.consumed[id_] for id_ in self.read.get(self.identity_of(line.place.log), ()))
        return day > day_of(forgotten) or (
            is_own and (day == day_of(forgotten) or any(str(one["at"]) < at for one in read))
        )

    def asked_about(self) -> set[str]:
        """The memories of which a person is asked whether a newer one, which still holds, replaces them."""
        both = self.wanted_both
        return {
            old for old, new in self.may_replace if new not in self.gone and (min(old, new), max(old, new)) not in both
        }


def changes_relations(events: Iterable[Event], ledger: Ledger) -> bool:
    """Whether any of these events may change which memory replaces or may replace which, or the project of one."""
    kinds = _RELATING | {DUPLICATE} if ledger.line_projects else _RELATING
    return any(item.get("type") in kinds for item in events)


def are_apart(one: Collection[str], other: Collection[str]) -> bool:
    """Whether two memories belong to different projects, so that neither replaces or contradicts the other."""
    return bool(one and other) and not set(one) & set(other)


def in_order_told(events: Iterable[Event]) -> Iterator[Event]:
    """The events of one writer, marked so that they sort in the order of its runs.

    Two runs may fall into one second, or the clock may be set back between them.
    """
    latest, run, behind = "", None, 0
    for item in events:
        at, is_next = str(item["at"]), item.get("run") != run
        run = item.get("run")
        if at > latest:
            latest, behind = at, 0
        else:
            behind += is_next
        yield {**item, "told": f"{latest}+{behind:06}"} if behind or at < latest else item


def fold_events(events: Iterable[Event]) -> Ledger:
    """Fold events into a ledger; an event of an unknown type is ignored."""
    unique = {str(item["id"]): item for item in events}
    ledger = Ledger()
    for item in sorted(unique.values(), key=told_order):
        _apply(ledger, item)
    return ledger


def told_order(item: Event) -> tuple[str, bool, str]:
    """The sort key of events: by time; within a run the name of a log comes before what was read in it."""
    return str(item.get("told") or item.get("at", "")), item.get("type") != RENAMED, str(item["id"])


def _apply(ledger: Ledger, item: Event) -> None:
    kind, memory = str(item.get("type")), str(item.get("memory", ""))
    if kind in _CONSUMING:
        _consume(ledger, memory, item)
    elif kind in _REMOVING:
        _remove(ledger, memory, item)
    elif kind == RESTORED:
        ledger.gone.pop(memory, None)
        ledger.restored[memory] = day_of(item)
    elif kind == SUPERSEDED:
        ledger.superseded[memory] = item
        ledger.restored.pop(memory, None)  # it was restored before it was superseded, so that counts no more
    elif kind == REWORDED:
        ledger.reworded.setdefault(memory, []).append(item)
    elif kind == PROJECT:
        ledger.line_projects[memory] = str(item.get("project"))
    elif kind == MAY_REPLACE:
        if ledger.successors().get(memory) == item.get("by"):
            del ledger.superseded[memory]
        ledger.may_replace[memory, str(item.get("by"))] = item
    elif use := read_use(item):
        note_use(ledger.signals, use)
    elif kind == RENAMED:
        ledger.identities[str(item.get("log"))] = str(item.get("was"))
        _rename(ledger, str(item.get("was")), item.get("beside"), told_order(item)[0])
    elif kind in {DISMISSED, APART, REOPENED}:
        _settle(ledger, memory, item)


def _remove(ledger: Ledger, memory: str, item: Event) -> None:
    ledger.gone[memory] = item
    if item["type"] == ARCHIVED:
        ledger.tombstones[memory] = item
    elif item["type"] == FORGOTTEN and item.get("key"):
        ledger.forgotten[str(item["key"])] = item


def _settle(ledger: Ledger, memory: str, item: Event) -> None:
    """Note the answer of a person, so that the question does not come again; or drop the answer if it was taken back."""
    is_open = item["type"] == REOPENED
    if "other" in item:
        other, told = str(item.get("other")), ledger.kept_apart
        (told.discard if is_open else told.add)((min(memory, other), max(memory, other)))
    else:
        (ledger.dismissed.discard if is_open else ledger.dismissed.add)(str(item.get("key")))


def _rename(ledger: Ledger, was: str, beside: object, at: str) -> None:
    others = beside if isinstance(beside, list | tuple) else ()
    if was in others:
        _reuse(ledger, was, len(others) + 1)
    else:
        ledger.left_names[was] = at, len(others) + 1
        ledger.logs[was] = max(ledger.logs.get(was, 1), len(others) + 1)


def _reuse(ledger: Ledger, name: str, logs: int) -> None:
    """Note that another log now uses a name that its first log gave up."""
    ledger.left_names.pop(name, None)
    ledger.reused.add(name)
    ledger.logs[name] = max(ledger.logs.get(name, 1), logs)


def _consume(ledger: Ledger, memory: str, item: Event) -> None:
    """Note what became of a line; the first event counts, unless a person later let in a blocked line."""
    first = ledger.consumed.setdefault(memory, item)
    log = str(item.get("log", ""))
    ledger.read.setdefault(ledger.identity_of(log), set()).add(memory)
    if ledger.has_name_of_another(log) and told_order(item)[0] > ledger.left_names[log][0]:
        _reuse(ledger, log, ledger.left_names[log][1] + 1)
    if item.get("type") == REVISED:
        ledger.revised[memory] = str(item.get("of"))
        ledger.revisions.setdefault(str(item.get("of")), []).append(item)
    if item.get("type") == DUPLICATE and not item.get("overruled"):
        ledger.confirmed[str(item.get("of"))] = day_of(item)
    if first.get("type") == DUPLICATE and item.get("type") == KEPT:
        ledger.consumed[memory] = item
        ledger.allowed[memory] = first
        if first.get("overruled"):
            ledger.may_replace[str(first.get("of")), memory] = first


def day_said(item: Event | None) -> date | None:
    """The day on which a line was said: in the name of its log, else as the log states it, else that of the event."""
    return next(filter(None, (day_in(str((item or {}).get(fact, ""))) for fact in ("log", "day", "at"))), None)


def age_of(id_: str, item: Event | None) -> tuple[date, int, str]:
    """A sort key for memories by the events that tell of their lines: oldest first, in a log from top to bottom.

    A memory without a day counts as oldest.
    """
    line = (item or {}).get("line")
    return day_said(item) or date.min, line if isinstance(line, int) else 0, id_


def day_of(item: Event) -> date:
    """The local day of an event; `date.min` when it has none."""
    try:
        return date.fromisoformat(str(item.get("at", ""))[:10])
    except ValueError:
        return date.min
