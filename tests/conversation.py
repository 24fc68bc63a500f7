"""A client that asks a daemon again and again over one connection, as tests and benches do."""

from __future__ import annotations

from typing import Any

from bankd.system.socket_client import NoDaemonError, connect_socket, exchange, socket_path


class Conversation:
    """Many requests, one after another; the daemon ends a connection after some seconds, then the next is opened."""

    def __init__(self, workspace: str, timeout: float = 10.0) -> None:
        """Connect; raises NoDaemonError when nobody listens."""
        self._path, self._timeout = socket_path(workspace), timeout
        self._connection = self._connect()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        """Send a request and give its answer without the daemon's `ok`; raises NoDaemonError."""
        try:
            try:
                answer = exchange(self._connection, request)
            except (OSError, ValueError):
                self.close()
                self._connection = self._connect()
                answer = exchange(self._connection, request)
        except (OSError, ValueError) as error:
            raise NoDaemonError(str(error)) from error
        answer.pop("ok", None)
        return answer

    def close(self) -> None:
        """Hang up."""
        self._connection.close()

    def _connect(self) -> Any:
        try:
            return connect_socket(self._path, self._timeout)
        except OSError as error:
            raise NoDaemonError(str(error)) from error
