"""The page as a process: a socket on the loopback interface, a link with a one-time token, and uvicorn."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping

import uvicorn

from bankd.errors import UserError
from bankd.ui.application import make_application
from bankd.ui.guard import Access
from bankd.wiring.banks import Banks


def serve_page(banks: Callable[[], Mapping[str, str]], port: int, announce: Callable[[str], None]) -> None:
    """Serve until a signal ends it; `announce` gets the link. UserError when the port is taken; 0 takes a free one."""
    with _listen(port) as listener:
        access = Access(listener.getsockname()[1])
        opened = Banks(banks, stays=True)
        config = uvicorn.Config(
            make_application(opened, access),
            access_log=False, date_header=False, lifespan="off", log_level="warning", server_header=False, ws="none",
        )  # fmt: skip
        announce(f"http://127.0.0.1:{access.port}/?token={access.token}")
        try:
            uvicorn.Server(config).run(sockets=[listener])
        finally:
            opened.close()


def _listen(port: int) -> socket.socket:
    # With its protocol named, asyncio sends an answer at once, and not 40 ms later when its first half is acknowledged.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()
    except OSError as error:
        listener.close()
        raise UserError(f"port {port}: {error.strerror}; give another with --port") from error
    return listener
