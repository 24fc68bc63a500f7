"""Stand-ins for language models: a server for each wire format that answers as it is told, on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

TOKENS = (900, 100)
"""What every answer says that it took."""


class Script(NamedTuple):
    """What a server does with one request: status, the text of the answer, and how it ends."""

    text: str = '{"observations": []}'
    status: int = 200
    finish: str = "stop"
    after: str = ""
    does: str = "answer"
    """answer, hang (until the test ends), cut (in the middle), garbage (no JSON at all)."""


Choose = Callable[[int, dict[str, Any]], Script]
"""The number of the request, from 0, and what was asked -> what is done."""


class ModelServer:
    """A server that remembers what it was asked."""

    def __init__(self, choose: Choose) -> None:
        self.choose, self.asked, self.over = choose, list[dict[str, Any]](), threading.Event()
        self.url = ""

    def reply(self, handler: BaseHTTPRequestHandler) -> None:
        asked = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
        asked["_path"], asked["_key"] = (
            handler.path,
            handler.headers.get("Authorization") or handler.headers.get("x-api-key"),
        )
        self.asked.append(asked)
        script = self.choose(len(self.asked) - 1, asked)
        if script.does == "hang":
            self.over.wait(30)
            return
        body = b"<html>" if script.does == "garbage" else _body(handler.path, script)
        handler.send_response(script.status)
        if script.after:
            handler.send_header("Retry-After", script.after)
        handler.send_header("Content-Type", "application/json")
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body[: len(body) // 2] if script.does == "cut" else body)


def _body(path: str, script: Script) -> bytes:
    if script.status != 200:
        return b'{"error": {"message": "no", "type": "x"}, "type": "error"}'
    if path.endswith("/messages"):
        reason = {"stop": "end_turn", "length": "max_tokens", "content_filter": "refusal"}[script.finish]
        content = [{"type": "text", "text": script.text}]
        usage = {"input_tokens": TOKENS[0], "output_tokens": TOKENS[1]}
        said = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": content, "stop_reason": reason,
                "stop_sequence": None, "usage": usage}  # fmt: skip
    else:
        message = {"role": "assistant", "content": script.text}
        usage = {"prompt_tokens": TOKENS[0], "completion_tokens": TOKENS[1], "total_tokens": sum(TOKENS)}
        choice = {"index": 0, "message": message, "finish_reason": script.finish}
        said = {"id": "c", "object": "chat.completion", "created": 0, "model": "x", "choices": [choice], "usage": usage}
    return json.dumps(said).encode()


@contextmanager
def serve_model(choose: Choose) -> Iterator[ModelServer]:
    """Serve until the test ends."""
    served = ModelServer(choose)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            served.reply(self)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served
    finally:
        served.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
