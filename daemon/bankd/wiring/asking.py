"""A question to the daemon, or without one to the index itself; the two answer the same. Imports as little as possible."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bankd.adapters.system.socket_client import Conversation, NoDaemonError

TYPE_CHECKING = False  # `typing` and `pathlib` would cost a search with a daemon more than its own work
if TYPE_CHECKING:
    from typing import Any, TypeAlias

    Ask: TypeAlias = Callable[[dict[str, Any]], dict[str, Any]]

OF_A_SEARCH = ("query", "generation", "fresh", "hits", "see_also", "left_off", "nearest")
"""What an answer to a search has; that of an older daemon, which runs until it is restarted, may lack some."""


@contextmanager
def open_asking(root: str) -> Iterator[Ask]:
    """A way to ask the daemon, or without one the index itself."""
    try:
        daemon = Conversation(root)
    except NoDaemonError:
        with _asking_the_index(root) as ask:
            yield ask
        return
    try:
        yield lambda request: _ask_either(daemon, root, request)
    finally:
        daemon.close()


def _ask_either(daemon: Conversation, root: str, request: dict[str, Any]) -> dict[str, Any]:
    """Ask the daemon, or where it ended meanwhile or is of another version the index itself."""
    try:
        return ask_over(daemon, request)
    except NoDaemonError:
        with _asking_the_index(root) as ask:
            return ask(request)


@contextmanager
def _asking_the_index(root: str) -> Iterator[Ask]:
    import gc

    gc.disable()  # it ends before there is anything to collect, and looking costs it a twentieth
    from bankd.adapters.system.clock import read_clock_alone
    from bankd.wiring.search_settings import search_settings
    from bankd.wiring.searching import make_search, worker_for

    settings = search_settings(root)
    searching = make_search(root, settings, worker_for(settings))
    try:
        yield lambda request: searching.answer(request, read_clock_alone(settings.timezone))
    finally:
        searching.close()


def ask_over(daemon: Conversation, request: dict[str, Any]) -> dict[str, Any]:
    """What the daemon answers; raises what it says is wrong as if it were done here, and NoDaemonError."""
    from bankd.errors import BUG, BankError, UsageError, UserError

    answer = daemon.ask(request)
    if "error" in answer:
        kinds = {BUG: BankError, UsageError.exit_code: UsageError}
        raise kinds.get(answer.get("exit", 0), UserError)(str(answer["error"]))
    return whole_answer(request, answer)


def whole_answer(request: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    """An answer as this version gives it; raises NoDaemonError where the daemon is too old for that."""
    if request.get("op", "search") == "search" and not all(key in answer for key in OF_A_SEARCH):
        raise NoDaemonError("the daemon is of an older version: restart it")
    return answer
