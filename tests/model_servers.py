"""Stand-ins for language models: a server for each wire format that answers as it is told, on the loopback interface."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from tests.http_stand_in import Answer, Asked, serve

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

    def reply(self, request: Asked) -> Answer | None:
        headers = request.headers
        key = headers.get("Authorization") or headers.get("x-api-key")
        self.asked.append(json.loads(request.body) | {"_path": request.path, "_key": key})
        script = self.choose(len(self.asked) - 1, self.asked[-1])
        if script.does == "hang":
            self.over.wait(30)
            return None
        body = b"<html>" if script.does == "garbage" else body_of(request.path, script)
        more = {"Content-Length": str(len(body))} | ({"Retry-After": script.after} if script.after else {})
        return Answer(body[: len(body) // 2] if script.does == "cut" else body, script.status, more)


def body_of(path: str, script: Script) -> bytes:
    """What such a server says, by the wire format of the path."""
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
    with serve(served.reply) as served.url:
        try:
            yield served
        finally:
            served.over.set()
