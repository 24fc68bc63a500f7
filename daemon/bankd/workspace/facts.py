"""What a workspace knows of itself: its state for `status`, `doctor` and the metrics, its clock, its runs, where a text is.

The clock as it was last believed is in `.bankd/clock.json`. `.bankd/runs.jsonl` is the ledger of all runs, a row per line. It
is appended to, and cut to its newer half when it grows. Each run writes its row; the daemon adds rows that only it knows
(begun, missed, stopped) and reads those of others. `.bankd/reports/` has a file for each run that did something.

`TextTraces` finds what remembers a text that is purged, beside the pages.
"""

from __future__ import annotations

import gzip
import json
import logging
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, TypeAlias
from zoneinfo import ZoneInfo

from bankd.config.workspace import FOLDERS
from bankd.edits.settle import is_watched
from bankd.edits.transaction import Transaction
from bankd.errors import ConflictError, StorageError, UserError
from bankd.health.health import BankFacts, ClockReading, ClockTrust, Copied, IndexFacts, find_copied, judge_reading
from bankd.health.schedule import LedgerRow, row_from_json, row_to_json
from bankd.layouts.rearrange import is_splittable
from bankd.memory.judge import open_contradictions
from bankd.memory.ledger import fold_events
from bankd.memory.new_lines import find_vanished
from bankd.memory.report import ReportRow
from bankd.memory.undo import encoded_forms, holds_form, scrub_bytes, scrub_record, scrub_text
from bankd.pages.names import INBOX
from bankd.pages.page import read_page
from bankd.settings import Settings
from bankd.storage import disk
from bankd.storage.events import EVENTS, PACKED, REPLIES, EventLog, line_of, log_files, parse_row, read_log_file
from bankd.storage.journals import DONE, RUNS, TXN, Journals, Staging
from bankd.storage.transactions import TransactionWriter
from bankd.storage.tree import FILE_CAP, BankFiles, FileTree, find_lines
from bankd.system.clock import read_clocks, utc_now
from bankd.workspace.catalog import CatalogDatabase, read_changes, read_copied, read_held_back, read_known, read_prose

log = logging.getLogger(__name__)

_CLOCK = ".bankd/clock.json"
_CLOCK_CAP = 4096


def bank_facts(root: Path, index: IndexFacts, settings: Settings) -> BankFacts:
    """The facts about the folders, with those of the index."""
    catalog = root / ".bankd" / "catalogue.sqlite3"
    held_back, trouble, inbox = read_held_back(catalog), disk.trouble_of(root, FOLDERS[1:]), 0
    with suppress(OSError):
        inbox = len(read_page(INBOX, (root / "bank" / INBOX).read_bytes()).entries)
    found = BankFacts(
        inbox=inbox,
        missing=tuple(name for name in FOLDERS[:2] if not (root / name).is_dir()),
        emptied=count_emptied(root) if (root / "bank").is_dir() else 0,
        index=index,
        disk=trouble,
        copied=_still_copied(root, read_copied(catalog)),
        held_back={str(item.place): item.reason for item in held_back if not item.is_offered},
        set_aside=tuple(
            path.relative_to(root).as_posix()
            for folder in (TXN, DONE, RUNS)
            for path in sorted((root / folder).glob("*.json.bad"))
        ),
        prose=read_prose(catalog),
        offered=sum(item.is_offered for item in held_back),
        not_ours=disk.not_ours(root),
    )
    try:
        tree = BankFiles(root)
    except UserError:  # it is missing, which is said elsewhere
        return found
    with closing(tree):
        # Only files that changed since the last run are opened.
        logs, bank, archive = (
            tree.survey(folder, utc_now(), 0, read_known(catalog, folder), any_content=folder == "memory")
            for folder in FOLDERS[:3]
        )
        changes, held = read_changes(catalog)
        ledger = fold_events(EventLog(tree, "").read_events() if held else ())
        today = utc_now().astimezone(ZoneInfo(settings.timezone)).date()
        pages = [path for path in (*bank.files, *bank.unsettled, *bank.quarantined) if is_watched(path)]
        sizes = [(path, seen.size) for path, seen in sorted(bank.files.items())]
        archived = [path for path in (*archive.files, *archive.unsettled, *archive.quarantined) if is_watched(path)]
        return replace(
            found,
            pages=len(pages),
            large=tuple(path for path, size in sizes if size >= settings.split.warn_kib * 1024 and is_splittable(path)),
            too_large=tuple(path for path, seen in sorted(logs.files.items()) if seen.size > FILE_CAP),
            left_alone={**logs.quarantined, **bank.quarantined, **archive.quarantined},
            is_clock_frozen=TrustedClock(tree, Staging(tree)).judge().is_frozen,
            resting=Journals(tree, Staging(tree)).resting(utc_now()),
            unread_events=_unread_lines(root, tree),
            contradictions=len(open_contradictions(changes, held, ledger, today)),
            closed={} if trouble else disk.closed_among(tree, [f"bank/{INBOX}", *pages, *archived]),
        )


def _unread_lines(root: Path, tree: FileTree) -> tuple[str, ...]:
    """The lines of the event log that cannot be read, each with its place and the reason; kept until a file changes."""
    with suppress(OSError):
        states = tree.states("events").items()
        return _unread_events(root, tuple((name, state.st_mtime, state.st_size) for name, state in states))
    return ()


@lru_cache(maxsize=1)
def _unread_events(root: Path, _files: tuple[tuple[str, float, int], ...]) -> tuple[str, ...]:
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


def count_emptied(root: Path) -> int:
    """How many memories a bank held that has no page at all now; 0 while it has one, or held none."""
    if next((root / "bank").rglob("*.md"), None):
        return 0
    with suppress(UserError), closing(FileTree(root)) as tree:
        ledger = fold_events(EventLog(tree, "").read_events())
        return len(find_vanished(ledger, ledger.gone.keys().__and__))
    return 0


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
            anchor = ClockReading(wall, float(fields["steady"]), str(fields["boot"]))
            off = fields.get("off_seconds")
            trust = ClockTrust(anchor, None if off is None else timedelta(seconds=float(off)))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
            return None
        return trust if wall.tzinfo else None

    def _remember(self, trust: ClockTrust) -> None:
        off = None if trust.off is None else trust.off.total_seconds()
        anchor = trust.anchor
        fields = {"wall": anchor.wall.isoformat(), "steady": anchor.since_boot, "boot": anchor.boot, "off_seconds": off}
        with disk.storage_told(_CLOCK):
            self._staging.publish(_CLOCK, json.dumps(fields).encode() + b"\n")


LEDGER = ".bankd/runs.jsonl"
LARGEST = 4 << 20
_KEPT_IN_MEMORY = 2000


def read_ledger(workspace: Path) -> Iterator[LedgerRow]:
    """The rows of the ledger, oldest first; a line that is not a row is skipped."""
    try:
        data = (workspace / LEDGER).read_bytes()
    except OSError:
        return
    yield from _parse_rows(data.split(b"\n"))


def _parse_rows(lines: Iterable[bytes]) -> Iterator[LedgerRow]:
    for line in lines:
        with suppress(ValueError, KeyError, TypeError, RecursionError, AttributeError):
            yield row_from_json(json.loads(line))


class RunLedger:
    """The ledger for those who write it. While the disk is full it goes on in memory, and writes the rest when it can."""

    def __init__(self, workspace: Path) -> None:
        """Read the rows; a line that a crash tore is ended by the next write."""
        self._path, data = workspace / LEDGER, b""
        with suppress(OSError):
            data = self._path.read_bytes()
        self.rows: deque[LedgerRow] = deque(_parse_rows(data.split(b"\n")), _KEPT_IN_MEMORY)
        self._unwritten = b"\n" if data and not data.endswith(b"\n") else b""
        self._seen = self._size()
        self._own: list[LedgerRow] = []
        self._writing = threading.Lock()

    def add(self, row: LedgerRow) -> None:
        """Append a row. Several threads do: runs, the timer and the daemon's heartbeat."""
        line = json.dumps(row_to_json(row), ensure_ascii=False).encode() + b"\n"
        with self._writing:
            self.rows.append(row)
            self._own.append(row)
            self._unwritten += line
            try:
                self._write()
            except OSError as error:
                log.warning("run ledger not written path=%s error=%s", self._path, error.strerror)

    def read(self) -> Iterator[LedgerRow]:
        """All rows of the file, also those older than the rows in memory."""
        return read_ledger(self._path.parent.parent)

    def learn(self) -> list[LedgerRow]:
        """The rows that others, runs and commands, have added since the last call."""
        with self._writing:
            own = {(row.at, row.job, row.outcome) for row in self._own}
            start, self._seen = min(self._seen, self._size()), self._size()
            data = b""
            if start < self._seen:
                with self._path.open("rb") as file:
                    file.seek(start)
                    data = file.read(self._seen - start)
            fresh = [row for row in _parse_rows(data.split(b"\n")) if (row.at, row.job, row.outcome) not in own]
            self._own.clear()
            self.rows.extend(fresh)
        return fresh

    def _size(self) -> int:
        try:
            return self._path.stat().st_size
        except OSError:
            return 0

    def _write(self) -> None:
        disk.clear_the_way(self._path)
        if self._size() > LARGEST:
            data = self._path.read_bytes()
            _, _, newer = data[len(data) // 2 :].partition(b"\n")
            staged = self._path.with_suffix(".tmp")
            staged.write_bytes(newer)
            staged.replace(self._path)
            self._seen = max(0, self._seen - len(data) + len(newer))
        descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
        try:
            self._unwritten = self._unwritten[os.write(descriptor, self._unwritten) :]
        finally:
            os.close(descriptor)


_Scrub: TypeAlias = tuple[str, Callable[[], object]]
"""The path of a file that holds the text, and a call that takes it out."""
_REPORTS = ".bankd/reports"
_CAP = 64 * 1024 * 1024
_KEPT = 2_000  # reports: those of more than a month, some 10 MB


class RunReports:
    """The reports of the runs of one workspace; a run that did nothing has none."""

    def __init__(self, tree: FileTree, staging: Staging) -> None:
        self._tree, self._staging = tree, staging

    def keep(self, run: str, rows: Iterable[ReportRow]) -> None:
        """Keep the rows of a run; StorageError when the disk does not take them."""
        fields = [[row.sign, row.kind, row.place, row.text, row.reason] for row in rows]
        if not fields:
            return
        with disk.storage_told(_REPORTS):
            self._staging.publish(f"{_REPORTS}/{run}.json", json.dumps(fields).encode())
            for name in sorted(name for name in self._tree.names(_REPORTS) if name.endswith(".json"))[:-_KEPT]:
                self._tree.remove(f"{_REPORTS}/{name}")

    def read(self, run: str) -> list[ReportRow]:
        """The rows of a run; none when it did nothing, or its report is gone or cannot be read."""
        if f"{run}.json" not in self._tree.names(_REPORTS):
            return []
        try:
            fields: Any = json.loads(self._tree.read_own(f"{_REPORTS}/{run}.json", _CAP) or b"[]")
            return [ReportRow(*map(str, row)) for row in fields]
        except (ValueError, TypeError, RecursionError):
            return []

    def scrubs(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        """The reports that hold the text: its own rows go, of others only the words. One that cannot be read goes whole."""
        for name in self._tree.names(_REPORTS):
            path, run = f"{_REPORTS}/{name}", name.removesuffix(".json")
            rows = self.read(run)
            others = (row for row in rows if scrub_text(row.text, words) == row.text)
            kept = [replace(row, reason=scrub_text(row.reason, words)) for row in others]
            if kept and kept != rows:
                yield path, partial(self.keep, run, kept)
            elif not kept and holds_form(self._tree.read_own(path, _CAP) or b"", encoded_forms(words)):
                yield path, partial(self._tree.remove, path)


_DERIVED = ("index", "analyses", "meaning", "brief-facts.json")
_LOGS = (EVENTS, REPLIES)
_REWRITTEN = (*_LOGS, *(f"{folder}/archive" for folder in _LOGS), TXN, DONE, RUNS)
_LARGEST = 64 << 20  # bytes of a copy that is searched
_OWN_FOLDERS = ("events/", ".bankd/")


class TextTraces:
    """The places in a workspace where a text may be left. Bytes are searched, and no index or catalog is trusted."""

    def __init__(
        self, tree: FileTree, writer: TransactionWriter, catalog_db: CatalogDatabase, close_index: Callable[[], None]
    ) -> None:
        """`close_index` is called before the index is removed."""
        self._tree, self._journals, self._staging = tree, writer.journals, writer.staging
        self._catalog_db, self._close_index = catalog_db, close_index

    made_anew = frozenset({".bankd/catalogue.sqlite3", *(f".bankd/{name}" for name in _DERIVED)})
    """What a purge always cleans or removes: it is made from the pages, and may hold the text in a form that is not searched."""

    def require_room(self) -> None:
        """StorageError when there is no room for the largest file that may be written anew."""
        tree = self._tree
        sizes = [state.st_size for folder in _REWRITTEN for state in tree.states(folder).values()]
        disk.check_room(tree, max(sizes, default=0))

    def find(self, words: tuple[str, ...], memories: Collection[str]) -> Iterator[_Scrub]:
        """The files and folders that hold the text, or may hold the questions of these memories, each with its scrub.

        The journals are last: a purge that was stopped finds its memories and words in them.
        """
        catalog = (".bankd/catalogue.sqlite3", partial(self._catalog_db.scrub, words, memories))
        reports, copies = RunReports(self._tree, self._staging).scrubs(words), self._in_copies(encoded_forms(words))
        return chain(self._in_lines(words), reports, copies, [catalog], self._in_journals(words))

    def _in_journals(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        for folder in (TXN, DONE, RUNS):
            for journal in list(self._journals.load(folder)):
                fields = {**journal.transaction.to_json(), "before": dict(journal.before)}
                clean = scrub_record(fields, words)
                if clean != fields:
                    before = clean.pop("before")
                    clean_one = replace(journal, transaction=Transaction.from_json(clean), before=before)
                    yield f"{folder}/{journal.name}", partial(self._journals.write, folder, clean_one)

    def _in_lines(self, words: tuple[str, ...]) -> Iterator[_Scrub]:
        """The event logs, the replies of models and the ledger of runs."""
        for path in [*log_files(self._tree, EVENTS), *log_files(self._tree, REPLIES), LEDGER]:
            data = b""
            with suppress(ConflictError, PermissionError):  # `beyond` names what is left there
                data = read_log_file(self._tree, path)[0]
            clean = b"\n".join(_scrub_line(line, words) for line in data.split(b"\n"))
            if clean != data:
                packed = gzip.compress(clean, mtime=0) if path.endswith(PACKED) else clean
                yield path, partial(self._staging.publish, path, packed)

    def _in_copies(self, forms: tuple[bytes, ...]) -> Iterator[_Scrub]:
        """Displaced files, kept answers, and everything that is derived."""
        tree = self._tree
        for folder in (".bankd/trash", ".bankd/stage", "recall", "recall/brief"):
            for path in (f"{folder}/{name}" for name in tree.names(folder)):
                if holds_form(tree.read_own(path, _LARGEST) or b"", forms):
                    yield path, partial(tree.remove, path)
        for name in _DERIVED:
            if (tree.root / ".bankd" / name).exists():
                yield f".bankd/{name}", partial(self.drop_derived, name)

    def drop_derived(self, name: str) -> None:
        """Remove something derived, which may hold the text; it is made again when it is needed."""
        self._close_index()
        disk.remove_derived(path := self._tree.root / ".bankd" / name)
        if path.exists():
            raise StorageError(f"{path}: cannot be removed, and may hold the text")

    def beyond(self, forms: tuple[bytes, ...], scrubbed: Collection[str]) -> Iterator[str]:
        """The places that hold the text and will not be scrubbed, and those that cannot be searched, in words."""
        tree, root = self._tree, self._tree.root
        within = tuple(f"{path}/" for path in scrubbed)
        wanted, longest = re.compile(b"|".join(map(re.escape, forms))), max(map(len, forms))
        for path in sorted(root.rglob("*")):
            relative = path.relative_to(root).as_posix()
            if path.is_dir() or path.is_symlink() or ".git" in path.relative_to(root).parts:
                continue
            if relative in scrubbed or relative.startswith(within):
                continue
            try:
                with tree.file(relative) as descriptor:
                    yield from _places(relative, find_lines(descriptor, wanted, longest))
            except FileNotFoundError:
                continue
            except (OSError, ConflictError) as problem:
                why = problem.strerror if isinstance(problem, OSError) else str(problem).rpartition(": ")[2]
                yield f"{relative}, which cannot be looked through: {why or problem}"
        if any((folder / ".git").exists() for folder in (root, *root.parents)):
            yield "the history of the git repository around this workspace, if it was ever committed"
        yield "backups, and copies on other machines"


def _scrub_line(line: bytes, words: tuple[str, ...]) -> bytes:
    """A line without the text; one that does not hold it is given back as it is."""
    forms = encoded_forms(words)
    if not holds_form(line, forms):
        return line
    row = parse_row(line)
    if row is None:
        return scrub_bytes(line, forms)
    clean = scrub_record(row, words)
    return line if clean == row else line_of(clean).rstrip(b"\n")


def _places(path: str, lines: Iterable[int]) -> Iterator[str]:
    """The places of the text in a file. One of our own files is named once: there it is part of something else."""
    if path.startswith(_OWN_FOLDERS):
        yield from (f"{path}, as part of a day, an id, a name, a link or a longer word" for _ in islice(lines, 1))
    else:
        yield from (f"{path}:{line}" for line in lines)
