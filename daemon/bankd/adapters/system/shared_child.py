"""A child that works for several: each has it in turn, and ends with its own work alone."""

from __future__ import annotations

import threading
from typing import Any, Protocol

from bankd.adapters.system.child import ChildDiedError

_AGAIN = 0.2
"""Seconds after which an end is tried again that came before the process was there."""


class InterruptibleChild(Protocol):
    """A process that does one thing at a time, and can be ended in the middle of it."""

    @property
    def is_running(self) -> bool:
        """Whether it is there."""

    def ask(self, request: dict[str, Any], descriptor: int | None = None) -> dict[str, Any]:
        """Have something done."""

    def interrupt(self) -> None:
        """End what it does now."""

    def end_if_idle(self) -> None:
        """End it when there was no work for a while."""


class SharedChild:
    """A child that several banks share, as one of them uses it; `turn` is common to all of them."""

    def __init__(self, child: InterruptibleChild, turn: threading.Lock) -> None:
        """Take the child and the right to use it, which is asked for at each request."""
        self._child, self._turn = child, turn
        self._is_over, self._is_done = False, threading.Event()
        self._is_done.set()

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._child.is_running

    def ask(self, request: dict[str, Any], descriptor: int | None = None) -> dict[str, Any]:
        """Have something done when it is our turn; raises ChildDiedError when it is not done to the end."""
        with self._turn:
            self._is_done.clear()
            try:
                if self._is_over:
                    raise ChildDiedError("nothing more is begun")
                return self._child.ask(request, descriptor)
            finally:
                self._is_done.set()

    def end_if_idle(self) -> None:
        """End the process when nobody had work for a while."""
        self._child.end_if_idle()

    def end(self) -> None:
        """Begin nothing more, and end what is being done for us; what is done for others goes on."""
        self._is_over = True
        if not self._is_done.is_set():
            self._child.interrupt()

    def close(self) -> None:
        """The same, and see it end."""
        self.end()
        while not self._is_done.wait(_AGAIN):
            self._child.interrupt()
