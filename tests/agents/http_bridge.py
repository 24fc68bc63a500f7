"""`bankctl mcp` over HTTP, as far as the conformance suite needs it, which tests nothing else: one POST, one frame."""

from __future__ import annotations

import json
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

NO_METHOD = -32601
SECONDS = 30


class Server:
    """One process of `bankctl mcp`; its answers go to who asked, by their ids."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._asked: dict[str, Queue[dict[str, Any]]] = {}
        self._lock = threading.Lock()
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()

    def ask(self, frame: dict[str, Any]) -> dict[str, Any] | None:
        """Send a frame; gives the answer to a request, None for anything else."""
        answer: Queue[dict[str, Any]] = Queue()
        assert self._process.stdin
        with self._lock:
            self._asked[json.dumps(frame.get("id"))] = answer
            self._process.stdin.write(json.dumps(frame).encode() + b"\n")
            self._process.stdin.flush()
        return answer.get(timeout=SECONDS) if "id" in frame and "method" in frame else None

    def _read(self) -> None:
        assert self._process.stdout
        for line in self._process.stdout:
            frame = json.loads(line)
            self._asked[json.dumps(frame["id"])].put(frame)

    def end(self) -> None:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._reading.join(SECONDS)
        self._process.stdout.close()
        self._process.wait(SECONDS)


@contextmanager
def bridging(command: list[str]) -> Iterator[str]:
    """Serve it; gives the address."""
    served = Server(command)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(405, b"")

        def do_DELETE(self) -> None:
            self._send(405, b"")

        def do_POST(self) -> None:
            frame = json.loads(self.rfile.read(int(self.headers["content-length"])))
            answer = served.ask(frame)
            self._send(202, b"") if answer is None else self._send(_status(frame, answer), json.dumps(answer).encode())

        def _send(self, status: int, data: bytes) -> None:
            self.send_response(status)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/mcp"
    finally:
        server.shutdown()
        server.server_close()
        served.end()


def _status(frame: dict[str, Any], answer: dict[str, Any]) -> int:
    """The modern era has statuses for errors of the protocol."""
    if "error" not in answer:
        return 200
    if answer["error"]["code"] == NO_METHOD:
        return 404
    return 400 if "_meta" in frame.get("params", {}) else 200
