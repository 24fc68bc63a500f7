"""Whether a bank has lost anything, and whether its index is whole.

Logs, pages and events are read anew, and bankd's own tables are not trusted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from datetime import datetime
from typing import TYPE_CHECKING, Any

from bankd.edits.settle import EMPTY_DAYS
from bankd.errors import ConflictError, IndexDamaged
from bankd.health.health import COPIED_ADVICE, find_copied
from bankd.memory.provenance import (
    Emptied,
    Verification,
    VerifyFinding,
    count_waiting,
    find_lost,
    find_missing_memories,
)
from bankd.pages.page import read_page

if TYPE_CHECKING:
    from bankd.app.workspace import Workspace
    from bankd.search.bank_search import BankSearch, Indexes


def verify_workspace(workspace: Workspace) -> Verification:
    """Check logs, pages and events; a run that is at work shows as left over."""
    ledger = workspace.transactions.ledger()
    corrupt = workspace.transactions.corrupt
    unreadable = [VerifyFinding("unreadable", f"{one.path}:{one.line}", one.problem) for one in corrupt]
    emptied: set[str] = set()
    places = _places(workspace, unreadable, emptied)
    logs = workspace.files.survey("memory", workspace.now, 0, any_content=True).files
    readings = [found for path in logs if (found := workspace.read_log(path.removeprefix("memory/"), ledger))]
    where = {id_: [place.rpartition(":")[0] for place in held] for id_, held in places.items()}
    unread = emptied | {finding.place for finding in unreadable}
    missing = find_missing_memories(where, ledger)
    # A memory is not lost when the catalog saw it on a page that is empty since a moment ago, or is not read now.
    held = workspace.catalog.pages_of(missing) if unread else {}
    last_seen = {id_: page for id_, pages in held.items() for page in pages if page in unread}
    mentioned = workspace.catalog.mentions_of(set(missing) - last_seen.keys())
    where |= {id_: [page] for id_, page in (*last_seen.items(), *mentioned.items())}
    findings = [*find_lost(readings, where, ledger)]
    for one in find_copied(places):
        words = f"{one.id} stands {len(one.places)} times; {COPIED_ADVICE}"
        findings.append(VerifyFinding("twice", " and ".join(one.places), words))
    workspace.graph.refresh()
    for link, once in workspace.graph.broken():
        if once:  # a link that never worked does not count
            place = f"{link.source}:{link.reference.line + 1}"
            findings.append(VerifyFinding("link", place, f"{link.reference.target} worked once"))
    findings += [VerifyFinding("left over", *left) for left in workspace.transactions.journals.left_over()]
    lines = sum(len(reading.lines) for reading in readings)
    counts = sorted(Counter(page for page in last_seen.values() if page in emptied).items())
    empty = tuple(Emptied(*item, EMPTY_DAYS) for item in counts)
    waiting = count_waiting(readings, where, ledger)
    return Verification(lines, len(places), waiting, (*findings, *unreadable), empty)


def _places(workspace: Workspace, unreadable: list[VerifyFinding], emptied: set[str]) -> dict[str, list[str]]:
    """By id, the places of every memory; adds what cannot be read to `unreadable` and empty pages to `emptied`."""
    found: dict[str, list[str]] = {}
    for folder in ("bank", "archive"):
        survey = workspace.files.survey(folder, workspace.now, 0, any_content=True)
        emptied |= survey.emptied
        closed = {**survey.quarantined, **survey.unsettled}
        reasons = ((path, why) for path, why in closed.items() if path not in survey.emptied)
        unreadable += [VerifyFinding("unreadable", path, why) for path, why in reasons]
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


def index_state(indexes: Indexes) -> dict[str, Any]:
    """The state of the index; nothing is written."""
    try:
        facts = indexes.bank.facts()
        if not facts.updated:
            return _unusable("there is none yet")
        pending = indexes.pending()
        beside = indexes.sizes()
    except IndexDamaged as damage:
        return _unusable(str(damage))
    return {
        "usable": True,
        "memories": facts.memories,
        "generation": int(facts.generation),
        "updated": facts.updated,
        "pending": pending,
        "provisional": facts.provisional,
        "meaning": indexes.meaning_state(),
        **beside,
    }


def _unusable(why: str) -> dict[str, Any]:
    return {"usable": False, "why": f"{why}; make it with: bankctl doctor index rebuild"}


def refresh_index(searching: BankSearch, now: datetime, publish: Callable[[str, bytes], None], *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; gives a sentence on what was done."""
    done = searching.rebuild(now) if anew else searching.refresh(now, None)
    searching.fill_vectors(now)
    searching.indexes.write_tree(publish)
    return f"{done.read} pages read, {done.removed} gone" + (f"; made anew: {done.why_rebuilt}" if anew else "")


def check_index(indexes: Indexes) -> str:
    """Compare every file of the index with its checksum; gives a sentence on what is wrong."""
    try:
        indexes.verify()
    except IndexDamaged as damage:
        return f"damaged: {damage}; make it anew with: bankctl doctor index rebuild"
    return "every file is what was written"
