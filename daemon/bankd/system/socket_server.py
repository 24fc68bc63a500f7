"""The daemon's socket: one JSON object per line each way, for processes of the same user only.

A client has one second for a request line, five seconds in all, and 64 KB. 32 clients are served at a time; others wait in
the kernel's queue. `Requests` of the service decides what a request means.
"""

from __future__ import annotations

import contextlib
import json
import logging
import math
import os
import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from bankd.errors import BUG, BankError, BusyError, UserError
from bankd.pages.text import to_json
from bankd.system.clock import read_monotonic
from bankd.system.socket_client import at_address, connect_socket, exchange

log = logging.getLogger(__name__)

REQUEST_LIMIT = 64 * 1024
CLIENTS = 32
CHUNK = 64 * 1024

Request: TypeAlias = dict[str, Any]
Answer: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class LockLoan:
    """An answer that lends something: the connection stays open until the client closes it, then `give_back` is called."""

    answer: Answer
    give_back: Callable[[], None]


Handler: TypeAlias = Callable[[Request], Answer | LockLoan]


@dataclass(frozen=True, slots=True)
class ClientTimeouts:
    """Seconds that a client has: for a request line, for all waiting together, and for a loan."""

    read: float = 1.0
    total: float = 5.0
    loan: float = 900.0


@dataclass(slots=True)
class SocketServer:
    """Serves `handle` at a path; `link` is a symbolic link there for clients. Only the holder of the workspace's lock may start it."""

    path: Path
    handle: Handler
    link: Path | None = None
    patience: ClientTimeouts = ClientTimeouts()
    clients: int = CLIENTS
    refused: int = 0
    served: int = 0
    _listener: socket.socket | None = None
    _thread: threading.Thread | None = None
    _places: threading.Semaphore = field(init=False)
    _inode: int = 0

    def start(self) -> None:
        """Listen; raises BusyError when another server answers there, UserError when other users may write in the folder."""
        self._places = threading.Semaphore(self.clients)
        self._listener = self._bind()
        self._inode = self.path.lstat().st_ino
        if self.link is not None:
            _check_folder(self.link.parent)
            self.link.unlink(missing_ok=True)
            self.link.symlink_to(self.path)
        self._thread = threading.Thread(target=self._accept, args=(self._listener,), name="socket", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening, and remove the socket if it is still ours. Requests that are being answered go on."""
        if self._listener is None:
            return
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._listener = None
        with contextlib.suppress(OSError):
            if self.path.lstat().st_ino == self._inode:
                self.path.unlink()
            if self.link is not None and self.link.readlink() == self.path:
                self.link.unlink()
        if self._thread is not None:
            self._thread.join(1)

    def is_reachable(self) -> bool:
        """Whether a client that connects at the path reaches this server."""
        try:
            with contextlib.closing(connect_socket(str(self.link or self.path), self.patience.total)) as probe:
                return bool(exchange(probe, {"op": "ping"})) and self.path.lstat().st_ino == self._inode
        except (OSError, ValueError):
            return False

    def _bind(self) -> socket.socket:
        _check_folder(self.path.parent)
        # We hold the workspace's lock, so a socket at our path was left by a daemon that died, unless somebody answers.
        try:
            connect_socket(str(self.path), None).close()
        except OSError:  # there is nothing, a socket without a listener, or a broken link
            self.path.unlink(missing_ok=True)
        else:
            raise BusyError(f"{self.path}: another process answers there")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        # The mode must be right before anybody can connect, so the umask sets it and not a later chmod.
        mask = os.umask(0o177)
        try:
            at_address(str(self.path), listener.bind)
            listener.listen(128)
        except OSError as error:
            listener.close()
            raise UserError(f"{self.path}: cannot listen there: {error.strerror}") from error
        finally:
            os.umask(mask)
        return listener

    def _accept(self, listener: socket.socket) -> None:
        while True:
            self._places.acquire()
            try:
                connection, _ = listener.accept()
            except OSError:  # closed by `stop`, or too many open files, which the missing answers will show
                self._places.release()
                if self._listener is None:
                    return
                threading.Event().wait(0.1)
                continue
            threading.Thread(target=self._serve, args=(connection,), name="client", daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        try:
            with connection:
                if not _is_trusted(connection):
                    self.refused += 1
                    return
                self._converse(connection, read_monotonic() + self.patience.total)
        except OSError:  # it left, or was too slow
            self.refused += 1
        finally:
            self._places.release()

    def _converse(self, connection: socket.socket, until: float) -> None:
        rest = b""
        while read_monotonic() < until:
            line, rest = self._read_line(connection, rest, min(read_monotonic() + self.patience.read, until))
            if line is None:
                return
            began = read_monotonic()
            answer = self._answer(line)
            until += read_monotonic() - began  # the time that we take does not count for the client
            self.served += 1
            if isinstance(answer, LockLoan):
                self._lend(connection, answer)
                return
            _send(connection, answer, max(until, read_monotonic() + self.patience.read))

    def _lend(self, connection: socket.socket, loan: LockLoan) -> None:
        try:
            _send(connection, {"ok": True, **loan.answer}, read_monotonic() + self.patience.read)
            connection.settimeout(self.patience.loan)
            connection.recv(1)  # returns when the client leaves, however that happens
        finally:
            loan.give_back()

    def _read_line(self, connection: socket.socket, data: bytes, until: float) -> tuple[bytes | None, bytes]:
        parts, size = [data], len(data)
        while b"\n" not in parts[-1]:
            if size > REQUEST_LIMIT:
                _send(connection, _refusal(f"a request is longer than {REQUEST_LIMIT} bytes"), until)
                return None, b""
            connection.settimeout(max(0.001, until - read_monotonic()))
            chunk = connection.recv(CHUNK)
            if not chunk:
                return None, b""
            parts.append(chunk)
            size += len(chunk)
        line, _, rest = b"".join(parts).partition(b"\n")
        return line, rest

    def _answer(self, line: bytes) -> Answer | LockLoan:
        try:
            request = json.loads(line, parse_float=_finite, parse_constant=_finite)
        except (ValueError, RecursionError):
            return _refusal("a request must be one JSON object on one line, each number in it finite")
        if not isinstance(request, dict) or not isinstance(request.get("op"), str):
            return _refusal('a request must be a JSON object with a text "op"')
        if request["op"] == "ping":
            return {"ok": True}
        try:
            answer = self.handle(request)
            return answer if isinstance(answer, LockLoan) else {"ok": True, **answer}
        except BankError as error:
            return {"ok": False, "error": str(error), "exit": error.exit_code}
        except Exception:
            log.exception("request failed op=%s", request["op"])
            return {"ok": False, "error": "this is a bug in bankd; its journal has the details", "exit": BUG}


def _finite(written: str) -> float:
    """A number of a request; ValueError for 1e999 and NaN, which cannot be compared."""
    number = float(written)
    if not math.isfinite(number):
        raise ValueError(written)
    return number


def _refusal(reason: str) -> Answer:
    return {"ok": False, "error": reason, "exit": 2}


def _send(connection: socket.socket, answer: Answer, until: float) -> None:
    connection.settimeout(max(0.001, until - read_monotonic()))
    connection.sendall(to_json(answer).encode() + b"\n")


def _is_trusted(connection: socket.socket) -> bool:
    size = struct.calcsize("3i")
    _, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    return uid in {os.getuid(), 0}


def _check_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
    except FileNotFoundError as error:  # never made: a workspace that was moved could not be moved back
        raise UserError(f"{folder.parent}: not there any more; put it back") from error
    found = folder.stat()
    if found.st_uid != os.getuid():
        raise UserError(f"{folder}: belongs to another user; the daemon's socket must not stand there")
    if found.st_mode & 0o022:
        raise UserError(f"{folder}: others may write there; make it yours with: chmod 700 '{folder}'")
