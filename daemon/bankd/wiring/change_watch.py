"""When a process that keeps running has to check the files of a workspace again: only after a change, where it is watched."""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from bankd.adapters.system.clock import read_monotonic
from bankd.adapters.watching.watcher import Watcher, WatchIntervals, WatchMode

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
        """Whether to look now, which is taken for done; `waits` says that the last look left something."""
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
