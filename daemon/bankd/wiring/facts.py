"""How a workspace stands, looked at without changing anything: what `status` and the metrics tell."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

from bankd.adapters.tree import Tree
from bankd.core.health import BankFacts, IndexFacts
from bankd.core.pages import read_page
from bankd.core.rearrange import is_splittable
from bankd.core.routing import INBOX
from bankd.core.watching import is_watched
from bankd.errors import UserError
from bankd.wiring.trusting import judge_clock
from bankd.wiring.workspace import FOLDERS


def bank_facts(root: Path, index: IndexFacts, pages: int, warn_kib: float) -> BankFacts:
    """What the folders hold, beside what the index says of itself; `warn_kib` is when a page counts as large."""
    missing = tuple(name for name in FOLDERS[:2] if not (root / name).is_dir())
    large = _large_pages(root, warn_kib * 1024)
    return BankFacts(pages, _count_inbox(root), missing, index, large, is_clock_frozen=_is_clock_frozen(root))


def _is_clock_frozen(root: Path) -> bool:
    """Whether the clock jumped, so that nothing is archived for its age."""
    try:
        tree = Tree(root)
    except UserError:
        return False  # a missing workspace is said elsewhere
    try:
        return judge_clock(tree, None).is_frozen
    finally:
        tree.close()


def _large_pages(root: Path, least: float) -> tuple[str, ...]:
    """The pages of so many bytes or more; one that goes away meanwhile is not large."""
    found = []
    for path in sorted((root / "bank").rglob("*.md")):
        with suppress(OSError):
            if path.stat().st_size >= least and is_splittable(name := path.relative_to(root).as_posix()):
                found.append(name)
    return tuple(found)


def count_pages(root: Path) -> int:
    """The pages of a bank, counted on the disk."""
    return sum(is_watched(path.relative_to(root).as_posix()) for path in (root / "bank").rglob("*.md"))


def _count_inbox(root: Path) -> int:
    try:
        data = (root / "bank" / INBOX).read_bytes()
    except OSError:
        return 0
    return len(read_page(INBOX, data).entries)
