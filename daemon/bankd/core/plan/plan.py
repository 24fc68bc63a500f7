"""The plan of a run: everything it will change, decided before the first write.

The steps of the cycle fill it, one after another; `operations` and `events` say it in the words of the transaction layer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from itertools import count

from bankd.core.daemon.health import Copied
from bankd.core.edits.operations import Append, Operation, Piece, Replace
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle import events as ledger
from bankd.core.lifecycle.collect import Renamed
from bankd.core.lifecycle.consolidate import Merged
from bankd.core.lifecycle.events import Event
from bankd.core.lifecycle.restoring import Restored
from bankd.core.lifecycle.retain import BadLine, RetainLine
from bankd.core.lifecycle.retiring import Archived, Departure, Named
from bankd.core.links.linking import Stray
from bankd.core.markdown.memory import Confidence, parse_memory, render_memory, statement_of
from bankd.core.markdown.names import INBOX, Names
from bankd.core.markdown.page_lines import MARKER
from bankd.core.pages.block_links import Followed, relink_operations
from bankd.core.pages.rearrange import Rearrangement
from bankd.core.plan.decisions import (
    Blocked,
    Confirmed,
    Deferred,
    Placement,
    Repaired,
    Revised,
    Undated,
    Update,
    Withheld,
)
from bankd.core.use.signals import RECALLED

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
