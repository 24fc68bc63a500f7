"""A model that answers Claude Code and Codex: it notes one line, if it has one, when it is offered the tool, then says that it is done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.http_stand_in import Answer, Asked, serve


class Model:
    """What it was asked, and the one note that it makes; none where that is empty."""

    def __init__(self, note: str = "") -> None:
        self.asked: list[dict[str, Any]] = []
        self._note = note

    def reply(self, body: dict[str, Any]) -> dict[str, Any]:
        self.asked.append(body)
        tool = next((t["name"] for t in body.get("tools", []) if t["name"].endswith("memory_note")), None)
        if tool is None or not self._note or "tool_result" in json.dumps(body["messages"]):
            return {"type": "text", "text": "done"}
        return {"type": "tool_use", "id": "toolu_1", "name": tool, "input": {"text": self._note}}

    def respond(self, body: dict[str, Any]) -> dict[str, Any]:
        """The same for the Responses API, where tools of a server stand in a namespace."""
        self.asked.append(body)
        spaces = [t["name"] for t in body.get("tools", []) if any(_is_note(one) for one in t.get("tools", []))]
        if not spaces or not self._note or "function_call_output" in json.dumps(body["input"]):
            said = {"type": "output_text", "text": "done", "annotations": []}
            return {"id": "m_1", "type": "message", "role": "assistant", "status": "completed", "content": [said]}
        call = {"name": "memory_note", "namespace": spaces[0], "arguments": json.dumps({"text": self._note})}
        return {"id": "fc_1", "type": "function_call", "status": "completed", "call_id": "call_1", **call}


def _is_note(tool: dict[str, Any]) -> bool:
    return tool.get("name") == "memory_note"


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


def responses_of(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """A reply as the Responses API streams it."""
    counts = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    whole = {"id": "r_1", "object": "response", "status": "completed", "output": [item], "usage": counts | details}
    yield {"type": "response.created", "response": {"id": "r_1"}}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": whole}


@contextmanager
def serving(model: Model) -> Iterator[str]:
    """Serve a model; gives the address."""

    def answer(request: Asked) -> Answer:
        if request.method != "POST":
            return Answer(b"{}")
        body = json.loads(request.body or b"{}")
        api = request.path.partition("?")[0].rpartition("/")[2]
        if api not in {"messages", "responses"} or not body.get("stream"):
            return Answer(b'{"input_tokens": 1}')
        events = events_of(model.reply(body)) if api == "messages" else responses_of(model.respond(body))
        lines = [f"event: {one['type']}\ndata: {json.dumps(one)}\n\n" for one in events]
        return Answer("".join(lines).encode(), headers={"Content-Type": "text/event-stream"})

    with serve(answer) as address:
        yield address
