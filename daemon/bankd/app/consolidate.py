"""Near-copies that are already in the bank, and memories that contradict each other: found by the index, listed or merged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from bankd.app.user_run import UserRun, begin_run
from bankd.app.workspace import Workspace
from bankd.comparing import CompareParts, compare_changed, source_day
from bankd.core.dedup.compare import Relation
from bankd.core.dedup.pairs import Pairs, likely_changes
from bankd.core.lifecycle.events import Ledger
from bankd.core.lifecycle.retiring import memory_of
from bankd.core.markdown.memory import Memory, statement_of
from bankd.cycle import Report
from bankd.errors import UserError
from bankd.retention import find_merged


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
    pairs = compare_all(user_run)
    merged = find_merged(held, pairs, user_run.ledger, workspace.index, settings, workspace.now.date())
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
    """Every pair in the bank that says different values of the same thing, unless both hold, the newest first.

    Among them are the few of this week of which the newer only may replace the older.
    """
    user_run = begin_run(workspace, "list")
    found = compare_all(user_run)
    held = user_run.catalog.all_lines()
    memories = {id_: memory_of(lines) for id_, lines in held.items()}
    known = dict(_known(user_run.ledger, memories))

    def side(id_: str) -> ConflictSide:
        fact = user_run.ledger.consumed.get(id_)
        source = f"memory/{fact.get('log')}:{fact.get('line')}" if fact else "the user"
        return ConflictSide(id_, statement_of(memories[id_]), held[id_].page, source, source_day(fact))

    settled = user_run.ledger.wanted_both
    known = {pair: why for pair, why in known.items() if (min(pair), max(pair)) not in settled}
    there = {
        pair: one
        for pair, one in found.items()
        if pair[::-1] not in known and memories.keys() >= set(pair) and (min(pair), max(pair)) not in settled
    }
    dated = {pair: one.reason for pair, one in there.items() if one.relation is Relation.NEWER}
    days = {id_: source_day(fact) for id_, fact in user_run.ledger.consumed.items()}
    likely = {pair: there[pair].reason for pair in likely_changes(there, days, workspace.now.date())}
    open_ = {**likely, **known, **dated}
    rows = [Contradiction(side(pair[0]), side(pair[1]), why, pair in known) for pair, why in open_.items()]
    return sorted(rows, key=lambda row: (row.newer.day or date.min, row.newer.id), reverse=True)


def _known(ledger: Ledger, memories: Mapping[str, Memory]) -> Iterator[tuple[tuple[str, str], str]]:
    for old, new in ledger.successors().items():
        if old in memories and new in memories:
            yield (old, new), str(ledger.supersessions[old].get("reason", ""))


def compare_all(user_run: UserRun) -> Pairs:
    """Compare all that waits to be compared, by an index that is up to date; gives what look-alikes are to each other."""
    workspace = user_run.workspace
    workspace.index.catch_up(workspace.now)
    threshold = workspace.settings.dedup.threshold
    compare_changed(CompareParts(user_run.catalog, workspace.index, workspace.index, threshold), user_run.ledger)
    return user_run.catalog.known_pairs()
