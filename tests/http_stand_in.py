"""A server on the loopback interface that answers as a function says, and what it was asked."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple


class Asked(NamedTuple):
    method: str
    path: str
    headers: Message
    body: bytes


class Answer(NamedTuple):
    body: bytes
    status: int = 200
    headers: Mapping[str, str] = {}


@contextmanager
def serve(answer: Callable[[Asked], Answer | None]) -> Iterator[str]:
    """Serve until the test ends, and give the address; who is answered None hears nothing."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            said = answer(Asked(self.command, self.path, self.headers, sent))
            if said is None:
                return
            self.send_response(said.status)
            usual = {"Content-Type": "application/json", "Content-Length": str(len(said.body))}
            for name, value in (usual | said.headers).items():
                self.send_header(name, value)
            self.end_headers()
            with suppress(BrokenPipeError, ConnectionResetError):  # who asked may have gone
                self.wfile.write(said.body if self.command != "HEAD" else b"")

        do_HEAD = do_POST = do_PUT = do_GET  # noqa: N815 -- as the library names them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
