"""Hints from the kernel, by watchdog's inotify observer: which paths may have changed, and when hints were lost."""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread

from watchdog.events import (
    DirCreatedEvent,
    DirDeletedEvent,
    DirMovedEvent,
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
    FileSystemEvent,
    FileSystemEventHandler,
)
from watchdog.observers.inotify import InotifyObserver
from watchdog.observers.inotify_move_event_grouper import InotifyMoveEventGrouper as WatchdogInotifyMoveEventGrouper

_FOLDER_EVENTS: list[type[FileSystemEvent]] = [DirCreatedEvent, DirDeletedEvent, DirMovedEvent]
_FILE_EVENTS: list[type[FileSystemEvent]] = [
    FileClosedEvent,
    FileCreatedEvent,
    FileDeletedEvent,
    FileModifiedEvent,
    FileMovedEvent,
]
# Its warnings here are the only sign that events were lost.
_LOGGERS = ("watchdog.observers.inotify_c", "watchdog.observers.inotify")

# A file moved away is held back, with every event behind it, for half a second in case its other half comes. Both
# halves are adjacent in the kernel's queue, so a hundredth is enough; unpaired they are two hints instead of one.
WatchdogInotifyMoveEventGrouper.delay = 0.01

_STOP_SECONDS = 5.0
"""watchdog 7.1 joins its threads when it stops, and one that was stopped while it started waits for ever."""


@dataclass(slots=True)
class KernelHints:
    """Inotify watches on each directory below `folders`, and on the workspace to notice when a folder is made.

    `hint` is called with a path that may have changed, `lost` when hints were lost; both by threads of watchdog.
    """

    workspace: Path
    folders: tuple[str, ...]
    hint: Callable[[str], None]
    lost: Callable[[], None]
    _observer: InotifyObserver | None = None
    _roots: dict[str, int] = field(default_factory=dict)
    _losses: _Losses | None = None

    def start(self) -> None:
        """Watch; raises OSError when the kernel's limits do not allow it."""
        # watchdog walks into a new folder and then hears of the same folders from the kernel: that is no mistake.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._losses = _Losses(self.lost)
        for name in _LOGGERS:
            logging.getLogger(name).addHandler(self._losses)
        self._observe()

    def rebuild(self) -> None:
        """Drop all watches and watch again, as after a loss; raises OSError as `start` does."""
        self._unobserve()
        self._observe()

    def stop(self) -> None:
        self._unobserve()
        for name in _LOGGERS:
            if self._losses is not None:
                logging.getLogger(name).removeHandler(self._losses)

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
            ending = Thread(target=_end_observer, args=(observer,), daemon=True)
            ending.start()
            ending.join(_STOP_SECONDS)

    def _find_roots(self) -> dict[str, int]:
        found = {}
        for folder in self.folders:
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


class _Losses(logging.Handler):
    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        self._lost()


def _count_watches() -> int:
    """The inotify watches of this process, as the kernel counts them."""
    count = 0
    for descriptor in Path("/proc/self/fdinfo").iterdir():
        with suppress(OSError):  # closed meanwhile
            count += descriptor.read_bytes().count(b"inotify wd:")
    return count
