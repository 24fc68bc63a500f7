"""The client's side of the daemon's socket: one JSON object per line each way. Imports as little as possible.

So it uses `_socket` instead of `socket`: importing the latter would take a sixth of the time of a search with a daemon.
"""

from __future__ import annotations

import os
from time import monotonic  # noqa: TID251 -- the clock of bankd imports more than a search has time for

from bankd.pages.bare_json import read_json, write_json

TYPE_CHECKING = False
if TYPE_CHECKING:
    import _socket
    from collections.abc import Callable
    from typing import Any

NAME = "bankd.sock"
# sun_path of unix(7) holds 108 bytes with the NUL at its end.
LONGEST_ADDRESS = 107


_SILENT_SECONDS = 5.0
"""Seconds for which this process does not ask a daemon again that did not answer in time: it may be stopped."""
_silent: dict[str, float] = {}


class NoDaemonError(Exception):
    """No daemon answers at the socket. The caller does the work itself, or says so."""


def socket_path(workspace: str) -> str:
    """Where the daemon of a workspace listens: in its `.bankd/`."""
    return os.path.join(workspace, ".bankd", NAME)  # noqa: PTH118  pathlib costs a search more than this module


def send_request(workspace: str, request: dict[str, Any], timeout: float = 2.0, tries: int = 2) -> dict[str, Any]:
    """Send one request and wait for its answer; raises NoDaemonError when none comes.

    On a busy computer the daemon may close the connection of a slow client, so a second try follows.
    """
    if monotonic() - _silent.get(workspace, -_SILENT_SECONDS) < _SILENT_SECONDS:
        raise NoDaemonError("the daemon did not answer a moment ago")
    try:
        connection = connect_socket(socket_path(workspace), timeout)
        try:
            return exchange(connection, request)
        finally:
            connection.close()
    except (OSError, ValueError) as error:
        if isinstance(error, TimeoutError):
            _silent[workspace] = monotonic()
        is_final = isinstance(error, FileNotFoundError | ConnectionRefusedError | TimeoutError)
        if is_final or tries == 1:
            raise NoDaemonError(str(error)) from error
    return send_request(workspace, request, timeout, tries - 1)


def borrow_lock(workspace: str, timeout: float = 35.0) -> _socket.socket:
    """Borrow the right to write from the daemon, for as long as the returned connection is open; raises NoDaemonError."""
    try:
        connection = connect_socket(socket_path(workspace), timeout)
    except OSError as error:
        raise NoDaemonError(str(error)) from error
    try:
        answer = exchange(connection, {"op": "lend"})
    except (OSError, ValueError) as error:
        connection.close()
        raise NoDaemonError(str(error)) from error
    if not answer.get("lent"):
        connection.close()
        raise NoDaemonError(str(answer.get("error")))
    return connection


def exchange(connection: _socket.socket, request: dict[str, Any]) -> dict[str, Any]:
    """Send a request over an open connection, and give its answer; raises OSError and ValueError."""
    connection.sendall(write_json(request).encode() + b"\n")
    parts: list[bytes] = []
    while not parts or not parts[-1].endswith(b"\n"):
        part = connection.recv(1 << 16)
        if not part:
            raise ValueError("the socket was closed")
        parts.append(part)
    answer = read_json(b"".join(parts))
    if not isinstance(answer, dict):
        raise ValueError("the answer is not an object")  # noqa: TRY004  reported like any other bad answer
    return answer


def connect_socket(path: str, timeout: float | None) -> _socket.socket:
    """A connection to a socket at a path of any length, without a timeout if that is None; raises OSError."""
    os.stat(path)  # noqa: PTH116  without a daemon there is no socket, and no need to import the module
    import _socket  # noqa: PLC0415

    connection = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM | _socket.SOCK_CLOEXEC)
    connection.settimeout(timeout)
    try:
        at_address(path, connection.connect)
    except OSError:
        connection.close()
        raise
    return connection


def at_address(path: str, use: Callable[[str], object]) -> None:
    """Bind or connect to a path. One that is too long for an address is reached through its open folder; raises OSError."""
    if len(os.fsencode(path)) <= LONGEST_ADDRESS:
        use(path)
        return
    folder = os.open(os.path.dirname(path), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)  # noqa: PTH120
    try:
        use(f"/proc/self/fd/{folder}/{os.path.basename(path)}")  # noqa: PTH119
    finally:
        os.close(folder)
