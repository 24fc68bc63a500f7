"""A program in a terminal of its own, to which a person types: some agents ask for notes only where somebody sits."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import struct
import termios
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from bankd.system.clock import read_monotonic

_ANSWERS = {b"\x1b[6n": b"\x1b[1;1R", b"\x1b[c": b"\x1b[?62;c", b"\x1b]11;?": b"\x1b]11;rgb:0000/0000/0000\x1b\\"}
"""What programs ask a terminal, and what it answers: where the cursor is, what it can do, its colour."""
_LONGEST = 60.0
"""Seconds after which a program that does not come to an end fails its test."""


class Terminal:
    """What a program shows, and what is typed to it."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self.shown = descriptor, b""

    def read(self) -> None:
        """Take what it shows within a moment."""
        if select.select([self._descriptor], [], [], 0.1)[0]:
            with suppress(OSError):  # it has ended
                more = os.read(self._descriptor, 1 << 16)
                self.shown += more
                for question, answer in _ANSWERS.items():
                    for _ in range(more.count(question)):
                        os.write(self._descriptor, answer)

    def wait_for(self, come: Callable[[], bool], what: str) -> None:
        """Wait until something has come."""
        end = read_monotonic() + _LONGEST
        while not come():
            assert read_monotonic() < end, f"{what} did not come: {self.shown[-2000:].decode(errors='replace')}"
            self.read()

    def type(self, text: str) -> None:
        """Type a line, and Enter once it is shown."""
        before = len(self.shown)
        os.write(self._descriptor, text.encode())
        self.wait_for(lambda: text[-4:].encode() in self.shown[before:], text)
        os.write(self._descriptor, b"\r")


@contextmanager
def running(command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> Iterator[Terminal]:
    """Run a program in a terminal; it is ended at the end."""
    process, descriptor = pty.fork()
    if process == 0:
        os.chdir(folder)
        os.execve(command[0], [*command], {**environment, "TERM": "xterm-256color"})
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    try:
        yield Terminal(descriptor)
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGKILL)
        os.waitpid(process, 0)
        os.close(descriptor)
