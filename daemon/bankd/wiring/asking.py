"""One bank, asked from outside: its daemon answers, or where there is none its index; both give the same answer.

Imports as little as possible: with a daemon a search takes less time than most modules take to import.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from bankd.system.socket_client import NoDaemonError, send_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from bankd.search.bank_search import BankSearch
    from bankd.workspace.watcher import Watcher

OF_A_SEARCH = ("query", "generation", "fresh", "hits", "see_also", "left_off", "nearest")
"""What an answer to a search has. The answer of an older daemon, which runs until it is restarted, may lack some."""
_DAEMON_SECONDS = 2.0
"""After this many seconds without an answer of the daemon the index is asked."""
_LOOK_SECONDS = 1.0
"""Seconds between two looks where the kernel tells of no changes: looking at 10,000 pages takes longer than a search."""
_CHECK_SECONDS = 30.0
"""Seconds between two checks of the watches: a folder that was replaced by another one is not watched any more."""


def ask_socket(root: str, request: dict[str, Any], seconds: float = _DAEMON_SECONDS) -> dict[str, Any]:
    """What the daemon of a workspace answers; raises what it says is wrong as if it were done here.

    NoDaemonError where none answers in time, or one that is too old to give such an answer.
    """
    from bankd.errors import BUG, BankError, UsageError, UserError

    answer = send_request(root, request, seconds)
    if not answer.pop("ok", False):
        kinds = {BUG: BankError, UsageError.exit_code: UsageError}
        raise kinds.get(answer.get("exit", 0), UserError)(str(answer.get("error")))
    if request.get("op", "search") == "search" and not all(key in answer for key in OF_A_SEARCH):
        raise NoDaemonError("the daemon is of an older version: restart it")
    return answer


_HOOK_SECONDS = 0.7
"""Seconds that a hook waits for the daemon; after that the bank itself is read."""
_SENT = ("session_id", "source", "cwd", "transcript_path", "prompt", "unattended")
_LONGEST = 8_000
"""Characters of each field that a hook sends: all fields fit into one request, and less of a prompt is read."""


def ask_hook(root: str, event: str, said: dict[str, Any]) -> str | None:
    """What the daemon would have a session of an agent hear; None where none answers, or one that cannot."""
    sent = {name: said[name][:_LONGEST] for name in _SENT if isinstance(said.get(name), str)}
    try:
        answer = send_request(root, {"op": "hook", "event": event, "said": sent}, _HOOK_SECONDS)
    except NoDaemonError:
        return None
    return str(answer["context"]) if answer.get("ok") else None


class Asked:
    """One bank. A daemon may come and go between two questions.

    With `stays` it may be asked from any thread for as long as one likes: a thread watches the files, which are checked
    again only after a change. Without, it is for one command: the files are checked once.
    """

    def __init__(self, root: str, *, stays: bool = False) -> None:
        """Take the folder; nothing is opened before it is needed."""
        self._root, self._stays, self._asking = root, stays, allocate_lock()
        self._search: BankSearch | None = None
        self._watch: ChangeWatch | None = None
        self._seen: tuple[str, int] | None = None
        """The note of the last check, and how many pages have waited since."""

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Answer a request as the daemon's socket takes it; raises what a search raises."""
        try:
            return ask_socket(self._root, request)
        except NoDaemonError:
            with self._asking:
                return self._ask_index(request)

    def _ask_index(self, request: dict[str, Any]) -> dict[str, Any]:
        search = self._open()
        from bankd.system.clock import read_clock, read_clock_alone

        now = (read_clock if self._stays else read_clock_alone)(search.settings.timezone)
        if self._watch is None:
            return search.answer(request, now)
        is_left = self._seen is not None and self._seen != ("", 0)
        if self._watch.takes_look(waits=is_left) or self._seen is None or not search.index.is_there():
            self._seen = None  # until this look has been taken to its end
            search.look_again()
            self._seen = search.catch_up(now)
        note, pending = self._seen
        return search.answer(request, now, pending, note)

    def _open(self) -> BankSearch:
        """Its search, opened anew when the settings have changed."""
        if not self._stays:
            import gc

            gc.disable()  # a command ends before there is anything to collect, and looking costs it a twentieth
        if not os.path.isfile(os.path.join(self._root, "bankd.yaml")):  # noqa: PTH113, PTH118 -- pathlib costs more
            from bankd.errors import UserError

            raise UserError(f"{self._root}: no workspace is there (now)")
        from bankd.wiring.search import make_search, search_settings

        settings = search_settings(self._root)
        if self._search is None or self._search.settings != settings:
            if self._search is not None:
                self._search.close()
            self._search, self._seen = make_search(self._root, settings), None
        if self._stays and self._watch is None:
            from bankd.system.clock import read_monotonic

            self._watch = ChangeWatch(self._root, read_monotonic)
        return self._search

    def look_again(self) -> None:
        """Have the next answer look at every file: this process changed some."""
        if self._watch is not None:
            self._watch.hint()

    def close(self) -> None:
        """Let go of the index."""
        with self._asking:
            if self._watch is not None:
                self._watch.close()
            if self._search is not None:
                self._search.close()
            self._watch = self._search = None


class ChangeWatch:
    """Tells when files of a workspace may have changed; the watcher takes its time to start, and until then files are looked at each second."""

    def __init__(self, root: str, clock: Callable[[], float]) -> None:
        """Begin to watch."""
        from threading import Thread

        self._root, self._clock = root, clock
        self._watcher: Watcher | None = None
        self._is_hinted, self._looked, self._checked = True, 0.0, clock()
        self._starting = Thread(target=self._start, name="watch", daemon=True)
        self._starting.start()

    def _start(self) -> None:
        import logging
        from pathlib import Path

        from bankd.workspace.watcher import Watcher, WatchIntervals

        # Where it cannot watch this looks by itself, and there is nothing to tell: the screen belongs to the finder.
        logging.getLogger("bankd.workspace.watcher").addHandler(logging.NullHandler())
        # A change of a file only makes the next question look at all; and where the watcher had to poll, questions do.
        pace = WatchIntervals(quiet=0.1, longest=0.5, poll=600.0)
        watcher = Watcher(Path(self._root), lambda _: self.hint(), pace)
        watcher.start()
        self._watcher = watcher
        self.hint()  # what changed before it watched

    def hint(self) -> None:
        """Something may have changed."""
        self._is_hinted = True

    def takes_look(self, *, waits: bool = False) -> bool:
        """Whether to check the files now, after which they count as checked; `waits`: the last check left something."""
        now = self._clock()
        is_told, is_due = self._is_told(now), now - self._looked >= _LOOK_SECONDS
        if not self._is_hinted and not (is_due and (waits or not is_told)):
            return False
        self._is_hinted, self._looked = False, now  # in this order: what is hinted at while it looks is looked at again
        return True

    def _is_told(self, now: float) -> bool:
        """Whether the kernel tells the watcher, whose watches are checked from time to time."""
        if self._watcher is None:
            return False
        if now - self._checked >= _CHECK_SECONDS:
            self._checked = now
            self._watcher.check_watches()
        return self._watcher.state.mode == "inotify"

    def close(self) -> None:
        """Watch no more."""
        self._starting.join()
        if self._watcher is not None:
            self._watcher.stop()
