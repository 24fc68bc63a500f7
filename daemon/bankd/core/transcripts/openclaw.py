"""Sessions of OpenClaw: `~/.openclaw/agents/*/sessions/SESSION.jsonl`, a tree of entries that is appended to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bankd.core.transcripts.turns import Row, Turn, moment_of, said_texts, tool_call, tool_output, turn_key


def is_openclaw_row(row: Row) -> bool:
    """Whether a row is one of OpenClaw's."""
    is_header = row.get("type") == "session" and "version" in row
    return is_header or (row.get("type") == "message" and isinstance(row.get("message"), dict) and "id" in row)


def read_openclaw_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session."""
    for row in rows:
        message = row.get("message")
        if row.get("type") == "message" and isinstance(message, dict):
            speaker, text = _said(message)
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row.get("id"), speaker))


def _said(message: dict[str, Any]) -> tuple[str, str]:
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        return "tool", tool_output(message.get("toolName"), content)
    if role not in {"user", "assistant"}:
        return "", ""
    blocks = content if isinstance(content, list) else []
    calls = [block for block in blocks if isinstance(block, dict) and block.get("type") == "toolCall"]
    said = [*said_texts(content), *(tool_call(call.get("name"), call.get("arguments")) for call in calls)]
    return str(role), "\n\n".join(filter(None, said))
