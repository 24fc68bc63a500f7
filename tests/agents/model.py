"""A model that answers Claude Code: it notes one line when it is offered the tool, then says that it is done."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Model:
    """What it was asked, and the one note that it makes."""

    def __init__(self, note: str) -> None:
        self.asked: list[dict[str, Any]] = []
        self._note = note

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        tool = next((t["name"] for t in body.get("tools", []) if t["name"].endswith("memory_note")), None)
        if tool is None or "tool_result" in json.dumps(body["messages"]):
            return {"type": "text", "text": "done"}
        return {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {"text": self._note}}


def events_of(block: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A reply as the Messages API streams it."""
    is_tool = block["type"] == "tool_use"
    message = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None}
    yield {"type": "message_start", "message": {**message, "usage": {"input_tokens": 1, "output_tokens": 1}}}
    yield {
        "type": "content_block_start",
        "index": 0,
        "content_block": {**block, "input": {}} if is_tool else {"type": "text", "text": ""},
    }
    said = (
        {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        if is_tool
        else {"type": "text_delta", "text": block["text"]}
    )
    yield {"type": "content_block_delta", "index": 0, "delta": said}
    yield {"type": "content_block_stop", "index": 0}
    stop = "tool_use" if is_tool else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": stop}, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Serve a model; gives the address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            self._send(b"{}", "application/json")

        def do_HEAD(self) -> None:
            self._send(b"", "application/json")

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])) or b"{}")
            if not self.path.partition("?")[0].endswith("/messages") or not body.get("stream"):
                self._send(b'{"input_tokens": 1}', "application/json")
                return
            lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events_of(model.reply(body))]
            self._send("".join(lines).encode(), "text/event-stream")

        def _send(self, data: bytes, kind: str) -> None:
            self.send_response(200)
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
