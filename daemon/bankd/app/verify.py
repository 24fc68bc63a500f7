"""Checking a workspace from the outside: its logs, pages and events are read anew, its own tables are not believed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set

from bankd.app.workspace import Workspace
from bankd.core.daemon.settle import EMPTY_DAYS
from bankd.core.lifecycle.events import Ledger
from bankd.core.lifecycle.retain import LogReading
from bankd.core.lifecycle.verify import (
    Emptied,
    Verification,
    VerifyFinding,
    count_waiting,
    find_doubled,
    find_lost,
    find_lost_books,
    find_missing_memories,
)
from bankd.core.markdown.pages import read_page
from bankd.errors import ConflictError


def verify_workspace(workspace: Workspace) -> Verification:
    """Look at everything; a run at work meanwhile shows as what is left over."""
    ledger = workspace.transactions.ledger()
    unreadable: list[VerifyFinding] = [
        VerifyFinding("unreadable", f"{c.path}:{c.line}", c.problem) for c in workspace.transactions.corrupt
    ]
    emptied: set[str] = set()
    places = _places(workspace, unreadable, emptied)
    readings = list(_readings(workspace, ledger))
    where = {id_: [place.rpartition(":")[0] for place in held] for id_, held in places.items()}
    unread = emptied | {finding.place for finding in unreadable}
    missing = find_missing_memories(where, ledger)
    last_seen = _last_seen_on(workspace, missing, unread)
    mentioned = workspace.catalog.mentions_of(set(missing) - last_seen.keys())
    where |= {id_: [page] for id_, page in (*last_seen.items(), *mentioned.items())}
    findings = [
        *find_lost(readings, where, ledger),
        *find_lost_books(readings, where, ledger),
        *find_doubled(places),
        *_broken_links(workspace),
        *(VerifyFinding("left over", *left) for left in workspace.transactions.journals.left_over()),
        *unreadable,
    ]
    lines = sum(len(reading.lines) for reading in readings)
    waiting = count_waiting(readings, where, ledger)
    counts = sorted(Counter(page for page in last_seen.values() if page in emptied).items())
    return Verification(
        lines, len(places), waiting, tuple(findings), tuple(Emptied(*item, EMPTY_DAYS) for item in counts)
    )


def _last_seen_on(workspace: Workspace, missing: Sequence[str], unread: Set[str]) -> Mapping[str, str]:
    """The page by memory of those that the catalog saw on a page that has just fallen to nothing, or is not read now."""
    held = workspace.catalog.pages_of(missing) if unread else {}
    return {id_: page for id_, pages in held.items() for page in pages if page in unread}


def _broken_links(workspace: Workspace) -> Iterator[VerifyFinding]:
    """Links that led somewhere once and lead nowhere now; what was broken before is not counted."""
    workspace.graph.refresh()
    for link, once in workspace.graph.broken():
        if once:
            yield VerifyFinding(
                "link", f"{link.source}:{link.reference.line + 1}", f"{link.reference.target} led somewhere once"
            )


def _places(workspace: Workspace, unreadable: list[VerifyFinding], emptied: set[str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in ("bank", "archive"):
        survey = workspace.files.survey(folder, workspace.now, 0, any_content=True)
        emptied |= survey.emptied
        left_alone = {**survey.quarantined, **survey.unsettled}
        unreadable += [
            VerifyFinding("unreadable", path, reason)
            for path, reason in left_alone.items()
            if path not in survey.emptied
        ]
        for path in survey.files:
            try:
                data = workspace.files.read(path)
            except ConflictError as problem:
                unreadable.append(VerifyFinding("unreadable", path, str(problem)))
                continue
            for entry in read_page(path, data or b"").entries:
                if entry.memory.id:
                    found.setdefault(entry.memory.id, []).append(f"{path}:{entry.line}")
    return found


def _readings(workspace: Workspace, ledger: Ledger) -> Iterator[LogReading]:
    for path in workspace.files.survey("memory", workspace.now, 0, any_content=True).files:
        if reading := workspace.read_log(path.removeprefix("memory/"), ledger):
            yield reading
