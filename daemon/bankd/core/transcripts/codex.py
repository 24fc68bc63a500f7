"""Rollouts of Codex: `~/.codex/sessions/YYYY/MM/DD/rollout-*.jsonl`, rows of {timestamp, type, payload}."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from bankd.core.transcripts.turns import Row, Turn, moment_of, said_texts, tool_call, tool_output, turn_key

_PUT_IN = ("<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<skills_instructions>")
"""How texts begin that Codex puts into the user's mouth, in versions that do not say where a text is from."""


def is_codex_row(row: Row) -> bool:
    """Whether a row is one of Codex's."""
    return "payload" in row and "type" in row


def read_codex_turns(rows: Iterable[Row]) -> Iterator[Turn]:
    """The turns of a rollout."""
    tools: dict[str, str] = {}
    for row in rows:
        payload = row.get("payload")
        if row.get("type") == "response_item" and isinstance(payload, dict):
            speaker, text = _said(payload, tools)
            at = row.get("timestamp")
            own = payload.get("id") or payload.get("call_id") or text
            yield Turn(speaker, moment_of(at), text, turn_key(at, speaker, own))


def _said(payload: dict[str, Any], tools: dict[str, str]) -> tuple[str, str]:
    kind = payload.get("type")
    if kind == "message" and payload.get("role") in {"user", "assistant"} and not _is_put_in(payload):
        return str(payload["role"]), "\n\n".join(said_texts(payload.get("content")))
    if kind in {"function_call", "custom_tool_call"}:
        name = f"{payload.get('namespace') or ''}{payload.get('name')}"
        tools[str(payload.get("call_id"))] = name
        return "assistant", tool_call(name, payload.get("arguments") or payload.get("input"))
    if kind in {"function_call_output", "custom_tool_call_output"}:
        return "tool", tool_output(tools.get(str(payload.get("call_id")), ""), payload.get("output"))
    return "", ""


def _is_put_in(payload: dict[str, Any]) -> bool:
    passed = payload.get("internal_chat_message_metadata_passthrough") or {}
    kinds = [(item or {}).get("provenance", {}).get("type") for item in passed.get("content_item_metadata") or ()]
    first = next(iter(said_texts(payload.get("content"))), "")
    return "harness" in kinds or first.lstrip().startswith(_PUT_IN)
