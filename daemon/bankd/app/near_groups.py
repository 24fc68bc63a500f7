"""Memories of the bank that say the same or nearly the same: a person is asked about each group once."""

from __future__ import annotations

from dataclasses import dataclass

from bankd.app.decisions import keep_apart
from bankd.app.workspace import Workspace
from bankd.core.dedup.known_pairs import near_groups
from bankd.core.plan.report import ReportRow
from bankd.errors import UserError


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
