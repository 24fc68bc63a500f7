"""How a workspace stands, looked at without changing anything: what `status` and the metrics tell."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

from bankd.core.health import BankFacts
from bankd.core.pages import read_page
from bankd.core.routing import INBOX
from bankd.wiring.workspace import FOLDERS


def bank_facts(root: Path) -> BankFacts:
    """Counts by the catalogue of the last run; nothing is opened for writing, and no lock is taken."""
    counts = _count_held(root / ".bankd" / "catalogue.sqlite3")
    missing = tuple(name for name in FOLDERS[:2] if not (root / name).is_dir())
    return BankFacts(pages=len(counts), memories=sum(counts.values()), inbox=_count_inbox(root), missing=missing)


def _count_held(catalogue: Path) -> dict[str, int]:
    if not catalogue.is_file():
        return {}
    query = "SELECT path, COUNT(*) FROM memories WHERE path LIKE 'bank/%' GROUP BY path"
    try:
        with closing(sqlite3.connect(f"{catalogue.absolute().as_uri()}?mode=ro", uri=True, timeout=1)) as database:
            return dict(database.execute(query))
    except sqlite3.Error:  # being made anew, or damaged: the next run makes it whole
        return {}


def _count_inbox(root: Path) -> int:
    try:
        data = (root / "bank" / INBOX).read_bytes()
    except OSError:
        return 0
    return len(read_page(INBOX, data).entries)
