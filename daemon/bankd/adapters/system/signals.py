"""The signals that a service manager sends, as values that the main loop waits for."""

from __future__ import annotations

import os
import select
import signal
from types import FrameType

HANDLED = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


class Signals:
    """Collects signals from construction on; to be made in the main thread, once.

    The handler does nothing: Python writes the signal's number into a pipe. Setting a threading.Event in a handler
    can deadlock with a wait on it in the same thread.
    """

    def __init__(self) -> None:
        self._reader, writer = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in HANDLED:
            signal.signal(number, _ignore)

    def wait(self, seconds: float) -> set[signal.Signals]:
        """The signals that came, as soon as there is one; empty after this many seconds without."""
        ready, _, _ = select.select([self._reader], [], [], seconds)
        if not ready:
            return set()
        return {signal.Signals(number) for number in os.read(self._reader, 1024)} & set(HANDLED)


def _ignore(_number: int, _frame: FrameType | None) -> None:
    return
