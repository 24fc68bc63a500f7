"""Transcripts of Claude Code: `~/.claude/projects/*/SESSION.jsonl`.

Dialogue is only what has a `message`, a uuid and a timestamp and stands outside of side chains; attachments hold what
hooks put in.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from bankd.core.transcripts.turns import Row, Turn, moment_of, said_texts, tool_call, tool_output, turn_key

_REMINDER = re.compile(r"<(system-reminder|local-command-\w+|command-\w+)>.*?</\1>\s*", re.DOTALL)


_SPEAKERS = {"user", "assistant"}


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
