"""One bank, asked from outside: its daemon answers, or, without one, its index; both give the same answer.

Imports as little as possible: with a daemon a search takes less time than most modules take to import.
"""

from __future__ import annotations

import os
from _thread import allocate_lock

from bankd.system.socket_client import NoDaemonError, send_request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any, TypeAlias

    from bankd.search.bank_search import BankSearch
    from bankd.settings import Settings

    Json: TypeAlias = dict[str, Any]

OF_A_SEARCH = ("query", "generation", "fresh", "hits", "see_also", "left_off", "nearest")
"""The fields of an answer to a search. An older daemon, still running after an update, may lack some."""
_DAEMON_SECONDS = 2.0
"""After this many seconds without an answer from the daemon, the index is asked."""
_LOOK_SECONDS = 1.0
"""Seconds between two checks of the files for a caller who asks again and again: checking 10,000 pages takes longer than a search."""


def require_bank(root: str) -> None:
    """UserError when the workspace, or its bank, is not there: nobody may take that for a bank that knows nothing."""
    if not os.path.isfile(f"{root}/bankd.yaml"):  # noqa: PTH113 -- pathlib costs more
        from bankd.errors import UserError

        raise UserError(f"{root}: no workspace is there (now); if it is on the list, bankctl banks remove takes it off")
    if not os.path.isdir(f"{root}/bank"):  # noqa: PTH112 -- same
        from pathlib import Path

        from bankd.config.workspace import require_folders
        from bankd.wiring.search import quick_settings

        quick_settings(root)  # links the folder, if the settings name another place for it
        require_folders(Path(root))


def ask_socket(root: str, request: dict[str, Any], seconds: float = _DAEMON_SECONDS) -> dict[str, Any]:
    """The answer of a workspace's daemon; raises its errors as if the work were done here.

    NoDaemonError if no daemon answers in time, or it is too old for this request.
    """
    require_bank(root)
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
    """The daemon's text for a hook of an agent's session; None if no daemon answers, or it is too old."""
    sent = {name: said[name][:_LONGEST] for name in _SENT if isinstance(said.get(name), str)}
    try:
        answer = send_request(root, {"op": "hook", "event": event, "said": sent}, _HOOK_SECONDS)
    except NoDaemonError:
        return None
    return str(answer["context"]) if answer.get("ok") else None


class Asked:
    """One bank, asked from outside. A daemon may come and go between two questions.

    With `stays` it may be asked from any thread, again and again: without a daemon, the files are checked at most once a
    second. Without `stays` it is for one command: the files are checked once.
    """

    def __init__(self, folder: str, *, stays: bool = False) -> None:
        """Take the folder; nothing is opened before it is needed."""
        self.folder, self._stays, self._asking = folder, stays, allocate_lock()
        self._search: BankSearch | None = None
        self._read: tuple[Settings, str] | None = None
        self._looked = float("-inf")

    @property
    def root(self) -> Path:
        """Its folder as a path."""
        from pathlib import Path

        return Path(self.folder)

    def ask(self, request: Json) -> Json:
        """Answer a request as the daemon's socket takes it; raises what a search raises."""
        try:
            return ask_socket(self.folder, request)
        except NoDaemonError:
            with self._asking:
                return self._ask_index(request)

    def look_up(self, request: Json) -> Json:
        """Answer a request, but keep nothing in recall/, since not every answer is shown."""
        return self.ask({"op": "search", **request, "keep": False})

    def _ask_index(self, request: Json) -> Json:
        search = self._open()
        from bankd.system.clock import read_clock, read_clock_alone, read_monotonic

        if not self._stays:
            return search.answer(request, read_clock_alone(search.settings.timezone))
        now, seconds = read_clock(search.settings.timezone), read_monotonic()
        if seconds - self._looked >= _LOOK_SECONDS or not search.index.is_there():
            search.look_again()
            self._looked = seconds
        return search.answer(request, now)

    def _open(self) -> BankSearch:
        """Its search, reopened if the settings have changed."""
        if not self._stays:
            import gc

            gc.disable()  # a command ends before there is any garbage; collecting would take a twentieth of its time
        from bankd.wiring.search import make_search, quick_settings

        read = settings, remark = quick_settings(self.folder)
        if self._search is None or self._read != read:
            if self._search is not None:
                self._search.close()
            self._search, self._read = make_search(self.folder, settings, remark=remark), read
        return self._search

    def look_again(self) -> None:
        """Make the next answer check every file, because this process changed some."""
        self._looked = float("-inf")

    def close(self) -> None:
        """Let go of the index."""
        with self._asking:
            if self._search is not None:
                self._search.close()
            self._search = None
