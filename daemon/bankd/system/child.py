"""Processes that work for this one, and commands that the settings name. All memory is free when they end.

`ChildProcess` runs a program of ours. Requests and answers are JSON objects, one per line, over a socket that is the child's
standard input; an open file may go with a request. The child ends when this process does: it sees the socket close.
Children that have one turn work one at a time, and hand on their process: each can stop its own work, and no other's.
`run_command` runs a command without a shell, with bounded output, and ends it with all that it started.

The memory of this process itself: kept small, given back, and whether there is enough of it.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import queue
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import _lru_cache_wrapper
from typing import Any, NamedTuple, TypeAlias

from bankd.errors import BankError, StorageError
from bankd.system.clock import read_monotonic

Message: TypeAlias = dict[str, Any]
Request: TypeAlias = tuple[bytes, int | None]
_CHUNK = 1 << 16


class ChildDiedError(BankError):
    """The child ended before its work was done; the next child finishes what it was writing."""


class ProcessTurn:
    """For children with one program that is too large to run several times: one works at a time, and hands on its process."""

    def __init__(self) -> None:
        """Nobody has worked yet."""
        self._lock = threading.Lock()
        self._last: ChildProcess | None = None

    @contextlib.contextmanager
    def of(self, child: ChildProcess) -> Iterator[None]:
        """Wait until no other child works, and give this one the process of the last."""
        with self._lock:
            if self._last is not None and self._last is not child:
                child.take_over(self._last)
            self._last = child
            yield


class ChildProcess:
    """At most one child. Only one request at a time; all other calls may come from any thread."""

    def __init__(
        self,
        command: Sequence[str],
        clock: Callable[[], float],
        idle_seconds: float = 60.0,
        last_seconds: float = 0.0,
        turn: ProcessTurn | None = None,
    ) -> None:
        """Take the command, a monotonic clock in seconds, and the seconds that an idle child is kept.

        `last_seconds`: how long the child may take at its end to stop what it started itself; 0 kills it at once.
        """
        self._turn = turn
        self._command, self._clock, self._idle_seconds = command, clock, idle_seconds
        self._last_seconds = last_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._busy = threading.Lock()
        self._last_used, self._is_over = 0.0, False

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        process = self._process
        return process is not None and process.poll() is None

    def ask(self, request: Message, descriptor: int | None = None, seconds: float | None = None) -> Message:
        """Send a request and wait for its answer. Raises ChildDiedError when the child ends first, or after `seconds`."""
        with self._turn.of(self) if self._turn else contextlib.nullcontext(), self._busy:
            connection = self._connection if self.is_running and self._connection else self._start()
            connection.settimeout(seconds)
            try:
                line = json.dumps(request).encode() + b"\n"
                sent = socket.send_fds(connection, [line], [] if descriptor is None else [descriptor])
                connection.sendall(line[sent:])
                return dict(json.loads(_receive(connection)[0]))
            except (OSError, ValueError) as error:
                raise ChildDiedError(f"the process that does the work ended ({self._reap()})") from error
            finally:
                self._last_used = self._clock()

    def _start(self) -> socket.socket:
        self._reap()
        if self._is_over:
            raise ChildDiedError("it was closed")
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        with theirs:
            try:
                self._process = subprocess.Popen(self._command, stdin=theirs.fileno(), stdout=subprocess.DEVNULL)  # noqa: S603 -- our own module
            except OSError as error:
                ours.close()
                raise ChildDiedError(f"no process can be started: {error.strerror}") from error
        self._connection = ours
        return ours

    def end_if_idle(self) -> None:
        """End the child if it had no request for a while. Returns at once while it works."""
        if self._process is not None and self._busy.acquire(blocking=False):
            try:
                if not self.is_running or self._clock() - self._last_used > self._idle_seconds:
                    self._reap()
            finally:
                self._busy.release()

    def end(self) -> None:
        """End the child for good, even while it works. A caller that waits for its answer gets ChildDiedError."""
        self._is_over = True
        process, connection = self._process, self._connection
        if process is not None:
            with contextlib.suppress(OSError):
                if self._last_seconds and connection is not None:
                    connection.shutdown(socket.SHUT_RDWR)  # it sees that its master is gone
                else:
                    process.kill()

    def close(self) -> None:
        """End the child and wait until it is gone."""
        self.end()
        with self._busy:
            self._reap()

    def take_over(self, other: ChildProcess) -> None:
        """Go on with the process of another child, which has answered; this one has none. ChildDiedError if it was closed."""
        if self._is_over:
            raise ChildDiedError("it was closed")
        with other._busy:
            self._process, self._connection = other._process, other._connection
            other._process = other._connection = None

    def _reap(self) -> str:
        """Wait for the child's end, and close the socket. Gives how it ended, in words."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is None:
            return "it never ran"
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._last_seconds:
                process.wait(self._last_seconds)
        process.kill()
        code = process.wait()
        return f"by signal {-code}" if code < 0 else f"exit code {code}"


def _receive(connection: socket.socket) -> Request:
    """A line, and the open file that came with it; an empty line when the other side is gone."""
    part, descriptors, _, _ = socket.recv_fds(connection, _CHUNK, 1, socket.MSG_CMSG_CLOEXEC)
    parts = [part]
    while parts[-1] and not parts[-1].endswith(b"\n"):
        parts.append(connection.recv(_CHUNK))
    return b"".join(parts) if parts[-1] else b"", descriptors[0] if descriptors else None


def serve_master(answer: Callable[[Message, int | None], Message], at_end: Callable[[], object] = bool) -> None:
    """Be a child: answer requests from standard input. When the parent is gone, call `at_end` and end at once."""
    connection = socket.socket(fileno=os.dup(0))
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, requests, at_end), daemon=True).start()
    while True:
        line, descriptor = requests.get()
        connection.sendall(json.dumps(answer(json.loads(line), descriptor)).encode() + b"\n")


def _listen(connection: socket.socket, requests: queue.SimpleQueue[Request], at_end: Callable[[], object]) -> None:
    try:
        while True:
            request = _receive(connection)
            if not request[0]:
                return
            requests.put(request)
    finally:  # a parent that ended without reading its answer causes an error here
        try:
            at_end()
        finally:
            os._exit(0)  # nobody waits for the work any more


GRACE = 2.0
"""Seconds from SIGTERM to SIGKILL: a client may have to end a session on a server, or to remove a lock."""
_SAID, _MOST_SAID = 4096, 64 << 20
"""Bytes that are kept of the error output (its end tells why a command failed), and how much longer it may be than the output."""
_TICK = 0.01
"""Seconds between two looks at a command. What it prints is in memory, and one that prints without end fills 10 MB meanwhile."""
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
    process group have been ended; it does not wait for what they print.
    """
    until, pause = read_monotonic() + seconds, threading.Event()
    with contextlib.ExitStack() as files:
        asked, output, said = (
            files.enter_context(os.fdopen(os.memfd_create(name), "w+b", 0)) for name in ("asked", "output", "said")
        )
        asked.write(given)
        asked.seek(0)
        with _starting:
            process = subprocess.Popen(  # noqa: S603 -- the user's own command
                words, stdin=asked, stdout=output, stderr=said, start_new_session=True, cwd=folder, env=variables
            )
            _running.add(process)
        try:
            while True:
                has_ended = process.poll() is not None  # checked first, so that all of its output is seen below
                printed, told = os.fstat(output.fileno()).st_size, os.fstat(said.fileno()).st_size
                if max(printed, told - _MOST_SAID) > most:
                    raise CommandStoppedError(f"it printed more than {most >> 10:,} KB and was ended", is_too_long=True)
                if has_ended:
                    end = os.pread(said.fileno(), _SAID, max(0, told - _SAID))
                    return Ran(process.returncode, os.pread(output.fileno(), printed, 0), end)
                if read_monotonic() > until:
                    raise CommandStoppedError(f"no answer in {seconds:g} seconds; it was ended")
                pause.wait(_TICK)
        finally:
            _end_group(process)
            _running.discard(process)


def end_commands() -> None:
    """End every command that any thread has started; no command can be started after that."""
    _starting.acquire()
    for process in list(_running):
        _end_group(process)


def _end_group(process: subprocess.Popen[bytes]) -> None:
    """Send SIGTERM to the process group of a command, and SIGKILL after GRACE seconds."""
    wait, until = threading.Event(), read_monotonic() + GRACE
    sent: signal.Signals | int = signal.SIGTERM
    with contextlib.suppress(ProcessLookupError, PermissionError):  # all have ended, or belong to another user
        while read_monotonic() < until:
            os.killpg(process.pid, sent)
            sent = 0
            process.poll()  # a process that ended counts until somebody waits for it
            wait.wait(_TICK)
        os.killpg(process.pid, signal.SIGKILL)
    with contextlib.suppress(subprocess.TimeoutExpired):  # it may hang in the kernel, waiting for a disk
        process.wait(GRACE)


_ARENA_MAX = -8  # M_ARENA_MAX of mallopt(3)
_MANY_OBJECTS = 5_000_000
"""Python's garbage collector runs after this many new objects. A run over 20,000 lines makes hardly any cycles, so memory stays small."""
_LARGE_CACHE = 10_000


def keep_little() -> None:
    """Let all threads share two memory arenas: with many, freed memory is seldom given back. Call it before anything else."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

    with contextlib.suppress(AttributeError):  # a C library without it
        ctypes.CDLL(None).mallopt(_ARENA_MAX, 2)


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """Collect garbage seldom inside the block: work that makes many lasting objects spent a tenth of its time on it."""
    before = gc.get_threshold()
    gc.set_threshold(_MANY_OBJECTS, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


def require_room(needed: int) -> None:
    """StorageError if a limit of the process (`ulimit -v`) leaves less memory than this: native code would crash then."""
    import resource  # noqa: PLC0415 -- a query has no time for it

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    with open("/proc/self/statm", encoding="ascii") as sizes:  # noqa: PTH123 -- called at every change of the index
        taken = int(sizes.read().split()[0]) * resource.getpagesize()
    if limit - taken < needed:
        raise StorageError(
            f"the index needs {needed >> 20} MB of memory and has {(limit - taken) >> 20}; raise the limit (ulimit -v)"
        )


def forget_kept() -> None:
    """Empty the large caches of functions. They help within one run; after many banks they only hold memory."""
    for one in gc.get_objects():
        if isinstance(one, _lru_cache_wrapper) and (one.cache_parameters()["maxsize"] or 0) >= _LARGE_CACHE:
            one.cache_clear()


def give_back() -> None:
    """Collect garbage and give free memory back to the system; glibc keeps it otherwise."""
    import ctypes  # noqa: PLC0415 -- a query has no time for it

    gc.collect()
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
