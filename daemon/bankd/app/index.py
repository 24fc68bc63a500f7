"""The search index on request: how it stands, made anew, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bankd.adapters.index.search_index import IndexDamaged, damage_told
from bankd.wiring.search_service import SearchService, open_search
from bankd.wiring.workspace import open_workspace


def index_state(root: Path) -> dict[str, Any]:
    """How the index stands, read only."""
    searching = open_search(root)
    try:
        with damage_told():
            return {"usable": True, **_state(searching)} if searching.index.open() else _unusable("there is none yet")
    except IndexDamaged as damage:
        return _unusable(str(damage))
    finally:
        searching.close()


def _unusable(why: str) -> dict[str, Any]:
    return {"usable": False, "why": f"{why}; make it with: bankctl index rebuild"}


def _state(searching: SearchService) -> dict[str, Any]:
    index = searching.index
    return {
        "memories": index.corpus.memories,
        "generation": index.generation,
        "updated": index.updated,
        "pending": index.pending(),
        "provisional": index.provisional,
    }


def refresh_index(root: Path, *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; tells what was done."""
    with open_workspace(root) as workspace:
        searching = open_search(root)
        try:
            searching.analyser.patience = "wait"
            done = searching.index.rebuild(workspace.now) if anew else searching.index.refresh(workspace.now)
            searching.write_tree(workspace.transactions.publish)
        finally:
            searching.close()
    return f"{done.read} pages read, {done.removed} gone" + (f"; made anew: {done.why_rebuilt}" if anew else "")


def check_index(root: Path) -> str:
    """Compare every file of the index with its checksum; tells what is wrong."""
    searching = open_search(root)
    try:
        with damage_told():
            searching.index.verify()
    except IndexDamaged as damage:
        return f"damaged: {damage}; make it anew with: bankctl index rebuild"
    finally:
        searching.close()
    return "every file is what was written"
