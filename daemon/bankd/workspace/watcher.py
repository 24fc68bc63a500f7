"""Notices changes of the files in a workspace: soon by hints from the kernel, and always by looking from time to time.

It owns one thread, and every report comes from there, after the files were looked at. It does not decide what is done
with a report. A hint only makes us look sooner; nothing is believed that was not looked at. Symbolic links, devices and pipes
are not files here, and no link is followed. The hints come from watchdog's inotify observer: which paths may have changed, and when hints were lost.
"""

from __future__ import annotations

import logging
import os
import queue
import stat
import threading
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import file_digest
from pathlib import Path
from typing import Literal

from watchdog import events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers.inotify import InotifyObserver
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper as WatchdogInotifyMoveEventGrouper

from bankd.edits.settle import is_visible, is_watched
from bankd.storage.tree import walk_folders
from bankd.system.clock import read_monotonic, utc_now
from bankd.system.files import find_mount, needs_polling

log = logging.getLogger(__name__)

_FOLDERS = ("memory", "bank", "archive")
_LONGEST_REPORT = 900.0  # seconds; a report that takes longer is stuck
_FOLDER_EVENTS: list[type[FileSystemEvent]] = [events.DirCreatedEvent, events.DirDeletedEvent, events.DirMovedEvent]
_FILE_EVENTS: list[type[FileSystemEvent]] = [
    *(events.FileClosedEvent, events.FileCreatedEvent, events.FileDeletedEvent),
    *(events.FileModifiedEvent, events.FileMovedEvent),
]
# Its warnings here are the only sign that events were lost.
_LOGGERS = ("watchdog.observers.inotify_c", "watchdog.observers.inotify")

# A file moved away is held back, with every event behind it, for half a second in case its other half comes. Both
# halves are adjacent in the kernel's queue, so a hundredth is enough; unpaired they are two hints instead of one.
WatchdogInotifyMoveEventGrouper.delay = 0.01

_STOP_SECONDS = 5.0
"""watchdog 7.1 joins its threads when it stops, and one that was stopped while it started waits for ever."""


@dataclass(frozen=True, slots=True)
class WatchIntervals:
    """Seconds: how long a path must be quiet, the longest wait for that, and the time between two looks at everything."""

    quiet: float = 0.5
    longest: float = 5.0
    look_at_all: float = 600.0
    poll: float = 5.0
    after_loss: float = 0.5


@dataclass(slots=True)
class WatcherState:
    """The watcher's figures about itself, for the status; `mode` is how changes are noticed: by the kernel, or by looking."""

    mode: Literal["inotify", "polling"] = "inotify"
    reason: str = ""
    files: int = 0
    directories: int = 0
    pending: int = 0
    losses: int = 0
    rebuilt: int = 0
    reports: int = 0


@dataclass(slots=True)
class Watcher:
    """Watches `memory/` and `bank/` of a workspace and gives every change to `report`, never two at a time."""

    workspace: Path
    report: Callable[[Changes], None]
    pace: WatchIntervals = WatchIntervals()
    polling: bool = False
    state: WatcherState = field(default_factory=WatcherState)
    _snapshot: Snapshot = field(init=False)
    _debouncer: Debouncer = field(init=False)
    _hints: KernelHints | None = None
    _inbox: queue.SimpleQueue[Callable[[], None]] = field(default_factory=queue.SimpleQueue)
    _thread: threading.Thread | None = None
    _look_at_all_at: float = 0.0
    _stopping: bool = False
    _reporting: int = 0
    _busy_since: float | None = None

    def start(self) -> None:
        """Read the state of the files, without reporting it, and begin to watch."""
        self._snapshot = Snapshot(self.workspace)
        self._debouncer = Debouncer(self.pace.quiet, self.pace.longest)
        file_system = find_mount(self.workspace).file_system
        if self.polling or needs_polling(file_system):
            self._poll("the settings say so" if self.polling else f"{file_system} does not tell of remote changes")
        else:
            self._hints = KernelHints(self.workspace, self._hint, lambda: self._inbox.put(self._note_loss))
            try:
                self._hints.start()
            except OSError as error:
                self._poll(f"inotify does not work here: {error.strerror}")
        self._snapshot.look_at_all()
        self._look_at_all_at = read_monotonic() + self._interval()
        self._update_state()
        self._thread = threading.Thread(target=self._run, name="watcher", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop watching; a report that has begun is finished."""
        if self._thread is not None:
            self._inbox.put(self._end)
            self._thread.join()
            self._thread = None
        if self._hints is not None:
            self._hints.stop()

    @property
    def pending(self) -> int:
        """The number of files that changed, or may have changed, and whose report has not ended."""
        return len(self._debouncer) + self._reporting

    def proves_alive(self, within: float) -> bool:
        """Whether the thread answers within this many seconds, or has been busy with one report for at most 15 minutes."""
        answered = threading.Event()
        self._inbox.put(answered.set)
        if answered.wait(within):
            return True
        busy_since = self._busy_since
        return busy_since is not None and read_monotonic() - busy_since < _LONGEST_REPORT

    def check_watches(self) -> None:
        """Find and set lost watches again, in the thread; cheap enough for every half minute."""
        self._inbox.put(self._check_watches)

    def _poll(self, reason: str) -> None:
        if self._hints is not None:
            self._hints.stop()
            self._hints = None
        self.state.mode, self.state.reason = "polling", reason
        log.warning("watching by polling every %.0f s: %s", self.pace.poll, reason)

    def _hint(self, path: str) -> None:
        # Called by watchdog's thread: it only passes the hint on.
        if path.partition("/")[0] in _FOLDERS:
            self._inbox.put(lambda: self._debouncer.note(path, read_monotonic()))

    def _note_loss(self) -> None:
        self.state.losses += 1
        self._bring_forward(self.pace.after_loss)

    def _bring_forward(self, by: float) -> None:
        self._look_at_all_at = min(self._look_at_all_at, read_monotonic() + by)

    def _end(self) -> None:
        self._stopping = True

    def _interval(self) -> float:
        return self.pace.look_at_all if self._hints is not None else self.pace.poll

    def _run(self) -> None:
        while not self._stopping:
            self._take_messages()
            now = read_monotonic()
            if now >= self._look_at_all_at:
                self._tell(self._snapshot.look_at_all())
                self._look_at_all_at = read_monotonic() + self._interval()
            elif paths := self._debouncer.take(now):
                directories = len(self._snapshot.directories)
                self._tell(self._snapshot.look_at(paths))
                if len(self._snapshot.directories) != directories:
                    self._check_watches()
            self._update_state()

    def _take_messages(self) -> None:
        now = read_monotonic()
        waits = [self._look_at_all_at - now, self._debouncer.wait(now)]
        with suppress(queue.Empty):
            self._inbox.get(timeout=max(0.0, min(wait for wait in waits if wait is not None)))()
            while not self._stopping:
                self._inbox.get_nowait()()

    def _tell(self, changes: Changes) -> None:
        if not changes.paths:
            return
        self.state.reports += 1
        self._reporting, self._busy_since = len(changes.paths), read_monotonic()
        try:
            self.report(changes)
        finally:
            self._reporting, self._busy_since = 0, None

    def _check_watches(self) -> None:
        if self._hints is None or self._hints.is_whole(len(self._snapshot.directories)):
            return
        self.state.rebuilt += 1
        try:
            self._hints.rebuild()
        except OSError as error:
            self._poll(f"inotify does not work here: {error.strerror}")
        self._bring_forward(0.0)

    def _update_state(self) -> None:
        self.state.files, self.state.directories = len(self._snapshot.known), len(self._snapshot.directories)
        self.state.pending = len(self._debouncer)


@dataclass(slots=True)
class KernelHints:
    """Inotify watches on each directory below the folders, and on the workspace to notice when a folder is made.

    `hint` is called with a path that may have changed, `lost` when hints were lost; both by threads of watchdog.
    """

    workspace: Path
    hint: Callable[[str], None]
    lost: Callable[[], None]
    _observer: InotifyObserver | None = None
    _roots: dict[str, int] = field(default_factory=dict)

    def start(self) -> None:
        """Watch; raises OSError when the kernel's limits do not allow it."""
        # watchdog walks into a new folder and then hears of the same folders from the kernel: that is no mistake.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        for name in _LOGGERS:
            logging.getLogger(name).addFilter(self._hear)
        self._observe()

    def rebuild(self) -> None:
        """Drop all watches and set them again, for example after lost events; raises OSError as `start` does."""
        self._unobserve()
        self._observe()

    def stop(self) -> None:
        self._unobserve()
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(self._hear)

    def _hear(self, record: logging.LogRecord) -> bool:
        if record.levelno >= logging.WARNING:
            self.lost()
        return True

    def is_whole(self, directories: int) -> bool:
        """Whether every thread lives, each folder is still the one that was watched, and every directory has a watch."""
        observer = self._observer
        if observer is None or not observer.is_alive() or not all(emitter.is_alive() for emitter in observer.emitters):
            return False
        # One watch is for the workspace itself. More than needed is harmless: hidden folders have one too.
        return self._roots == self._find_roots() and _count_watches() >= directories + 1

    def _observe(self) -> None:
        observer = InotifyObserver()
        handler = _Handler(self.workspace, self.hint)
        self._observer = observer
        try:
            observer.start()
            observer.schedule(handler, str(self.workspace), recursive=False, event_filter=_FOLDER_EVENTS)
            self._roots = self._find_roots()
            for folder in self._roots:
                # watchdog follows no link: one that leads to a folder elsewhere is watched there.
                place = (self.workspace / folder).resolve()
                handler = _Handler(place, self.hint, f"{folder}/")
                observer.schedule(handler, str(place), recursive=True, event_filter=_FOLDER_EVENTS + _FILE_EVENTS)
        except OSError:
            self._unobserve()
            raise

    def _unobserve(self) -> None:
        """Drop all watches; a thread of watchdog that does not end is left behind, and ends with the process."""
        observer, self._observer = self._observer, None
        if observer is not None:
            ending = threading.Thread(target=_end_observer, args=(observer,), daemon=True)
            ending.start()
            ending.join(_STOP_SECONDS)

    def _find_roots(self) -> dict[str, int]:
        found = {}
        for folder in _FOLDERS:
            with suppress(OSError):
                found[folder] = (self.workspace / folder).stat().st_ino
        return found


def _end_observer(observer: InotifyObserver) -> None:
    with suppress(KeyError):  # watchdog lost track of a folder that was renamed twice
        observer.stop()
    with suppress(RuntimeError):  # it never started
        observer.join()


@dataclass(slots=True, eq=False)
class _Handler(FileSystemEventHandler):
    folder: Path
    hint: Callable[[str], None]
    below: str = ""  # the folder's place in the workspace

    def dispatch(self, event: FileSystemEvent) -> None:
        for path in (event.src_path, event.dest_path):
            if path:
                self.hint(os.path.normpath(self.below + os.path.relpath(os.fsdecode(path), self.folder)))


def _count_watches() -> int:
    """The inotify watches of this process, as the kernel counts them."""
    count = 0
    for descriptor in Path("/proc/self/fdinfo").iterdir():
        with suppress(OSError):  # closed meanwhile
            count += descriptor.read_bytes().count(b"inotify wd:")
    return count


@dataclass(slots=True)
class Debouncer:
    """Holds a path until it has been quiet for `quiet` seconds, or for `longest` seconds since its first hint."""

    quiet: float
    longest: float
    _held: dict[str, tuple[float, float]] = field(default_factory=dict)  # the first and the last hint, last ones last

    def note(self, path: str, now: float) -> None:
        """A hint about a path."""
        first, _ = self._held.pop(path, (now, now))
        self._held[path] = first, now

    def take(self, now: float) -> list[str]:
        """The paths that were quiet, or held, for long enough; they are no longer held."""
        due = [path for path, times in self._held.items() if self._due_at(*times) <= now]
        for path in due:
            del self._held[path]
        return due

    def wait(self, now: float) -> float | None:
        """Seconds until `take` gives something; None when nothing is held."""
        due = [self._due_at(*times) for times in self._held.values()]
        return max(0.0, min(due) - now) if due else None

    def _due_at(self, first: float, last: float) -> float:
        return min(last + self.quiet, first + self.longest)

    def __len__(self) -> int:
        return len(self._held)


@dataclass(frozen=True, slots=True)
class Stamp:
    """The state of a file; its digest is not compared. `changed_ns` (ctime) moves with each write and cannot be set back."""

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    digest: bytes | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class Changes:
    """Workspace-relative paths whose contents differ from what was known."""

    changed: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The changed and the deleted paths."""
        return self.changed + self.deleted


# A file written within this time of being looked at may be written again without a new time stamp (kernel ticks of
# 1 to 10 ms; the same trouble as git's racy index), so it is hashed the next time whatever its stamp says.
_RACY_NS = 50_000_000


@dataclass(slots=True)
class Snapshot:
    """The stamps of the files in the folders of a workspace when they were last looked at, and the folders with files."""

    workspace: Path
    known: dict[str, Stamp] = field(default_factory=dict)
    directories: set[str] = field(default_factory=set)

    def look_at_all(self) -> Changes:
        """Compare everything with the disk; gives the differences, which are known from now on."""
        return self.look_at(_FOLDERS)

    def look_at(self, paths: Iterable[str]) -> Changes:
        """Compare some files and folders (with everything below them) with the disk; gives the differences, which are known from now on."""
        found, gone = dict[str, os.stat_result](), set[str]()
        for path in filter(is_visible, paths):
            if path in self.known:
                gone.add(path)
            else:
                gone.update(_below(self.known, path))
                self.directories.difference_update(_below(self.directories, path))
            folders = dict(walk_folders(self._open, path, {}))
            self.directories |= folders.keys()
            found |= {f"{folder}/{name}": state for folder, files in folders.items() for name, state in files.items()}
            if not folders:
                with suppress(OSError):
                    found[path] = (self.workspace / path).lstat()
        found = {path: found[path] for path in sorted(found) if is_watched(path) and stat.S_ISREG(found[path].st_mode)}
        changed = [path for path, state in found.items() if self._has_changed(path, state)]
        deleted = sorted((gone & self.known.keys()) - found.keys())
        for path in deleted:
            del self.known[path]
        return Changes(tuple(changed), tuple(deleted))

    def _open(self, folder: str) -> int:
        link = os.O_NOFOLLOW if "/" in folder else 0  # a folder of the workspace may be a link
        try:
            return os.open(self.workspace / folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC | link)
        except OSError as problem:  # gone or unreadable: nothing is known about it
            raise FileNotFoundError from problem

    def _has_changed(self, path: str, seen: os.stat_result) -> bool:
        """Whether a file differs from what was known of it; what is seen is known from now on."""
        before = self.known.get(path)
        now = Stamp(seen.st_size, seen.st_mtime_ns, seen.st_ctime_ns, seen.st_ino)
        if before == now:
            return False
        # The digest is only worth reading if there is one to compare with, or will be soon.
        racy = utc_now().timestamp() * 1e9 - now.changed_ns < _RACY_NS
        digest = _read_digest(self.workspace / path) if before is not None or racy else None
        self.known[path] = replace(now, digest=digest, changed_ns=0 if racy else now.changed_ns)
        return before is None or before.digest is None or before.digest != digest


def _below(known: Iterable[str], folder: str) -> list[str]:
    """The known paths inside a folder, or the path itself."""
    return [path for path in known if path == folder or path.startswith(f"{folder}/" if folder else "")]


def _read_digest(path: Path) -> bytes | None:
    """A digest of a regular file's contents; None when it cannot be read."""
    flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    with suppress(OSError), os.fdopen(os.open(path, flags), "rb") as file:
        return file_digest(file, "blake2b").digest()
    return None
