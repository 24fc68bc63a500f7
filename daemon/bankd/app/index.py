"""The search index on request: how it stands, made anew, checked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bankd.app.search_service import SearchService
from bankd.errors import IndexDamaged


def index_state(searching: SearchService) -> dict[str, Any]:
    """How the index stands, read only."""
    try:
        facts = searching.index.facts()
        if not facts.updated:
            return _unusable("there is none yet")
        pending = searching.index.pending() + searching.beside.pending()
        beside = searching.beside.sizes()
    except IndexDamaged as damage:
        return _unusable(str(damage))
    return {
        "usable": True,
        "memories": facts.memories,
        "generation": int(facts.generation),
        "updated": facts.updated,
        "pending": pending,
        "provisional": facts.provisional,
        "meaning": searching.meaning_state(),
        **beside,
    }


def _unusable(why: str) -> dict[str, Any]:
    return {"usable": False, "why": f"{why}; make it with: bankctl index rebuild"}


def refresh_index(searching: SearchService, now: datetime, publish: Callable[[str, bytes], None], *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; tells what was done."""
    done = searching.rebuild(now) if anew else searching.refresh(now, None)
    searching.fill_vectors()
    searching.write_tree(publish)
    return f"{done.read} pages read, {done.removed} gone" + (f"; made anew: {done.why_rebuilt}" if anew else "")


def check_index(searching: SearchService) -> str:
    """Compare every file of the index with its checksum; tells what is wrong."""
    try:
        searching.index.verify()
        searching.beside.verify()
    except IndexDamaged as damage:
        return f"damaged: {damage}; make it anew with: bankctl index rebuild"
    return "every file is what was written"
