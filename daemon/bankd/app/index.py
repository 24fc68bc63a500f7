"""The search index on request: how it stands, made anew, checked."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

from bankd.app.bank_search import BankSearch, Indexes
from bankd.errors import IndexDamaged


def index_state(indexes: Indexes) -> dict[str, Any]:
    """How the index stands, read only."""
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
    return {"usable": False, "why": f"{why}; make it with: bankctl index rebuild"}


def refresh_index(searching: BankSearch, now: datetime, publish: Callable[[str, bytes], None], *, anew: bool) -> str:
    """Read what changed, or everything anew while the old index answers; tells what was done."""
    done = searching.rebuild(now) if anew else searching.refresh(now, None)
    searching.fill_vectors()
    searching.indexes.write_tree(publish)
    return f"{done.read} pages read, {done.removed} gone" + (f"; made anew: {done.why_rebuilt}" if anew else "")


def check_index(indexes: Indexes) -> str:
    """Compare every file of the index with its checksum; tells what is wrong."""
    try:
        indexes.verify()
    except IndexDamaged as damage:
        return f"damaged: {damage}; make it anew with: bankctl index rebuild"
    return "every file is what was written"
