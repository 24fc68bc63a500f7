"""The stream of an MCP server: frames in, one JSON object a line, and frames out, which nothing else may mix with.

The MCP server: one thread reads and answers what the protocol alone can answer, another calls the bank.

So a client that floods, cancels or talks nonsense is answered at once, while calls are done one after another.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from typing import IO, Any

from bankd import __version__
from bankd.agents.tools import (
    INSTRUCTIONS,
    INTERNAL_ERROR,
    NO_METHOD,
    ProtocolError,
    Request,
    check_revision,
    discover_result,
    id_of_frame,
    initialize_result,
    parse_frame,
    reply_error,
    reply_to,
)
from bankd.pages.text import to_json

LONGEST = 4 << 20
"""Bytes of a frame; a longer one is skipped to its end and refused."""


class FrameStream:
    """The two ends of standard input and output; frames may be written by any thread."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        """Read from one and write to the other."""
        self._source, self._sink, self._lock = source, sink, threading.Lock()

    def frames(self) -> Iterator[bytes]:
        """Every frame until the client ends; one that is too long comes cut off, and so is no JSON."""
        while line := self._source.readline(LONGEST):
            if len(line) == LONGEST and not line.endswith(b"\n"):
                self._skip_line()
            if line.strip():
                yield line

    def _skip_line(self) -> None:
        while (rest := self._source.readline(LONGEST)) and not rest.endswith(b"\n"):
            pass

    def write(self, frame: dict[str, Any]) -> None:
        """Send one frame whole; that nobody reads any more is found out by the reading side."""
        data = to_json(frame).encode() + b"\n"
        with self._lock:
            try:
                self._sink.write(data)
                self._sink.flush()
            except OSError:
                pass


def take_standard_streams() -> FrameStream:
    """Standard input and output for frames alone: whatever else is printed from now on goes to standard error."""
    sys.stdout.flush()
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return FrameStream(sys.stdin.buffer, sink)


SERVER = {"name": "bankd", "title": "bankd memory", "version": __version__}

Answer = Callable[[dict[str, Any]], dict[str, Any]]


class McpServer:
    """Serves one client until its stream ends; `bank` answers the methods that need the bank, in a thread of their own."""

    def __init__(self, stream: FrameStream, bank: Mapping[str, Answer]) -> None:
        """Take the stream and what answers each method."""
        self._stream, self._bank = stream, bank
        self._has_session = False
        self._waiting: deque[Request] = deque()
        self._cancelled: set[str | int | None] = set()
        self._changed = threading.Condition()
        self._is_ending = False

    def serve(self) -> None:
        """Answer everything that comes; what was asked before the stream ended is answered still."""
        worker = threading.Thread(target=self._work, name="bank")
        worker.start()
        for frame in self._stream.frames():
            self._take(frame)
        with self._changed:
            self._is_ending = True
            self._changed.notify()
        worker.join()

    def _take(self, frame: bytes) -> None:
        try:
            request = parse_frame(frame)
        except ProtocolError as error:
            self._stream.write(reply_error(id_of_frame(frame), error))
            return
        if request is None:
            return
        if request.id is None:
            self._note(request)
            return
        try:
            self._answer_or_queue(request)
        except ProtocolError as error:
            self._stream.write(reply_error(request.id, error))

    def _note(self, notification: Request) -> None:
        """Take a notification: a call that was cancelled is not answered any more, and not begun."""
        wanted = notification.params.get("requestId")
        if notification.method == "notifications/cancelled" and isinstance(wanted, str | int):
            with self._changed:
                if any(request.id == wanted for request in self._waiting):
                    self._cancelled.add(wanted)

    def _answer_or_queue(self, request: Request) -> None:
        result = self._result_of_protocol(request)
        if result is not None:
            self._stream.write(reply_to(request, result, SERVER))
            return
        if request.method not in self._bank:
            raise ProtocolError(NO_METHOD, f"no method {request.method[:60]!r}")
        with self._changed:
            self._waiting.append(request)
            self._changed.notify()

    def _result_of_protocol(self, request: Request) -> dict[str, Any] | None:
        if request.method == "initialize" and not request.is_modern:
            self._has_session = True
            return initialize_result(request.params, SERVER, INSTRUCTIONS)
        if request.method == "ping" and not request.is_modern:
            return {}
        check_revision(request, has_session=self._has_session)
        return discover_result(INSTRUCTIONS) if request.method == "server/discover" else None

    def _work(self) -> None:
        while (request := self._next()) is not None:
            reply = self._reply(request)
            with self._changed:
                self._waiting.popleft()
                is_wanted = request.id not in self._cancelled
                self._cancelled.discard(request.id)
            if is_wanted:
                self._stream.write(reply)

    def _next(self) -> Request | None:
        """The call to do next, which stays in the queue until it is done, so that it can be cancelled meanwhile."""
        with self._changed:
            while True:
                while self._waiting and self._waiting[0].id in self._cancelled:
                    self._cancelled.discard(self._waiting.popleft().id)
                if self._waiting:
                    return self._waiting[0]
                if self._is_ending:
                    return None
                self._changed.wait()

    def _reply(self, request: Request) -> dict[str, Any]:
        try:
            return reply_to(request, self._bank[request.method](request.params), SERVER)
        except ProtocolError as error:
            return reply_error(request.id, error)
        except Exception:
            _tell_bug()
            return reply_error(request.id, ProtocolError(INTERNAL_ERROR, "this is a bug in bankd"))


def _tell_bug() -> None:
    from traceback import print_exc

    print_exc(file=sys.stderr)
