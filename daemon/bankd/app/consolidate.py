"""Near-copies that are already in the bank, and memories that contradict each other: found by the index, listed or merged."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from bankd.app.user_run import UserRun, begin_run
from bankd.app.workspace import Workspace
from bankd.core.dedup.conflicts import Conflict, Dated, find_conflicts
from bankd.core.language.reading import compared_text
from bankd.core.language.statement import Statement
from bankd.core.lifecycle.events import Ledger, day_of
from bankd.core.lifecycle.retiring import memory_of
from bankd.core.markdown.memory import Memory, statement_of
from bankd.core.markdown.page_lines import MemoryLines
from bankd.core.plan.judging import Reader
from bankd.cycle import Report
from bankd.errors import UserError
from bankd.retention import find_alike, find_merged


def consolidate_bank(
    workspace: Workspace, threshold: float | None, only: str | None = None, *, apply: bool, force: bool = False
) -> Report:
    """Merge near-copies, all or those of one memory, or only say what would be merged."""
    user_run = begin_run(workspace, "consolidate")
    held = user_run.catalog.all_lines()
    if only is not None and only not in held:
        raise UserError(f"{only}: no memory of the bank has this id; bankctl search finds memories by their words")
    settings = workspace.settings
    if threshold is not None:
        settings = replace(settings, consolidate=replace(settings.consolidate, threshold=threshold))
    index = workspace.index
    index.catch_up(workspace.now)
    pairs = _alike_now(user_run, {id_: memory_of(lines) for id_, lines in held.items()})
    merged = find_merged(held, pairs, user_run.ledger, index, settings, workspace.now.date())
    chosen = tuple(m for m in merged if only is None or only in {m.id, *(source.id for source in m.sources)})
    return user_run.carry_out(user_run.plan.with_(merged=chosen), force=force, dry_run=not apply)


@dataclass(frozen=True, slots=True)
class ConflictSide:
    """One memory of a conflict: its words, where it stands, the line it came from, and the day of that."""

    id: str
    text: str
    place: str
    source: str
    day: date | None


@dataclass(frozen=True, slots=True)
class Contradiction:
    """Two memories that cannot both hold now; `is_known` says that the newer one came in as an update of the older."""

    older: ConflictSide
    newer: ConflictSide
    reason: str
    is_known: bool


def list_conflicts(workspace: Workspace) -> list[Contradiction]:
    """Every pair in the bank that says different values of the same thing, the newest first."""
    user_run = begin_run(workspace, "list")
    workspace.index.catch_up(workspace.now)
    held = user_run.catalog.all_lines()
    memories = {id_: memory_of(lines) for id_, lines in held.items()}
    known = dict(_known(user_run.ledger, memories))
    found = [c for c in _compared(user_run, memories) if (c.newer.id, c.older.id) not in known]
    pairs = {(c.older.id, c.newer.id): c.reason for c in found}
    user_run.catalog.record_contradictions(pairs)
    sides = _Sides(user_run.ledger, held, memories)
    rows = [
        sides.contradiction(c.older.id, c.newer.id, c.reason, is_known=(c.older.id, c.newer.id) in known) for c in found
    ]
    rows += [sides.contradiction(*pair, why, is_known=True) for pair, why in known.items() if pair not in pairs]
    return sorted(rows, key=lambda row: (row.newer.day or date.min, row.newer.id), reverse=True)


def _known(ledger: Ledger, memories: Mapping[str, Memory]) -> Iterator[tuple[tuple[str, str], str]]:
    for old, new in ledger.successors().items():
        if old in memories and new in memories:
            yield (old, new), str(ledger.supersessions[old].get("reason", ""))


def _compared(user_run: UserRun, memories: Mapping[str, Memory]) -> list[Conflict]:
    """What the look-alikes in the index say of each other."""
    workspace, ledger = user_run.workspace, user_run.ledger
    pairs = _alike_now(user_run, memories)
    alike = sorted((one, two) for one, two in pairs if memories[one].tag == memories[two].tag)
    wordings = workspace.index.take_apart({compared_text(memories[id_]) for pair in alike for id_ in pair})
    reader = Reader(wordings)
    dated = {id_: _dated(id_, reader.read(memories[id_]), ledger) for id_ in {id_ for pair in alike for id_ in pair}}
    threshold = workspace.settings.dedup.threshold
    return list(find_conflicts(((dated[one], dated[other]) for one, other in alike), threshold))


def _alike_now(user_run: UserRun, memories: Mapping[str, Memory]) -> Iterable[tuple[str, str]]:
    """The pairs that look alike in an index that is up to date, remembered for the next time."""
    found = find_alike(memories, user_run.workspace.index, user_run.catalog)
    user_run.catalog.record_pairs(found)
    return found.pairs


def _dated(id_: str, statement: Statement, ledger: Ledger) -> Dated:
    line = ledger.consumed.get(id_, {}).get("line")
    return Dated(id_, statement, source_day(ledger, id_), line if isinstance(line, int) else 0)


def source_day(ledger: Ledger, id_: str) -> date | None:
    """The day of a memory's source: of its log when that is named by a day, else of the event; None without either."""
    fact = ledger.consumed.get(id_)
    if fact is None:
        return None
    try:
        return date.fromisoformat(str(fact.get("log", "")).rpartition("/")[2][:10])
    except ValueError:
        return day_of(fact)


@dataclass(frozen=True, slots=True)
class _Sides:
    ledger: Ledger
    held: Mapping[str, MemoryLines]
    memories: Mapping[str, Memory]

    def contradiction(self, older: str, newer: str, reason: str, *, is_known: bool) -> Contradiction:
        return Contradiction(self._side(older), self._side(newer), reason, is_known)

    def _side(self, id_: str) -> ConflictSide:
        fact = self.ledger.consumed.get(id_)
        source = f"memory/{fact.get('log')}:{fact.get('line')}" if fact else "the user"
        text = statement_of(self.memories[id_])
        return ConflictSide(id_, text, self.held[id_].page, source, source_day(self.ledger, id_))
