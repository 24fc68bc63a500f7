"""A process that works for this one: started when there is work, ended when there is none, with all the memory it took.

Requests and answers are JSON objects, one a line, over a socket that is the child's standard input; an open file may
go with a request. A child ends when its master does, because the socket tells it so.

A child that works for several: each has it in turn, and ends with its own work alone.

A copy of this process that does a part of its work beside it: what is imported is there already, and need not start.

A request and what was made of it are JSON, a line each way. The copy ends with whoever made it; where it cannot go on it
ends without a word, since who made it can do that part as well, and say what is wrong.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import select
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, TypeAlias

from bankd.errors import BankError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    OpenWork: TypeAlias = Callable[[], AbstractContextManager[Callable[[dict[str, Any]], Any]]]

Message: TypeAlias = dict[str, Any]
Request: TypeAlias = tuple[bytes, int | None]
_CHUNK = 1 << 16


class ChildDiedError(BankError):
    """The child ended in the middle of its work; what it was writing is finished by the next."""


class ChildProcess:
    """One child, at most; requests come one at a time, the rest from any thread."""

    def __init__(
        self, command: Sequence[str], clock: Callable[[], float], idle_seconds: float = 60.0, last_seconds: float = 0.0
    ) -> None:
        """Take how to start it, a monotonic clock in seconds, and how long an idle child is kept.

        `last_seconds` is what a child gets to end what it started itself; without them it is killed at once.
        """
        self._command, self._clock, self._idle_seconds = command, clock, idle_seconds
        self._last_seconds = last_seconds
        self._process: subprocess.Popen[bytes] | None = None
        self._connection: socket.socket | None = None
        self._busy = threading.Lock()
        self._last_used, self._is_over, self._owes_answer = 0.0, False, False

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        process = self._process
        return process is not None and process.poll() is None

    def ask(self, request: Message, descriptor: int | None = None, seconds: float | None = None) -> Message:
        """Have something done; raises ChildDiedError when it is not done to the end, or not within `seconds`."""
        with self._busy:
            connection = self._connection if self.is_running and self._connection else self._start()
            connection.settimeout(seconds)
            try:
                if self._owes_answer:
                    self._owes_answer = not _read_answer(connection)
                line = json.dumps(request).encode() + b"\n"
                sent = socket.send_fds(connection, [line], [] if descriptor is None else [descriptor])
                connection.sendall(line[sent:])
                return _read_answer(connection)
            except (OSError, ValueError) as error:
                raise ChildDiedError(f"the process that does the work ended ({self._reap()})") from error
            finally:
                self._last_used = self._clock()

    def begin(self, request: Message) -> None:
        """Start the child, if it is not there, with something to do, without waiting; the answer is passed over."""
        if self._busy.acquire(blocking=False):  # else it is there, and works
            try:
                if not self.is_running:
                    self._start().sendall(json.dumps(request).encode() + b"\n")
                    self._owes_answer, self._last_used = True, self._clock()
            except (OSError, ChildDiedError):  # `ask` says why, if anybody asks
                self._reap()
            finally:
                self._busy.release()

    @property
    def is_warm(self) -> bool:
        """Whether a request would be answered at once: what was begun is done, and no other thread waits for an answer."""
        if not self.is_running or not self._busy.acquire(blocking=False):
            return False
        try:
            if self._owes_answer and self._connection and select.select([self._connection], [], [], 0)[0]:
                self._owes_answer = not _read_answer(self._connection)
        except (OSError, ValueError):  # it has just ended
            return False
        finally:
            self._busy.release()
        return not self._owes_answer

    def _start(self) -> socket.socket:
        self._reap()
        self._owes_answer = False
        if self._is_over:
            raise ChildDiedError("nothing more is begun")
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
        """End the child when there was nothing to do for a while; it does not wait for one that works."""
        if self._process is not None and self._busy.acquire(blocking=False):
            try:
                if not self.is_running or self._clock() - self._last_used > self._idle_seconds:
                    self._reap()
            finally:
                self._busy.release()

    def end(self) -> None:
        """End the child for good, whatever it does; who waits for its answer gets an error."""
        self._is_over = True
        self.interrupt()

    def interrupt(self) -> None:
        """End what the child does now; the next request starts another one."""
        process, connection = self._process, self._connection
        if process is not None:
            with contextlib.suppress(OSError):
                if self._last_seconds and connection is not None:
                    connection.shutdown(socket.SHUT_RDWR)  # it sees that its master is gone
                else:
                    process.kill()

    def close(self) -> None:
        """End the child and see it go."""
        self.end()
        with self._busy:
            self._reap()

    def _reap(self) -> str:
        """Let go of the child; gives how it ended."""
        process, connection = self._process, self._connection
        self._process = self._connection = None
        if connection is not None:
            connection.close()
        if process is None:
            return "it was never there"
        with contextlib.suppress(subprocess.TimeoutExpired):
            if self._last_seconds:
                process.wait(self._last_seconds)
        process.kill()
        code = process.wait()
        return f"by signal {-code}" if code < 0 else f"exit code {code}"


def _read_answer(connection: socket.socket) -> Message:
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        part = connection.recv(_CHUNK)
        if not part:
            raise ValueError("it went away")
        parts.append(part)
    answer = json.loads(b"".join(parts))
    if not isinstance(answer, dict):
        raise ValueError("the answer is no object")  # noqa: TRY004 -- reported like any other answer that is none
    return answer


def serve_master(answer: Callable[[Message, int | None], Message], at_end: Callable[[], object] = bool) -> None:
    """Be a child: answer the requests on standard input until the master is gone, do `at_end`, and end in that moment."""
    connection = socket.socket(fileno=os.dup(0))
    requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(connection, requests, at_end), daemon=True).start()
    while True:
        line, descriptor = requests.get()
        connection.sendall(json.dumps(answer(json.loads(line), descriptor)).encode() + b"\n")


def _listen(connection: socket.socket, requests: queue.SimpleQueue[Request], at_end: Callable[[], object]) -> None:
    try:
        for request in _receive(connection):
            requests.put(request)
    finally:  # a master that went without reading its answer leaves an error here
        try:
            at_end()
        finally:
            os._exit(0)  # nobody wants any more what is being done


def _receive(connection: socket.socket) -> Iterator[Request]:
    while True:
        line, descriptors, _, _ = socket.recv_fds(connection, _CHUNK, 1, socket.MSG_CMSG_CLOEXEC)
        while line and not line.endswith(b"\n"):
            more = connection.recv(_CHUNK)
            line = line + more if more else b""
        if not line:
            return
        yield line, descriptors[0] if descriptors else None


_AGAIN = 0.2
"""Seconds after which an end is tried again that came before the process was there."""


class SharedChild:
    """A child that several banks share, as one of them uses it; `turn` is common to all of them."""

    def __init__(self, child: ChildProcess, turn: threading.Lock) -> None:
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


def pays_to_copy() -> bool:
    """Whether a copy could run beside us: there is a second core, and no other thread, whose locks it would find shut."""
    return len(os.sched_getaffinity(0)) > 1 and len(os.listdir("/proc/self/task")) == 1  # noqa: PTH208 -- as cheap as it gets


class WorkingCopy:
    """One copy, which works until it is closed."""

    def __init__(self, open_work: OpenWork) -> None:
        """Take what opens the work, there; raises OSError where there is no room for another process."""
        asked, ask = os.pipe()
        answer, answered = os.pipe()
        self._process = os.fork()
        if not self._process:
            os.close(ask)
            os.close(answer)
            _be_the_copy(asked, answered, open_work)
        os.close(asked)
        os.close(answered)
        self._requests, self._answers = open(ask, "wb", buffering=0), open(answer, "rb")  # noqa: SIM115, PTH123 -- see `close`

    def begin(self, request: dict[str, Any]) -> None:
        """Have something done; `finish` is to follow."""
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
        except OSError:  # it ended, which `finish` says
            return

    def finish(self) -> Any:
        """What was made of it; None where the copy ended before."""
        try:
            return json.loads(self._answers.readline())
        except ValueError:
            return None

    def close(self) -> None:
        """Let it end, and see it go."""
        self._requests.close()
        self._answers.close()
        with suppress(ChildProcessError):  # who started us has the kernel see children go
            os.waitpid(self._process, 0)


def _be_the_copy(asked: int, answered: int, open_work: OpenWork) -> None:
    """Work until nobody asks any more, and end; nothing that surrounds the call is done here."""
    try:
        with open_work() as work, open(asked, "rb") as requests, open(answered, "wb") as answers:
            for request in requests:
                answers.write(json.dumps(work(json.loads(request))).encode() + b"\n")
                answers.flush()
    finally:
        os._exit(0)
