"""The state of a workspace without opening it for work: for `status`, `doctor` and the metrics.

Also here: the clock as it was last believed (`.bankd/clock.json`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from bankd.config.workspace import FOLDERS
from bankd.errors import UserError
from bankd.health.health import BankFacts, ClockReading, ClockTrust, Copied, IndexFacts, find_copied, judge_reading
from bankd.layouts.rearrange import is_splittable
from bankd.pages.names import INBOX
from bankd.pages.page import read_page
from bankd.storage.disk import closed_among, explain_failure, not_ours, trouble_of
from bankd.storage.events import EventLog
from bankd.storage.journals import DONE, RUNS, TXN, Journals
from bankd.storage.staging import Staging
from bankd.storage.tree import FILE_CAP, BankFiles, FileTree
from bankd.system.clock import read_clocks, utc_now
from bankd.workspace.catalog import read_copied, read_held_back, read_known, read_prose
from bankd.workspace.snapshot import is_watched

_CLOCK = ".bankd/clock.json"
_CLOCK_CAP = 4096


def bank_facts(root: Path, index: IndexFacts, sizes: Mapping[str, int], warn_kib: float) -> BankFacts:
    """The facts about the folders, with those of the index. A page of `warn_kib` KiB or more counts as large."""
    catalog = root / ".bankd" / "catalogue.sqlite3"
    held_back, trouble = read_held_back(catalog), trouble_of(root, FOLDERS[1:])
    found = BankFacts(
        pages=len(sizes),
        inbox=_count_inbox(root),
        missing=tuple(name for name in FOLDERS[:2] if not (root / name).is_dir()),
        index=index,
        large=tuple(path for path, size in sorted(sizes.items()) if size >= warn_kib * 1024 and is_splittable(path)),
        disk=trouble,
        copied=_still_copied(root, read_copied(catalog)),
        held_back=tuple(str(item.place) for item in held_back if not item.is_offered),
        set_aside=tuple(
            path.relative_to(root).as_posix()
            for folder in (TXN, DONE, RUNS)
            for path in sorted((root / folder).glob("*.json.bad"))
        ),
        prose=read_prose(catalog),
        too_large=tuple(path for path, size in sorted(_sizes_below(root, "memory")) if size > FILE_CAP),
        offered=sum(item.is_offered for item in held_back),
        left_alone=_left_alone(root, catalog),
        not_ours=not_ours(root),
    )
    try:
        tree = FileTree(root)
    except UserError:  # it is missing, which is said elsewhere
        return found
    archived = [path for path, _ in _sizes_below(root, "archive") if is_watched(path)]
    with closing(tree):
        return replace(
            found,
            is_clock_frozen=TrustedClock(tree, Staging(tree)).judge().is_frozen,
            resting=Journals(tree, Staging(tree)).resting(utc_now()),
            unread_events=_unread_lines(root, tree),
            closed={} if trouble else closed_among(tree, [f"bank/{INBOX}", *sizes, *archived]),
        )


def _left_alone(root: Path, catalog: Path) -> dict[str, str]:
    """The files that no run reads, and why; only files that changed since the last run are opened."""
    found: dict[str, str] = {}
    with suppress(UserError):  # a workspace that is missing is said elsewhere
        files = BankFiles(root)
        with closing(files.tree):
            for folder in FOLDERS[:3]:
                known, is_log = read_known(catalog, folder), folder == "memory"
                found |= files.survey(folder, utc_now(), 0, known, any_content=is_log).quarantined
    return found


def _unread_lines(root: Path, tree: FileTree) -> tuple[str, ...]:
    """The lines of the event log that cannot be read, each with its place and the reason; kept until a file changes."""
    with suppress(OSError):
        return _unread_events(root, tuple(tree.sizes("events", tree.names("events")).items()))
    return ()


@lru_cache(maxsize=1)
def _unread_events(root: Path, _files: tuple[tuple[str, tuple[float, int]], ...]) -> tuple[str, ...]:
    with closing(FileTree(root)) as tree:
        events = EventLog(tree, "")
        events.read_events()
        return tuple(map(str, sorted(events.corrupt, key=lambda one: (one.path, one.line))))


def _still_copied(root: Path, known: list[Copied]) -> tuple[Copied, ...]:
    """The memories with several copies, as the last run found them, that still have several copies."""
    found: dict[str, list[str]] = {item.id: [] for item in known}
    for path in sorted({place.rpartition(":")[0] for item in known for place in item.places}):
        with suppress(OSError):
            for entry in read_page(path, (root / path).read_bytes()).entries:
                if entry.memory.id in found:
                    found[entry.memory.id].append(f"{path}:{entry.line}")
    return tuple(find_copied(found))


def sizes_of_pages(root: Path) -> dict[str, int]:
    """The pages of a bank on the disk, with their sizes in bytes."""
    return {path: size for path, size in _sizes_below(root, "bank") if is_watched(path)}


def _sizes_below(root: Path, folder: str) -> Iterator[tuple[str, int]]:
    for path in (root / folder).rglob("*.md"):
        with suppress(OSError):
            yield path.relative_to(root).as_posix(), path.stat().st_size


def _count_inbox(root: Path) -> int:
    try:
        data = (root / "bank" / INBOX).read_bytes()
    except OSError:
        return 0
    return len(read_page(INBOX, data).entries)


class TrustedClock:
    """The clock as one workspace believes it: the last reading that was believed is in `.bankd/clock.json`."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree, self._staging = tree, staging

    def judge(self, *, remember: bool = False) -> ClockTrust:
        """Judge the clock by its last reading; with `remember`, for the next time too. Raises StorageError."""
        trust = judge_reading(self._read(), read_clocks())
        if remember:
            self._remember(trust)
        return trust

    def accept(self) -> ClockTrust:
        """Believe the clock from now on; raises StorageError."""
        trust = ClockTrust(read_clocks())
        self._remember(trust)
        return trust

    def _read(self) -> ClockTrust | None:
        """The last reading that was believed; None when there was none, or it cannot be read."""
        try:
            fields: dict[str, Any] = json.loads(self._tree.read_own(_CLOCK, _CLOCK_CAP) or b"{}")
            wall = datetime.fromisoformat(fields["wall"])
            anchor = ClockReading(wall, float(fields["steady"]), 0.0, str(fields["boot"]))
            off = fields.get("off_seconds")
            trust = ClockTrust(anchor, None if off is None else timedelta(seconds=float(off)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None
        return trust if wall.tzinfo else None

    def _remember(self, trust: ClockTrust) -> None:
        off = None if trust.off is None else trust.off.total_seconds()
        anchor = trust.anchor
        fields = {"wall": anchor.wall.isoformat(), "steady": anchor.since_boot, "boot": anchor.boot, "off_seconds": off}
        try:
            self._staging.publish(_CLOCK, json.dumps(fields).encode() + b"\n")
        except OSError as problem:
            raise explain_failure(problem, _CLOCK) from problem
