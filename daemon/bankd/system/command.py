"""Commands that the settings name: run without a shell, with bounded output, and ended with all that they started."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from bankd.system.clock import read_monotonic

GRACE = 2.0
"""Seconds from SIGTERM to SIGKILL: a client may have to end a session on a server, or to remove a lock."""
_SAID = 4096
"""Bytes that are kept of the error output: its end, which tells why a command failed."""
_CHUNK = 1 << 16
_TICK = 0.05
_starting = threading.Lock()
_running: set[subprocess.Popen[bytes]] = set()


class Ran(NamedTuple):
    """How a command ended: its exit code, its output, and the end of its error output."""

    code: int
    output: bytes
    said: bytes


class CommandStoppedError(Exception):
    """Why bankd ended a command, in words; `is_too_long` if it printed too much."""

    def __init__(self, reason: str, *, is_too_long: bool = False) -> None:
        super().__init__(reason)
        self.is_too_long = is_too_long


def run_command(
    words: Sequence[str],
    given: bytes,
    seconds: float,
    most: int,
    folder: str | None = None,
    variables: Mapping[str, str] | None = None,
) -> Ran:
    """Run a command with `given` on its standard input; raises OSError when it cannot be started.

    CommandStoppedError when it takes longer than `seconds`, or prints more than `most` bytes. The command gets a session of
    its own, and `folder` and `variables` if they are given instead of ours. When this returns, all processes of its
    process group have been ended.
    """
    standard_input = os.memfd_create("given")
    try:
        with contextlib.closing(os.fdopen(os.dup(standard_input), "wb")) as file:
            file.write(given)
        os.lseek(standard_input, 0, os.SEEK_SET)
        with _starting:
            process = subprocess.Popen(  # noqa: S603 -- the user's own command
                words, stdin=standard_input, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
                cwd=folder, env=variables,
            )  # fmt: skip
            _running.add(process)
    finally:
        os.close(standard_input)
    try:
        return _listen(process, read_monotonic() + seconds, seconds, most)
    finally:
        _end_group(process)
        _running.discard(process)
        for pipe in filter(None, (process.stdout, process.stderr)):
            pipe.close()


def end_commands() -> None:
    """End every command that any thread has started; no command can be started after that."""
    _starting.acquire()
    for process in list(_running):
        _end_group(process)


def _listen(process: subprocess.Popen[bytes], until: float, seconds: float, most: int) -> Ran:
    """Read what a command prints until it ends, without waiting for processes that it left behind."""
    output, said = bytearray(), bytearray()
    with selectors.DefaultSelector() as selector:
        for pipe, taken in ((process.stdout, output), (process.stderr, said)):
            if pipe is not None:
                selector.register(pipe, selectors.EVENT_READ, taken)
        while True:
            has_ended = process.poll() is not None  # checked first, so that all it printed before its end is read below
            is_printing = _read_ready(selector, 0 if has_ended else _TICK)
            del said[:-_SAID]
            if len(output) > most:
                raise CommandStoppedError(f"it printed more than {most >> 10:,} KB and was ended", is_too_long=True)
            if has_ended and not is_printing:
                return Ran(process.returncode, bytes(output), bytes(said))
            if read_monotonic() > until:
                raise CommandStoppedError(f"no answer in {seconds:g} seconds; it was ended")


def _read_ready(selector: selectors.BaseSelector, seconds: float) -> bool:
    """Wait up to this many seconds for output and read a part of it. False if there was none."""
    ready = selector.select(seconds)
    for key, _ in ready:
        part = os.read(key.fd, _CHUNK)
        key.data.extend(part)
        if not part:
            selector.unregister(key.fileobj)
    return bool(ready)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Send SIGTERM to the process group of a command, and SIGKILL after GRACE seconds."""
    wait, until = threading.Event(), read_monotonic() + GRACE
    sent: signal.Signals | int = signal.SIGTERM
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all have ended, or belong to another user
        while read_monotonic() < until:
            os.killpg(process.pid, sent)
            sent = 0
            process.poll()  # a process that ended counts until somebody waits for it
            wait.wait(_TICK / 5)
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):  # it may hang in the kernel, waiting for a disk
        process.wait(GRACE)
