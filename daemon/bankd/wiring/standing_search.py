"""Search for a process that keeps running: by the daemon while one answers, else by an index that is kept open.

The files of the workspace are checked again only after a change, where changes are watched.
"""

from __future__ import annotations

import logging
import os
import threading
from datetime import datetime
from pathlib import Path
from typing import Any

from bankd.adapters.system.clock import read_clock, read_monotonic
from bankd.adapters.system.socket_client import Conversation, NoDaemonError
from bankd.adapters.watching.watcher import Watcher, WatchIntervals, WatchMode
from bankd.core.ranking.search_settings import SearchSettings
from bankd.errors import UserError
from bankd.wiring.asking import ask_over
from bankd.wiring.search_settings import search_settings
from bankd.wiring.searching import make_search, worker_for

_PACE = WatchIntervals(quiet=0.1, longest=0.5, poll=600.0)
"""A change of a file only makes the next question look at all; and where the watcher had to poll, questions do."""
_LOOK_SECONDS = 1.0
"""Where nobody tells of changes: to look at 10,000 pages takes longer than a question."""
_CHECK_SECONDS = 30.0
"""As the daemon does: a folder that was swapped for another one is not watched any more."""


class ChangeWatch:
    """One workspace's; the watcher takes its time to start, and until then files are looked at each second."""

    def __init__(self, root: Path) -> None:
        """Begin to watch."""
        self._root = root
        self._watcher: Watcher | None = None
        self._is_hinted, self._looked, self._checked = True, 0.0, read_monotonic()
        self._starting = threading.Thread(target=self._start, name="watch", daemon=True)
        self._starting.start()

    def _start(self) -> None:
        # Where it cannot watch this looks by itself, and there is nothing to tell: the screen belongs to the finder.
        logging.getLogger("bankd.adapters.watching").addHandler(logging.NullHandler())
        watcher = Watcher(self._root, lambda _: self.hint(), _PACE)
        watcher.start()
        self._watcher = watcher
        self.hint()  # what changed before it watched

    def hint(self) -> None:
        """Something may have changed."""
        self._is_hinted = True

    def takes_look(self, *, waits: bool = False) -> bool:
        """Whether to check the files now, after which they count as checked; `waits`: the last check left something."""
        now = read_monotonic()
        is_told, is_due = self._is_told(now), now - self._looked >= _LOOK_SECONDS
        if not self._is_hinted and not (is_due and (waits or not is_told)):
            return False
        self._is_hinted, self._looked = False, now  # in this order: what is hinted at while it looks is looked at again
        return True

    def _is_told(self, now: float) -> bool:
        """Whether the kernel tells the watcher, whose watches are checked from time to time."""
        watcher = self._watcher
        if watcher is not None and now - self._checked >= _CHECK_SECONDS:
            self._checked = now
            watcher.check_watches()
        return watcher is not None and watcher.state.mode is WatchMode.KERNEL

    def close(self) -> None:
        """Watch no more."""
        self._starting.join()
        if self._watcher is not None:
            self._watcher.stop()


class StandingSearch:
    """One bank's; may be asked from any thread. A daemon may come and go between two questions."""

    def __init__(self, root: str) -> None:
        """Take the workspace; nothing is opened before it is needed."""
        self._root, self._asking = root, threading.Lock()
        self._open: tuple[SearchSettings, _Standing] | None = None

    def answer(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request as the daemon's socket takes it; raises what a search raises."""
        try:
            daemon = Conversation(self._root)
        except NoDaemonError:
            return self._answer_alone(request)
        try:
            return ask_over(daemon, request)
        except NoDaemonError:  # it ended meanwhile
            return self._answer_alone(request)
        finally:
            daemon.close()

    def _answer_alone(self, request: dict[str, Any]) -> dict[str, Any]:
        if not os.path.isfile(os.path.join(self._root, "bankd.yaml")):  # noqa: PTH113, PTH118 -- a path as it was given
            raise UserError(f"{self._root}: no workspace is there (now)")
        with self._asking:
            settings = search_settings(Path(self._root))
            if self._open is None or self._open[0] != settings:
                self._let_go()
                self._open = settings, _Standing(Path(self._root), settings)
            return self._open[1].answer(request, read_clock(settings.timezone))

    def look_again(self) -> None:
        """Have the next answer look at every file: this process changed some."""
        with self._asking:
            if self._open is not None:
                self._open[1].watch.hint()

    def close(self) -> None:
        """Let go of the index."""
        with self._asking:
            self._let_go()

    def _let_go(self) -> None:
        if self._open is not None:
            self._open[1].close()
            self._open = None


class _Standing:
    """An index that is kept open, and who tells when files have changed: at each key to look at all would take longest."""

    def __init__(self, root: Path, settings: SearchSettings) -> None:
        self._service = make_search(root, settings, worker_for(settings))
        self.watch = ChangeWatch(root)
        self._seen: tuple[str, int] | None = None
        """The note of the last check, and how many pages have waited since."""

    def answer(self, request: dict[str, Any], now: datetime) -> dict[str, Any]:
        if self._has_to_look() or self._seen is None:
            self._seen = None  # until this look has been taken to its end
            self._service.look_again()
            self._seen = self._service.catch_up(now)
        self._service.open(now)
        note, pending = self._seen
        return self._service.answer_now(request, now, pending, note)

    def _has_to_look(self) -> bool:
        left_something = self._seen is not None and self._seen != ("", 0)
        return self.watch.takes_look(waits=left_something) or not self._service.index.is_there()

    def close(self) -> None:
        self.watch.close()
        self._service.close()
