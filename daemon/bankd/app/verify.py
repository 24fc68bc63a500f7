"""Checking a workspace from the outside: its logs, pages and events are read anew, its own tables are not believed."""

from __future__ import annotations

from collections.abc import Iterator

from bankd.adapters.storage.disk import READ_ONLY
from bankd.adapters.workspace.logs import read_one_log
from bankd.core.lifecycle.events import Ledger, fold_events
from bankd.core.lifecycle.retain import LogReading, identified_as
from bankd.core.lifecycle.verify import (
    Verification,
    VerifyFinding,
    count_waiting,
    find_doubled,
    find_lost,
    find_lost_books,
)
from bankd.core.markdown.pages import read_page
from bankd.errors import ConflictError
from bankd.wiring.workspace import Workspace

_OURS = (".bankd/txn", ".bankd/stage")


def verify_workspace(workspace: Workspace) -> Verification:
    """Look at everything; a run at work meanwhile shows as what is left over."""
    events = workspace.transactions.events
    ledger = fold_events(events.read())
    unreadable: list[VerifyFinding] = [
        VerifyFinding("unreadable", f"{c.path}:{c.line}", c.problem) for c in events.corrupt
    ]
    places = _places(workspace, unreadable)
    readings = list(_readings(workspace, ledger))
    where = {id_: [place.rpartition(":")[0] for place in held] for id_, held in places.items()}
    findings = [
        *find_lost(readings, where, ledger),
        *find_lost_books(readings, where, ledger),
        *find_doubled(places),
        *_broken_links(workspace),
        *_left_over(workspace),
        *unreadable,
    ]
    lines = sum(len(reading.lines) for reading in readings)
    waiting = count_waiting(readings, where, ledger)
    return Verification(lines, len(places), waiting, tuple(findings))


def _broken_links(workspace: Workspace) -> Iterator[VerifyFinding]:
    """Links that led somewhere once and lead nowhere now; what was broken before is not counted."""
    workspace.graph.refresh()
    for link, once in workspace.graph.broken():
        if once:
            yield VerifyFinding(
                "link", f"{link.source}:{link.reference.line + 1}", f"{link.reference.target} led somewhere once"
            )


def _places(workspace: Workspace, unreadable: list[VerifyFinding]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for folder in ("bank", "archive"):
        survey = workspace.files.survey(folder, workspace.now, 0, any_content=True)
        left_alone = {**survey.quarantined, **survey.unsettled}
        unreadable += [VerifyFinding("unreadable", path, reason) for path, reason in left_alone.items()]
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
        log = path.removeprefix("memory/")
        reading = read_one_log(workspace.files, log, workspace.settings.retain.anywhere)
        if reading is not None:
            yield identified_as(reading, ledger.identity_of(log))


def _left_over(workspace: Workspace) -> Iterator[VerifyFinding]:
    tree = workspace.files.tree
    for folder in _OURS:
        for name in tree.names(folder):
            words = (
                "set aside: torn, or of a newer version"
                if name.endswith(".bad")
                else "an interrupted run; the next one ends it"
            )
            yield VerifyFinding("left over", f"{folder}/{name}", words)
    if READ_ONLY in tree.names(".bankd"):
        yield VerifyFinding(
            "left over", f".bankd/{READ_ONLY}", "syncing failed twice in a row; check the disk, then remove this file"
        )
