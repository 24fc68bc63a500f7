"""What becomes of a memory whose line in a log was edited: it says what the line says now, unless a person changed it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from bankd.core.dedup.exact_match import text_key
from bankd.core.lifecycle.edited import PastLine
from bankd.core.lifecycle.events import DELETED, FORGOTTEN, Ledger
from bankd.core.lifecycle.retain import RetainLine
from bankd.core.lifecycle.retiring import memory_of
from bankd.core.markdown.memory import Confidence, Memory, render_memory
from bankd.core.markdown.page_lines import MARKER, MemoryLines
from bankd.core.plan.decisions import Blocked, Deferred, Revised, Update
from bankd.core.plan.plan import Plan

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
