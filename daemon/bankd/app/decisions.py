"""What a person decides about memories of the bank: one goes to the archive or is pinned, or several are all to stay."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass

from bankd.app.user_run import begin_run, record_events
from bankd.app.workspace import Workspace
from bankd.core.dedup.pairs import near_groups
from bankd.core.edits.operations import Replace
from bankd.core.edits.transaction import Transaction
from bankd.core.lifecycle.events import APART
from bankd.core.lifecycle.retiring import memory_of, moved_out
from bankd.core.markdown.memory import PIN, pinned
from bankd.core.plan.report import ReportRow
from bankd.cycle import Report
from bankd.errors import UserError


def archive_memories(workspace: Workspace, ids: Sequence[str], *, dry_run: bool) -> Report:
    """Take memories to the archive, or only say so; UserError when one is not in the bank."""
    user_run = begin_run(workspace, "archive")
    held = user_run.catalog.lines_of(ids)
    _require(ids, held)
    nested = [id_ for id_ in ids if held[id_].inside]
    if nested:
        raise UserError(*(f"{id_}: other memories stand below it; they would go where it goes" for id_ in nested))
    going = tuple(moved_out(id_, held[id_], "archived by hand") for id_ in dict.fromkeys(ids))
    return user_run.carry_out(user_run.plan.with_(archived=going), dry_run=dry_run)


def pin_memory(workspace: Workspace, id_: str, *, dry_run: bool) -> str:
    """Put a pin at the end of a memory's text, so that it never fades; gives its page. UserError when it has one."""
    user_run = begin_run(workspace, "pin")
    held = user_run.catalog.lines_of([id_])
    _require([id_], held)
    lines = held[id_]
    if memory_of(lines).is_pinned:
        raise UserError(f"{id_}: has {PIN} already")
    if dry_run:
        return lines.page
    operation = Replace(lines.page, id_, lines.text, pinned(lines.text, id_))
    with workspace.recorder.recording("pin") as record:
        at = workspace.now.isoformat(timespec="seconds")
        applied = workspace.commit(Transaction(record.run, at, (operation,), (), "pin"))
        record.is_changed, record.counts = bool(applied.changed), {"pinned": 1}
        record.rows = [ReportRow("~", "pinned", lines.page, lines.text.strip(), "it does not fade any more")]
    workspace.refresh()
    return lines.page


def keep_both(workspace: Workspace, one: str, other: str, *, dry_run: bool) -> tuple[str, str]:
    """Note that two memories both hold, whatever they look like; UserError when one is not in the bank."""
    user_run = begin_run(workspace, "keep")
    _require((one, other), user_run.catalog.lines_of((one, other)))
    pair = min(one, other), max(one, other)
    if dry_run:
        return pair
    keep_apart(workspace, [pair], 2, [ReportRow("=", "kept", "", " and ".join(pair), "both hold")])
    return pair


def keep_apart(workspace: Workspace, pairs: Sequence[tuple[str, str]], count: int, rows: Sequence[ReportRow]) -> None:
    """Note that both memories of each pair stay, `count` memories in all; no run or search takes one for the other again."""
    said = ((APART, f"{one}+{other}", {"memory": one, "other": other}) for one, other in map(sorted, pairs))
    record_events(workspace, "keep", said, {"kept": count}, rows)
    workspace.catalog.keep_apart(pairs)


def _require(ids: Sequence[str], held: Container[str]) -> None:
    missing = [id_ for id_ in ids if id_ not in held]
    if missing:
        raise UserError(*(f"{id_}: no memory of the bank has this id" for id_ in missing))


@dataclass(frozen=True, slots=True)
class NearMemory:
    """A memory of such a group: where it stands, `page:line`, and what it says there."""

    id: str
    place: str
    text: str


def list_near(workspace: Workspace) -> list[list[NearMemory]]:
    """The groups that runs found, and of which nobody said yet that all of it is to be kept."""
    groups = near_groups(workspace.catalog.known_pairs())
    texts = workspace.catalog.texts_of({id_ for group in groups for id_ in group})
    found = [[NearMemory(id_, *texts[id_]) for id_ in group if id_ in texts] for group in groups]
    return [group for group in found if len(group) > 1]


def keep_near(workspace: Workspace, id_: str, *, dry_run: bool) -> list[NearMemory]:
    """Keep all of a memory's group as it is, for good, or only say what that is; UserError when it is in none."""
    group = next((group for group in list_near(workspace) if id_ in {one.id for one in group}), None)
    if group is None:
        raise UserError(f"{id_}: nothing says nearly the same that is not kept already; bankctl inbox lists what does")
    ids = {one.id for one in group}
    if not dry_run:
        pairs = [pair for pair in workspace.catalog.known_pairs() if ids.issuperset(pair)]
        why = "beside others that say much the same"
        rows = [ReportRow("=", "kept", one.place, one.text, why) for one in group]
        keep_apart(workspace, pairs, len(group), rows)
    return group
