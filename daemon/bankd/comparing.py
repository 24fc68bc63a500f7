"""The story of what the memories of the bank are to each other: found once, for answers, conflicts and the inbox alike.

    what changed | who looks like it, by the index | what the newer is to the older | remembered in the catalog

A run looks at what changed since the last look; a command that asks about all of it looks at all that waits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date

from bankd.core.dedup.pairs import Dated, Likeness, Pairs, compare_pairs
from bankd.core.language.reading import compared_text
from bankd.core.lifecycle.events import KEPT, Event, Ledger, day_of
from bankd.core.lifecycle.retiring import memory_of
from bankd.core.markdown.memory import Memory
from bankd.core.plan.judging import Reader
from bankd.ports.bank import Index, MemoryCatalog
from bankd.ports.reading import Wordings

AT_ONCE = 1_000
"""The most new lines and memories that a run looks at, some seconds of work; more memories wait for the next."""


@dataclass(frozen=True, slots=True)
class CompareParts:
    """What comparing needs: what the bank holds, who looks alike, how texts are taken apart, and `dedup.threshold`."""

    catalog: MemoryCatalog
    index: Index
    wordings: Wordings
    threshold: int


def compare_changed(
    of: CompareParts, ledger: Ledger, fresh: Iterable[Event] = (), most: int | None = None
) -> list[str]:
    """Compare the memories that are new or changed with those that look like them; gives what could not be compared.

    `fresh` are events newer than the ledger.
    """
    catalog = of.catalog
    changed = catalog.changed_since_look(of.threshold, most)
    if not changed:
        return []
    memories = _memories(catalog, changed)
    near = of.index.neighbours_of(memories)
    alike = {(min(id_, one.id), max(id_, one.id)) for id_, found in near.items() for one in found if one.id != id_}
    memories |= _memories(catalog, {id_ for pair in alike for id_ in pair} - memories.keys())
    pairs = [pair for pair in alike - ledger.wanted_both if memories.keys() >= set(pair)]
    sources = {**ledger.consumed, **{str(item["memory"]): item for item in fresh if item.get("type") == KEPT}}
    compared = _compare(pairs, memories, sources, of)
    catalog.record_look({id_: key for id_, key in changed.items() if id_ in memories}, compared)
    return [likeness.bug for likeness in compared.values() if likeness.bug]


def _memories(catalog: MemoryCatalog, ids: Iterable[str]) -> dict[str, Memory]:
    return {id_: memory_of(lines) for id_, lines in catalog.lines_of(ids).items()}


def _compare(
    pairs: Iterable[tuple[str, str]], memories: Mapping[str, Memory], sources: Mapping[str, Event], of: CompareParts
) -> Pairs:
    """What they are to each other; what somebody thinks and what is so are two things in the same words."""
    kin = [pair for pair in pairs if memories[pair[0]].tag == memories[pair[1]].tag]
    ids = {id_ for pair in kin for id_ in pair}
    reader = Reader(of.wordings.take_apart(sorted({compared_text(memories[id_]) for id_ in ids})))
    dated = {
        id_: Dated(id_, reader.read(memories[id_]), source_day(sources.get(id_)), source_line_number(sources.get(id_)))
        for id_ in ids
    }
    near = of.index.cosines([(memories[one].text, memories[other].text) for one, other in kin])
    cosines = {frozenset(pair): cosine for pair, cosine in zip(kin, near, strict=True) if cosine is not None}
    compared = compare_pairs(((dated[one], dated[other]) for one, other in kin), of.threshold, cosines)
    return {**dict.fromkeys(set(pairs) - set(kin), Likeness()), **compared}


def source_day(fact: Event | None) -> date | None:
    """The day of what a memory came from: of its log when that is named by a day, else of the event; None without either."""
    if fact is None:
        return None
    try:
        return date.fromisoformat(str(fact.get("log", "")).rpartition("/")[2][:10])
    except ValueError:
        return day_of(fact)


def source_line_number(fact: Event | None) -> int:
    """The line of the log that a memory came from; 0 where that is not known."""
    line = fact.get("line") if fact else None
    return line if isinstance(line, int) else 0
