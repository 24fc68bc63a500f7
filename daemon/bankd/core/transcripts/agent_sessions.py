"""What agents keep of a session, as rows of JSON, one format an agent.

Claude Code: `~/.claude/projects/*/SESSION.jsonl`. Dialogue is only what has a `message`, a uuid and a timestamp and stands
outside of side chains; attachments hold what hooks put in.
Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, rows of {timestamp, type, payload}.
OpenClaw: `~/.openclaw/agents/*/sessions/SESSION.jsonl`, a tree of entries that is appended to.
Hermes: JSON lines of {role, content, timestamp}, or one object with all `messages`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeAlias

from bankd.core.transcripts.turns import (
    Row,
    Turn,
    list_at,
    moment_of,
    object_at,
    said_texts,
    tool_call,
    tool_output,
    turn_key,
)

_REMINDER = re.compile(r"<(system-reminder|local-command-\w+|command-\w+)>.*?</\1>\s*", re.DOTALL)
_SPEAKERS = ("user", "assistant")
"""No set, as those below: what is looked for may be a list or an object, in versions to come."""
_PUT_IN = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<skills_instructions>")
"""How texts begin that Codex puts into the user's mouth, in versions that do not say where a text is from."""


def is_claude_code_row(row: Row) -> bool:
    """Whether a row is one of Claude Code's."""
    return "sessionId" in row and "type" in row


def read_claude_code_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a transcript."""
    tools: dict[str, str] = {}
    for row in rows:
        message = row.get("message")
        is_left_out = any(row.get(key) for key in ("isSidechain", "isMeta", "isCompactSummary"))
        if isinstance(message, dict) and row.get("type") in _SPEAKERS and row.get("uuid") and not is_left_out:
            content = message.get("content")
            speaker = "tool" if _is_result(content) else str(row["type"])
            text = "\n\n".join(filter(None, _parts(content, tools)))
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row["uuid"]))


def _is_result(content: object) -> bool:
    blocks = content if isinstance(content, list) else []
    return any(isinstance(block, dict) and block.get("type") == "tool_result" for block in blocks)


def _parts(content: object, tools: dict[str, str]) -> Iterator[str]:
    for block in [content] if isinstance(content, str) else content if isinstance(content, list) else []:
        if not isinstance(block, dict):
            yield from (_REMINDER.sub("", text).strip() for text in said_texts([block]))
        elif block.get("type") == "tool_use":
            tools[str(block.get("id"))] = str(block.get("name"))
            yield tool_call(block.get("name"), block.get("input"))
        elif block.get("type") == "tool_result":
            yield tool_output(tools.get(str(block.get("tool_use_id")), ""), block.get("content"))
        else:
            yield from (_REMINDER.sub("", text).strip() for text in said_texts([block]))


def is_codex_row(row: Row) -> bool:
    """Whether a row is one of Codex's."""
    return "payload" in row and "type" in row


def read_codex_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a rollout."""
    tools: dict[str, str] = {}
    for row in rows:
        payload = row.get("payload")
        if row.get("type") == "response_item" and isinstance(payload, dict):
            speaker, text = _said_in_codex(payload, tools)
            at = row.get("timestamp")
            own = payload.get("id") or payload.get("call_id") or text
            yield Turn(speaker, moment_of(at), text, turn_key(at, speaker, own))


def _said_in_codex(payload: dict[str, Any], tools: dict[str, str]) -> tuple[str, str]:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") in _SPEAKERS and not _is_put_in(payload):
        return str(payload["role"]), "\n\n".join(said_texts(payload.get("content")))
    if kind in ("function_call", "custom_tool_call"):
        name = f"{payload.get('namespace') or ''}{payload.get('name')}"
        tools[str(payload.get("call_id"))] = name
        return "assistant", tool_call(name, payload.get("arguments") or payload.get("input"))
    if kind in ("function_call_output", "custom_tool_call_output"):
        return "tool", tool_output(tools.get(str(payload.get("call_id")), ""), payload.get("output"))
    return "", ""


def _is_put_in(payload: dict[str, Any]) -> bool:
    items = list_at(object_at(payload, "internal_chat_message_metadata_passthrough"), "content_item_metadata")
    kinds = [object_at(item, "provenance").get("type") for item in items if isinstance(item, dict)]
    first = next(iter(said_texts(payload.get("content"))), "")
    return "harness" in kinds or first.lstrip().startswith(_PUT_IN)


def is_openclaw_row(row: Row) -> bool:
    """Whether a row is one of OpenClaw's."""
    is_header = row.get("type") == "session" and "version" in row
    return is_header or (row.get("type") == "message" and isinstance(row.get("message"), dict) and "id" in row)


def read_openclaw_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session."""
    for row in rows:
        message = row.get("message")
        if row.get("type") == "message" and isinstance(message, dict):
            speaker, text = _said_in_openclaw(message)
            yield Turn(speaker, moment_of(row.get("timestamp")), text, turn_key(row.get("id"), speaker))


def _said_in_openclaw(message: dict[str, Any]) -> tuple[str, str]:
    role, content = message.get("role"), message.get("content")
    if role == "toolResult":
        return "tool", tool_output(message.get("toolName"), content)
    if role not in _SPEAKERS:
        return "", ""
    blocks = content if isinstance(content, list) else []
    calls = [block for block in blocks if isinstance(block, dict) and block.get("type") == "toolCall"]
    said = [*said_texts(content), *(tool_call(call.get("name"), call.get("arguments")) for call in calls)]
    return str(role), "\n\n".join(filter(None, said))


def is_hermes_row(row: Row) -> bool:
    """Whether a row is one of Hermes'."""
    return "role" in row and ("content" in row or "tool_calls" in row or row["role"] == "session_meta")


def read_hermes_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a session; the number of a row tells it from others like it that have no time."""
    for number, row in enumerate(rows):
        role = row.get("role")
        if role in (*_SPEAKERS, "tool"):
            at = moment_of(row.get("timestamp"))
            yield Turn(
                str(role), at, _said_in_hermes(row), turn_key(number, role, "".join(said_texts(row.get("content"))))
            )


def _said_in_hermes(row: Row) -> str:
    if row.get("role") == "tool":
        return tool_output(row.get("tool_name") or row.get("name"), row.get("content"))
    calls = [call.get("function") for call in list_at(row, "tool_calls") if isinstance(call, Mapping)]
    named = [tool_call(call.get("name"), call.get("arguments")) for call in calls if isinstance(call, Mapping)]
    return "\n\n".join(filter(None, [*said_texts(row.get("content")), *named]))


Reader: TypeAlias = Callable[[Iterable[Row]], Iterator[Turn]]

SESSION_FORMATS: Mapping[str, tuple[Callable[[Row], bool], Reader]] = {
    "claude-code": (is_claude_code_row, read_claude_code_turns),
    "codex": (is_codex_row, read_codex_turns),
    "openclaw": (is_openclaw_row, read_openclaw_turns),
    "hermes": (is_hermes_row, read_hermes_turns),
}
"""By agent: whether a row is one of its, and the turns in its rows."""
